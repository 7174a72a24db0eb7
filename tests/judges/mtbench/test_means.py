"""Means of models by hand, against statsmodels, and the rules side by side."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judges.mtbench.means import ALL_MODELS, means_by_rule, model_means, shared_turns
from judges.mtbench.ratings import ReadingRules, read_ratings
from tests.judges.mtbench.benches import bench

ROWS = [
    ("j", 1, "m", 1, 8), ("j", 1, "m", 2, None), ("j", 2, "m", 1, 6), ("j", 2, "m", 2, 3),
    ("j", 1, "n", 1, 9), ("j", 1, "n", 2, 9), ("j", 2, "n", 1, 10), ("j", 2, "n", 2, 2),
    ("k", 1, "m", 1, 7), ("k", 2, "m", 1, 7), ("k", 2, "m", 1, 1),
]  # fmt: skip


def points(failed="left out", duplicates="raw", scale="1-10"):
    table = read_ratings(bench(ROWS, {"2": "math"}))
    means = model_means(table, ReadingRules(failed=failed, duplicates=duplicates, scale=scale))
    return {(mean.judge, mean.model): mean for mean in means}


def test_the_mean_of_both_turns_is_over_rows_and_not_of_two_means():
    mean = points()["j", "m"]
    assert (mean.turns[1].point, mean.turns[2].point, mean.all_turns.point) == (7.0, 3.0, pytest.approx(17 / 3))
    assert (mean.categories["writing"].point, mean.categories["math"].point) == (8.0, 4.5)
    assert (mean.judgments, mean.failed) == (4, 1)
    assert points()["j", ALL_MODELS].all_turns.point == pytest.approx(47 / 7)
    assert points()["k", "m"].turns.keys() == {1}


def test_a_counted_failure_pulls_the_mean_down():
    mean = points("counted")["j", "m"]
    assert (mean.turns[2].point, mean.all_turns.point) == (1.0, 4.0)
    assert points("all failed")["j", "m"].turns[2].point == 3.0


def test_duplicates_count_as_rows_once_or_as_their_mean():
    assert points()["k", "m"].all_turns.point == 5.0
    assert points(duplicates="first")["k", "m"].all_turns.point == 7.0
    assert points(duplicates="averaged")["k", "m"].all_turns.point == 5.5


def test_shares_are_a_tenth():
    plain, share = points()["j", "n"].all_turns, points(scale="share")["j", "n"].all_turns
    assert (share.point, share.low, share.high) == pytest.approx((plain.point / 10, plain.low / 10, plain.high / 10))


def test_intervals_are_those_of_a_regression_on_one_clustered_by_question():
    rng = np.random.default_rng(3)
    rows = [
        ("j", q, m, t, int(np.clip(round(6 + hard + rng.normal()), 1, 10)))
        for q, hard in enumerate(rng.normal(size=40)) for m in "abc" for t in (1, 2)
    ]  # fmt: skip
    whole = model_means(read_ratings(bench(rows)), ReadingRules())[0].all_turns
    values, questions = np.array([row[4] for row in rows], dtype=float), np.array([row[1] for row in rows])
    fitted = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": questions, "df_correction": True}, use_t=True
    )
    # statsmodels also multiplies by (n - 1) / (n - k), which is 1 for a mean alone.
    assert whole.se == pytest.approx(fitted.bse[0])
    low, high = stats.t.interval(0.95, 39, values.mean(), fitted.bse[0])
    assert (whole.low, whole.high) == pytest.approx((low, high))
    assert whole.se > values.std(ddof=1) / np.sqrt(len(values))


def test_shared_cells_are_those_that_both_rated():
    rows = [
        ("j", 1, "m", 1, 8), ("j", 2, "m", 1, None), ("j", 3, "m", 1, 4), ("j", 4, "m", 1, 4, 1),
        ("k", 1, "m", 1, 5), ("k", 2, "m", 1, 5), ("k", 3, "m", 2, 5), ("k", 4, "m", 1, 4, 0), ("k", 1, "m", 1, None),
    ]  # fmt: skip
    one, other = shared_turns(read_ratings(bench(rows)), "j", "k")
    assert one.number.tolist() == [8] and len(other) == 2 and other.reason.tolist() == [0, 1]


def test_every_combination_of_rules_and_how_far_it_moves_the_mean():
    rule_means = {(mean.judge, mean.model): mean for mean in means_by_rule(read_ratings(bench(ROWS)), ReadingRules())}
    own = rule_means["j", "m"].means
    assert own["left out", "raw"] == pytest.approx(17 / 3) and own["counted", "averaged"] == 4.0
    assert own["all failed", "first"] == pytest.approx(17 / 3)
    assert rule_means["j", "m"].range == pytest.approx(17 / 3 - 4)
    again = rule_means["k", "m"]
    assert (again.means["left out", "raw"], again.means["left out", "first"]) == (5.0, 7.0) and again.range == 2.0
    assert rule_means["j", ALL_MODELS].means["counted", "raw"] == pytest.approx(46 / 8)


def test_where_everything_failed_there_is_a_mean_only_where_failures_count():
    table = read_ratings(bench([("j", 1, "m", 1, None)]))
    [whole, own] = means_by_rule(table, ReadingRules())
    assert own.means["left out", "raw"] is None and own.means["counted", "raw"] == -1.0 and own.range is None
    assert whole.means == own.means
    assert model_means(table, ReadingRules())[1].all_turns.point is None


def test_a_published_average_that_comes_out_only_when_failures_count():
    # 160 judgments, 157 of them 8 and three failed: 8.00 without them, (157 * 8 - 3) / 160 = 7.83 with them.
    rows = [("j", n // 2, "m", n % 2 + 1, 8 if n > 2 else None) for n in range(160)]
    table = read_ratings(bench(rows))
    assert model_means(table, ReadingRules())[1].all_turns.point == 8.0
    assert model_means(table, ReadingRules(failed="counted"))[1].all_turns.point == 7.83125


@given(st.lists(
    st.tuples(
        st.sampled_from("jk"), st.integers(1, 3), st.sampled_from("mn"), st.integers(1, 2),
        st.sampled_from([None, 1, 5]), st.integers(0, 2),
    ),
    max_size=30,
))  # fmt: skip
def test_shared_cells_against_a_loop_over_sets(rows):
    rated = [{row[1:4] + row[5:] for row in rows if row[0] == judge and row[4] is not None} for judge in "jk"]
    table = read_ratings(bench([*rows, ("j", 9, "m", 1, 1), ("k", 8, "m", 1, 1)]))
    shared = shared_turns(table, "j", "k")
    for judge, side in zip("jk", shared, strict=True):
        expected = [row for row in rows if row[0] == judge and row[1:4] + row[5:] in rated[0] & rated[1]]
        assert len(side) == len(expected)


@pytest.mark.parametrize(("failed", "lowest"), [("left out", 1.0), ("all failed", -1.0)])
def test_no_end_lies_beyond_the_scale(failed, lowest):
    high = [("j", q, "m", 1, 10 if q else 9) for q in range(4)] + [("j", q, "n", 1, 1 if q else 2) for q in range(4)]
    low = [("j", q, "o", 1, score, choice) for q in range(4) for choice, score in enumerate([None, 1 + (q == 0)])]
    means = {
        mean.model: mean.all_turns for mean in model_means(read_ratings(bench(high + low)), ReadingRules(failed=failed))
    }
    # 1.25 less 3.18 times .25 is .45, which no mean of ratings from 1 on can be.
    assert means["m"].high == 10.0
    assert means["n"].low == (1.0 if failed == "left out" else pytest.approx(0.45, abs=0.01))
    assert means["o"].low >= lowest
