"""The arms that would tell apart what is left of two pipelines' difference, with calls, tokens and cost by hand."""

from __future__ import annotations

import pytest

from judges.mtbench.experiment import plan_pipeline_experiment
from judges.mtbench.pipelines import Pipeline
from judges.mtbench.protocol import Protocol
from judges.mtbench.records import Answer, Bench, BenchQuestion, Judge, PromptText
from tests.judges.mtbench.benches import bench

PLAIN = Protocol(name="plain", judge_temperature=0.3)
ASKED = {"1": BenchQuestion("1", "math", ("q" * 30, "r" * 60))}


def pipeline(judge, answer, samples=1, references="", prompts=(), protocol=PLAIN):
    rows = [(judge.id, 1, "m", turn, f"{'w' * 590} [[{turn}]]", n) for turn in (1, 2) for n in range(samples)]
    answers = {("1", "m", n): Answer("1", "m", n, (answer, answer)) for n in range(samples)}
    sets = {judge.model: {"1": (references, references)}} if references else {}
    made = Bench(ASKED, answers, sets, {judge.id: judge}, bench(rows).ratings, prompts=prompts)
    return Pipeline(made, judge.id, protocol)


def price(model):
    return {"gpt": (2.0, 10.0), "new": (4.0, 20.0)}.get(model)


def test_every_combination_of_what_differs_with_two_that_are_stored():
    one = pipeline(Judge("j", "gpt", "p", "aaaaaaaaaaaa"), "x" * 300)
    other = pipeline(Judge("k", "new", "p", "bbbbbbbbbbbb"), "y" * 300, samples=2)
    found = plan_pipeline_experiment(one, other, price)
    assert found.factors == ("judge", "prompt", "answers") and len(found.arms) == 8
    arms = {arm.protocol.name: arm for arm in found.arms}
    assert [name for name, arm in arms.items() if arm.stored] == ["arm-aaa", "arm-bbb"]
    assert arms["arm-aaa"].calls == 0 and arms["arm-aaa"].cost == 0
    arm = arms["arm-bab"]
    assert (arm.protocol.judge, arm.protocol.prompts, arm.protocol.judge_temperature) == ("new", "p@aaaaaaaa", 0.3)
    # Two samples of two turns. Turn 1: 10 + 100 tokens, turn 2: 10 + 20 + 100 + 100, each with a prompt's 300.
    assert (arm.calls, arm.tokens_in) == (4, 2 * (110 + 230) + 4 * 300)
    assert arm.tokens_out == 4 * (596 // 3)
    assert arm.cost == pytest.approx((arm.tokens_in * 4 + arm.tokens_out * 20) / 1e6)
    assert arms["arm-aba"].calls == 2 and arms["arm-aba"].protocol.judge == "gpt"


def test_references_are_a_factor_where_both_are_known_and_differ():
    judge = Judge("j", "gpt", "p", "")
    one, other = pipeline(judge, "x", references="a" * 30), pipeline(judge, "x", references="b" * 300)
    found = plan_pipeline_experiment(one, other, price)
    assert found.factors == ("references",) and "nothing has to be run" in found.caveats[0]
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
    one = pipeline(judge, "x")
    bare = Pipeline(Bench(ASKED, judges={"j": judge}, ratings=one.bench.ratings), "j", PLAIN)
    found = plan_pipeline_experiment(one, bare, price)
    assert found.arms == () and "no judge could be asked" in found.caveats[0]
    assert plan_pipeline_experiment(one, one, price).arms == ()
