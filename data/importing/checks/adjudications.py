"""Checks of imported adjudications: the question exists, the value is on its scale, and no other decision holds."""

from __future__ import annotations

from data.gold.disputes import PersonLabel, Place, labels_to_json
from data.importing.checks.import_context import ImportContext, check_person, check_text, parse_time
from data.importing.checks.known_rows import KnownAdjudications, KnownDecision
from data.importing.checks.labels import LabelQuestion, describe_cell, find_question, format_moment
from data.records import rows
from data.records.tables import AdjudicationRow
from data.store.ids import content_id
from judges.importing.entries import Line, LineError
from judges.importing.lines import AdjudicatedLabel, AdjudicationLine


class AdjudicationCheck:
    """Takes adjudications; remembers the people who made them, and those whose labels they were made on."""

    def __init__(self, context: ImportContext, known: KnownAdjudications) -> None:
        self.context, self.known = context, known
        self.people: dict[str, str] = {}

    def take(self, line: Line) -> None:
        """Put a decision into the spool, or count it as known. Raises LineError or AssayError."""
        adjudication = AdjudicationLine.model_validate(line.data)
        item = self.context.item(adjudication.item)
        question = find_question(adjudication, item, self.context.questions)
        value = question.code(adjudication.value)
        answers = [self._read_label(question, label, f"labels.{n}") for n, label in enumerate(adjudication.labels)]
        if not adjudication.saw_judge and any(s.mode == "assisted" for s in answers):
            raise LineError(
                "saw_judge", "saw_judge must be true: some of its labels were given with the judge in view."
            )
        check_text(adjudication.reason)
        at = parse_time(adjudication.made_at)
        named = check_person(adjudication.adjudicator, "adjudicator")
        plain = KnownDecision(named, value, adjudication.reason, adjudication.saw_judge, at)
        entry = plain._replace(person=self.context.identity(named))
        cell = (rows.item_id(self.context.dataset_id, item.id), adjudication.unit, adjudication.dimension)
        report = self.context.report
        if self.known.was_stored(cell, plain) or self.known.was_stored(cell, entry):
            report.known.adjudications += 1
            return
        if self.known.new.get(cell) == entry:
            report.repeated.adjudications += 1
            return
        self._check_stored(cell, entry, describe_cell(adjudication))
        self.context.check_not_in_future(entry.at)
        self.known.add(cell, entry)
        for name in (entry.person, *(s.person for s in answers)):
            self.people.setdefault(name, "")
        facts = (entry.person, value, entry.reason, entry.saw_judge, entry.at.isoformat())
        key = content_id("adjudication", *cell, *facts)
        labels = labels_to_json(answers, entry.at)
        row = AdjudicationRow(
            key, self.context.dataset_id, *cell, value, entry.reason, labels, entry.saw_judge, False, entry.person
        )
        self.context.spool.add([row], 100 * len(answers) + len(entry.reason))
        report.new.adjudications += 1
        shown = adjudication.model_dump(include={"item", "unit", "dimension", "reason", "saw_judge", "made_at"})
        shown |= {"adjudicator": entry.person, "value": str(adjudication.value)}
        self.context.show("adjudications", report.new.adjudications, **shown)

    def _read_label(self, question: LabelQuestion, label: AdjudicatedLabel, place: str) -> PersonLabel:
        annotator = self.context.identity(check_person(label.annotator, f"{place}.annotator"))
        return PersonLabel("", annotator, question.code(label.value, f"{place}.value"), label.mode)

    def _check_stored(self, cell: Place, decision: KnownDecision, subject: str) -> None:
        """Raise LineError where a decision on this cell holds that must not be replaced."""
        if cell in self.known.new:
            raise LineError("item", f"There is another decision on {subject} earlier in this import: a cell has one.")
        stored = self.known.stored.get(cell)
        if stored is None:
            return
        when = format_moment(stored.at)
        if stored.made_here:
            raise LineError("adjudicator", f"{stored.person} already decided on {subject} here ({when}).")
        if decision.at <= stored.at:
            raise LineError("made_at", f"The dataset holds a later decision of {stored.person} on {subject} ({when}).")
