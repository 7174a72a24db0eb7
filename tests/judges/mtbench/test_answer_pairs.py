"""Answers of models as pairs: which turns they hold, as one text that can be taken apart again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.mtbench.answer_pairs import ANSWER, USER, join_turns, make_pairs, split_turns
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


@given(st.lists(st.text(alphabet="ab\n [Answer, tur1]", max_size=12), min_size=1, max_size=4))
def test_what_was_joined_is_taken_apart_again(texts: list[str]) -> None:
    assert split_turns(join_turns(texts, ANSWER), len(texts), ANSWER) == texts


def test_a_text_that_does_not_say_where_turns_begin_is_one() -> None:
    assert join_turns(["x", "y"], USER) == "[User, turn 1]\nx\n\n[User, turn 2]\ny"
    assert split_turns("no marks", 2, ANSWER) == ["no marks"]
    assert split_turns(join_turns(["x", "y"], USER), 2, ANSWER) == [join_turns(["x", "y"], USER)]
    late = "before\n\n[Answer, turn 1]\nx\n\n[Answer, turn 2]\ny"
    assert split_turns(late, 2, ANSWER) == [late]
