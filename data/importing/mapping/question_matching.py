"""The matching of other tools' names with questions: it gives judgments by a card, and labels of its questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from data.importing.plan import Question
from data.store.ids import now
from judges.importing.columns import cell_text
from judges.importing.entries import Entry, Hint, Line, NamedValue, RepeatCounter, ScoreCollector, ToolEntry
from judges.importing.mapping import interpret_cell, lacks_answer
from judges.plural import many
from judges.types import is_unit, sort_of

UNKNOWN = "unknown person"
"""The annotator of a label for which the file names nobody."""


def match_questions(tool_entries: Iterable[ToolEntry], questions: Iterable[Question]) -> Iterator[Entry]:
    """The entries, each value that was said made into a score or a label of the question that its name means.

    What has a name without a question is left out, and reported with its count at the end.
    """
    by_name: Mapping[tuple[str, str, str, str], Question] = {(q.by, q.kind, q.sort, q.name): q for q in questions}
    ratings, seen, left, time = ScoreCollector(), RepeatCounter(), Counter[str](), now().isoformat()
    for entry in tool_entries:
        if not isinstance(entry, NamedValue):
            yield entry
            continue
        sort = sort_of(entry.unit) if is_unit(entry.unit) else ""
        question = by_name.get((entry.by, entry.kind, sort, entry.name))
        if question is None or lacks_answer(entry.value, question.answers):
            left[f"{entry.name} of {sort or entry.unit}" if question is None else ""] += 1
        elif entry.by == "person":
            yield _label(entry, question, seen, time)
        else:
            judgment = {
                "item": entry.item, "card": question.card, "model": question.rater or entry.rater or "judge",
                "params": {},
            }  # fmt: skip
            score = {"unit": entry.unit, "dimension": question.dimension, "value": _value(entry, question)}
            score |= {"note": entry.note} if entry.note else {}
            score |= {} if entry.confidence is None else {"confidence": entry.confidence}
            ratings.add(entry.file, entry.line, entry.row, judgment, score)
    yield from ratings.lines()
    empty = left.pop("", 0)
    if empty:
        yield Hint(f"Left out: {many(empty, 'empty value')}.")
    for name, count in left.most_common(20):
        yield Hint(f"Left out: {many(count, 'value')} of {name}: no question was chosen for them.")


def _value(entry: NamedValue, question: Question) -> Any:
    """The value as an answer on the question's scale, or unchanged where it is none."""
    known = interpret_cell(entry.value, {}, question.answers)
    return cell_text(entry.value) if known is None else known


def _label(entry: NamedValue, question: Question, seen: RepeatCounter, time: str) -> Line:
    value = _value(entry, question)
    data = {
        "item": entry.item, "unit": entry.unit, "dimension": question.dimension, "value": value,
        "annotator": question.rater or entry.rater or UNKNOWN, "mode": "blind", "made_at": entry.made_at or time,
    }  # fmt: skip
    key = (entry.item, entry.unit, question.dimension, data["annotator"], str(value))
    nth = None if entry.made_at else seen.count(*key)
    return Line(entry.file, entry.line, "label", data, entry.row, nth=nth)
