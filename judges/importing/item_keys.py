"""The item of each row of a table: by its id and, if ids repeat, by further columns that tell items apart."""

from __future__ import annotations

import contextlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import AwareDatetime, TypeAdapter, ValidationError

from judges.authoring.scale_inference import is_missing, side_words, survey
from judges.importing.column_names import WORDS, normalize
from judges.importing.columns import ITEM_PART_COLUMNS, AnswerColumn, cell_text
from judges.importing.speakers import ROLES, speaker_roles

VERDICT_CODES: tuple[dict[str, str], ...] = (
    {"0": "tie", "1": "a", "2": "b"},
    {"A": "a", "B": "b", "C": "tie"},
    {"-1": "b", "0": "tie", "1": "a"},
    {"1": "a", "1.5": "tie", "2": "b"},
)
"""Codes of a verdict on two responses, whose meaning depends on the column's name."""
_DIALOGUE_IDS = (
    "id", "dialogue_id", "dialog_id", "conversation_id", "conv_id", "chat_id", "session_id", "thread_id", "item_id",
)  # fmt: skip
_VERDICT = re.compile(r"(?!.*(score|rating|grade)).*(verdict|winner|result|prefer|choice|judge?ment)")
_MIN_CODED, _MAX_OTHER_NUMBERS = 0.7, 0.05
"""The least share of the cells that a code has to explain, and the most that may be other numbers."""
_MIN_TALKS = 0.8
"""The least share of the ids in several rows that must have several speakers and texts to be dialogues."""
_TIME = TypeAdapter(AwareDatetime)
_MIN_TIMESTAMP_SECONDS = 631_152_000
"""The beginning of 1990: a smaller number is no time, but how long something took."""


def key_columns(
    first: str, names: Iterable[str], rows: Sequence[Mapping[str, Any]], separating_columns: Sequence[str] = ()
) -> list[str]:
    """The columns that identify items, beginning with `first`; rows of one item may differ in `separating_columns`.

    Rows in which `first` is empty have no id, and do not count.
    """
    rows = [row for row in rows if cell_text(row.get(first)).strip()]
    plain = {normalize(name): name for name in names}
    columns = [first]
    for name in ITEM_PART_COLUMNS:
        column = plain.get(name, "")
        if are_unique([*columns, *separating_columns], rows):
            break
        if column and column not in (*columns, *separating_columns) and len({str(row.get(column)) for row in rows}) > 1:
            columns.append(column)
    return columns if are_unique([*columns, *separating_columns], rows) else [first]


def are_unique(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether no two rows are alike in these columns."""
    return len({tuple(str(row.get(column)) for column in columns) for row in rows}) == len(rows)


def utterance_columns(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The columns of dialogues whose rows are utterances: role and text, or user and assistant; else none.

    Speakers whose names say no role are such roles where the rows of an id have several of them, and several texts.
    """
    plain = {normalize(name): name for name in reversed(names)}

    def first(*known: str) -> str:
        return next((plain[name] for name in known if name in plain), "")

    turn = first("turn", "turn_number", "turn_id", "position", "order", "message_index")
    texts = ("text", "content", "utterance", "message", "value")
    columns = {"role": first("role", "speaker", "from"), "text": first(*texts)}
    roles = {str(row.get(columns["role"], "")).strip().lower() for row in rows} - {""}
    if not (all(columns.values()) and (roles <= ROLES.keys() or _are_talks(names, rows, list(columns.values())))):
        columns = {"user": first("user", "user_message"), "assistant": first("assistant", "assistant_message")}
        if not all(columns.values()) or not first(*_DIALOGUE_IDS):
            return {}
    return {name: column for name, column in {**columns, "turn": turn}.items() if column}


def _are_talks(names: Sequence[str], rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> bool:
    """Whether nearly all ids of dialogues that come in several rows have several cells in each of these columns."""
    key = dialogue_id(names, rows, "", True)
    cells: dict[str, list[set[str]]] = {}
    counts = Counter(cell_text(row.get(key)).strip() for row in rows)
    for row in rows:
        if counts[name := cell_text(row.get(key)).strip()] > 1 and name:
            for column, known in zip(columns, cells.setdefault(name, [set() for _ in columns]), strict=True):
                known.add(cell_text(row.get(column)).strip())
    talks = sum(all(len(known) > 1 for known in sets) for sets in cells.values())
    return bool(key and cells) and talks >= _MIN_TALKS * len(cells)


def row_roles(
    key: str, rows: Sequence[Mapping[str, Any]], role: str, text: str, answers: Sequence[str]
) -> dict[str, str]:
    """The roles of the speakers in the column `role` of dialogues whose rows are utterances, if their names say none.

    If `answers` (columns) to several texts of a dialogue all stand beside what one speaker says, that is the assistant.
    """
    names = dict.fromkeys(name for row in rows if (name := cell_text(row.get(role)).strip().lower()))
    texts: dict[str, set[str]] = {}
    speakers: set[str] = set()
    for row in rows:
        if any(not is_missing(row.get(answer)) for answer in answers):
            texts.setdefault(cell_text(row.get(key)).strip(), set()).add(cell_text(row.get(text)))
            speakers.add(cell_text(row.get(role)).strip().lower())
    of_turns = any(len(rated) > 1 for rated in texts.values())
    if of_turns and len(speakers) == 1 and len(names) > 1 and not names.keys() & ROLES.keys():
        return {name: "assistant" if name in speakers else "user" for name in names}
    dialogues: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        dialogues.setdefault(cell_text(row.get(key)).strip(), []).append({"role": cell_text(row.get(role))})
    return speaker_roles(dialogues.values())


def dialogue_id(names: Iterable[str], rows: Sequence[Mapping[str, Any]], id_column: str, by_role: bool) -> str:
    """The column that names the dialogue of a row; with roles, one with the same cell in several rows."""
    known = [name for name in names if name == id_column or normalize(name) in _DIALOGUE_IDS]
    known.sort(key=lambda name: (normalize(name) not in _DIALOGUE_IDS, name != id_column))
    repeated = (name for name in known if not by_role or not are_unique([name], rows))
    return next(repeated, next(iter(known), ""))


def time_column(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Of these columns, the one with the time of an answer, in times that can be ordered; "" for none."""
    known = (name for plain in WORDS["times"] for name in names if normalize(name) == plain)
    cells = ((name, [cell_text(row[name]) for row in rows if row.get(name) not in (None, "")]) for name in known)
    return next(
        (name for name, filled in cells if filled and min(map(time_in_seconds, filled)) > _MIN_TIMESTAMP_SECONDS), ""
    )


def time_in_seconds(text: str) -> float:
    """The seconds of an ISO time, UTC unless it names a zone; any other text counts as older than every time."""
    text = text.strip()
    for candidate in (text, f"{text}Z", f"{text}T00:00Z") if text else ():
        with contextlib.suppress(ValidationError):
            return _TIME.validate_python(candidate).timestamp()
    return -math.inf


def verdict_code(cells: Iterable[str]) -> dict[str, str]:
    """Return the meaning of each code of verdicts on pairs; {} if these cells are not such codes.

    Of several codes that fit, it is that which has most of the cells. Words for a side or a tie may stand beside it.
    """
    counts = Counter(cell for cell in cells if cell)
    plain = {cell: cell.strip("[]").removesuffix(".0") for cell in counts}  # as pandas writes 1 and 2 beside 1.5
    known = max(VERDICT_CODES, key=lambda code: sum(count for cell, count in counts.items() if plain[cell] in code))
    codes = set(plain.values())
    if len(codes & known.keys()) < 2 or codes == {"0", "1"}:
        return {}
    decimal = {cell: known[code] for cell, code in plain.items() if cell != code and code in known}
    meanings = {**known, **decimal, "tie": "tie", "Tie": "tie", **side_words(counts)}
    others = Counter({cell: count for cell, count in counts.items() if cell not in meanings})
    coded = counts.total() - others.total() >= _MIN_CODED * counts.total()
    return meanings if coded and survey(others.elements()).numbers <= _MAX_OTHER_NUMBERS * counts.total() else {}


def are_verdicts(
    voices: Sequence[AnswerColumn], rows: Sequence[Mapping[str, Any]], cells: Callable[[str], Iterable[Any]]
) -> bool:
    """Whether answers to items without texts are verdicts on pairs.

    A column has to be named for verdicts, and all numbers of it and of the others about its question are their code: 0
    to 3 are a scale. `cells` gives all cells of a column; `rows` may be only some.
    """

    def is_code(column: str) -> bool:
        code = verdict_code(cell_text(row.get(column)).strip() for row in rows)
        others = survey(cell for cell in cells(column) if cell_text(cell).strip() not in code)
        return bool(code) and not others.numbers

    return any(
        _VERDICT.match(normalize(voice.column)) is not None
        and is_code(voice.column)
        and all(is_code(v.column) for v in voices if v.dimension == voice.dimension and v.survey.numbers)
        for voice in voices
    )


def describe_code(codes: Mapping[str, str]) -> str:
    """Return the meanings of codes in words."""
    return ", ".join(f"{code} = {word}" for code, word in codes.items() if code.lower() != "tie")
