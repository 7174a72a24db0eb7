"""How often each trial is made: in the tests, and in all for a release, where so many are made at a time."""

from __future__ import annotations

from typing import NamedTuple


class Count(NamedTuple):
    """How many in every run of the tests, how many for a release, and how many of these make one piece."""

    per_run: int
    release: int
    piece: int


KILLS = Count(8, 500, 20)
POSTGRES_KILLS = Count(3, 500, 25)
SAVES = Count(4, 100, 100)
"""Acknowledged saves before each kill, at least."""
BROWSER_KILLS = Count(2, 100, 5)
RACES = Count(200, 10_000, 1_000)
IMPORTS = Count(150, 5_000, 250)
BACKUPS = Count(2, 100, 10)
DAMAGES = Count(30, 1_000, 100)
DISKS = Count(1, 20, 1)
"""Disks that run full in the middle of 300 saves."""
API = Count(2, 200, 20)
"""Requests of each route of the API."""
