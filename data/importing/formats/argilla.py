"""Argilla: records with the responses of people and suggestions of models, as exported to JSON or to a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from data.importing.conversations.evaluation_cases import (
    CaseCollector,
    CaseRating,
    EvaluationCase,
    plain_fields,
    text_fields,
)
from data.importing.conversations.traces import iso_time
from data.importing.conversations.utterances import as_text, decode_json
from data.importing.format_file import FileStart, FormatFile, within
from data.importing.lines import ToolEntry

TITLE = "Argilla"
LISTS = (("items",), ("records",))
_SIDE = {"1": "a", "2": "b", "a": "a", "b": "b"}


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows is an export of records."""
    return any(_is_record(one) or _questions(one) for row in start.rows for one in within(row, "items", "records"))


def read(files: Iterable[FormatFile]) -> Iterator[ToolEntry]:
    """The records, with responses as a person's and suggestions as a judge's."""
    cases = CaseCollector(TITLE)
    try:
        for part in files:
            for record in cases.rest.good(part.name, part.records):
                for row in within(record.value, "items", "records"):
                    if _is_record(row) or _questions(row):
                        with cases.rest.sparing(part.name, record.line, row):
                            held = row if _is_record(row) else _folded(row, _questions(row))
                            _record(cases, part.name, record.line, held)
                    elif row.keys() - {"total"}:
                        cases.rest.fault(part.name, record.line, "row", "is no record: it has no fields.", row=row)
        yield from cases.entries()
    finally:
        cases.close()


def _is_record(row: dict[str, Any]) -> bool:
    return isinstance(row.get("fields"), dict) and bool(row.keys() & {"responses", "suggestions"})


def _questions(row: dict[str, Any]) -> list[str]:
    """The questions of a row that has a column for each answer."""
    for ends in (".responses", "-suggestion"):
        found = [name.removesuffix(ends) for name in row if name.endswith(ends)]
        if found and (ends == "-suggestion" or any(name.endswith((".responses.users", ".suggestion")) for name in row)):
            return found
    return []


def _folded(row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Such a row as a record."""
    responses: dict[str, Any] = {}
    suggestions: dict[str, Any] = {}
    taken = {"id", "status", "metadata", "_server_id", "external_id", "vectors"}
    for name in names:
        values, users = decode_json(row.get(f"{name}.responses")), decode_json(row.get(f"{name}.responses.users"))
        stati = decode_json(row.get(f"{name}.responses.status"))
        if isinstance(values, list):
            columns = [column if isinstance(column, list) else [] for column in (users, stati)]
            responses[name] = [
                {"value": value, **{k: c[n] for k, c in zip(("user_id", "status"), columns, strict=True) if n < len(c)}}
                for n, value in enumerate(values)
            ]  # fmt: skip
        elif isinstance(held := decode_json(row.get(name)), list):
            responses[name] = held
        told = decode_json(row.get(f"{name}-suggestion-metadata"))
        told = told if isinstance(told, dict) else {}
        value = row.get(f"{name}.suggestion", row.get(f"{name}-suggestion"))
        if value is not None:
            suggestions[name] = {
                "value": value, "agent": row.get(f"{name}.suggestion.agent", told.get("agent")),
                "score": row.get(f"{name}.suggestion.score", told.get("score")),
            }  # fmt: skip
        taken |= {k for k in row if k == name or k.startswith((f"{name}.", f"{name}-suggestion"))}
    fields = {k: v for k, v in row.items() if k not in taken and v is not None}
    return {"id": row.get("id"), "fields": fields, "responses": responses, "suggestions": suggestions,
            "metadata": row.get("metadata")}  # fmt: skip


def _record(cases: CaseCollector, file: str, line: int, row: dict[str, Any]) -> None:
    said, sides, reference, used = text_fields(row["fields"])
    opinions = [*_responses(row.get("responses"), cases), *_suggestions(row.get("suggestions"), cases)]
    for one in opinions if sides else ():
        end = one.name.rpartition("_")[2].lower() if "_" in one.name else ""
        one.side = _SIDE.get(end, "") if isinstance(one.value, (int, float)) else ""
    meta = plain_fields(row.get("metadata")) | plain_fields(row["fields"], used)
    key = as_text(row.get("id") or row.get("external_id"))
    cases.add(EvaluationCase(file, line, key, said, opinions, sides, reference, meta=meta))


def _responses(given: Any, cases: CaseCollector) -> Iterator[CaseRating]:
    """What people answered: by question, or by person with the values of all questions."""
    if isinstance(given, dict):
        flat = [
            (name, one)
            for name, held in given.items()
            if isinstance(held, list)
            for one in held
            if isinstance(one, dict)
        ]
    else:
        flat = [
            (name, {**one, "value": value.get("value") if isinstance(value, dict) else value})
            for one in (given if isinstance(given, list) else ()) if isinstance(one, dict)
            for name, value in (one.get("values") or {}).items()
        ]  # fmt: skip
    for name, one in flat:
        if one.get("status") in ("discarded", "draft", "pending"):
            cases.rest.hint("{n} answers that were drafts or discarded were left out.")
            continue
        if (value := _value(one.get("value"), name, cases)) is not None:
            at = iso_time(one.get("updated_at") or one.get("inserted_at"))
            yield CaseRating(name, "person", as_text(one.get("user_id") or one.get("user")), value, "", at)


def _suggestions(given: Any, cases: CaseCollector) -> Iterator[CaseRating]:
    """What models suggested."""
    held = given.items() if isinstance(given, dict) else [
        (as_text(one.get("question_name")), one)
        for one in (given if isinstance(given, list) else ()) if isinstance(one, dict)
    ]  # fmt: skip
    for name, one in held:
        if isinstance(one, dict) and (value := _value(one.get("value"), name, cases)) is not None:
            score = one.get("score")
            sure = float(score) if isinstance(score, (int, float)) and 0 <= score <= 1 else None
            yield CaseRating(name, "judge", as_text(one.get("agent")) or "suggestion", value, confidence=sure)


def _value(value: Any, name: str, cases: CaseCollector) -> Any:
    """An answer as one value: labels joined, of a ranking of two the better one; None where it is none."""
    value = decode_json(value)
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return " / ".join(value)
    if isinstance(value, list) and len(value) == 2 and all(isinstance(one, dict) and "rank" in one for one in value):
        first, second = sorted(value, key=lambda one: as_text(one.get("value")))
        if first["rank"] == second["rank"]:
            return "tie"
        return "a" if first["rank"] < second["rank"] else "b"
    if isinstance(value, (list, dict)) or (isinstance(value, str) and len(value) > 200):
        cases.rest.unused(f"the answers to {name}")
        return None
    return value
