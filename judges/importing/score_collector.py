"""Values of judges that come one by one, put together: what one judge gave one item is one judgment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from judges.importing.entries import Line
from judges.strict_json import canonical

Key = tuple[str, str, str, str, str, str]


@dataclass
class _CollectedValues:
    """The values of a judgment so far: for each sample by cell, with the file and line where they began."""

    file: str
    line: int
    row: Any
    data: dict[str, Any]
    samples: list[dict[tuple[str, str], dict[str, Any]]] = field(default_factory=list)


class ScoreCollector:
    """Puts values together into judgments; a value for a cell that has one already begins another sample."""

    def __init__(self) -> None:
        self._judgments: dict[Key, _CollectedValues] = {}

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
        judgment = self._judgments.setdefault(key, _CollectedValues(file, line, row, data))
        cell = (score["unit"], score["dimension"])
        if repeats and any(sample.get(cell) == score for sample in judgment.samples):
            return
        free = next((sample for sample in judgment.samples if cell not in sample), None)
        if free is None:
            judgment.samples.append({cell: score})
        else:
            free[cell] = score

    def lines(self) -> Iterator[Line]:
        """Give each judgment once, then forget them all."""
        for judgment in self._judgments.values():
            for sample in judgment.samples:
                yield Line(
                    judgment.file, judgment.line, "judgment", {**judgment.data, "scores": list(sample.values())},
                    judgment.row,
                )  # fmt: skip
        self._judgments.clear()
