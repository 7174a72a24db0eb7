"""OpenAI Evals: the items of runs with their samples and what graders gave, from the API or as downloaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from data.importing.conversations.evaluation_cases import (
    CaseRating,
    CaseReader,
    EvaluationCase,
    plain_fields,
    text_fields,
)
from data.importing.conversations.utterances import as_object, as_objects, output_utterances, read_messages, text_of
from data.importing.format_file import FileStart, objects_under
from judges.importing.column_names import WORDS, normalize, parse_name

TITLE = "OpenAI Evals"
LISTS = (("data",),)
_ID = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The end that the API adds to the name of a grader."""


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows has items with samples and grades."""
    return any(map(_is_item, start.objects_under("data")))


def _is_item(row: dict[str, Any]) -> bool:
    known = isinstance(row.get("sample"), dict) and isinstance(row.get("datasource_item", row.get("item")), dict)
    return known and (isinstance(row.get("results"), list) or isinstance(row.get("grades"), dict))


class Reader(CaseReader):
    """Reads the samples of runs, with the grades as a judge's, and fields of items named for people as theirs."""

    def rows(self, value: dict[str, Any]) -> list[dict[str, Any]]:
        return objects_under(value, "data")

    def take(self, row: dict[str, Any]) -> None:
        """An item of a run."""
        if not _is_item(row):
            self.add_fault("row", "is no item of a run with its sample and grades.", row=row)
            return
        fields, sample = as_object(row.get("datasource_item", row.get("item"))), as_object(row["sample"])
        utterances, _, reference, used = text_fields(fields)
        questions = read_messages(sample.get("input")) or [part for part in utterances if part.role != "assistant"]
        answers = output_utterances(sample.get("output") or sample.get("output_text") or sample.get("outputs"))
        if not used or normalize(used[-1]) not in WORDS["fields"]["output"]:
            used = used[:-1]  # any other text of the item is no answer
        elif not answers:
            answers = [part for part in utterances if part.role == "assistant"]
        rated = {name: known for name in fields if (known := parse_name(name)).owner == "person" and not known.weak}
        opinions = [
            *_grades(row),
            *(CaseRating(n.dimension or "rating", "person", n.rater, fields[name]) for name, n in rated.items()),
        ]
        key = text_of(fields.get("id") or row.get("datasource_item_id"))
        meta = plain_fields(fields, ("id", *used, *rated))
        system = text_of(sample.get("model"))
        self.add(EvaluationCase(key, [*questions, *answers], opinions, None, reference, system, meta=meta))


def _grades(row: dict[str, Any]) -> Iterator[CaseRating]:
    """Yield what each grader gave: a score, or else whether the sample passed."""
    for grade in as_objects(row.get("results")):
        name = _ID.sub("", text_of(grade.get("name"))) or "grade"
        value = grade["score"] if isinstance(grade.get("score"), (int, float)) else grade.get("passed")
        yield CaseRating(name, "judge", _model(grade), value, text_of(grade.get("reason")))
    for name, value in as_object(row.get("grades")).items():
        yield CaseRating(_ID.sub("", text_of(name)), "judge", "openai evals", value)


def _model(grade: dict[str, Any]) -> str:
    """The model that graded, where the grader is one."""
    return text_of(as_object(grade.get("sample")).get("model")) or "openai evals"
