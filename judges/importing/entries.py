"""The canonical lines that every format is turned into: cards, items, judgments and labels, each with its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from judges.types import Kind

Sort = Literal["card", "item", "judgment", "label", "adjudication", "rule", "guidelines", "prompts"]


@dataclass(slots=True)
class Line:
    """A canonical line of one sort, not yet validated, and the row of the file that it came from.

    `unscored` is set with the reason if a format knows that there is no score. `nth` distinguishes votes without a time
    of one person on one thing; `moment` is a time by which the newest of several counts. A `weak` item stands for one
    whose texts are not in the files, and gives way to what is there under its name.
    """

    file: str
    line: int
    sort: Sort
    data: dict[str, Any]
    row: Any = None
    nth: int | None = None
    unscored: tuple[str, str] | None = None
    weak: bool = False
    moment: float | None = None


class LineError(ValueError):
    """A line or row is not taken: (field, sentence)."""

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(name, sentence)
        self.problem = (name, sentence)


class ItemMissing(LineError):
    """The item that a line is about is neither in the dataset nor in the import."""


@dataclass(slots=True)
class RejectedRow:
    """A row that a format cannot turn into anything, with (field, sentence) for everything that is wrong with it.

    `name` is the item it was to become, so that what depends on it can say why it is missing.
    """

    file: str
    line: int
    problems: list[tuple[str, str]]
    row: Any = None
    name: str = ""


@dataclass(slots=True)
class Hint:
    """Something worth knowing that stops nothing; a `summary` says what the files hold."""

    sentence: str
    summary: bool = False


@dataclass(slots=True)
class NamedValue:
    """The answer of a judge or a person about a unit of an item, under a name of which no card is known yet.

    `by` is "judge" and `rater` its name, or `by` is "person" and `rater` the annotator. `value` is as the file has it.
    """

    file: str
    line: int
    item: str
    kind: Kind
    unit: str
    name: str
    value: Any
    by: str
    rater: str
    note: str = ""
    made_at: str = ""
    row: Any = None
    confidence: float | None = None


Entry = Line | RejectedRow | Hint
ToolEntry = Entry | NamedValue
"""An entry from the format of another tool; its own names are matched with questions afterwards."""


@dataclass
class RepeatCounter:
    """The number of times that each thing was met, to number repetitions."""

    times: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def count(self, *key: Any) -> int:
        """Count this key, and return the number of times it was met before."""
        before = self.times.get(key, 0)
        self.times[key] = before + 1
        return before
