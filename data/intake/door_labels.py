"""Labels at the door: the question must be one that people are asked, and the answer must lie on its scale."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from data import cards
from data.ids import content_id
from data.intake import rows
from data.intake.door import Door, No, check_text
from data.intake.known import Item, Labels, slot
from data.intake.lines import LabelIn, Line
from data.intake.sentences import show
from judges.errors import BadScale
from judges.types import Dimension, Scale, is_unit, sort_of, units

_PERSON = re.compile(r"[^\x00-\x1f\x7f<>`|\\/]{1,60}")


class LabelDoor:
    """Takes labels; remembers the people who gave them, with their teams."""

    def __init__(self, door: Door, known: Labels) -> None:
        self.door, self.known = door, known
        self.people: dict[str, str] = {}
        self._asked = cards.questions(door.items.store)

    def take(self, line: Line) -> None:
        """Put a label into the spool, or count it as known. Raises No or AssayError."""
        given = LabelIn.model_validate(line.data)
        item = self.door.item(given.item)
        value = _value(given, item, self._asked)
        annotator = " ".join(given.annotator.split())
        if not _PERSON.fullmatch(annotator):
            name = show(given.annotator)
            raise No("annotator", f"{name} cannot be a person's name: 1 to 60 characters without < > ` | / and \\.")
        check_text(annotator + given.team)
        made_at = rows.moment(given.made_at)
        cell = (rows.item_id(self.door.dataset_id, item.id), given.unit, given.dimension, annotator)
        when = made_at.isoformat() if line.nth is None else ""
        key = content_id("label", *cell, value, given.mode, when, *([line.nth] if line.nth else []))
        report = self.door.report
        if self.known.has(key):
            report.known.labels += 1
            return
        place = slot(cell, given.mode)
        if place in self.known.stored:
            self._check_stored(given, annotator, made_at, *self.known.stored[place][1:])
        self.known.add(place, key, made_at)
        self.people.setdefault(annotator, given.team)
        # No score is known to have been on screen, whatever the mode: `saw` and `seen` stay empty.
        probability = self.door.plan.probability
        if probability is not None and "probability" in given.model_fields_set:
            probability = given.probability
        told = (given.mode, "", "", False, None, probability, None, False, made_at)
        self.door.spool.add("label", [(key, "", *cell[:3], value, annotator, *told)])
        report.new.labels += 1
        shown = given.model_dump(include={"item", "unit", "dimension", "annotator", "mode", "made_at"})
        self.door.show("labels", report.new.labels, **shown, value=str(given.value))

    def _check_stored(self, given: LabelIn, annotator: str, made_at: datetime, held: datetime, on_desk: bool) -> None:
        """Raise No where the workspace holds an answer of this person to this question that must not be replaced."""
        what = f"{given.dimension.replace('_', ' ')} of {given.unit} of {show(given.item)}"
        if on_desk:
            raise No("annotator", f"{annotator} already answered {what} on the desk ({held:%Y-%m-%d %H:%M}).")
        if made_at <= held:
            raise No("made_at", f"The dataset holds a later answer of {annotator} to {what} ({held:%Y-%m-%d %H:%M}).")


def _as_written(value: Any, scale: Scale) -> Any:
    """A value that stands as text in a column of texts, as it would stand alone: "4" is 4, and "yes" is true."""
    text = value.strip().lower() if isinstance(value, str) else ""
    if scale.kind == "flag" and text in scale.answers:
        return text == scale.answers[1]
    if scale.kind in ("ordinal", "turn", "number") and re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", text, re.ASCII):
        return float(text)
    return value


def _value(given: LabelIn, item: Item, asked: Mapping[cards.Place, Dimension]) -> float | None:
    """The code of a label's value. Raises No where unit, question or answer do not exist."""
    if given.value is None:
        raise No("value", 'value is null: write "n/a" where the question does not apply, or leave the line out.')
    there = units(item)
    if not is_unit(given.unit) or given.unit not in there:
        raise No("unit", f"{show(item.id)} has no unit {show(given.unit)}. It has: {', '.join(there[:12])}.")
    dimension = asked.get((item.kind, sort_of(given.unit), given.dimension))
    if dimension is None:
        names = ", ".join(sorted(f"{name} ({sort})" for kind, sort, name in asked if kind == item.kind))
        raise No("dimension", f"No card asks people for {show(given.dimension)} of {given.unit}. They ask: {names}.")
    turns = frozenset(int(unit[5:]) for unit in there if unit.startswith("turn:"))
    try:
        return dimension.scale.code(_as_written(given.value, dimension.scale), turns)
    except BadScale as error:
        raise No("value", f"value: {error}.") from None
