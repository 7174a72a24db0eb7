"""A number of things, or of bytes, in words."""

from __future__ import annotations


def many(n: float, singular: str, plural: str = "") -> str:
    """1 item, 1,200 items; `plural` is the plural where it is not `singular` with an s (reply, replies)."""
    return f"{n:,.0f} {singular if round(n) == 1 else plural or singular + 's'}"


def verb(n: float, singular: str, plural: str) -> str:
    """The verb that goes with so many: 1 is, 2 are."""
    return singular if round(n) == 1 else plural


def file_size(count: int) -> str:
    """The size of a file of so many bytes: 1.5 MB (of 2**20 bytes), or 12.0 kB (of 2**10) where it is smaller."""
    return f"{count / 2**20:,.1f} MB" if count >= 2**20 else f"{max(count / 2**10, 0.1):,.1f} kB"
