"""MT-Bench-101 read: dialogues of two to seven turns, each of one of its tasks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from judges.mtbench import rows
from judges.mtbench.assembly import AssembledBench, Assembly, BadRow, BenchFile
from judges.strict_json import show_value

_MODEL = ("model", "model_id", "system")


def fits(row: dict[str, Any]) -> bool:
    """Whether a row is a dialogue of MT-Bench-101: a task, an id, and a history of what user and bot said."""
    turns = row.get("history") if {"task", "id"} <= row.keys() else None
    spoken = turns if isinstance(turns, list) else []
    return bool(spoken) and all(isinstance(turn, dict) and isinstance(turn.get("user"), str) for turn in spoken)


def assemble_dialogues(files: Iterable[BenchFile]) -> AssembledBench:
    """The records of its files: a question whose category is the task, and its dialogue as the answer of a model.

    The model is what the row says; where it says none, the file's name.
    """
    state = Assembly("")
    for file in files:
        for place, row in state.objects(file):
            try:
                _take(state, place, row)
            except rows.BadField as error:
                state.bench.bad.append(BadRow(place, *error.problem))
    return state.finish()


def _take(state: Assembly, place: rows.SourcePlace, row: dict[str, Any]) -> None:
    if not fits(row):
        fault = f"history must be a list of what user and bot said (it is {show_value(row.get('history'))})."
        raise rows.BadField("history", fault)
    key = rows.question_id({"question_id": row["id"]})
    questions, answers = ([turn.get(speaker) for turn in row["history"]] for speaker in ("user", "bot"))
    answered = [text for text in answers if isinstance(text, str)]
    if answers[: len(answered)] != answered or not answered:
        raise rows.BadField("history", "Only the last turns of a history may lack the bot's answer.")
    named = any(isinstance(row.get(name), str) and row[name].strip() for name in _MODEL)
    model = rows.text_under(row, *_MODEL) if named else PurePosixPath(place.file).stem
    state.read("question", place, {"question_id": key, "category": str(row["task"]), "turns": questions})
    state.read("answer", place, {"question_id": key, "model_id": model, "choices": [{"index": 0, "turns": answered}]})
