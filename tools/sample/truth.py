"""The generator's knowledge of an item that it made: the true scores, and the faults that it put into the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

NA = "n/a"
Value = int | str | bool
Truth = dict[tuple[str, str], Value]
"""(unit, dimension) -> the value that a perfect annotator would give, written as in the labels' JSONL."""


@dataclass(frozen=True)
class Fault:
    """A planted fault: `statement` is in the text of `unit`, `earlier` in what a user said before (or "")."""

    kind: str
    unit: str
    earlier: str
    statement: str


@dataclass(frozen=True)
class GeneratedItem:
    """One item in canonical form with all that is known about it. Only `item` ever leaves the generator's tests."""

    item: dict[str, Any]
    truth: Truth
    story: str
    faults: tuple[Fault, ...] = ()
    issues: dict[str, list[str]] = field(default_factory=dict)
    """By unit, the concrete problems that an attentive judge would name."""
    lengths: dict[str, float] = field(default_factory=dict)
    """By unit, its length in words (two characters make a word in Japanese and Chinese)."""
    goal: str = ""
    done: str = ""
    corrected: tuple[int, ...] = ()
    """The turns in which the user corrects or objects."""

    @property
    def id(self) -> str:
        return str(self.item["id"])

    @property
    def language(self) -> str:
        return str(self.item["meta"]["language"])


def words(text: str, language: str) -> float:
    """The length of a text in words; two characters count as one in languages without spaces."""
    return len(text) / 2 if language in ("ja", "zh") else float(len(text.split()))


def clip(value: float, lo: int = 1, hi: int = 5) -> int:
    """The nearest point of a scale (halves go up, whatever their neighbour)."""
    return max(lo, min(hi, int(value + 0.5)))
