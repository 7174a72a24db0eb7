"""FastChat's files (MT-Bench): questions and answers become dialogues, and pairs where two answers were compared.

A dialogue is one choice of one model's answers to one question; its ratings are judgments of the card mt_bench, one a
turn. A pair is two models' answers to one question up to one turn, names in sorted order; people's votes are labels of
it, a model's verdicts judgments of the card plain_pairwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from data.importing.format_file import FileStart, FormatFile
from data.importing.formats._bench_lines import bench_lines
from judges.importing.column_names import parse_name
from judges.importing.entries import Entry, Hint
from judges.jsonl import Record
from judges.mtbench.assembly import BenchFile, assemble
from judges.mtbench.rows import Role, role_of

_JUDGED = frozenset(("judge", "judge_id", "judgment", "judge_model", "judge_prompt_template"))
"""FastChat's own columns whose names sound like somebody's answers."""
_OWN = ("g1_", "g2_", "judgment_", "score_", "winner_")
TITLE = "FastChat"
ITEMS_ROLE = "known"
"""The role of what the dataset holds already: judgments are understood by the answers that they are about."""
ROLES_OF_FILES: dict[Role, str] = {
    "prompt": "a judge's prompts",
    "question": "questions",
    "reference": "reference answers",
    "answer": "answers of a model",
    "pair": "verdicts on pairs",
    "vote": "votes on pairs",
    "single": "ratings by a judge",
}


def role(start: FileStart) -> Role | None:
    """Return the role of a FastChat file that begins so; None if it is none of them."""
    return next((role for keys in start.shapes if (role := role_of(start.name, keys)) is not None), None)


def fits(start: FileStart) -> bool:
    """Whether a file that begins so is one of FastChat's; a table in CSV is none, whatever its columns are called."""
    return start.container != "csv" and role(start) is not None


def read(files: Iterable[FormatFile]) -> Iterator[Entry]:
    """The items, judgments and labels of a set of files, whatever order they are given in."""
    parts = list(files)
    if parts and all(part.role in ("prompt", "question", "reference", ITEMS_ROLE) for part in parts):
        yield Hint("The files hold no answers, ratings or votes: questions alone make no items.")
    hints: list[Hint] = []
    contents = assemble([BenchFile(part.name, str(part.role), _note_columns(part, hints)) for part in parts])
    yield from hints
    yield from bench_lines(contents)


def _note_columns(part: FormatFile, hints: list[Hint]) -> Iterator[Record]:
    """The records of a file; what columns it has that are none of FastChat's is noted."""
    records = iter(part.records)
    for first in records:
        if left := _others(first.value):
            hints.append(
                Hint(
                    f"{part.name}: {left}: ignored, because FastChat's files have no such columns. They are read "
                    "if the file is imported as a table (--format table)."
                )
            )
        yield from chain((first,), records)


def _others(row: Mapping[str, Any]) -> str:
    """The columns of a row that seem to be answers of judges or people, and are none of FastChat's."""
    others = (name for name in row if name not in _JUDGED and not name.startswith(_OWN))
    return ", ".join(name for name in others if (parts := parse_name(name)).owner and not parts.weak)
