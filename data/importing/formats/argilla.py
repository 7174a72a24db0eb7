"""Argilla: records with the responses of people and suggestions of models, as exported to JSON or to a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from data.importing.conversations.evaluation_cases import (
    CaseRating,
    CaseReader,
    EvaluationCase,
    as_confidence,
    plain_fields,
    text_fields,
)
from data.importing.conversations.traces import iso_time
from data.importing.conversations.utterances import as_object, as_objects, text_of
from data.importing.format_file import FileStart, objects_under
from judges.importing.nested_cells import read_literal
from judges.strict_json import decode_json

TITLE = "Argilla"
LISTS = (("items",), ("records",))
_SIDE = {"1": "a", "2": "b", "a": "a", "b": "b"}


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows is an export of records."""
    return any(_is_record(record) or _questions(record) for record in start.objects_under("items", "records"))


def _is_record(row: dict[str, Any]) -> bool:
    return isinstance(row.get("fields"), dict) and bool(row.keys() & {"responses", "suggestions"})


def _questions(row: dict[str, Any]) -> list[str]:
    """The questions of a row that has a column for each answer."""
    for ends in (".responses", "-suggestion"):
        names = [name.removesuffix(ends) for name in row if name.endswith(ends)]
        if names and (ends == "-suggestion" or any(name.endswith((".responses.users", ".suggestion")) for name in row)):
            return names
    return []


def _to_record(row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Such a row as a record."""
    responses: dict[str, Any] = {}
    suggestions: dict[str, Any] = {}
    used_keys = {"id", "status", "metadata", "_server_id", "external_id", "vectors"}
    for name in names:
        if values := _entries(row.get(f"{name}.responses")):
            columns = {"user_id": _entries(row.get(f"{name}.responses.users"))}
            columns["status"] = _entries(row.get(f"{name}.responses.status"))
            responses[name] = [
                {"value": value, **{key: entries[n] for key, entries in columns.items() if n < len(entries)}}
                for n, value in enumerate(values)
            ]
        elif isinstance(entries := decode_json(row.get(name)), list):
            responses[name] = entries
        metadata = as_object(row.get(f"{name}-suggestion-metadata"))
        value = row.get(f"{name}.suggestion", row.get(f"{name}-suggestion"))
        if value is not None:
            details = {key: row.get(f"{name}.suggestion.{key}", metadata.get(key)) for key in ("agent", "score")}
            suggestions[name] = {"value": value, **details}
        used_keys |= {k for k in row if k == name or k.startswith((f"{name}.", f"{name}-suggestion"))}
    fields = {k: v for k, v in row.items() if k not in used_keys and v is not None}
    base_fields = {key: row.get(key) for key in ("id", "external_id", "metadata")}
    return {**base_fields, "fields": fields, "responses": responses, "suggestions": suggestions}


def _entries(cell: Any) -> list[Any]:
    """The list that a cell is, or that it is the text of, in JSON or as pandas prints it in a CSV file."""
    entries = read_literal(cell) if isinstance(cell, str) and decode_json(cell) == cell else decode_json(cell)
    return entries if isinstance(entries, list) else []


class Reader(CaseReader):
    """Reads records, with responses as a person's and suggestions as a judge's."""

    def rows(self, value: dict[str, Any]) -> list[dict[str, Any]]:
        return objects_under(value, "items", "records")

    def take(self, row: dict[str, Any]) -> None:
        """A record, or the row of a table that is one."""
        if not _is_record(row):
            if not (names := _questions(row)):
                if row.keys() - {"total"}:
                    self.add_fault("row", "is no record: it has no fields.", row=row)
                return
            row = _to_record(row, names)
        utterances, sides, reference, used = text_fields(row["fields"])
        opinions = [*self._responses(row.get("responses")), *self._suggestions(row.get("suggestions"))]
        for rating in opinions if sides else ():
            end = rating.name.rpartition("_")[2].lower() if "_" in rating.name else ""
            rating.side = _SIDE.get(end, "") if isinstance(rating.value, (int, float)) else ""
        meta = plain_fields(row.get("metadata")) | plain_fields(row["fields"], used)
        key = text_of(row.get("id") or row.get("external_id"))
        self.add(EvaluationCase(key, utterances, opinions, sides, reference, meta=meta))

    def _responses(self, responses: Any) -> Iterator[CaseRating]:
        """Yield people's answers: they are listed by question, or by person with the values of all questions."""
        if isinstance(responses, dict):
            flat = [(name, answer) for name, answers in responses.items() for answer in as_objects(answers)]
        else:
            flat = [
                (name, {**response, "value": value.get("value") if isinstance(value, dict) else value})
                for response in as_objects(responses) for name, value in (response.get("values") or {}).items()
            ]  # fmt: skip
        for name, answer in flat:
            if answer.get("status") in ("discarded", "draft", "pending"):
                self.add_hint("{n} answers that were drafts or discarded were left out.")
                continue
            if (value := self._value(answer.get("value"), name)) is not None:
                at = iso_time(answer.get("updated_at") or answer.get("inserted_at"))
                yield CaseRating(name, "person", text_of(answer.get("user_id") or answer.get("user")), value, "", at)

    def _suggestions(self, suggestions: Any) -> Iterator[CaseRating]:
        """Yield the values that models suggested."""
        listed = ((text_of(suggestion.get("question_name")), suggestion) for suggestion in as_objects(suggestions))
        for name, suggestion in suggestions.items() if isinstance(suggestions, dict) else listed:
            if isinstance(suggestion, dict) and (value := self._value(suggestion.get("value"), name)) is not None:
                judge = text_of(suggestion.get("agent")) or "suggestion"
                yield CaseRating(name, "judge", judge, value, confidence=as_confidence(suggestion.get("score")))

    def _value(self, value: Any, name: str) -> Any:
        """An answer as one value: labels joined, of a ranking of two the better one; None where it is none."""
        value = decode_json(value)
        if isinstance(value, list) and value and all(isinstance(label, str) for label in value):
            return " / ".join(value)
        ranked = as_objects(value)
        if len(ranked) == 2 == len(value) and all("rank" in option for option in ranked):
            first, second = sorted(ranked, key=lambda option: text_of(option.get("value")))
            if first["rank"] == second["rank"]:
                return "tie"
            return "a" if first["rank"] < second["rank"] else "b"
        if isinstance(value, (list, dict)) or (isinstance(value, str) and len(value) > 200):
            self.note_unused(f"the answers to {name}")
            return None
        return value
