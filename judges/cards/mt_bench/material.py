"""The parts of an item that a judge of MT-Bench sees: the answer to judge, what led to it, and its references."""

from __future__ import annotations

from typing import Any

from judges.mtbench.records import WITH_REFERENCE
from judges.tool_calls import entry_fields
from judges.types import Dialogue, Pair, Turn, turn_number


def references(item: Dialogue | Pair, turn: int) -> list[str]:
    """The reference answers to the turns up to this one that a judge is shown; [] outside math, reasoning and coding.

    If FastChat's files of reference answers (reference_answer/) come with a question, its own `reference` is for
    people. Then a judge sees only what is under `reference_answer`, even if that is empty.
    """
    if item.meta.get("category") not in WITH_REFERENCE:
        return []
    reference = item.meta.get("reference_answer", item.meta.get("reference"))
    answers = [reference] if isinstance(reference, str) else reference
    if not isinstance(answers, list) or not all(isinstance(text, str) for text in answers):
        return []
    return answers[:turn] if len(answers) >= turn and answers[turn - 1].strip() else []


def variant(item: Dialogue, part: str) -> str:
    """The name of the prompt that a turn gets: multi_turn after earlier turns, and reference if there is one."""
    single = len(entries_until(item, part)) == 2
    return join_names(["" if single else "multi_turn", "reference" if references(item, turn_number(part)) else ""])


def pair_variant(item: Pair, _part: str) -> str:
    """Return the name of the prompt that a pair gets: by its turn, which FastChat's files name, and its reference."""
    turn = pair_turn(item)
    return join_names(["multi_turn" if turn > 1 else "", "reference" if references(item, turn) else ""])


def fields(item: Dialogue, part: str) -> dict[str, Any]:
    """Return the fields for the judge of a turn: question and answer, or the dialogue up to the turn that it rates."""
    until = entries_until(item, part)
    if len(until) == 2:
        shown: dict[str, Any] = {"question": until[0].text, "answer": until[1].text}
    else:
        shown = {"dialogue": [entry_fields(entry) for entry in until], "judged_turn": turn_number(part)}
    return shown | _with_reference(item, turn_number(part))


def pair_fields(item: Pair, _part: str) -> dict[str, Any]:
    """Return the fields for the judge of a pair; the systems' names are never among them."""
    shown = {"input": item.input_shown, "response_a": item.response_a.text, "response_b": item.response_b.text}
    return shown | _with_reference(item, pair_turn(item))


def _with_reference(item: Dialogue | Pair, turn: int) -> dict[str, Any]:
    answers = references(item, turn)
    return {"reference_answer": [{"turn": n, "text": text} for n, text in enumerate(answers, 1)]} if answers else {}


def entries_until(item: Dialogue, part: str) -> list[Turn]:
    """The entries of a dialogue up to and including the judged one."""
    turn = turn_number(part)
    places = (n for n, entry in enumerate(item.turns, 1) if (entry.turn, entry.role) == (turn, "assistant"))
    return [entry for entry in item.turns[: next(places, None)] if entry.turn <= turn]


def pair_turn(item: Pair) -> int:
    """The turn up to which a pair's answers go, which FastChat's files name."""
    turn = item.meta.get("turn", 1)
    return turn if isinstance(turn, int) and turn > 0 else 1


def join_names(names: list[str]) -> str:
    """The name of a variant that has these traits; "" for the usual one."""
    return "_".join(name for name in names if name)
