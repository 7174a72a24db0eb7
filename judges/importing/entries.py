"""The canonical lines that every format is turned into: cards, items, judgments and labels, each with its place.

Values of judges that come one by one are put together: what one judge gave one item is one judgment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from judges.strict_json import canonical
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


class ScoreCollector:
    """Puts values together into judgments; a value for a cell that has one already begins another sample."""

    def __init__(self) -> None:
        self._judgments: dict[tuple[str, ...], tuple[Line, list[dict[tuple[str, str], dict[str, Any]]]]] = {}
        """The judgments so far, and for each sample its scores by cell."""

    def add(
        self, file: str, line: int, row: Any, data: dict[str, Any], score: dict[str, Any], repeats: bool = False
    ) -> None:
        """Another value: `data` is the judgment's line without its scores, `score` one of these.

        If rows repeat what a judge said, as of each person, the same value again is no other sample.
        """
        key = (
            data["item"], data["card"], data["model"], canonical(data["params"]), str(data.get("order", "")),
            str(data.get("sample", "")),
        )  # fmt: skip
        _, samples = self._judgments.setdefault(key, (Line(file, line, "judgment", data, row), []))
        cell = (score["unit"], score["dimension"])
        if repeats and any(sample.get(cell) == score for sample in samples):
            return
        free = next((sample for sample in samples if cell not in sample), None)
        if free is None:
            samples.append({cell: score})
        else:
            free[cell] = score

    def lines(self) -> Iterator[Line]:
        """Give each judgment once, then forget them all."""
        for judgment, samples in self._judgments.values():
            for sample in samples:
                yield replace(judgment, data={**judgment.data, "scores": list(sample.values())})
        self._judgments.clear()
