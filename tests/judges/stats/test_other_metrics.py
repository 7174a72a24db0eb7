"""Figures of other papers, ways of counting what is missing, weakest turns and means: hand arithmetic and oracles."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from judges.cards import cards
from judges.cli import main
from judges.errors import BadScale
from judges.stats.agreement import accuracy, cross_table, gwet_ac
from judges.stats.calibration import PairedRatings, summarise
from judges.stats.means import ScoreRows, judge_means
from judges.stats.missingness import compare_choices, imputed_code, usual_choices
from judges.stats.other_metrics import measure_other_metrics
from judges.stats.weakest_turns import NamedTurns, lowest_turns, measure_weakest_turns
from judges.types import Dimension, Scale
from tests.seeds import lines

VERDICT = cards()["plain_pairwise"].dimensions[0]
RATED = Dimension("tone", "response", Scale("ordinal", 1, 5), "How it sounds.")
FLAG = Dimension("rude", "response", Scale("flag"), "Whether it is rude.")


def paired_ratings(human, judge, scored=None, item=None):
    n = len(human)
    mask = np.ones(n, dtype=bool) if scored is None else np.array(scored)
    where = np.arange(n) if item is None else np.array(item)
    return PairedRatings(where, np.array(human, float), np.array(judge, float), mask, np.ones(n))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_accuracy_and_its_means_over_answers_are_those_of_scikit_learn(pairs):
    human, judge = (list(side) for side in zip(*pairs, strict=True))
    expected = precision_recall_fscore_support(human, judge, average="macro", zero_division=0)[:3]
    actual = accuracy(cross_table(human, judge, 4))
    assert actual == pytest.approx((accuracy_score(human, judge), *expected))


def test_of_no_cell_there_is_no_accuracy():
    assert accuracy(np.zeros((3, 3))) == (None, None, None, None)


def test_the_figures_of_other_papers_are_those_of_scipy_on_the_cells_that_both_valued():
    rng = np.random.default_rng(3)
    human = rng.integers(1, 6, 90).astype(float)
    judge = np.clip(human + rng.integers(-1, 2, 90), 1, 5)
    scored = rng.random(90) > 0.1
    human[:5] = np.nan
    both = scored & ~np.isnan(human)
    metrics = measure_other_metrics(paired_ratings(human, judge, scored, np.arange(90) // 2), RATED)
    values = {name: interval.point for name, interval, _ in metrics.rows}
    x, y = human[both], judge[both]
    assert values["Kendall's tau-b"] == pytest.approx(scipy.stats.kendalltau(x, y).statistic)
    assert values["Spearman's rho"] == pytest.approx(scipy.stats.spearmanr(x, y).statistic)
    assert values["Pearson's r"] == pytest.approx(scipy.stats.pearsonr(x, y).statistic)
    assert values["% agreement"] == pytest.approx((x == y).mean())
    table = cross_table((x - 1).astype(int), (y - 1).astype(int), 5)
    assert values["AC2"] == pytest.approx(gwet_ac(table, "quadratic"))
    assert metrics.macro is None and metrics.exact.low < values["% agreement"] < metrics.exact.high
    assert metrics.exact.items == len(np.unique((np.arange(90) // 2)[both]))


def test_without_ties_a_category_less_is_a_table_less():
    human, judge = [0, 1, 2, 2, 0, 1], [0, 1, 2, 0, 0, 2]
    metrics = measure_other_metrics(paired_ratings(human, judge), VERDICT, "tie")
    assert metrics.exact.point == pytest.approx(3 / 4)  # the cells without a tie on either side: 0-0, 2-2, 2-0, 0-0
    assert metrics.ac == pytest.approx(gwet_ac([[2, 0], [1, 1]]))
    assert metrics.concordance is None


# -- missing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "scale", "stands_for"),
    [
        ("out", RATED.scale, None), ("lowest", RATED.scale, 1.0), ("3", RATED.scale, 3.0), ("2.5", RATED.scale, 2.5),
        ("tie", VERDICT.scale, 1.0), ("B", VERDICT.scale, 2.0), ("lowest", FLAG.scale, 0.0), ("yes", FLAG.scale, 1.0),
        ("lowest", Scale("interval", -1, 1), -1.0), ("0.25", Scale("interval", 0, 1, step=0.5), 0.25),
        ("1.5", Scale("interval", 0, 1, step=0.5), BadScale),
        ("6", RATED.scale, BadScale), ("nan", RATED.scale, BadScale), ("lowest", VERDICT.scale, BadScale),
        ("tie", RATED.scale, BadScale), ("n/a", Scale("ordinal", 1, 5, na=True), BadScale), ("", RATED.scale, BadScale),
        ("最低", RATED.scale, BadScale), ("lowest", Scale("ordered", categories=("poor", "good")), 0.0),
    ],
)  # fmt: skip
def test_a_choice_is_an_answer_of_the_scale_or_refused(choice, scale, stands_for):
    if stands_for is BadScale:
        with pytest.raises(BadScale):
            imputed_code(choice, scale)
    else:
        assert imputed_code(choice, scale) == stands_for


def test_the_middle_of_a_scale_of_an_odd_number_of_steps_is_a_choice():
    scores = replace(RATED, scale=Scale("interval", 0, 5, step=1))
    human, judge = np.array([5.0, 4.0, 0.0, 2.0]), np.array([5.0, 4.0, 0.0, np.nan])
    ratings = PairedRatings(np.arange(4), human, judge, ~np.isnan(judge), np.ones(4))
    *_, middle = compare_choices(ratings, scores, np.ones(4, dtype=bool), usual_choices(scores.scale)).counted
    assert middle.choice == "2.5" and middle.summary is not None
    assert (middle.summary.cells, middle.summary.bias.point) == (4, 0.125)


def test_only_what_was_asked_and_has_gold_is_filled_in_and_left_out_is_what_stands_elsewhere():
    human, judge = [5, 4, np.nan, 2, 1, 3], [5, np.nan, np.nan, 2, np.nan, np.nan]
    scored = [True, False, False, True, True, False]  # the fifth: the judge says n/a, which is an answer
    ratings = paired_ratings(human, judge, scored)
    asked_mask = np.array([False, True, True, False, True, False])  # of the sixth the judge was never asked
    missing = compare_choices(ratings, RATED, asked_mask, ["out", "lowest", "3", "tie"])
    assert (missing.cells, missing.gold) == (1, 6)
    by = {figures.choice: figures for figures in missing.counted}
    assert by["out"].summary.interval == summarise(ratings, RATED).interval and by["out"].summary.cells == 2
    assert by["lowest"].summary.cells == by["3"].summary.cells == 3
    assert by["lowest"].summary.mean_difference == pytest.approx((0 + 0 - 3) / 3)
    assert by["3"].summary.mean_difference == pytest.approx((0 + 0 - 1) / 3)
    assert by["tie"].summary is None and "no tie" in by["tie"].why


def test_accuracy_is_that_of_the_values_where_a_row_of_the_table_holds_many():
    share = replace(RATED, scale=Scale("interval", 0, 1))
    ratings = paired_ratings([0.41, 0.5, 0.9], [0.44, 0.5, 0.2])  # the first two share a bin with people's
    left_out, lowest, _, _ = compare_choices(
        ratings, share, np.zeros(3, dtype=bool), usual_choices(share.scale)
    ).counted
    assert left_out.accuracy == lowest.accuracy == (pytest.approx(1 / 3), None, None, None)
    assert left_out.accuracy.exact == measure_other_metrics(ratings, share).exact.point


# -- weakest turns ----------------------------------------------------------------------------------------------------


def test_weakest_turns_by_hand():
    four = (1, 2, 3, 4)
    weakest = measure_weakest_turns([
        NamedTurns(four, frozenset({2}), 2),
        NamedTurns(four, frozenset({1}), 2),  # one apart
        NamedTurns((1, 2), frozenset({2}), 1),  # one apart
        NamedTurns(four, frozenset({1, 2}), 4, labelled=False),
        NamedTurns(four, frozenset(), 3),
        NamedTurns(four, frozenset({3}), 0),
        NamedTurns(four, frozenset(), 0),
    ])  # fmt: skip
    assert (weakest.equal.point, weakest.near.point, weakest.equal.cells) == (0.25, 0.75, 4)
    assert weakest.equal_by_chance == pytest.approx((1 / 4 + 1 / 4 + 1 / 2 + 2 / 4) / 4)
    assert weakest.near_by_chance == pytest.approx((3 / 4 + 2 / 4 + 1 + 3 / 4) / 4)
    assert (weakest.labelled, weakest.people_only, weakest.judge_only, weakest.neither) == (3, 1, 1, 1)


def test_weights_count_and_one_dialogue_each_gives_wilsons_interval():
    of = [NamedTurns((1, 2), frozenset({1}), 1 + n % 2, weight=w) for n, w in enumerate([3.0, 1.0])]
    assert measure_weakest_turns(of).equal.point == 0.75
    agreement = measure_weakest_turns([NamedTurns((1, 2), frozenset({1}), 1 + (n % 4 == 0)) for n in range(40)]).equal
    expected = scipy.stats.binomtest(30, 40).proportion_ci(method="wilson")
    assert (agreement.low, agreement.high) == pytest.approx((expected.low, expected.high))
    assert measure_weakest_turns([]).equal.point is None


def test_weights_make_no_share_worth_more_ratings_than_there_are():
    """Half of a hundred agree, each of which stands for nine: a stratum is alike, and the linear error small."""
    weight = np.repeat([9.0, 1.0], 50)
    dialogues = [NamedTurns((1, 2), frozenset({1}), 1 if w > 1 else 2, weight=w) for w in weight.tolist()]
    cells = replace(paired_ratings([1.0] * 100, np.repeat([1.0, 0.0], 50)), weight=weight)
    expected = scipy.stats.binomtest(90, 100).proportion_ci(method="wilson")
    for share in (measure_weakest_turns(dialogues).equal, measure_other_metrics(cells, FLAG).exact):
        assert (share.point, share.n_eff) == pytest.approx((0.9, 100))
        assert (share.low, share.high) == pytest.approx((expected.low, expected.high))


def test_the_lowest_turn_is_none_where_all_are_alike():
    assert lowest_turns({1: [4, 5], 2: [4, 4], 3: [5, 5]}) == {2}
    assert lowest_turns({1: [2], 2: [2], 3: [5]}) == {1, 2}
    assert lowest_turns({1: [4], 2: [4]}) == lowest_turns({1: [3]}) == lowest_turns({}) == frozenset()


# -- means ------------------------------------------------------------------------------------------------------------


def test_second_means_by_hand():
    none = np.full(4, np.nan)
    means = judge_means(ScoreRows(np.arange(4), np.array([5.0, 4, 4, 1]), np.array([1, 0.5, 0.5, 0.25]),
                         np.array([1.0, 1, 1, 0]), none, np.array([4.0, 4, np.nan, 2])), 1, 5)  # fmt: skip
    assert means.plain.point == 3.5 and means.plain.high == 5
    assert means.sure.point == pytest.approx((5 + 2 + 2 + 0.25) / 2.25)
    assert (means.trusted.point, means.trusted.items) == (pytest.approx(13 / 3), 3)
    assert means.parts is None
    assert (means.other.point, means.ahead.point) == (pytest.approx(10 / 3), pytest.approx(0.0))
    small = judge_means(ScoreRows(np.arange(2), np.ones(2), *(np.full(2, np.nan) for _ in range(4))))
    assert not small.reportable


# -- the command ------------------------------------------------------------------------------------------------------


def talk(n, scores, weakest_turn):
    turns = [{"turn": t, "role": "assistant", "scores": {"context_use": s, "helpfulness": s, "safety": 5}, "issues": []}
             for t, s in enumerate(scores, 1)]  # fmt: skip
    whole = {name: {"score": 4, "note": ""} for name in ("coherence", "task_completion", "repair_handling")}
    return {"item": f"対話{n}", "card": "multi_turn_dialogue", "model": "m", "reply": {
        "per_turn": turns, "conversation_level": whole, "verdict": "good", "decision_basis": "b",
        "weakest_turn": weakest_turn}}  # fmt: skip


def label(item, unit, dimension, value, annotator="ann"):
    return {"item": item, "unit": unit, "dimension": dimension, "value": value, "annotator": annotator, "mode": "blind",
            "made_at": "2026-01-31T12:00:00Z"}  # fmt: skip


def test_agree_tells_weakest_turns_and_what_is_missing(tmp_path, capsys):
    judged = [talk(n, (4, 2, 5), 2 if n % 2 else 3) for n in range(8)]
    judged.append({"item": "対話8", "card": "multi_turn_dialogue", "model": "m", "raw": "I cannot help with that."})
    labels = [label(f"対話{n}", "conversation", "weakest_turn", 2) for n in range(6)]
    labels += [label(f"対話{n}", f"turn:{t}", "helpfulness", v) for n in (6, 7, 8) for t, v in enumerate((4, 5, 1), 1)]
    files = [str(lines(tmp_path / name, rows)) for name, rows in (("j.jsonl", judged), ("l.jsonl", labels))]
    assert main(["agree", *files, "--missing", "lowest", "--json"]) == 0
    rows = {row["dimension"]: row for row in json.loads(capsys.readouterr().out)}
    weakest = rows["weakest_turn"]["weakest"]
    # 対話0..5: 3 2 3 2 3 2 against 2; 対話6 and 7: 3 and 2 against 3, the lowest; 対話8 has no reply to read.
    assert (weakest["dialogues"], weakest["labelled"], weakest["equal"], weakest["within_one"]) == (8, 6, 0.5, 1.0)
    lack = rows["helpfulness"]["missing"]
    by = {choice["as"]: choice for choice in lack["each"]}
    assert (lack["ratings"], lack["counted"], by["out"]["ratings"], by["lowest"]["ratings"]) == (3, "lowest", 6, 9)
    assert by["lowest"]["accuracy"] == pytest.approx((2 + 1) / 9)  # the two 4s, and the lowest against the 1
    assert rows["helpfulness"]["accuracy"] == by["lowest"]["accuracy"] and rows["helpfulness"]["ratings"] == 9
    assert main(["agree", *files, "--missing", "lowest"]) == 0
    text = capsys.readouterr().out
    assert "* as the lowest" in text and "approval check always leaves them out" in text and "by chance" in text


@pytest.mark.parametrize(
    ("option", "why"),
    [
        (["--missing", "tie"], "--missing tie fits no dimension here"),
        (["--missing", "nine"], "fits no dimension"),
        (["--epsilon", "1.5"], "--epsilon is at least 0 and below 1"),
        (["--epsilon", "nan"], "--epsilon is at least 0"),
    ],
)
def test_choices_that_make_no_sense_are_a_sentence(tmp_path, capsys, option, why):
    judged = [talk(n, (4, 2), 2) for n in range(3)]
    labels = [label(f"対話{n}", "turn:1", "helpfulness", 3) for n in range(3)]
    files = [str(lines(tmp_path / name, rows)) for name, rows in (("j.jsonl", judged), ("l.jsonl", labels))]
    assert main(["agree", *files, *option]) == 1
    assert why in capsys.readouterr().err


def test_the_handicap_decides_on_the_command_line(tmp_path, capsys):
    """Judge and one person are wrong equally often: with a handicap it wins, without one it is not shown to."""
    rng = np.random.default_rng(0)
    judged, labels = [], []
    for n in range(60):
        truth = int(rng.integers(1, 6))
        scores = [int(np.clip(truth + rng.integers(-1, 2), 1, 5)) for _ in range(4)]
        judged.append(talk(n, (scores[0], 3), 1))
        labels += [label(f"対話{n}", "turn:1", "helpfulness", v, f"p{person}") for person, v in enumerate(scores[1:])]
    files = [str(lines(tmp_path / name, rows)) for name, rows in (("j.jsonl", judged), ("l.jsonl", labels))]

    def test(epsilon):
        assert main(["agree", *files, "--epsilon", epsilon, "--json"]) == 0
        return json.loads(capsys.readouterr().out)[0]["alternative"]

    with_, without = test("0.3"), test("0")
    assert (with_["people"], with_["omega"], with_["epsilon"]) == (3, 1.0, 0.3)
    assert without["omega"] < 1 and without["rho"] == with_["rho"]
