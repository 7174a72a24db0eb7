"""A number of things, or of bytes, in words."""

from __future__ import annotations


def many(n: float, one: str, more: str = "") -> str:
    """1 item, 1,200 items; `more` is the plural where it is not `one` with an s (reply, replies)."""
    return f"{n:,.0f} {one if round(n) == 1 else more or one + 's'}"


def verb(n: float, one: str, more: str) -> str:
    """The verb that goes with so many: 1 is, 2 are."""
    return one if round(n) == 1 else more


def file_size(count: int) -> str:
    """The size of a file of so many bytes: 1.5 MB (of 2**20 bytes), or 12.0 kB (of 2**10) where it is smaller."""
    return f"{count / 2**20:,.1f} MB" if count >= 2**20 else f"{max(count / 2**10, 0.1):,.1f} kB"
