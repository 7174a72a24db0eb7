"""Tables read through a mapping: rows become items, the columns of judges and people judgments and labels of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from data.importing.format_file import FormatFile
from data.importing.formats import messages
from data.store.ids import now
from judges.importing.entries import Entry, Line, LineError, RejectedRow
from judges.importing.mapping import ColumnMapping
from judges.importing.nested_cells import split_answer
from judges.importing.speakers import ROLES, read_messages, speaker_name
from judges.importing.table_answers import AnswerReader
from judges.jsonl import Record
from judges.strict_json import BadJson, parse_json, show_value

TITLE = "a table"


def read(files: Iterable[FormatFile]) -> Iterator[Entry]:
    """The items, judgments and labels of the tables, one after the other; each has its mapping."""
    for file in files:
        assert file.mapping is not None
        yield from _Reader(file.name, file.mapping, now().isoformat()).read(file.records)


def example_lines(
    file: str, rows: list[dict[str, Any]], mapping: ColumnMapping
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the canonical lines of a table's first rows, and what is wrong with the rows, as far as it shows."""
    lines: list[dict[str, Any]] = []
    wrong: list[str] = []
    reader = _Reader(file, mapping, now().isoformat())
    for entry in reader.read(Record(n, row) for n, row in enumerate(rows, 1)):
        if isinstance(entry, Line):
            lines.append(entry.data)
        elif isinstance(entry, RejectedRow):
            wrong += [f"Row {entry.line}: {sentence}" for _, sentence in entry.problems]
    return lines, wrong


class _Reader(AnswerReader):
    """Reads the items of the rows besides their answers."""

    def read_item(self, record: Record, name: str) -> Iterator[Entry]:
        try:
            item = self._item(record.value, name)
            yield Line(self.file, record.line, "item", item, record.value, weak=self.mapping.textless)
        except LineError as error:
            yield RejectedRow(self.file, record.line, [error.problem], record.value, name)

    def read_dialogue(self, first: Record, name: str, utterances: Iterable[tuple[str, str]]) -> Iterator[Entry]:
        data = {**self._common(first.value, name), "turns": messages.number_turns(utterances)}
        yield Line(self.file, first.line, "item", data, first.value)

    def _common(self, row: dict[str, Any], name: str) -> dict[str, Any]:
        """Return the fields that items of all kinds have."""
        mapping = self.mapping
        data: dict[str, Any] = {"id": name, "kind": mapping.kind}
        data["meta"] = {column: row[column] for column in mapping.meta if row.get(column) not in (None, "")}
        if mapping.kind != "pair":
            data["system"] = mapping.field("system").text(row)
        if mapping.kind == "dialogue":
            data["scenario"] = mapping.field("scenario").text(row)
        return data

    def _item(self, row: dict[str, Any], name: str) -> dict[str, Any]:
        mapping, data = self.mapping, self._common(row, name)
        if mapping.kind == "pair":
            data["input"] = mapping.field("input").text(row)
            for side in ("a", "b"):
                cell = mapping.field(f"response_{side}").value(row)
                before, text = split_answer(cell)
                data["input"] = data["input"] or before
                system = mapping.field(f"system_{side}").text(row)
                data[f"response_{side}"] = {"system": system, "text": None if cell is None else text}
        elif mapping.kind == "response":
            if not mapping.textless and mapping.field("output").value(row) is None:
                raise LineError("output", "There is no output in this row.")
            before, output = split_answer(mapping.field("output").value(row))
            task, reference = (mapping.field(field).text(row) for field in ("task", "reference"))
            data |= {"task": task or before, "output": output, "reference": reference}
        else:
            data["turns"], scenario = _turns(mapping.field("turns").value(row), mapping.roles)
            data["scenario"] = data["scenario"] or scenario
        return data


def _turns(cell: Any, roles: Mapping[str, str]) -> tuple[list[Any], str]:
    """The turns and the scenario of a dialogue in one cell; `roles` are those of speakers whose names say none."""
    value = cell
    if isinstance(cell, str):
        try:
            value = parse_json(cell)
        except BadJson as bad:
            raise LineError("turns", f"turns {bad}.") from None
    if not isinstance(turns := read_messages(value) or value, list):
        shown = show_value(json.dumps(value)[:60])
        raise LineError("turns", f"turns must be a JSON list of what was said (it is {shown}).")
    if turns and isinstance(turns[0], dict) and "turn" in turns[0]:
        return turns, ""
    names = [speaker_name(message) for message in turns if isinstance(message, dict)]
    if unknown := next((name for name in names if name and name not in roles and name not in ROLES), ""):
        problem = f"The speaker {show_value(unknown)} is no user, assistant, system or tool: say which in the mapping."
        raise LineError("turns", problem)
    if roles:
        turns = [{**message, "role": roles.get(name, name)} for message, name in zip(turns, names, strict=True)]
    data, _ = messages.to_dialogue({"messages": turns})
    return data["turns"], data["scenario"]
