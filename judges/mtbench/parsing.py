"""Rules for the rating in brackets or the verdict in a judgment in prose. MTBENCH calls these the rules of parsing."""

from __future__ import annotations

import re
from typing import Literal

Counts = Literal["fastchat", "last"]
ERROR = "$ERROR$"
"""The text that FastChat writes instead of a judgment whose call failed."""
_DOUBLE = re.compile(r"\[\[(-?\d+\.?\d*)\]\]")
_SINGLE = re.compile(r"\[(-?\d+\.?\d*)\]")
_SPACED = re.compile(r"\[\[[ \t]{0,9}(-?\d+\.?\d*)[ \t]{0,9}\]\]")
_LETTER = re.compile(r"\[\[[ \t]{0,9}([ABC])[ \t]{0,9}\]\]")
_WINNERS = {"A": "a", "B": "b", "C": "tie"}


def is_failed_call(text: str) -> bool:
    """Whether a judgment is the mark of a failed call and nothing else: a judge may quote the mark from an answer."""
    return text.strip() == ERROR


def rating(text: str, counts: Counts = "fastchat") -> float | None:
    """The rating that a judgment states, or None where it states none.

    FastChat, whose files are imported, takes the first `[[n]]`, else the first `[n]`. For our own judges it is the last
    `[[n]]`, as they may quote one from what they judge; a lone `[n]` is not taken.
    """
    if counts == "last":
        stated = _SPACED.findall(text)
        return float(stated[-1]) if stated else None
    match = _DOUBLE.search(text) or _SINGLE.search(text)
    return float(match.group(1)) if match else None


def winner(text: str, counts: Counts = "fastchat") -> str | None:
    """The verdict that a comparison states: a, b, tie or None.

    FastChat looks for [[A]], then [[B]], then [[C]] anywhere in the text; for our own judges the last of them counts.
    """
    if counts == "last":
        stated = _LETTER.findall(text)
        return _WINNERS[stated[-1]] if stated else None
    return next((name for letter, name in _WINNERS.items() if f"[[{letter}]]" in text), None)
