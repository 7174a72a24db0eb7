"""Labels at the door: the question must be one that people are asked, and the answer must lie on its scale."""

from __future__ import annotations

from datetime import datetime

from data.ids import content_id
from data.intake import rows
from data.intake.asked import asked
from data.intake.door import Door, No, check_text, person
from data.intake.known import Labels, slot
from data.intake.lines import LabelIn, Line
from data.intake.sentences import show


class LabelDoor:
    """Takes labels; remembers the people who gave them, with their teams."""

    def __init__(self, door: Door, known: Labels) -> None:
        self.door, self.known = door, known
        self.people: dict[str, str] = {}
        self._asked = door.brief.questions

    def take(self, line: Line) -> None:
        """Put a label into the spool, or count it as known. Raises No or AssayError."""
        given = LabelIn.model_validate(line.data)
        item = self.door.item(given.item)
        value = asked(given, item, self._asked).code(given.value)
        annotator = person(given.annotator)
        check_text(given.team)
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
        probability = self.door.brief.plan.probability
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
