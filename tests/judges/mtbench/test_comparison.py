"""Two judges on the same answers: every figure by hand or against scipy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from judges.mtbench.comparison import compare_two_judges, share_ratings
from judges.mtbench.ratings import read_ratings
from tests.judges.mtbench.benches import bench

ROWS = [
    ("j", 1, "m", 1, 8), ("j", 1, "m", 2, 5), ("j", 2, "m", 1, 9), ("j", 2, "m", 2, 3), ("j", 3, "m", 1, 3),
    ("k", 1, "m", 1, 8), ("k", 1, "m", 2, 7), ("k", 2, "m", 1, 8), ("k", 2, "m", 2, None), ("k", 4, "m", 1, 3),
]  # fmt: skip


def test_cells_by_hand():
    comparison = compare_two_judges(read_ratings(bench(ROWS, {"2": "math"})), "j", "k")
    whole = comparison.overall
    assert whole.cells == 3 and comparison.alone == (2, 1)
    assert (whole.equal.point, whole.within_one.point) == pytest.approx((1 / 3, 2 / 3))
    assert (whole.difference.point, whole.mae.point) == pytest.approx((1 / 3, 1.0))
    assert (whole.one.point, whole.other.point) == pytest.approx((22 / 3, 23 / 3))
    assert {turn: part.cells for turn, part in comparison.turns.items()} == {1: 2, 2: 1}
    assert {name: part.cells for name, part in comparison.categories.items()} == {"writing": 2, "math": 1}
    assert [(d.question, d.turn, d.one, d.other, d.category) for d in comparison.largest] == [
        ("1", 2, 5.0, 7.0, "writing"), ("2", 1, 9.0, 8.0, "math"),
    ]  # fmt: skip
    assert comparison.largest[0].places == (1, 6)


def test_places_lead_to_the_judgments_of_the_cell_whatever_the_order_of_the_file():
    shuffled = bench([ROWS[n] for n in np.random.default_rng(1).permutation(len(ROWS))])
    shared = share_ratings(read_ratings(shuffled), "j", "k")
    for n, (one, other) in enumerate(zip(shared.one.place, shared.other.place, strict=True)):
        first, second = shuffled.ratings[one], shuffled.ratings[other]
        assert (first.judge, second.judge) == ("j", "k") and first[1:5] == second[1:5]
        texts = [f"So: [[{ratings.number[n]:.0f}]]" for ratings in shared]
        assert [first.text, second.text] == texts


def test_figures_are_those_of_scipy_and_scikit_learn():
    rng = np.random.default_rng(5)
    rows = []
    for q in range(40):
        for t in (1, 2):
            x = int(rng.integers(1, 11))
            rows += [("j", q, "m", t, x), ("k", q, "m", t, int(np.clip(x + rng.integers(-2, 2), 1, 10)))]
    table = read_ratings(bench(rows))
    shared, whole = share_ratings(table, "j", "k"), compare_two_judges(table, "j", "k").overall
    x, y = shared.one.number, shared.other.number
    assert whole.pearson.point == pytest.approx(stats.pearsonr(x, y)[0])
    assert whole.spearman.point == pytest.approx(stats.spearmanr(x, y)[0])
    assert whole.kendall.point == pytest.approx(stats.kendalltau(x, y)[0])
    kappa = cohen_kappa_score(x.astype(int), y.astype(int), labels=range(1, 11), weights="quadratic")
    assert whole.kappa.point == pytest.approx(kappa)
    for interval in (whole.pearson, whole.spearman, whole.kendall, whole.kappa, whole.equal, whole.difference):
        assert interval.items == 40 and interval.low < interval.point < interval.high


def test_half_points_and_repeated_judgments_are_compared_as_means():
    rows = [("j", 1, "m", 1, 8.5), ("k", 1, "m", 1, 7), ("k", 1, "m", 1, 8), ("k", 1, "m", 1, None)]
    shared = share_ratings(read_ratings(bench(rows)), "j", "k")
    assert (shared.one.number.tolist(), shared.other.number.tolist()) == ([8.5], [7.5])
    whole = compare_two_judges(read_ratings(bench(rows)), "j", "k").overall
    assert (whole.equal.point, whole.within_one.point, whole.difference.point) == (0.0, 1.0, -1.0)


def test_without_a_shared_cell_there_is_no_figure():
    comparison = compare_two_judges(read_ratings(bench([("j", 1, "m", 1, 8), ("k", 2, "m", 1, 8)])), "j", "k")
    assert comparison.overall.cells == 0 and comparison.alone == (1, 1) and comparison.largest == ()
    for interval in comparison.overall[1:]:
        assert interval.point is None
