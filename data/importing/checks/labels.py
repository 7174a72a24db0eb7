"""Checks of imported labels: the question must be one that people are asked, and the answer on its scale."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from data.importing.checks.import_context import ImportContext, check_person, check_text, parse_time
from data.importing.checks.known_rows import Cell, KnownItem, KnownLabels, label_slot
from data.importing.staging import LATER
from data.records import rows
from data.records.tables import LabelRow
from data.store.errors import BadInput
from data.store.ids import content_id
from judges.errors import BadScale
from judges.importing.entries import Line, LineError
from judges.importing.lines import CellLine, LabelLine
from judges.strict_json import show_value
from judges.types import Dimension, Place, Scale, is_unit, sort_of, turn_number, units

NO_PROBABILITY = (
    "A label's item is said to be drawn at random, but neither the number of items it was drawn from nor the "
    "probability is given: the label is kept, but does not count for the approval check."
)
AGAIN = (
    "A person gave two answers to the same question of an item, and their times do not show which is newer: the answer "
    "further down counts."
)


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
            return self.scale.code(self.scale.parse_text(value), self.turns)
        except BadScale as error:
            raise LineError(name, f"{name}: {error}.") from None


def find_question(line: CellLine, item: KnownItem, questions: Mapping[Place, Dimension]) -> LabelQuestion:
    """The question that a line answers. Raises LineError where its unit or question does not exist."""
    own_units = units(item)
    if not is_unit(line.unit) or line.unit not in own_units:
        raise LineError(
            "unit", f"{show_value(item.id)} has no unit {show_value(line.unit)}. It has: {', '.join(own_units[:12])}."
        )
    dimension = questions.get((item.kind, sort_of(line.unit), line.dimension))
    if dimension is None:
        names = ", ".join(sorted(f"{name} ({sort})" for kind, sort, name in questions if kind == item.kind))
        raise LineError(
            "dimension", f"No card asks people for {show_value(line.dimension)} of {line.unit}. They ask: {names}."
        )
    turns = frozenset(turn_number(unit) for unit in own_units if unit.startswith("turn:"))
    return LabelQuestion(dimension.scale, turns)


class LabelCheck:
    """Takes labels; remembers the people who gave them, with their teams."""

    def __init__(self, context: ImportContext, known: KnownLabels) -> None:
        self.context, self.known = context, known
        self.people: dict[str, str] = {}
        self._sampled: set[str] = set()

    def take(self, line: Line) -> None:
        """Put a label into the spool, or count it as known. Raises LineError or AssayError."""
        label = LabelLine.model_validate(line.data)
        item = self.context.item(label.item)
        value = find_question(label, item, self.context.questions).code(label.value)
        named = check_person(label.annotator)
        check_text(label.team)
        made_at = parse_time(label.made_at)
        where = (rows.item_id(self.context.dataset_id, item.id), label.unit, label.dimension)
        report, probability = self.context.report, self._probability(label)
        if probability == LATER:
            self._sampled.add(item.id)
        # What came in before somebody of that name worked here is kept under the plain name.
        if self.known.was_stored(self._key(line, (*where, named), value, label.mode, made_at)):
            self._count_known(line, label_slot((*where, named), label.mode), value)
            return
        self._check_desk(label, named, (*where, named))
        annotator = self.context.identity(named)
        cell = (*where, annotator)
        key, place = self._key(line, cell, value, label.mode, made_at), label_slot(cell, label.mode)
        if self.known.was_stored(key):
            self._count_known(line, place, value)
            return
        if self.known.is_new(key):
            report.repeated.labels += 1
            return
        if place in self.known.stored and made_at <= (time := self.known.stored[place][1]):
            about, at = describe_cell(label), format_moment(time)
            which = "a later answer" if made_at < time else "another answer of the same moment"
            raise LineError("made_at", f"The dataset holds {which} of {annotator} to {about} ({at}).")
        self.context.check_not_in_future(made_at)
        if self.known.add(place, key, made_at, line.moment or 0, value):
            self.context.problems.warn(AGAIN)
        self.people.setdefault(annotator, label.team)
        # No score is known to have been on screen, whatever the mode: `saw` and `seen` stay empty.
        unknown = probability is None and "probability" not in label.model_fields_set
        if unknown and self.context.snapshot.plan.sampling == "random":
            self.context.problems.warn(NO_PROBABILITY)
        row = LabelRow(
            key, "", *where, value, annotator, label.mode, draw_id="", judge_id="", saw=False, seen=None,
            probability=probability, replaces=None, withdrawn=False, made_at=made_at,
        )  # fmt: skip
        self.context.spool.add([row])
        report.new.labels += 1
        shown = label.model_dump(include={"item", "unit", "dimension", "mode", "made_at"})
        self.context.show("labels", report.new.labels, **shown, annotator=annotator, value=str(label.value))

    def _count_known(self, line: Line, place: Cell, value: float | None) -> None:
        self.context.report.known.labels += 1
        if line.nth is not None:
            self.known.note_known(place, line.moment or 0, value)

    def _probability(self, line: LabelLine) -> float | None:
        """That with which the item was drawn: what the plan says, or the line's own; LATER where that takes a count.

        A line may say in any case that its item was not drawn at random (null).
        """
        plan, is_given = self.context.snapshot.plan, "probability" in line.model_fields_set
        if plan.sampling not in ("all", "random") or (is_given and line.probability is None):
            return None
        if plan.population is not None:
            return LATER
        return line.probability if is_given else 1.0 if plan.sampling == "all" else None

    def probability(self) -> float | None:
        """Return what LATER stands for, once all lines were taken: n labelled items of N. None if nothing needs it.

        Raises BadInput if more items have labels than they were drawn from.
        """
        n, population = len(self._sampled), self.context.snapshot.plan.population
        if not n or population is None:
            return None
        if n > population:
            problem = f"{n:,} items have labels, and are said to be drawn from {population:,}"
            raise BadInput(f"{problem}: give the number that there were to draw from.")
        return n / population

    def _key(self, line: Line, cell: Cell, value: float | None, mode: str, made_at: datetime) -> str:
        when = made_at.isoformat() if line.nth is None else ""
        return content_id("label", *cell, value, mode, when, *([line.nth] if line.nth else []))

    def _check_desk(self, line: LabelLine, named: str, cell: Cell) -> None:
        """Raise LineError where the person of that name has answered this question on the desk: it counts once."""
        _, time, on_desk, _ = self.known.stored.get(label_slot(cell, line.mode), ("", datetime.min, False, None))
        if on_desk:
            raise LineError(
                "annotator", f"{named} already answered {describe_cell(line)} on the desk ({format_moment(time)})."
            )


def describe_cell(line: CellLine) -> str:
    """The question that a line answers, in words: `tone of turn:2 of 'x'`."""
    return f"{line.dimension.replace('_', ' ')} of {line.unit} of {show_value(line.item)}"


def format_moment(time: datetime) -> str:
    """A time to the minute."""
    return f"{time:%Y-%m-%d %H:%M}"
