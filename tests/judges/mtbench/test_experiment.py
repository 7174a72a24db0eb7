"""Two protocols' judging crossed: which arms there are, with calls, tokens and cost, and effects by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.cards.mt_bench.protocol_cards import judge_card
from judges.mtbench.experiment import (
    FACTORS,
    cross_protocols,
    differing_factors,
    estimate_effects,
    is_same_to_judge,
    plan_pipeline_experiment,
)
from judges.mtbench.pipelines import Pipeline
from judges.mtbench.protocol import Protocol, protocols
from judges.mtbench.records import Answer, Bench, BenchQuestion, Judge, PromptText
from judges.types import Dialogue, Turn
from tests.judges.mtbench.benches import bench

PLAIN = Protocol(name="plain", judge_temperature=0.3)
QUESTIONS = {"1": BenchQuestion("1", "math", ("q" * 30, "r" * 60))}


def pipeline(judge, answer, samples=1, references="", prompts=(), protocol=PLAIN):
    rows = [(judge.id, 1, "m", turn, f"{'w' * 590} [[{turn}]]", n) for turn in (1, 2) for n in range(samples)]
    answers = {("1", "m", n): Answer("1", "m", n, (answer, answer)) for n in range(samples)}
    sets = {judge.model: {"1": (references, references)}} if references else {}
    pipeline_bench = Bench(QUESTIONS, answers, sets, {judge.id: judge}, bench(rows).ratings, prompts=prompts)
    return Pipeline(pipeline_bench, judge.id, protocol)


def price(model):
    return {"gpt": (2.0, 10.0), "new": (4.0, 20.0)}.get(model)


def test_every_combination_of_what_differs_with_two_that_are_stored():
    one = pipeline(Judge("j", "gpt", "p", "aaaaaaaaaaaa"), "x" * 300)
    other = pipeline(Judge("k", "new", "p", "bbbbbbbbbbbb"), "y" * 300, samples=2)
    plan = plan_pipeline_experiment(one, other, price)
    assert plan.factors == ("judge", "prompt", "answers") and len(plan.arms) == 8
    arms = {arm.protocol.name: arm for arm in plan.arms}
    assert [name for name, arm in arms.items() if arm.stored] == ["arm-aaa", "arm-bbb"]
    assert arms["arm-aaa"].calls == 0 and arms["arm-aaa"].cost == 0
    arm = arms["arm-bab"]
    assert (arm.protocol.judge, arm.protocol.prompts, arm.protocol.judge_temperature) == ("new", "p@aaaaaaaa", 0.3)
    # Two samples of two turns. Turn 1: 10 + 100 tokens, turn 2: 10 + 20 + 100 + 100, each with a prompt's 300.
    assert (arm.calls, arm.tokens_in) == (4, 2 * (110 + 230) + 4 * 300)
    assert arm.tokens_out == 4 * (596 // 3)
    assert arm.cost == pytest.approx((arm.tokens_in * 4 + arm.tokens_out * 20) / 1e6)
    assert arms["arm-aba"].calls == 2 and arms["arm-aba"].protocol.judge == "gpt"


def test_only_calls_about_the_models_that_are_compared_are_counted():
    judges = Judge("j", "gpt", "p", "aaaaaaaaaaaa"), Judge("k", "new", "p", "bbbbbbbbbbbb")
    runs = []
    for judge in judges:
        answers = {("1", model, 0): Answer("1", model, 0, ("x", "x")) for model in ("m", "n")}
        rows = [(judge.id, 1, model, turn, "[[7]]") for model in ("m", "n") for turn in (1, 2)]
        runs.append(Pipeline(Bench(QUESTIONS, answers, {}, {judge.id: judge}, bench(rows).ratings), judge.id, PLAIN))
    calls = {
        models: [arm.calls for arm in plan_pipeline_experiment(*runs, price, models).arms if not arm.stored]
        for models in ((), ("m",), ("m", "n"))
    }
    assert calls == {(): [4, 4], ("m",): [2, 2], ("m", "n"): [4, 4]}


def test_references_are_a_factor_where_both_are_known_and_differ():
    judge = Judge("j", "gpt", "p", "")
    one, other = pipeline(judge, "x", references="a" * 30), pipeline(judge, "x", references="b" * 300)
    plan = plan_pipeline_experiment(one, other, price)
    assert plan.factors == ("references",) and "nothing has to be run" in plan.caveats[0]
    unknown = pipeline(judge, "x")
    assert "not known" in plan_pipeline_experiment(one, unknown, price).caveats[0]


def test_a_prompts_own_words_are_those_of_its_template_and_an_unknown_price_is_none():
    prompts = (PromptText("p-v1", "single", "", "t" * 900),)
    one = pipeline(Judge("j", "gpt", "p-v1", "a" * 12), "x" * 30, prompts=prompts)
    other = pipeline(Judge("k", "unheard", "p-v2", "b" * 12), "x" * 30)
    arms = {arm.protocol.name: arm for arm in plan_pipeline_experiment(one, other, price).arms}
    assert arms["arm-ba"].tokens_in == 2 * 300 + (10 + 10) + (10 + 20 + 10 + 10) and arms["arm-ba"].cost is None
    assert arms["arm-ab"].cost is not None and arms["arm-ba"].protocol.prompts == "p-v1@aaaaaaaa"


def test_without_texts_in_common_there_is_no_arm_and_without_a_difference_none_to_run():
    judge = Judge("j", "gpt", "p", "")
    full = pipeline(judge, "x")
    bare = Pipeline(Bench(QUESTIONS, judges={"j": judge}, ratings=full.bench.ratings), "j", PLAIN)
    plan = plan_pipeline_experiment(full, bare, price)
    assert plan.arms == () and "no judge could be asked" in plan.caveats[0]
    assert plan_pipeline_experiment(full, full, price).arms == ()


# -- two protocols ----------------------------------------------------------------------------------------------------

A, B = protocols()["fastchat"], protocols()["swallow"]


def answer(category="math", text="x", **meta):
    utterances = [("user", "q"), ("assistant", text)]
    turns = [Turn(turn=1, role=role, text=words) for role, words in utterances]
    return Dialogue(id="1/m", kind="dialogue", system="m", turns=turns, meta={"category": category, **meta})


def test_the_two_built_in_protocols_differ_in_all_that_can_be_crossed() -> None:
    assert differing_factors(A, B) == list(FACTORS)
    assert differing_factors(A, A) == []
    assert differing_factors(A, A.model_copy(update={"cut_at": 9, "name": "c", "samples": 3})) == ["shown"]
    assert differing_factors(A, B, ["prompt"]) == ["prompt"]


def test_every_combination_stands_once_with_a_itself_first() -> None:
    arms = cross_protocols(A, B, ["judge", "references"])
    assert [tuple(arm.sides.values()) for arm in arms] == [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    assert arms[0].protocol == A, "what A's judge has judged is not asked again"
    assert [arm.protocol.name for arm in arms[1:]] == [
        "fastchat-swallow-references", "fastchat-swallow-judge", "fastchat-swallow-judge-references",
    ]  # fmt: skip
    last = arms[-1].protocol
    assert (last.judge, last.references) == (B.judge, B.references)
    assert (last.prompts, last.thinking, last.cut_at) == (A.prompts, A.thinking, A.cut_at), "the rest is as in A"
    assert len({arm.protocol.mark for arm in arms}) == 4
    long = cross_protocols(A.model_copy(update={"name": "a" * 60}), B, list(FACTORS))
    assert len(long) == 32 and all(arm.protocol.model_validate(arm.protocol.model_dump()) for arm in long)
    assert len({arm.protocol.name for arm in long}) == 32


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
    moved = [sum(size for size, side in zip(sizes, arm.sides.values(), strict=True) if side == "b") for arm in arms]
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
