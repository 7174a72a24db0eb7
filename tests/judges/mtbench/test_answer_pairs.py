"""Answers of models as pairs: which turns they hold."""

from __future__ import annotations

import pytest

from judges.mtbench.answer_pairs import make_pairs
from judges.types import Dialogue


def answer(model: str, turns: int) -> Dialogue:
    entries = [
        {"turn": turn, "role": role, "text": f"{role} {turn}" if role == "user" else f"{model} {turn}"}
        for turn in range(1, turns + 1)
        for role in ("user", "assistant")
    ]
    data = {"id": f"q/{model}", "kind": "dialogue", "system": model, "turns": entries, "meta": {"question_id": "q"}}
    return Dialogue.model_validate(data)


@pytest.mark.parametrize("lengths", [(2, 1), (1, 2)])
def test_a_turn_that_only_one_model_has_answered_makes_no_pair(lengths: tuple[int, int]) -> None:
    [pair] = make_pairs([answer("m", lengths[0]), answer("n", lengths[1])])
    assert (pair.id, pair.meta["turn"], pair.input) == ("q/m~n/turn1", 1, "user 1")
    assert (pair.response_a.text, pair.response_b.text) == ("m 1", "n 1")


def test_a_pair_of_a_later_turn_holds_all_turns_up_to_it() -> None:
    _, second = make_pairs([answer("n", 2), answer("m", 2)], "n")
    assert second.input == "[User, turn 1]\nuser 1\n\n[User, turn 2]\nuser 2"
    assert second.response_a.text == "[Answer, turn 1]\nm 1\n\n[Answer, turn 2]\nm 2"
    assert [*make_pairs([answer("n", 2), answer("m", 2)], "other")] == []
