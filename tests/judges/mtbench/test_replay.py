"""Two pipelines and the way from one mean to the other: by hand, and for any pair the parts add up."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.mtbench import replay as replayed
from judges.mtbench.pipelines import Pipeline, changed_questions, compare_pipelines, shown_reference
from judges.mtbench.protocol import Protocol, protocols
from judges.mtbench.records import Answer, Bench, BenchQuestion, Judge
from judges.mtbench.replay import replay
from tests.judges.mtbench.benches import bench

FASTCHAT, SWALLOW = protocols()["fastchat"], protocols()["swallow"]
PLAIN = Protocol(name="plain")


def make_bench(rows, answers=None, questions=None, references=None, categories=None, judges=None):
    """A bench of rows with texts of answers by (question, model, choice)."""
    base = bench(rows, categories)
    texts = {key: Answer(*key, turns) for key, turns in (answers or {}).items()}
    return Bench(
        questions=questions or base.questions, answers=texts, references=references or {}, ratings=base.ratings,
        judges=judges or base.judges,
    )  # fmt: skip


def total(waterfall):
    return waterfall.start.point + sum(
        part.change.point for part in (*waterfall.steps, *waterfall.rest, *waterfall.later)
    )


def test_the_same_judgments_under_two_protocols_by_hand():
    # Five samples of two turns: 8 - 6 - 7 and two failures (mean of three 7, of five 19 / 5), and five times 9.
    rows = [("j", 1, "m", 1, score, n) for n, score in enumerate([8, None, 6, None, 7])]
    rows += [("j", 2, "m", 1, 9, n) for n in range(5)]
    bench = make_bench(rows)
    waterfall = replay(Pipeline(bench, "j", FASTCHAT), Pipeline(bench, "j", SWALLOW))
    # FastChat judges the first sample alone: (8 + 9) / 2. Swallow: (19 / 5 + 9) / 2.
    assert waterfall.start.point == 8.5 and waterfall.end.point == pytest.approx(6.4)
    # The squares of (8 - 8.5) / 2 and (9 - 8.5) / 2, times 2 / (2 - 1), are .5 squared; t of one degree is 12.7062.
    assert waterfall.start.low == pytest.approx(8.5 - 12.7062 / 2, abs=1e-4)
    assert waterfall.reported == pytest.approx((8.5, 0.64))
    steps = {step.factor: step for step in waterfall.steps}
    assert list(steps) == ["failed judgments", "samples", "several judgments of a turn"]
    assert steps["failed judgments"].change.point == 0.0
    # All samples, failures as -1, each row by itself: (19 + 45) / 10, which is the mean of the two means here.
    assert steps["samples"].after == pytest.approx(6.4)
    assert waterfall.rest == () and total(waterfall) == pytest.approx(waterfall.end.point)
    # Failures first: 0 with one sample. After the samples: from (21 + 45) / 8 rows to 6.4 (raw), or (7 + 9) / 2 to 6.4.
    assert (steps["failed judgments"].low, steps["failed judgments"].high) == pytest.approx((6.4 - 66 / 8, 0.0))
    assert ("scale of the mean", "a change of unit: everything here is in points from 1 to 10") in waterfall.unmoved


@pytest.mark.parametrize("protocol", [FASTCHAT, SWALLOW])
def test_one_sample_and_several_are_told_apart_from_the_judge(protocol):
    """Both judged the first samples alike, under one protocol; the later ones of the second run are worse by 2."""
    first = make_bench([("j", q, "m", 1, 8) for q in (1, 2)])
    second = make_bench([("j", q, "m", 1, 8 - 2 * (n > 0), n) for q in (1, 2) for n in range(4)])
    runs = Pipeline(first, "j", protocol), Pipeline(second, "j", protocol)
    forward, backward = replay(*runs), replay(*reversed(runs))
    assert [(step.factor, step.change.point) for step in forward.later] == [("samples", -1.5)]
    assert [(step.factor, step.change.point) for step in backward.steps] == [("samples", 1.5)]
    assert [part.change.point for part in (*forward.rest, *backward.rest)] == [0.0, 0.0]
    [row] = [factor for factor in forward.factors if factor.name == "samples"]
    assert (row.one, row.other, row.differs) == ("1", "4", True)


def test_temperatures_that_questions_state_differ_where_answers_do():
    def run(*temperatures):
        questions = {str(n): BenchQuestion(str(n), "math", ("a",), (), heat) for n, heat in enumerate(temperatures)}
        return Pipeline(make_bench([("j", 0, "m", 1, 8)], questions=questions), "j", FASTCHAT)

    def heat(*runs):
        [row] = [factor for factor in compare_pipelines(*runs) if factor.name == "temperature of answers"]
        return row

    plain = heat(run(None, None), run(None, None))
    assert not plain.differs and heat(run(None, 0.0), run(None, None)) == plain
    row = heat(run(None, 0.5), run(None, None))
    assert row.one == f"{plain.one}; 1 of 2 questions state another one than there" and row.other == plain.other
    assert row.differs and row.sources == ("files", "protocol")


def test_of_several_samples_the_first_counts_beside_a_protocol_of_more():
    bench = make_bench([("j", 1, "m", 1, 8, n) for n in range(5)])
    table = compare_pipelines(Pipeline(bench, "j", FASTCHAT), Pipeline(bench, "j", SWALLOW))
    [row] = [factor for factor in table if factor.name == "samples"]
    assert (row.one, row.other, row.differs) == ("1 of 5", "5", True)


def test_the_fair_share_is_the_mean_over_all_orders():
    rows = [("j", q, "m", t, score, n) for q, t, scores in (
        (1, 1, [8, None, 6, 3]), (1, 2, [None, None, 5, 7]), (2, 1, [9, 9, None, 1]), (2, 2, [4, None, None, None]),
    ) for n, score in enumerate(scores)]  # fmt: skip
    bench = make_bench(rows)
    other = Protocol(name="x", failed="counted", duplicates="averaged", samples=1, parse="last")
    protocol = Protocol(name="y", samples=4)
    waterfall = replay(Pipeline(bench, "j", protocol), Pipeline(bench, "j", other))
    runs = Pipeline(bench, "j", protocol), Pipeline(bench, "j", other)
    state = replayed._ReplayedRatings(*runs, ["m"], ["1", "2"])
    names = [step.factor for step in waterfall.steps]
    for step in waterfall.steps:
        changes = []
        for order in permutations(names):
            before = frozenset(order[: order.index(step.factor)])
            changes.append(state.state(before | {step.factor}).mean.point - state.state(before).mean.point)
        assert step.fair == pytest.approx(sum(changes) / len(changes))
        assert (step.low, step.high) == pytest.approx((min(changes), max(changes)))
    assert sum(step.fair for step in waterfall.steps) == pytest.approx(waterfall.end.point - waterfall.start.point)


def test_equal_answers_are_the_judge_and_other_answers_are_named_so():
    rows = [("j", 1, "m", 1, 8), ("j", 2, "m", 1, 6), ("j", 3, "m", 1, 4)]
    other_rows = [("k", 1, "m", 1, 7), ("k", 2, "m", 1, 9), ("k", 4, "m", 1, 1)]
    bench = make_bench(rows, {("1", "m", 0): ("same",), ("2", "m", 0): ("a",), ("3", "m", 0): ("x",)})
    other = make_bench(other_rows, {("1", "m", 0): ("same",), ("2", "m", 0): ("b",), ("4", "m", 0): ("x",)})
    waterfall = replay(Pipeline(bench, "j", PLAIN), Pipeline(other, "k", PLAIN))
    parts = {part.name: part.change.point for part in waterfall.rest}
    # Means 6 and 17/3; on the shared two: (8 + 6) / 2 = 7 and (7 + 9) / 2 = 8, of which -1/2 and +3/2.
    assert parts == pytest.approx({
        "turns of the first alone": 1.0, "judge": -0.5, "answers, with judge": 1.5,
        "turns of the other alone": 17 / 3 - 8,
    })  # fmt: skip
    assert total(waterfall) == pytest.approx(17 / 3) and waterfall.steps == ()
    assert waterfall.difference.point == pytest.approx(17 / 3 - 6)


def test_prompts_of_one_judge_are_the_rest_by_name():
    answers = {("1", "m", 0): ("same",)}
    bench = make_bench([("j", 1, "m", 1, 8)], answers, judges={"j": Judge("j", "gpt", "single-v1", "aaa")})
    other = make_bench([("k", 1, "m", 1, 6)], answers, judges={"k": Judge("k", "gpt", "single-v1", "bbb")})
    waterfall = replay(Pipeline(bench, "j", PLAIN), Pipeline(other, "k", PLAIN))
    assert [(part.name, part.change.point) for part in waterfall.rest] == [("prompt", -2.0)]
    [row] = [f for f in waterfall.factors if f.name == "judge's prompt"]
    assert (row.one, row.other, row.differs, row.sources) == (
        "single-v1 (aaa)", "single-v1 (bbb)", True, ("files", "files"),
    )  # fmt: skip


def test_long_answers_are_left_out_where_the_other_cuts_unless_it_judged_the_same_text():
    rows = [("j", q, "m", 1, value) for q, value in ((1, 2), (2, 8), (3, 5))]
    texts = {("1", "m", 0): ("x" * 30,), ("2", "m", 0): ("x" * 10,), ("3", "m", 0): ("y" * 30,)}
    bench = make_bench(rows, texts)
    other = make_bench([("k", q, "m", 1, 7) for q in (1, 2, 3)], {**texts, ("1", "m", 0): ("x" * 20,)})
    waterfall = replay(Pipeline(bench, "j", PLAIN), Pipeline(other, "k", Protocol(name="cut", cut_at=20)))
    [step] = waterfall.steps
    assert (step.factor, step.before, step.after, step.rows) == ("answers cut at", 5.0, 6.5, 1)
    assert total(waterfall) == pytest.approx(7.0)
    back = replay(Pipeline(other, "k", Protocol(name="cut", cut_at=20)), Pipeline(bench, "j", PLAIN))
    assert [(s.factor, s.rows) for s in back.steps] == [("answers cut at", 1)]


def test_a_second_turn_is_touched_by_the_thinking_of_the_first():
    rows = [("j", 1, "m", 1, 2), ("j", 1, "m", 2, 4), ("j", 2, "m", 1, 9)]
    texts = {("1", "m", 0): ("<think>a</think>b", "c"), ("2", "m", 0): ("c", "d")}
    bench = make_bench(rows, texts)
    other = make_bench([("k", *row[1:4], 5) for row in rows], texts)
    protocol = Protocol(name="kept", thinking="kept")
    waterfall = replay(Pipeline(bench, "j", PLAIN), Pipeline(other, "k", protocol))
    assert [(s.factor, s.rows, s.after) for s in waterfall.steps] == [("thinking shown", 2, 9.0)]
    assert total(waterfall) == pytest.approx(5.0)


def test_turns_that_both_rated_are_never_turns_of_one_alone():
    """All ratings are equal, but for the other's 5 of question 1, whose answer it alone was shown with thinking."""
    rows = [("j", 1, "m", 1, 9), ("j", 2, "m", 1, 9), ("j", 3, "m", 1, 3)]
    other_rows = [("k", 1, "m", 1, 5), ("k", 2, "m", 1, 9), ("k", 4, "m", 1, 7)]
    plain = {(str(n), "m", 0): ("b",) for n in range(1, 5)}
    thought = {**plain, ("1", "m", 0): ("<think>a</think>b",)}
    first = Pipeline(make_bench(rows, plain), "j", PLAIN)
    second = Pipeline(make_bench(other_rows, thought), "k", Protocol(name="kept", thinking="kept"))
    forward, backward = replay(first, second), replay(second, first)
    assert {part.name: (part.change.point, part.cells) for part in forward.rest} == {
        "turns of the first alone": (9 - 7, 1), "turns of the first: thinking shown": (0.0, 1), "judge": (0.0, 1),
        "turns of the other alone": (8 - 9, 1),
    }  # fmt: skip
    [step] = forward.later
    assert (step.before, step.after) == (8, 7) and step.explanation.startswith("until here, answers with thinking are")
    assert {part.name: (part.change.point, part.cells) for part in backward.rest} == {
        "turns of the first alone": (9 - 8, 1), "judge": (0.0, 1), "turns of the other: thinking shown": (0.0, 1),
        "turns of the other alone": (7 - 9, 1),
    }  # fmt: skip
    [step] = backward.steps
    assert (step.before, step.after) == (7, 8) and step.explanation.startswith("answers with thinking are left out")
    assert (total(forward), total(backward)) == (forward.end.point, backward.end.point)


def test_references_and_questions_with_other_texts_are_left_out():
    rows = [("j", q, "m", 1, value) for q, value in ((1, 2), (2, 8), (3, 5))]
    questions = {k: BenchQuestion(k, c, (k,)) for k, c in (("1", "math"), ("2", "math"), ("3", "writing"))}
    changed = {**questions, "3": BenchQuestion("3", "writing", ("new",))}
    bench = make_bench(rows, questions=questions, references={"gpt": {"1": ("a",), "2": ("b",), "3": ("w",)}})
    other_rows = [("k", *row[1:]) for row in rows]
    other = make_bench(other_rows, questions=changed, references={"gpt": {"1": ("A",), "2": ("b",), "3": ("W",)}})
    waterfall = replay(Pipeline(bench, "j", PLAIN), Pipeline(other, "k", PLAIN))
    assert [(s.factor, s.rows, s.after) for s in waterfall.steps] == [
        ("references shown", 1, 6.5), ("questions", 1, 8.0),
    ]  # fmt: skip
    assert changed_questions(bench, other) == ({"3"}, {"1", "2", "3"})
    assert total(waterfall) == pytest.approx(5.0)


def test_a_rule_that_only_the_others_ratings_show_is_switched_on_them():
    bench = make_bench([("j", 1, "m", 1, 8), ("j", 2, "m", 1, 6)])
    other = make_bench([("k", 1, "m", 1, 9), ("k", 2, "m", 1, None)])
    waterfall = replay(Pipeline(bench, "j", PLAIN), Pipeline(other, "k", Protocol(name="c", failed="counted")))
    # Means 7 and (9 - 1) / 2 = 4. Without the failed one the other's is 9; it shares question 1 only: 8 and 9.
    assert (waterfall.start.point, waterfall.end.point, waterfall.steps) == (7.0, 4.0, ())
    assert [(p.name, p.change.point, p.cells) for p in waterfall.rest] == [
        ("turns of the first alone", 1.0, 1), ("answers, with judge", 1.0, 1),
    ]  # fmt: skip
    [step] = waterfall.later
    assert (step.factor, step.before, step.after, step.rows, step.on_other) == ("failed judgments", 9.0, 4.0, 1, True)
    # In the other order the first one's ratings show nothing of it: 0, and all is left.
    assert (step.fair, step.low, step.high) == (-2.5, -5.0, 0.0) and waterfall.left == (-0.5, -3.0, 2.0)
    assert total(waterfall) == 4.0


def test_what_touches_every_rating_cannot_be_replayed_and_is_said():
    texts = {("1", "m", 0): ("<think>a</think>b",)}
    bench, other = make_bench([("j", 1, "m", 1, 2)], texts), make_bench([("k", 1, "m", 1, 9)], texts)
    waterfall = replay(Pipeline(bench, "j", PLAIN), Pipeline(other, "k", Protocol(name="kept", thinking="kept")))
    assert waterfall.steps == () and waterfall.unmoved[0][0] == "thinking shown" and total(waterfall) == 9.0


def test_unknown_references_are_not_called_different():
    questions = {"1": BenchQuestion("1", "math", ("a",))}
    bench = make_bench([("j", 1, "m", 1, 2)], questions=questions, references={"gpt": {"1": ("a",)}})
    other = make_bench([("k", 1, "m", 1, 2)], questions=questions)
    waterfall = replay(Pipeline(bench, "j", PLAIN), Pipeline(other, "k", PLAIN))
    assert ("references shown", "the references of one of them are not known") in waterfall.unmoved
    [row] = [f for f in waterfall.factors if f.name == "references shown"]
    assert (row.one, row.other, row.differs) == ("of gpt", "not known", None)
    no_references = replay(Pipeline(bench, "j", PLAIN), Pipeline(other, "k", Protocol(name="n", references="none")))
    assert [f.differs for f in no_references.factors if f.name == "references shown"] == [True]


def test_which_references_a_judge_was_shown():
    questions = [
        BenchQuestion("1", "math", ("a", "b"), ("own 1", "own 2")),
        BenchQuestion("2", "stem", ("a",), ("own",)),
    ]
    sets = {"j": {"1": ("x", "y")}, "gpt": {"1": ("g", "h")}}
    bench = make_bench([("j", 1, "m", 1, 2)], questions={bench.id: bench for bench in questions}, references=sets)

    def reference(references, question="1", turn=2, judge="j"):
        return shown_reference(Pipeline(bench, judge, Protocol(name="p", references=references)), question, turn)

    assert reference("") == ("x", "y") and reference("", turn=1) == ("x",) and reference("gpt") == ("g", "h")
    assert reference("own") == ("own 1", "own 2") and reference("none") == () and reference("", question="2") == ()
    assert reference("", judge="other") == ("own 1", "own 2")


def test_pipelines_without_a_common_model_have_no_way():
    bench, other = make_bench([("j", 1, "m", 1, 2)]), make_bench([("k", 1, "n", 1, 2)])
    assert replay(Pipeline(bench, "j", PLAIN), Pipeline(other, "k", PLAIN)) is None
    failed = make_bench([("k", 1, "m", 1, None)])
    assert replay(Pipeline(bench, "j", PLAIN), Pipeline(failed, "k", PLAIN)) is None
    assert replay(Pipeline(failed, "k", PLAIN), Pipeline(bench, "j", PLAIN)) is None


def test_the_table_of_the_two_built_in_protocols():
    bench = make_bench([("j", 1, "m", 1, 2)])
    factors = {f.name: f for f in compare_pipelines(Pipeline(bench, "j", FASTCHAT), Pipeline(bench, "j", SWALLOW))}
    differs = {name for name, f in factors.items() if f.differs}
    assert differs >= {
        "system prompt of answers", "temperature of answers", "answers cut at", "thinking shown", "failed judgments",
        "several judgments of a turn", "scale of the mean", "share of Japanese",
    }  # fmt: skip
    assert not differs & {"judge", "questions", "rating read"}
    assert (factors["answers cut at"].one, factors["answers cut at"].other) == ("never", "8,192 characters")


def test_a_judge_that_the_files_do_not_know_has_the_prompts_of_its_protocol():
    bench = make_bench([("j", 1, "m", 1, 2)])
    factors = {f.name: f for f in compare_pipelines(Pipeline(bench, "j", PLAIN), Pipeline(bench, "k", PLAIN))}
    shown = [(factors[name].one, factors[name].other) for name in ("judge", "judge's prompt")]
    assert shown == [("j", "k"), ("single-v1", "our own wording")]


def test_questions_of_two_sets_of_files_are_compared_by_their_texts():
    bench, other = (make_bench([("j", 1, "m", 1, 2)]) for _ in range(2))
    shown = [
        factor.one.partition("; ")[2] for against in (bench, other)
        for factor in compare_pipelines(Pipeline(bench, "j", FASTCHAT), Pipeline(against, "j", SWALLOW))
        if factor.name == "questions"
    ]  # fmt: skip
    assert shown == ["", "0 of 1 with another text than there"]


words = st.sampled_from(["same", "<think>t</think>a", "long " * 9, "other"])
runs = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from("mn"), st.integers(1, 2), st.sampled_from([None, 1, 4, 9, 12]),
              st.integers(0, 2), words), min_size=1, max_size=14,
)  # fmt: skip
rules = st.builds(
    Protocol, name=st.just("p"), parse=st.sampled_from(["fastchat", "last"]), samples=st.sampled_from([1, 3]),
    failed=st.sampled_from(["left out", "counted", "all failed"]), cut_at=st.sampled_from([0, 6, 20]),
    duplicates=st.sampled_from(["raw", "first", "averaged"]), thinking=st.sampled_from(["removed", "kept"]),
)  # fmt: skip


@given(runs, runs, rules, rules, st.booleans())
def test_for_any_two_runs_start_and_parts_make_the_end(first, second, protocol, other_protocol, same):
    def run_bench(judge, rows):
        return make_bench(
            [(judge, q, m, t, score, n) for q, m, t, score, n, _ in rows],
            {(str(q), m, n): (text, text) for q, m, _, _, n, text in rows},
        )

    bench = run_bench("j", first)
    other = (bench, "j") if same else (run_bench("k", second), "k")
    waterfall = replay(Pipeline(bench, "j", protocol), Pipeline(*other, other_protocol))
    if waterfall is None:
        return
    assert total(waterfall) == pytest.approx(waterfall.end.point, abs=1e-9)
    before = waterfall.start.point
    for step in (*waterfall.steps, *waterfall.later):
        if step is next(iter(waterfall.later), None):
            before += sum(part.change.point for part in waterfall.rest)
        assert step.before == pytest.approx(before) and step.low - 1e-9 <= step.change.point <= step.high + 1e-9
        assert step.low - 1e-9 <= step.fair <= step.high + 1e-9
        before = step.after
    fair = sum(s.fair for s in (*waterfall.steps, *waterfall.later)) + waterfall.left[0]
    assert fair == pytest.approx(waterfall.end.point - waterfall.start.point, abs=1e-9)
    assert waterfall.left[1] - 1e-9 <= sum(p.change.point for p in waterfall.rest) <= waterfall.left[2] + 1e-9
