"""Prodigy: tasks with the answers of the people who were shown them, as `prodigy db-out` writes them."""

from __future__ import annotations

from typing import Any

from data.importing.conversations.evaluation_cases import (
    CaseRating,
    CaseReader,
    EvaluationCase,
    plain_fields,
    text_fields,
)
from data.importing.conversations.traces import iso_time
from data.importing.conversations.utterances import as_objects, list_of, text_of
from data.importing.format_file import FileStart

TITLE = "Prodigy"
_NO_TEXTS = ("meta", "options", "accept", "answer", "label", "spans", "tokens", "relations", "style", "config")


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows has tasks of Prodigy."""
    return any({"_input_hash", "_task_hash"} <= keys for keys in start.shapes)


class Reader(CaseReader):
    """Reads the texts of tasks, with the options that a person chose, or whether they accepted a label."""

    def take(self, row: dict[str, Any]) -> None:
        """A task as one person answered it."""
        if row.keys().isdisjoint(("_input_hash", "_task_hash")):
            self.add_fault("row", "is no task: it has no _input_hash.", row=row)
            return
        fields = {key: value for key, value in row.items() if not key.startswith("_") and key not in _NO_TEXTS}
        utterances, sides, reference, used = text_fields(fields)
        meta = plain_fields(row.get("meta")) | plain_fields(fields, used)
        key = text_of(row.get("_input_hash") or row.get("_task_hash"))
        self.note_unused(*(name for name in ("spans", "relations") if row.get(name)))
        opinions = [] if (rating := self._answer(row)) is None else [rating]
        self.add(EvaluationCase(key, utterances, opinions, sides, reference, meta=meta))

    def _answer(self, row: dict[str, Any]) -> CaseRating | None:
        """What the person answered: the options that they chose, or whether they accepted the label."""
        answer, options = text_of(row.get("answer")), as_objects(row.get("options"))
        choices = [text_of(option) for option in list_of(row.get("accept"))]
        if answer not in ("accept", "reject") or (options and (answer == "reject" or not choices)):
            self.add_hint("{n} tasks that were ignored, or answered with no option, have no answer.")
            return None
        person = text_of(row.get("_annotator_id") or row.get("_session_id"))
        at = iso_time(row.get("_timestamp"))
        if not options:
            return CaseRating(text_of(row.get("label")) or "accept", "person", person, answer == "accept", "", at)
        value = " / ".join(name for option in options if (name := text_of(option.get("id"))) in choices)
        return CaseRating("choice", "person", person, value, "", at)
