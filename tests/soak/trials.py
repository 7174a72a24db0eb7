"""Every trial: what is held, how often it is made, and what it may come to."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests import seeds
from tests.server import ROOT
from tests.soak import backups, counts, damages, kills
from tests.soak.counts import Count

PieceOutcome = tuple[dict[str, int], list[str]]
"""What a piece came to beside its number, and what was wrong."""


class Trial(NamedTuple):
    """A trial: `run` makes a piece of it in an empty folder, that many times, with chance from a seed."""

    what: str
    unit: str
    target: str
    count: Count
    run: Callable[[Path, int, int], PieceOutcome]


def _kills(folder: Path, times: int, seed: int) -> PieceOutcome:
    saves, wrong = kills.run(folder, times, counts.SAVES.release, seed)
    return {"saves acknowledged": saves}, wrong


def _postgres(folder: Path, times: int, seed: int) -> PieceOutcome:
    from tests.postgres import Databases

    databases = Databases()
    try:
        restart = databases.restart if seed % 2 else None
        saves, wrong = kills.run(folder, times, counts.SAVES.release, seed, databases.address_of(folder), restart)
        return {"saves acknowledged": saves, "crashes of the database": 1 if restart else 0}, wrong
    finally:
        databases.close()


def _browser(folder: Path, times: int, _: int) -> PieceOutcome:
    from playwright.sync_api import sync_playwright

    from tests import browser
    from tests.conftest import FLAGS
    from tests.pages.desk.test_durability import kill
    from tests.server import Server

    app = Server(folder)
    seeds.dialogues(app.store_path, 15 * times)
    with app, sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser.find(), args=list(FLAGS))
        page = opened.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce").new_page()
        page.set_default_timeout(120_000)
        kill(app, page, times)
        opened.close()
    return {}, []


def _races(folder: Path, times: int, _: int) -> PieceOutcome:
    from tests.data.desk.test_races import THREADS, race

    race(folder, times // THREADS)
    return {}, []


def _imports(folder: Path, times: int, seed: int) -> PieceOutcome:
    from tests.data.importing.test_damaged_files import FILES, damage

    figures = Counter[str]()
    for name in FILES:
        place = folder / name
        place.mkdir()
        figures.update(outcome for outcome, _ in damage(place, name, times // len(FILES), seed))
    return figures, []


def _backups(folder: Path, times: int, seed: int) -> PieceOutcome:
    return {}, backups.run(folder, times, seed)


def _damages(folder: Path, times: int, seed: int) -> PieceOutcome:
    from tests.data.store.test_opening import KILLED

    place = folder / "killed"
    place.mkdir()
    subprocess.run([sys.executable, "-c", KILLED.format(path=str(place / "a.duckdb"))], check=False)
    return {}, damages.run(place, folder, times, seed)


def _disks(folder: Path, times: int, seed: int) -> PieceOutcome:
    from tests.data.store.test_store import fill

    for number in range(times):
        place = folder / str(number)
        place.mkdir()
        fill(place, "limit", (4 << 20) + (seed + number) * 700_001 % (13 << 20))
    return {}, []


def _api(_: Path, times: int, seed: int) -> PieceOutcome:
    command = [sys.executable, "-m", "pytest", "-q", f"--hypothesis-seed={seed}", "tests/pages/api/test_openapi.py"]
    # Without NEW_CASES no seed counts (tests/conftest.py), and every piece would be the same.
    environment = {**os.environ, "NEW_CASES": "1", "ASSAY_API_EXAMPLES": str(times)}
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return {}, [process.stdout[-4_000:]] if process.returncode else []


NO_LOSS = "nothing acknowledged missing, half there, twice or in another place"
TRIALS = {
    "kills": Trial("kill -9 while three people save (DuckDB)", "kills", NO_LOSS, counts.KILLS, _kills),
    "postgres": Trial("the same on PostgreSQL", "kills", NO_LOSS, counts.POSTGRES_KILLS, _postgres),
    "browser": Trial("kill -9 and restart with the browser open", "kills", NO_LOSS, counts.BROWSER_KILLS, _browser),
    "races": Trial("one answer sent by twenty threads at once", "races", "one row each", counts.RACES, _races),
    "imports": Trial(
        "damaged files imported", "files", "a sentence each, nothing written in part", counts.IMPORTS, _imports
    ),
    "backups": Trial(
        "backups while three people save, restored and compared", "backups", "every row equal", counts.BACKUPS, _backups
    ),
    "damages": Trial(
        "starts on a store, log or mark damaged by chance", "starts", "refused with no byte changed, or every row",
        counts.DAMAGES, _damages,
    ),
    "disks": Trial(
        "disks that run full during 300 saves", "disks", "kept, or refused in a sentence", counts.DISKS, _disks
    ),
    "api": Trial(
        "whatever the API's description allows, and more, asked by schemathesis", "requests of each route",
        "answered as described", counts.API, _api,
    ),
}  # fmt: skip
