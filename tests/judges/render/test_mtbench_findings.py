"""What is said of MT-Bench: the figures that the tables hold, and the words that stand beside them."""

from math import isnan

import pytest

from judges.mtbench.comparison import compare_two_judges, question_gaps
from judges.mtbench.experiment import PipelineArm, PipelineExperiment
from judges.mtbench.japanese import japanese_shares
from judges.mtbench.means import means_by_rule, model_means
from judges.mtbench.pipelines import Pipeline, compare_pipelines
from judges.mtbench.protocol import Protocol
from judges.mtbench.ranks import Ranking, compare_ranks, rank_models
from judges.mtbench.ratings import ReadingRules, count_judgments, count_ratings, read_ratings
from judges.mtbench.records import Answer, Bench, BenchQuestion, Game, Judge, Vote
from judges.mtbench.replay import replay
from judges.mtbench.votes import vote_agreement
from judges.mtbench.win_rates import decide_games, win_rates
from judges.render.findings import mtbench_gap, mtbench_judges, mtbench_results, mtbench_votes
from judges.render.findings.findings import Sentence, Table, sentence_text
from tests.judges.mtbench.benches import bench

ROWS = [
    ("j", 1, "m", 1, 8), ("j", 1, "m", 2, None), ("j", 2, "m", 1, 6), ("j", 2, "m", 2, 3),
    ("j", 1, "n", 1, 9), ("j", 1, "n", 2, 9), ("j", 2, "n", 1, 10), ("j", 2, "n", 2, 2),
    ("k", 1, "m", 1, 7), ("k", 2, "m", 1, 7), ("k", 2, "m", 1, 1), ("k", 1, "n", 2, 9),
]  # fmt: skip
BENCH = bench(ROWS, {"2": "math"})
TABLE = read_ratings(BENCH)
NAMES = {"j": "J", "k": "K"}


def ranking() -> dict[str, Ranking]:
    """The ranks with both judges."""
    counted = count_ratings(TABLE, ReadingRules())
    return {judge: rank_models(counted, judge, 200) for judge in NAMES}


def test_the_table_of_means_has_every_model_of_every_judge():
    table = mtbench_results.table(model_means(TABLE, ReadingRules()), ranking(), NAMES, ReadingRules())
    rows = {(row["judge"], row["model"]): row for row in table.rows}
    assert list(rows) == [("J", "all models"), ("J", "n"), ("J", "m"), ("K", "all models"), ("K", "n"), ("K", "m")]
    assert (rows["J", "m"]["turn 1"], rows["J", "m"]["turn 2"]) == (7.0, 3.0)
    assert (rows["J", "m"]["judgments"], rows["J", "m"]["failed"]) == (4, 1)
    assert rows["K", "m"]["turn 2"] is None and rows["K", "m"]["mean"] == 5.0
    of_shares = ReadingRules(scale="share")
    share = mtbench_results.table(model_means(TABLE, of_shares), {}, NAMES, of_shares)
    assert share.columns["mean"].shape == ".4f" and rows["J", "n"]["mean"] == 10 * share.rows[2]["mean"] == 7.5


def test_a_model_without_a_rating_has_no_rank_and_stands_last():
    table = read_ratings(bench([("j", 1, "a", 1, None), ("j", 1, "b", 1, 6), ("j", 1, "c", 1, 9)]))
    ranked = {"j": rank_models(count_ratings(table, ReadingRules()), "j", 200)}
    rows = mtbench_results.table(model_means(table, ReadingRules()), ranked, NAMES, ReadingRules()).rows
    assert [(row["model"], row["rank"]) for row in rows] == [("all models", None), ("c", 1), ("b", 2), ("a", None)]


def test_the_plot_has_the_best_model_first_and_a_line_at_all_models():
    own = [mean for mean in model_means(TABLE, ReadingRules()) if mean.judge == "j"]
    plot = mtbench_results.forest(own, ranking()["j"], ReadingRules())
    assert [row.name for row in plot.rows] == ["n", "m"]
    single = read_ratings(bench([("j", 1, "m", 1, 8)]))
    alone = rank_models(count_ratings(single, ReadingRules()), "j")
    assert mtbench_results.forest(model_means(single, ReadingRules()), alone, ReadingRules()).reach == (7.5, 8.5)
    assert plot.mark == 47 / 7 and plot.rows[0].remark.startswith("7.500, rank 1")
    assert mtbench_results.forest([], ranking()["j"], ReadingRules()).reach == (0.0, 1.0)


def test_categories_are_axes_in_one_order_for_table_and_radar():
    own = [mean for mean in model_means(TABLE, ReadingRules()) if mean.judge == "j"]
    table = mtbench_results.category_table(own, False)
    assert table.rows[1] == {"model": "m", "writing": 8.0, "math": 4.5}
    assert str(mtbench_results.category_table(own, True).rows[1]["math"]).startswith("4.50 (")
    web = mtbench_results.radar(own, ["n", "gone"], ReadingRules())
    assert (web.axes, web.series, web.reach) == (["writing", "math"], [("n", [9.0, 6.0])], (0.0, 10.0))


def test_what_failed_is_counted_by_reason():
    (table,) = mtbench_results.counts(count_judgments(BENCH, TABLE), NAMES)
    assert isinstance(table, Table)
    first, second = table.rows
    assert (first["judge"], first["unreadable"], first["API error"], first["duplicates"]) == ("J", 1, 0, 0)
    assert (second["duplicates"], second["judged again"], second["differently"], second["spread"]) == (1, 1, 1, 6.0)


def test_the_rule_that_moves_a_mean_most_is_named():
    sentence, table = mtbench_results.rule_table(means_by_rule(TABLE, ReadingRules()), NAMES, ReadingRules())
    assert isinstance(sentence, Sentence) and isinstance(table, Table)
    # K rates m 7, 7 and 1: 5 as rows, 7 with the first only. J's failed judgment moves m from 17/3 to 4.
    assert sentence_text(sentence) == "The rules move a mean by up to 2.000 (m, K)."
    calm = means_by_rule(read_ratings(bench([("j", 1, "m", 1, 8)])), ReadingRules())
    assert sentence_text(mtbench_results.rule_table(calm, NAMES, ReadingRules())[0]).startswith("No rule moves a mean")


def test_missing_answers_and_questions_are_named():
    texts = [sentence_text(finding) for finding in mtbench_results.bench_contents(BENCH)]
    assert texts[0] == "2 questions, 2 models, 2 judges."
    assert "A whole MT-Bench has 80 questions." in texts
    questions = {n: BenchQuestion(n, "", ("first",)) for n in "12"}
    answers = {("1", model, 0): Answer("1", model, 0, ("a",)) for model in "abcdefg"}
    answers |= {("2", "a", 0): Answer("2", "a", 0, ("a",))}
    lacking = sentence_text(mtbench_results.bench_contents(Bench(questions=questions, answers=answers))[-1])
    listed = ", ".join(f"{model} (1 question)" for model in "bcdef")
    assert lacking == f"Answers are missing from: {listed} and 1 more."


def test_two_judges_on_the_turns_that_both_rated():
    comparison = compare_two_judges(TABLE, "j", "k")
    # Shared: m on 1 (8, 7), m on 2 (6, mean of 7 and 1), n on 1 in turn 2 (9, 9).
    first, second = (sentence_text(finding) for finding in mtbench_judges.judges_summary(comparison, NAMES))
    assert first.startswith("J and K do not differ significantly: 1.000 points")
    assert "From 3 turns of 2 questions" in second and "left out: 4 turns by J alone." in second
    points = mtbench_judges.bubbles(comparison, NAMES)
    assert sorted(points.points) == [(6.0, 4.0, 1), (8.0, 7.0, 1), (9.0, 9.0, 1)]
    rows = {name: value for name, value, _, _ in mtbench_judges.figure_rows(comparison)}
    assert (rows["equal"], rows["within one"]) == ("33.3%", "66.7%")
    assert rows["difference"] == "\u22121.00" and rows["mean distance"] == "1.00"
    table = mtbench_judges.largest(comparison.largest, ("J", "K"))
    assert [(row["question"], row["J"], row["K"], row["difference"]) for row in table.rows] == [
        ("2", 6.0, 4.0, -2.0), ("1", 8.0, 7.0, -1.0),
    ]  # fmt: skip


def test_judges_without_a_turn_in_common_are_told_so():
    ratings = read_ratings(bench([("j", 1, "m", 1, 8), ("k", 2, "m", 1, 8)]))
    (sentence,) = mtbench_judges.judges_summary(compare_two_judges(ratings, "j", "k"), NAMES)
    assert sentence_text(sentence) == "J and K have rated no turn of the same answer."


def test_parts_have_both_means_and_all_figures():
    comparison = compare_two_judges(TABLE, "j", "k")
    cut = {f"turn {n}": part for n, part in comparison.turns.items()}
    table = mtbench_judges.part_table("turn", cut, ("J", "K"), False)
    assert [(row["turn"], row["turns"], row["J"], row["K"]) for row in table.rows] == [
        ("turn 1", 2, 7.0, 5.5), ("turn 2", 1, 9.0, 9.0),
    ]  # fmt: skip
    assert mtbench_judges.FIGURES.keys() < table.rows[0].keys()
    worded = mtbench_judges.part_table("turn", cut, ("J", "K"), True)
    assert str(worded.rows[0]["equal"]).startswith("0.0% (")


def test_questions_have_both_means_and_the_widest_apart_comes_first():
    comparison = compare_two_judges(TABLE, "j", "k")
    table = mtbench_judges.question_table(question_gaps(comparison.shared), ("J", "K"))
    assert [(row["question"], row["category"], row["turns"], row["J"], row["K"]) for row in table.rows] == [
        ("2", "math", 1, 6.0, 4.0), ("1", "writing", 2, 8.5, 8.0),
    ]  # fmt: skip
    assert [(row["difference"], row["equal"], row["within one"]) for row in table.rows] == [(-2, 0, 0), (-0.5, 0.5, 1)]


def test_ranks_that_change_and_pairs_that_flip_are_named():
    rows = [("j", q, m, 1, r + q % 2) for q in range(40) for m, r in (("m", 8), ("n", 3))]
    rows += [("k", q, m, 1, r + q % 2) for q in range(40) for m, r in (("m", 4), ("n", 7))]
    comparison = compare_ranks(compare_two_judges(read_ratings(bench(rows)), "j", "k").shared, 200)
    table = mtbench_judges.rank_table(comparison, ("J", "K"))
    assert [tuple(row.values())[:4] for row in table.rows] == [("m", 1, 2, 1), ("n", 2, 1, -1)]
    sentence, pairs = mtbench_judges.flips(comparison, ("J", "K"))
    assert isinstance(sentence, Sentence) and isinstance(pairs, Table)
    assert sentence_text(sentence) == (
        "1 of 1 pair of models stands in the opposite order with the two judges, 1 of them beyond chance with both."
    )
    assert pairs.rows[0]["flips in"] == 1.0 and str(pairs.rows[0]["K"]).startswith("\u22123.000")
    same = read_ratings(bench([*rows[:80], *(("k", *row[1:]) for row in rows[:80])]))
    calm = compare_ranks(compare_two_judges(same, "j", "k").shared, 200)
    assert sentence_text(mtbench_judges.flips(calm, ("J", "K"))[0]) == "Both judges put the 2 models in the same order."


def test_how_much_of_the_order_is_settled():
    rows = [("j", q, m, 1, r + q % 2) for q in range(40) for m, r in (("m", 8), ("n", 3), ("o", 3))]
    model_ranks = rank_models(count_ratings(read_ratings(bench(rows)), ReadingRules()), "j", 200)
    first, second = (sentence_text(finding) for finding in mtbench_results.model_order(model_ranks))
    assert first.startswith("Of 3 pairs of models the order of 1 is not settled at 95%; the closest: n and o (0.000")
    assert second == "m is best in 100% of resamples."
    of_two = read_ratings(bench(row for row in rows if row[2] != "o"))
    clear = rank_models(count_ratings(of_two, ReadingRules()), "j", 200)
    assert sentence_text(mtbench_results.model_order(clear)[0]) == "The order of the two models is settled at 95%."


def test_win_rates_and_the_grid_of_models():
    games = [
        Game("j", str(q), 1, "m", "n", order, winner)
        for q, both in enumerate([("a", "a"), ("a", "b"), ("b", "b"), ("tie", "tie")])
        for order, winner in zip(("ab", "ba"), both, strict=True)
    ]
    games.append(Game("j", "9", 1, "m", "n", "ab", "", error="failed"))
    decided = decide_games(Bench(games=tuple(games)))
    table = mtbench_results.wins(win_rates(decided), NAMES)
    rows = {row["model"]: row for row in table.rows}
    assert [rows["m"][name] for name in ("games", "win", "loss", "tie", "adjusted")] == [4, 0.25, 0.25, 0.5, 0.5]
    text = sentence_text(mtbench_results.verdicts(decided.counts, NAMES)[0])
    assert text.startswith("J: 4 pairs decided; 1 changed with the order and count as ties, 1 left out")
    models, shares, words = mtbench_results.duels(win_rates(decided, pairs=True))
    assert sorted(models) == ["m", "n"] and shares[0][1] == 0.5 and isnan(shares[0][0])
    assert "4 games" in words[0][1]


def test_the_share_of_japanese_is_a_row_a_model():
    answers = {("1", "m", 0): Answer("1", "m", 0, ("日本abc", "ab")), ("1", "n", 0): Answer("1", "n", 0, ("",))}
    table = mtbench_results.japanese(japanese_shares(Bench(answers=answers)))
    assert table.rows[0]["turn 1"] == 0.4 and table.rows[0]["all turns"] == 2 / 7 and table.rows[0]["characters"] == 7
    assert table.rows[1]["all turns"] is None


def test_votes_have_ties_counted_and_dropped_side_by_side():
    votes = tuple(
        Vote(voter, "expert", str(q), 1, "m", "n", winner)
        for q, both in enumerate([("a", "a"), ("a", "tie"), ("b", "a")])
        for voter, winner in zip(("expert_1", "expert_2"), both, strict=True)
    )
    whole = Bench(games=(Game("j", "0", 1, "m", "n", "", "a"),), votes=votes)
    assert sentence_text(mtbench_votes.vote_counts(whole)) == "6 votes of 2 people (2 expert)."
    table = mtbench_votes.table(vote_agreement(whole), NAMES)
    rows = {row["between"]: row for row in table.rows}
    assert rows["J and expert"]["ties counted agreement"] == 1.0 and rows["J and expert"]["ties counted n"] == 2
    assert rows["expert and expert"]["ties counted agreement"] == 1 / 3
    assert [rows["expert and expert"][f"ties dropped {name}"] for name in ("agreement", "n")] == [0.5, 2]


def pipelines() -> tuple[Pipeline, Pipeline]:
    """J under FastChat's rules with a failed judgment, K under a protocol that counts it."""
    strict = Protocol(name="strict", failed="counted", scale="share", system="日本語で。")
    return Pipeline(BENCH, "j", Protocol(name="usual"), "J, usual"), Pipeline(BENCH, "k", strict, "K, strict")


def test_the_way_from_one_mean_to_the_other_adds_up_and_what_is_left_has_a_name():
    gap = replay(*pipelines())
    assert gap is not None
    picture = mtbench_gap.waterfall(gap)
    assert picture.start == ("J, usual", pytest.approx(47 / 7)) and picture.end == ("K, strict", 6.0)
    assert picture.start[1] + sum(change for _, change, _ in picture.steps) == pytest.approx(picture.end[1])
    steps = {row["factor"]: row for row in mtbench_gap.step_table(gap).rows}
    # The failed judgment as -1 among eight: (47 - 1) / 8 instead of 47 / 7.
    assert steps["failed judgments"]["change"] == pytest.approx(46 / 8 - 47 / 7)
    assert any("judge" in str(row["what is left"]) for row in mtbench_gap.rest_table(gap).rows)
    texts = [sentence_text(finding) for finding in mtbench_gap.gap_summary(gap)]
    assert texts[0].startswith("Over 2 models that both rated: J, usual 6.714, K, strict 6.000; difference \u22120.714")
    assert texts[1] == "Reported on their own scales: 6.7143 and 0.6000."
    of_one = replay(*pipelines(), gap.models[:1])
    assert sentence_text(mtbench_gap.gap_summary(of_one)[0]).startswith("Over 1 model that both rated: ")
    assert "scale of the mean" in [row["differs without a step"] for row in mtbench_gap.unmoved_table(gap).rows]


def test_what_new_calls_would_tell_apart_and_their_cost():
    first, second = ({"judge": "a", "prompt": "b"}, {"judge": "b", "prompt": "a"})
    arms = [PipelineArm(sides, Protocol(name="arm"), 160, 90_000, 40_000, 0.75, False) for sides in (first, second)]
    stored = PipelineArm({"judge": "a", "prompt": "a"}, Protocol(name="arm"), 0, 0, 0, 0.0, True)
    sentence, table = mtbench_gap.experiment(PipelineExperiment(("judge", "prompt"), (stored, *arms), ()))
    assert sentence_text(sentence).startswith(
        "320 calls to judges would tell judge, prompt apart"
    ) and "1.50 US" in sentence_text(sentence)
    assert [(row["judge of"], row["prompt of"], row["calls"]) for row in table.rows] == [
        ("first", "second", 160), ("second", "first", 160),
    ]  # fmt: skip
    sentence, _ = mtbench_gap.experiment(PipelineExperiment(("judge",), (stored, arms[0]._replace(cost=None)), ()))
    assert "not known" in sentence_text(sentence)
    [why] = mtbench_gap.experiment(PipelineExperiment(("judge",), (stored,), ("Nothing has to be run.",)))
    assert sentence_text(why) == "Nothing has to be run."


def test_factors_that_differ_come_first_and_are_marked():
    rows = mtbench_gap.factor_rows(compare_pipelines(*pipelines()))
    marks = [row[0].partition("\n")[2] for row in rows]
    assert marks == sorted(marks, key=["\u2260 differs", "not known", "equal"].index)
    named = {row[0].partition("\n")[0]: row for row in rows}
    assert named["judge"][1:3] == ("j", "k") and "new calls to a judge" in named["judge"][3]
    assert named["system prompt of answers"][2] == "日本語で。"
    assert len(mtbench_gap.FACTORS) == 4 == len(rows[0])
    one, other = pipelines()
    other = other._replace(protocol=other.protocol.model_copy(update={"japanese_share": True}))
    row = next(row for row in mtbench_gap.factor_rows(compare_pipelines(one, other)) if row[0].startswith("share of"))
    assert row[3] == "protocol\nstated beside the mean, and moves none", "no new answers are needed for it"


def test_a_wording_has_its_name_or_else_its_fingerprint():
    judges = {mark: Judge(mark, mark, "single-v1", mark) for mark in ("7be1", "90aa", "")}
    rows = mtbench_results.prompts(Bench(judges=judges), {mark: mark for mark in judges}, {"7be1": "FastChat's"}).rows
    assert [row["wording"] for row in rows] == ["FastChat's", "90aa", "not known"]
