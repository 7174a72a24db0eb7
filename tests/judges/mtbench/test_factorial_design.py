"""Two protocols' judging crossed: which arms there are, and effects by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.cards.mt_bench.protocol_cards import judge_card
from judges.mtbench.factorial_design import (
    FACTORS,
    cross_protocols,
    differing_factors,
    estimate_effects,
    is_same_to_judge,
)
from judges.mtbench.protocol import protocols
from judges.types import Dialogue, Turn

A, B = protocols()["fastchat"], protocols()["swallow"]


def answer(category="math", text="x", **meta):
    said = [("user", "q"), ("assistant", text)]
    turns = [Turn(turn=1, role=role, text=words) for role, words in said]
    return Dialogue(id="1/m", kind="dialogue", system="m", turns=turns, meta={"category": category, **meta})


def test_the_two_built_in_protocols_differ_in_all_that_can_be_crossed() -> None:
    assert differing_factors(A, B) == list(FACTORS)
    assert differing_factors(A, A) == []
    assert differing_factors(A, A.model_copy(update={"cut_at": 9, "name": "c", "samples": 3})) == ["shown"]
    assert differing_factors(A, B, ["prompt"]) == ["prompt"]


def test_every_combination_stands_once_with_a_itself_first() -> None:
    arms = cross_protocols(A, B, ["judge", "references"])
    assert [tuple(one.sides.values()) for one in arms] == [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    assert arms[0].protocol == A, "what A's judge has judged is not asked again"
    assert [one.protocol.name for one in arms[1:]] == [
        "fastchat-swallow-references", "fastchat-swallow-judge", "fastchat-swallow-judge-references",
    ]  # fmt: skip
    last = arms[-1].protocol
    assert (last.judge, last.references) == (B.judge, B.references)
    assert (last.prompts, last.thinking, last.cut_at) == (A.prompts, A.thinking, A.cut_at), "the rest is as in A"
    assert len({one.protocol.mark for one in arms}) == 4
    long = cross_protocols(A.model_copy(update={"name": "a" * 60}), B, list(FACTORS))
    assert len(long) == 32 and all(one.protocol.model_validate(one.protocol.model_dump()) for one in long)
    assert len({one.protocol.name for one in long}) == 32


def test_effects_of_a_factorial_by_hand() -> None:
    arms = cross_protocols(A, B, ["judge", "prompt"])
    # aa 8, ab 7, ba 6, bb 3: the judge moves 8 -> 6 and 7 -> 3, the prompt 8 -> 7 and 6 -> 3.
    judge, prompt = estimate_effects(arms, [8.0, 7.0, 6.0, 3.0])
    assert (judge.factor, judge.alone, judge.main) == ("judge", -2.0, -3.0)
    assert (prompt.factor, prompt.alone, prompt.main) == ("prompt", -1.0, -2.0)
    judge, prompt = estimate_effects(arms, [8.0, None, 6.0, 3.0])
    assert (judge.alone, judge.main, prompt.alone, prompt.main) == (-2.0, None, None, None)
    assert estimate_effects([], []) == []


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=3))
def test_effects_that_add_up_are_found_alone_and_on_average(sizes) -> None:
    factors = ["judge", "prompt", "references"]
    arms = cross_protocols(A, B, factors)
    moved = [sum(size for size, side in zip(sizes, one.sides.values(), strict=True) if side == "b") for one in arms]
    for size, effect in zip(sizes, estimate_effects(arms, moved), strict=True):
        assert effect.alone == pytest.approx(size, abs=1e-9) and effect.main == pytest.approx(size, abs=1e-9)


def test_references_that_are_shown_alike_are_not_worth_a_call() -> None:
    own = A.model_copy(update={"references": "own"})
    cards = judge_card(A), judge_card(own)
    assert is_same_to_judge(*cards, [answer(reference=["r"]), answer("writing", reference_answer=["r"])])
    assert not is_same_to_judge(*cards, [answer(reference=["r"], reference_answer=["other"])])
    assert not is_same_to_judge(*cards, [answer(), answer(reference_answer=["r"])]), "shown by one of them only"
    cut = judge_card(A.model_copy(update={"cut_at": 3}))
    assert is_same_to_judge(judge_card(A), cut, [answer(text="abc")])
    assert not is_same_to_judge(judge_card(A), cut, [answer(text="abcd")])
