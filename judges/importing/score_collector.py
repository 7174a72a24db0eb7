"""Values of judges that come one by one, put together: what one judge gave one item is one judgment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from judges.importing.entries import Line
from judges.strict_json import canonical


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
