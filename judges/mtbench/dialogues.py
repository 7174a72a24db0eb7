"""MT-Bench's records from stored items: the question's answer in a dialogue's content and meta."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judges.mtbench.records import Answer, BenchQuestion
from judges.types import Dialogue

EVERY_JUDGE = "all judges"
"""The name of the set of reference answers that is the same for every judge, or the only one."""


def answer_name(question: str, model: str, choice: int) -> str:
    """The name of the item that an answer becomes in a dataset."""
    return f"{question}/{model}" if not choice else f"{question}/{model}/choice:{choice}"


def pair_name(question: str, a: str, b: str, turn: int) -> str:
    """The name of the item that two models' answers up to a turn become, in sorted order of the models' names."""
    return f"{question}/{a}~{b}/turn{turn}"


def read_item_question(
    meta: Mapping[str, Any], user_turns: tuple[str, ...]
) -> tuple[BenchQuestion, dict[str, tuple[str, ...]]]:
    """The question that an item's meta names, with the user's turns; and its reference answers by judge."""
    reference_texts, own = read_texts(meta.get("reference")), "reference_answer" in meta
    name, heat = str(meta["question_id"]), meta.get("required_temperature")
    shown = read_texts(meta["reference_answer"]) if own else reference_texts
    sets = meta.get("reference_answers")
    references = sets.items() if isinstance(sets, dict) else [(EVERY_JUDGE, shown)] if shown else []
    question = BenchQuestion(name, str(meta.get("category", "")), user_turns, reference_texts if own else (), heat)
    return question, {judge: read_texts(reference) for judge, reference in references}


def read_answer(item: Mapping[str, Any]) -> Answer:
    """The answer that the content of a dialogue holds."""
    facts = whole_number(item["meta"], "continues"), whole_number(item["meta"], "cut_at") or 0
    return Answer(*answer_key(item["meta"], item.get("system", "")), texts_by(item, "assistant"), *facts)


def answer_key(meta: Mapping[str, Any], model: str) -> tuple[str, str, int]:
    """(question, model, choice) of an item."""
    return str(meta["question_id"]), model, whole_number(meta, "choice") or 0


def whole_number(meta: Mapping[str, Any], name: str) -> int | None:
    """The whole number under a name in data that may contain anything; None for anything else."""
    value = meta.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def texts_by(item: Mapping[str, Any], role: str) -> tuple[str, ...]:
    """Return the texts of one side in a dialogue, in order."""
    return tuple(entry["text"] for entry in item["turns"] if entry["role"] == role)


def turn_texts(item: Dialogue, role: str) -> list[str]:
    """Return the texts of one side in a dialogue that has been checked, in order."""
    return [entry.text for entry in item.turns if entry.role == role]


def read_texts(value: Any) -> tuple[str, ...]:
    """A text or a list of them, from a file that may hold anything."""
    return (value,) if isinstance(value, str) else tuple(map(str, value)) if isinstance(value, list | tuple) else ()
