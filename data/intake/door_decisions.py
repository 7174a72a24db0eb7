"""Adjudications at the door: the question must be asked, what was decided on its scale, and no other decision stand."""

from __future__ import annotations

from data.adjudicating.disputed import Place, Said, kept
from data.ids import content_id
from data.intake import rows
from data.intake.asked import asked
from data.intake.door import Door, No, check_text, person
from data.intake.known import Decisions, Made
from data.intake.lines import AdjudicationIn, Line
from data.intake.sentences import show


class DecisionDoor:
    """Takes adjudications; remembers the people who made them, and those whose labels they were made on."""

    def __init__(self, door: Door, known: Decisions) -> None:
        self.door, self.known = door, known
        self.people: dict[str, str] = {}
        self._asked = door.brief.questions

    def take(self, line: Line) -> None:
        """Put a decision into the spool, or count it as known. Raises No or AssayError."""
        given = AdjudicationIn.model_validate(line.data)
        item = self.door.item(given.item)
        question = asked(given, item, self._asked)
        value = question.code(given.value)
        said = [
            Said("", person(s.annotator, f"labels.{n}.annotator"), question.code(s.value, f"labels.{n}.value"), s.mode)
            for n, s in enumerate(given.labels)
        ]
        if not given.saw_judge and any(s.mode == "assisted" for s in said):
            raise No("saw_judge", "saw_judge must be true: some of its labels were given with the judge in view.")
        check_text(given.reason)
        made = Made(
            person(given.adjudicator, "adjudicator"), value, given.reason, given.saw_judge, rows.moment(given.made_at)
        )
        cell = (rows.item_id(self.door.dataset_id, item.id), given.unit, given.dimension)
        report = self.door.report
        if self.known.has(cell, made):
            report.known.adjudications += 1
            return
        self._check_stored(cell, made, f"{given.dimension.replace('_', ' ')} of {given.unit} of {show(item.id)}")
        self.known.add(cell, made)
        for name in (made.person, *(s.person for s in said)):
            self.people.setdefault(name, "")
        told = (made.person, value, made.reason, made.saw_judge, made.at.isoformat())
        key = content_id("adjudication", *cell, *told)
        row = (key, self.door.dataset_id, *cell, value, made.reason, kept(said, made.at), made.saw_judge, False)
        self.door.spool.add("adjudication", [(*row, made.person)], 100 * len(said) + len(made.reason))
        report.new.adjudications += 1
        shown = given.model_dump(include={"item", "unit", "dimension", "adjudicator", "reason", "saw_judge", "made_at"})
        self.door.show("adjudications", report.new.adjudications, **shown, value=str(given.value))

    def _check_stored(self, cell: Place, made: Made, what: str) -> None:
        """Raise No where a decision on this cell stands that must not be replaced."""
        if cell in self.known.new:
            raise No("item", f"There is another decision on {what} earlier in this import: a cell has one.")
        held = self.known.stored.get(cell)
        if held is None:
            return
        when = f"{held.at:%Y-%m-%d %H:%M}"
        if held.here:
            raise No("adjudicator", f"{held.person} already decided on {what} here ({when}).")
        if made.at <= held.at:
            raise No("made_at", f"The dataset holds a later decision of {held.person} on {what} ({when}).")
