"""Checks of imported guidelines: they become the dataset's where that has none, and a lead brings them."""

from __future__ import annotations

from data.importing.checks.import_context import ImportContext, LineError, check_text
from data.importing.lines import GuidelinesLine, Line


class GuidelinesCheck:
    """Takes the guidelines of an import; `new` are those that it sets, "" where it sets none."""

    def __init__(self, door: ImportContext) -> None:
        self.door = door
        self.new = ""

    def take(self, line: Line) -> None:
        """Remember them, count them as known, or say why they are left aside. Raises LineError."""
        text = GuidelinesLine.model_validate(line.data).guidelines
        check_text(text)
        brief, report = self.door.brief, self.door.report
        if text in (brief.guidelines, self.new):
            report.known.guidelines += 1
        elif self.new:
            raise LineError("guidelines", "There are other guidelines earlier in this import: a dataset has one text.")
        elif brief.guidelines or not brief.lead:
            why = "the dataset keeps its own" if brief.guidelines else "only a lead can bring them in"
            self.door.tally.warn(f"Left aside: the guidelines of the file, as {why}.")
        else:
            self.new = text
            report.new.guidelines += 1
            self.door.show("guidelines", 1, guidelines=text)
