"""The question that a line answers, which must be one that people are asked, and the code of an answer on its scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from data.cards import cards
from data.importing.checks.import_context import LineError
from data.importing.checks.known_rows import KnownItem
from data.importing.sentences import show_value
from judges.errors import BadScale
from judges.importing.lines import CellLine
from judges.types import Dimension, Scale, is_unit, sort_of, units


class LabelQuestion(NamedTuple):
    """A question of an item: the scale of its answers, and the turns that can be one."""

    scale: Scale
    turns: frozenset[int]

    def code(self, value: Any, name: str = "value") -> float | None:
        """The code of an answer. Raises LineError for the field `name` where it is none."""
        if value is None:
            raise LineError(
                name, f'{name} is null: write "n/a" where the question does not apply, or leave the line out.'
            )
        try:
            return self.scale.code(self.scale.written(value), self.turns)
        except BadScale as error:
            raise LineError(name, f"{name}: {error}.") from None


def find_question(given: CellLine, item: KnownItem, questions: Mapping[cards.Place, Dimension]) -> LabelQuestion:
    """The question that a line answers. Raises LineError where its unit or question does not exist."""
    there = units(item)
    if not is_unit(given.unit) or given.unit not in there:
        raise LineError(
            "unit", f"{show_value(item.id)} has no unit {show_value(given.unit)}. It has: {', '.join(there[:12])}."
        )
    dimension = questions.get((item.kind, sort_of(given.unit), given.dimension))
    if dimension is None:
        names = ", ".join(sorted(f"{name} ({sort})" for kind, sort, name in questions if kind == item.kind))
        raise LineError(
            "dimension", f"No card asks people for {show_value(given.dimension)} of {given.unit}. They ask: {names}."
        )
    return LabelQuestion(dimension.scale, frozenset(int(unit[5:]) for unit in there if unit.startswith("turn:")))
