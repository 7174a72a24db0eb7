"""Label Studio: tasks with the annotations of people and the predictions of models, in its JSON and its JSON-MIN."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from data.importing.conversations.evaluation_cases import (
    CaseCollector,
    CaseRating,
    EvaluationCase,
    plain_fields,
    text_fields,
)
from data.importing.conversations.traces import iso_time
from data.importing.conversations.utterances import as_text, decode_json
from data.importing.format_file import FileStart, FormatFile
from data.importing.lines import ToolEntry

TITLE = "Label Studio"
LISTS: tuple[tuple[str, ...], ...] = ()
_MIN = {"annotation_id", "annotator", "lead_time"}
_SIDES = {"left": "a", "right": "b"}
_OWN = {"id", "created_at", "updated_at", *_MIN}


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows is an export of tasks."""
    return any(_is_task(row) or row.keys() >= _MIN for row in start.rows)


def read(files: Iterable[FormatFile]) -> Iterator[ToolEntry]:
    """The tasks, with annotations as a person's and predictions as a judge's."""
    cases = CaseCollector(TITLE)
    try:
        for part in files:
            for record in cases.rest.good(part.name, part.records):
                if _is_task(record.value) or record.value.keys() >= _MIN:
                    with cases.rest.sparing(part.name, record.line, record.value):
                        (_task if _is_task(record.value) else _short)(cases, part.name, record.line, record.value)
                else:
                    cases.rest.fault(part.name, record.line, "row", "is no task: it has no data.", row=record.value)
        yield from cases.entries()
    finally:
        cases.close()


def _is_task(row: dict[str, Any]) -> bool:
    return isinstance(row.get("data"), dict) and any(
        isinstance(row.get(k), list) for k in ("annotations", "completions", "predictions")
    )


def _task(cases: CaseCollector, file: str, line: int, row: dict[str, Any]) -> None:
    said, sides, reference, used = text_fields(row["data"])
    opinions: list[CaseRating] = []
    for one in _dicts(row.get("annotations") or row.get("completions")):
        if one.get("was_cancelled") or one.get("skipped"):
            cases.rest.hint("{n} annotations that were cancelled were left out.")
            continue
        at = iso_time(one.get("updated_at") or one.get("created_at"))
        opinions += _opinions(cases, one, "person", _person(one.get("completed_by")), at, None)
    for one in _dicts(row.get("predictions")):
        score = one.get("score")
        sure = float(score) if isinstance(score, (int, float)) and 0 <= score <= 1 else None
        opinions += _opinions(cases, one, "judge", as_text(one.get("model_version")) or "prediction", "", sure)
    cases.add(EvaluationCase(
        file, line, as_text(row.get("id")), said, opinions, sides, reference, meta=plain_fields(row["data"], used),
    ))  # fmt: skip


def _short(cases: CaseCollector, file: str, line: int, row: dict[str, Any]) -> None:
    """A row of JSON-MIN: the fields of the task, and what one person said, each under its name."""
    fields = {name: value for name, value in row.items() if name not in _OWN}
    said, sides, reference, used = text_fields(fields)
    opinions = []
    for name, value in fields.items():
        if name in used or value is None:
            continue
        single = value["choices"] if isinstance(value, dict) and "choices" in value else value
        if isinstance(single, list) and len(single) == 1:
            single = single[0]
        if isinstance(single, dict) and len(single) == 1:
            single = next(iter(single.values()))
        if isinstance(single, (int, float, str)) and len(str(single)) <= 100:
            at = iso_time(row.get("updated_at") or row.get("created_at"))
            value = _SIDES.get(single, single) if sides and isinstance(single, str) else single
            opinions.append(CaseRating(name, "person", _person(row.get("annotator")), value, "", at))
        else:
            cases.rest.unused(name)
    cases.add(EvaluationCase(file, line, as_text(row.get("id")), said, opinions, sides, reference))


def _opinions(
    cases: CaseCollector, given: dict[str, Any], by: Literal["judge", "person"], who: str, at: str, sure: float | None
) -> Iterator[CaseRating]:
    """One value for each control that was used; what was written freely is the note of all of them.

    The choice of one of two sides is a verdict, whatever the control is called, where there is but one.
    """
    results = _dicts(given.get("result"))
    notes = [
        as_text(text) for one in results if one.get("type") == "textarea"
        for text in _listed(_value(one).get("text"))
    ]  # fmt: skip
    note = "\n\n".join(filter(None, notes))
    for one in results:
        kind, value, name = as_text(one.get("type")), _value(one), as_text(one.get("from_name"))
        place = value.get("start") if kind == "paragraphlabels" else one.get("item_index")
        spoken = int(as_text(place)) if as_text(place).isdecimal() else None
        if kind in ("choices", "paragraphlabels", "taxonomy"):
            chosen = _listed(value.get(kind))
            found: Any = " / ".join(
                " / ".join(map(as_text, c)) if isinstance(c, list) else as_text(c) for c in chosen
            )
        elif kind in ("rating", "number"):
            found = value.get(kind)
        elif kind == "pairwise":
            found = _SIDES.get(as_text(value.get("selected")), "tie")
        else:
            if kind != "textarea":
                cases.rest.unused(kind or "a result without a type")
            continue
        if kind == "pairwise" and sum(other.get("type") == kind for other in results) == 1:
            name = "verdict"
        yield CaseRating(name or kind, by, who, found, note, at, sure, spoken)


def _person(given: Any) -> str:
    if isinstance(given, dict):
        full = " ".join(filter(None, (as_text(given.get("first_name")), as_text(given.get("last_name")))))
        return as_text(given.get("email") or given.get("username")) or full or as_text(given.get("id"))
    return f"user {given}" if isinstance(given, int) else as_text(given)


def _dicts(value: Any) -> list[dict[str, Any]]:
    held = decode_json(value)
    return [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value is not None else []


def _value(result: dict[str, Any]) -> dict[str, Any]:
    held = result.get("value")
    return held if isinstance(held, dict) else {}
