"""A number of things in words."""

from __future__ import annotations


def many(n: float, one: str, more: str = "") -> str:
    """1 item, 1,200 items; `more` is the plural where it is not `one` with an s (reply, replies)."""
    return f"{n:,.0f} {one if round(n) == 1 else more or one + 's'}"


def verb(n: float, one: str, more: str) -> str:
    """The verb that goes with so many: 1 is, 2 are."""
    return one if round(n) == 1 else more
