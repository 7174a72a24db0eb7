"""Objects and replies in the cells of a table: a judge's score and reason, or a run's texts, as columns of their own.

The field score of the objects in the column judge is the column `judge.score`, beside judge itself.
"""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judges.authoring.scale_inference import survey
from judges.importing.column_names import WORDS, normalize, parse_name
from judges.importing.columns import FIELD_GROUPS, cell_text
from judges.importing.speakers import read_messages, speaker_name
from judges.jsonl import Record
from judges.reading.reading import json_objects

_FIRST_ROWS, _MAX_KEYS, _MAX_LITERAL, _MAX_PLAIN = 20, 20, 100_000, 40
_MAX_FIRST_RECORDS = 50
_MARKED = re.compile(r"\[\[([^\[\]]{1,20})\]\]")
"""An answer as prompts of MT-Bench ask for it: "Rating: [[4]]"."""
_NO_ANSWERS = frozenset((*WORDS["measured"], *WORDS["meta"], *WORDS["ids"]))


@dataclass(frozen=True)
class NestedColumn:
    """The fields of the objects in a column that are read; `score` is the only one that holds answers, "" for several.

    A cell of a column with a `score` may also be that answer without an object.
    """

    keys: tuple[str, ...]
    score: str = ""


def nested_columns(rows: Iterable[Mapping[str, Any]]) -> dict[str, NestedColumn]:
    """The columns of a table whose cells hold objects with texts of items, or with answers and reasons."""
    cells_by_name: dict[str, list[Any]] = {}
    for row in rows:
        for name, cell in row.items():
            if isinstance(cell, dict) or cell_text(cell).strip():
                cells_by_name.setdefault(name, []).append(cell)
    columns = {name: _nested_column(name, cells) for name, cells in cells_by_name.items()}
    return {name: nested for name, nested in columns.items() if nested is not None}


def unfold_row(row: Mapping[str, Any], nested: Mapping[str, NestedColumn]) -> dict[str, Any]:
    """A row with the fields of its objects beside these."""
    cells: dict[str, Any] = {}
    for name, column in nested.items():
        cell = row.get(name)
        value = _read_object(cell, judged=normalize(name) not in FIELD_GROUPS)
        if value is None and column.score:
            value = {column.score: cell}
        cells |= {f"{name}.{key}": _field_text((value or {}).get(key)) for key in column.keys}
    return dict(row) | cells


def unfold_records(records: Iterator[Record]) -> tuple[Iterator[Record], dict[str, NestedColumn]]:
    """The records of a table, each with the fields of the objects in its cells, and the columns that have such.

    Those are the columns that hold objects in the first rows that can be read.
    """
    first = list(itertools.islice(records, _MAX_FIRST_RECORDS))
    good = (record.value for record in first if not record.problem)
    nested, every = nested_columns(itertools.islice(good, _FIRST_ROWS)), itertools.chain(first, records)
    if not nested:
        return every, nested
    return (
        record if record.problem else Record(record.line, unfold_row(record.value, nested), record.text)
        for record in every
    ), nested


def replace_names(names: Iterable[str], nested: Mapping[str, NestedColumn]) -> list[str]:
    """The names of columns of answers, each with that of its score in place of its own if it holds objects."""
    scores = {name: f"{name}.{column.score}" for name, column in nested.items() if column.score}
    return [scores.get(name, name) for name in names]


def _nested_column(name: str, cells: Sequence[Any]) -> NestedColumn | None:
    if not any(isinstance(cell, dict) or (isinstance(cell, str) and ("{" in cell or "[[" in cell)) for cell in cells):
        return None
    own, field = parse_name(name), FIELD_GROUPS.get(normalize(name))
    owned = own.owner == "person" or (own.owner == "judge" and not own.weak)
    if not field and (not (owned or own.value) or own.note or own.confidence):
        return None
    values = [_read_object(cell, judged=not field) for cell in cells]
    objects = [value for value in values if value is not None]
    keys = list(dict.fromkeys(str(key) for value in objects for key in value))[:_MAX_KEYS]
    if field:
        keys = sorted(keys, key=lambda key: normalize(key) not in WORDS["fields"][field])
        keys = ["content"] if {"role", "content"} <= set(keys) else keys
        return NestedColumn(tuple(keys)) if len(objects) == len(cells) else None
    others = [cell for cell, value in zip(cells, values, strict=True) if value is None]
    if 2 * len(others) > len(cells) or any(len(cell_text(cell)) > _MAX_PLAIN for cell in others):
        return None
    answers = [key for key in keys if _holds_answers(key, [value.get(key) for value in objects])]
    notes = [key for key in keys if (named := parse_name(key)).note or named.confidence]
    if own.weak and len(answers) + len(notes) < len(keys):  # a reference may have a page, beside its text
        answers = [key for key in answers if (named := parse_name(key)).value or named.owner]
    if not answers or (len(answers) > 1 and not owned):
        return None
    return NestedColumn((*answers, *notes), answers[0] if len(answers) == 1 else "")


def _holds_answers(key: str, values: Sequence[Any]) -> bool:
    """Whether a field of objects holds answers: numbers, yes and no or known words, and no reasons, costs or ids."""
    named, scale = parse_name(key), survey(values).answers
    if named.note or named.confidence or scale is None or _NO_ANSWERS & set(normalize(key).split("_")):
        return False
    sides = set(scale.categories) == {"a", "tie", "b"}
    return scale.kind != "unordered" or sides or named.value or named.weak


def _read_object(cell: Any, judged: bool) -> dict[str, Any] | None:
    """The object that a cell is, in JSON or as Python prints it, or that a judge's reply (`judged`) has in it.

    A reply that marks its only answer (`_MARKED`) is one with that score.
    """
    if isinstance(cell, dict):
        return cell
    text = cell.strip() if isinstance(cell, str) else ""
    if judged:
        objects = json_objects(text) if "{" in text else []
        if len(objects) == 1:
            return objects[0]
        if (len(text) > _MAX_PLAIN or "\n" in text) and len(marked := set(_MARKED.findall(text))) == 1:
            return {"score": marked.pop().strip(), "reason": text}
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = read_literal(text)
    return value if isinstance(value, dict) else None


def read_literal(text: str) -> Any:
    """The value of a text that Python prints for a list or an object; None for any other."""
    try:
        return ast.literal_eval(text) if len(text) <= _MAX_LITERAL else None
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _field_text(value: Any) -> Any:
    """A field as a cell: of messages their texts, with the speakers where there are several; other lists as JSON."""
    if not isinstance(value, (dict, list)):
        return value
    messages = read_messages([value] if isinstance(value, dict) else value)
    return _texts_of(messages) if messages else json.dumps(value, ensure_ascii=False)


def split_answer(cell: Any) -> tuple[str, str]:
    """The text before an answer, and the answer: a cell, or the last message of the chat that a cell is."""
    messages = read_messages(cell) if isinstance(cell, list) else None
    if not messages:
        return "", cell_text(cell)
    return _texts_of(messages[:-1]), _texts_of(messages[-1:])


def _texts_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """What messages say; with the speakers where there are several."""
    texts = [(speaker_name(message), cell_text(message.get("content", message.get("value")))) for message in messages]
    return texts[0][1] if len(texts) == 1 else "\n\n".join(f"{speaker}: {text}" for speaker, text in texts)
