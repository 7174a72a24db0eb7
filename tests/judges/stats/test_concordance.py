"""Correlations, ICC and mean error of values: against scipy, an analysis of variance by hand, and resampled items."""

from __future__ import annotations

from math import atanh, sqrt, tanh
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from judges.stats import concordance
from judges.stats.agreement import cross_table, kappa, kappa_from_sums, six_moments
from judges.stats.comparison import SharedCells, concordance_by_judge
from judges.stats.concordance import Concordance
from judges.stats.intervals import Cells
from judges.stats.uncertainty import Interval


def _world(rng: np.random.Generator, items: int, per_item: int = 3, steps: float = 0.0) -> Cells:
    item = np.repeat(np.arange(items), per_item)
    true = rng.normal(size=items)[item] + rng.normal(size=len(item))
    x, y = true + rng.normal(size=len(item)), 0.8 * true + 0.3 + rng.normal(size=len(item))
    if steps:
        x, y = np.round(x / steps) * steps, np.round(y / steps) * steps
    return Cells(item, x, y)


def _two_way(x: Any, y: Any) -> float:
    """ICC(A,1) from the sums of squares of a two-way table without replication."""
    table = np.column_stack([x, y])
    n, grand = len(table), table.mean()
    rows = 2 * ((table.mean(axis=1) - grand) ** 2).sum()
    columns = n * ((table.mean(axis=0) - grand) ** 2).sum()
    error = ((table - grand) ** 2).sum() - rows - columns
    msr, msc, mse = rows / (n - 1), columns, error / (n - 1)
    return float((msr - mse) / (msr + mse + 2 * (msc - mse) / n))


@pytest.mark.parametrize("steps", [0.0, 0.5, 1.0])
def test_points_are_those_of_scipy_and_of_an_analysis_of_variance(steps: float, rng: np.random.Generator) -> None:
    cells = _world(rng, 60, steps=steps)
    x, y = np.asarray(cells.human), np.asarray(cells.judge)
    actual = concordance.concordance(cells)
    expected = Concordance(
        _two_way(x, y),
        stats.pearsonr(x, y)[0],
        stats.spearmanr(x, y)[0],
        stats.kendalltau(x, y)[0],
        np.abs(x - y).mean(),
    )
    assert [interval.point for interval in actual] == pytest.approx(list(expected), abs=1e-12)
    assert all(
        interval.low < interval.point < interval.high and interval.items == 60 and interval.cells == 180
        for interval in actual
    )


def test_spearman_by_hand() -> None:
    # Ranks 1 2 3 4 and 2 1 4 3: d^2 = 1 each: 1 - 6 * 4 / (4 * 15) = .6
    assert concordance.spearman(Cells(range(4), [1, 2, 3, 4], [20, 10, 40, 30])).point == pytest.approx(0.6)


def test_where_items_have_one_cell_the_interval_is_fishers(rng: np.random.Generator) -> None:
    x = rng.normal(size=300)
    correlation = concordance.pearson(Cells(range(300), x, x + rng.normal(size=300)))
    assert correlation.point is not None and correlation.low is not None and correlation.high is not None
    half = 1.96 / sqrt(297)
    assert correlation.low == pytest.approx(tanh(atanh(correlation.point) - half), abs=0.02)
    assert correlation.high == pytest.approx(tanh(atanh(correlation.point) + half), abs=0.02)


def test_cells_of_one_item_are_no_further_evidence(rng: np.random.Generator) -> None:
    x = rng.normal(size=40)
    y = x + rng.normal(size=40)
    once = concordance.spearman(Cells(range(40), x, y))
    often = concordance.spearman(Cells(np.repeat(np.arange(40), 10), np.repeat(x, 10), np.repeat(y, 10)))
    assert (often.point, often.low, often.high) == pytest.approx((once.point, once.low, once.high), abs=1e-9)


@pytest.mark.parametrize(("x", "y"), [([], []), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [4, 4, 4]), ([1], [2])])
def test_a_constant_side_has_no_correlation(x: list[float], y: list[float]) -> None:
    for interval in concordance.concordance(Cells(range(len(x)), x, y))[1:4]:
        assert interval.point is interval.low is None


@pytest.mark.parametrize(("differ", "ends"), [(1, False), (2, False), (3, True)])
def test_one_or_two_items_that_differ_give_no_interval(differ: int, ends: bool, rng: np.random.Generator) -> None:
    # A side is constant in (1 - 2/100)^100 = 13 % of the samples of items if two differ, in 4.8 % if three do.
    y = np.where(np.arange(100) < differ, 1, 0)
    for interval in concordance.concordance(Cells(range(100), rng.random(100), y))[1:4]:
        assert (interval.low is not None) is ends
        assert (interval.undefined > 0.05) is not ends


def test_small_differences_of_large_numbers_are_differences() -> None:
    for x in ([0, 1e-9, 2e-9], [1e7, 1e7 + 1, 1e7 + 2]):
        for interval in concordance.concordance(Cells(range(3), x, [0, 1, 2]))[1:4]:
            assert interval.point == pytest.approx(1)


def test_correlation_is_not_agreement() -> None:
    human = np.repeat(np.arange(3), 10)
    judge = human + 2  # always two steps too kind
    assert concordance.pearson(Cells(range(30), human, judge)).point == pytest.approx(1.0)
    # kappa: observed 30*4; expected: mean square distance of {0,1,2} and {2,3,4} = 4 + 2/3 + 2/3 = 16/3; 1 - 4/(16/3)
    assert kappa(cross_table(human, judge, 5), "quadratic") == pytest.approx(0.25)


def test_two_ratings_have_a_concordance() -> None:
    assert concordance.concordance(Cells(np.arange(2), np.array([0.0, 2]), np.array([1.0, 2]))).icc.point == (
        pytest.approx(_two_way([0, 2], [1, 2]))
    )


def test_means_that_differ_by_rounding_only_are_one_value() -> None:
    answers = [(0.1, 0.2), (0.0, 0.3), (0.05, 0.25), (0.4, 0.5), (0.6, 0.3), (0.2, 0.7)]
    x, y = np.array([sum(pair) / 2 for pair in answers]), np.array([0.1, 0.5, 0.2, 0.9, 0.3, 0.4])
    assert len(set(x.tolist())) > 2, "sums of these have more than two values"
    actual, expected = (concordance.concordance(Cells(np.arange(6), side, y)) for side in (x, np.round(x, 2)))
    assert [interval.point for interval in actual] == pytest.approx([interval.point for interval in expected], abs=1e-9)
    assert actual.kendall.point == pytest.approx(stats.kendalltau(np.round(x, 2), y)[0])
    constant = concordance.concordance(Cells(np.arange(3), x[:3], y[:3]))
    assert {constant.pearson.point, constant.spearman.point, constant.kendall.point} == {None}


def test_shrout_and_fleiss_first_two_raters_by_hand() -> None:
    x, y = np.array([9.0, 6, 8, 7, 10, 6]), np.array([2.0, 1, 4, 1, 5, 2])
    d = 31 / 6
    msr, msc = 2 * np.var((x + y) / 2, ddof=1), 6 * d**2 / 2
    mse = np.var(x - y, ddof=1) / 2
    by_hand = (msr - mse) / (msr + mse + 2 * (msc - mse) / 6)
    assert concordance.concordance(Cells(np.arange(6), x, y)).icc.point == pytest.approx(by_hand)
    assert by_hand == pytest.approx(_two_way(x, y))


def test_lins_concordance_is_quadratic_kappa(rng: np.random.Generator) -> None:
    x, y = rng.integers(1, 6, 300), rng.integers(1, 6, 300)
    y[:150] = x[:150]
    by_sums = kappa_from_sums(six_moments(x, y).sum(axis=1))
    assert by_sums == pytest.approx(cohen_kappa_score(x, y, weights="quadratic"), abs=1e-12)
    half = kappa_from_sums(six_moments(1 + x / 2, 1 + y / 2).sum(axis=1))
    lin = 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    assert (half, by_sums) == pytest.approx((lin, lin), abs=1e-12)


def test_a_weight_of_two_is_a_cell_twice(rng: np.random.Generator) -> None:
    cells = _world(rng, 40, 2, 0.5)
    item, x, y = (np.asarray(column) for column in cells[:3])
    often = rng.integers(1, 4, len(x))
    twice = Cells(*(np.repeat(column, often) for column in (item, x, y)))
    weighted, copied = concordance.concordance(Cells(item, x, y, often)), concordance.concordance(twice)
    for one, other in zip(weighted[1:], copied[1:], strict=True):
        assert (one.point, one.se) == pytest.approx((other.point, other.se), abs=1e-12)


def test_errors_are_those_of_resampled_items(rng: np.random.Generator) -> None:
    cells = _world(rng, 150)
    x, y = np.asarray(cells.human), np.asarray(cells.judge)
    drawn = []
    for _ in range(400):
        which = rng.integers(0, 150, 150)
        rows = (which[:, None] * 3 + np.arange(3)).ravel()
        one, other = x[rows], y[rows]
        drawn.append((_two_way(one, other), np.corrcoef(one, other)[0, 1], stats.spearmanr(one, other)[0],
                      stats.kendalltau(one, other)[0], np.abs(one - other).mean()))  # fmt: skip
    spread = np.std(drawn, axis=0)
    errors = np.array([interval.se for interval in concordance.concordance(cells)])
    assert errors == pytest.approx(spread, rel=0.2)
    alone = concordance.concordance(Cells(np.arange(450), x, y))  # cells of one item resemble each other
    assert all(a.se < b for a, b in zip(alone[:4], errors[:4], strict=True))


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_what_does_not_exist_is_none(name: str) -> None:
    def figure(cells: Cells) -> Interval:
        interval: Interval = getattr(concordance.concordance(cells), name)
        return interval

    flat = figure(Cells(np.arange(5), np.full(5, 3.0), np.arange(5.0)))
    assert flat.point is None and flat.items == 5
    assert figure(Cells(np.arange(0), np.arange(0.0), np.arange(0.0))).point is None
    small = figure(Cells([0, 0, 1, 1], [1.0, 2, 3, 4], [1.0, 2, 4, 3]))
    assert small.point is not None and small.low is None
    three = figure(Cells([0, 0, 1, 2], [1.0, 2, 3, 4], [1.0, 2, 4, 3]))
    assert three.low < three.point < three.high, "the fewest items of which there are ends"
    with pytest.raises(ValueError, match="finite"):
        figure(Cells([0, 1], [1.0, np.nan], [1.0, 2.0]))


def test_icc_is_one_where_all_agree_and_none_where_nothing_varies() -> None:
    same = concordance.concordance(Cells(np.arange(8), np.arange(8.0), np.arange(8.0))).icc
    assert same.point == pytest.approx(1)
    flat = concordance.concordance(Cells(np.arange(8), np.full(8, 1.0), np.full(8, 2.0)))
    assert flat.icc.point is None and flat.mae.point == 1


@pytest.mark.parametrize("name", Concordance._fields)
def test_full_agreement_has_no_ends_as_it_does_not_show_how_far_others_lie(name: str) -> None:
    """Ten equal items are no proof that the correlation of all others is 1; one item more that differs gives ends."""
    values = np.array([1.0, 2, 3, 4, 5, 5, 5, 4, 3, 5]) / 3
    figure = getattr(concordance.concordance(Cells(np.arange(10), values, values)), name)
    assert figure.point == pytest.approx(0.0 if name == "mae" else 1.0)
    assert (figure.low, figure.high, figure.lower_bound) == (None, None, None)
    other = np.append(values, 1.0)
    figure = getattr(concordance.concordance(Cells(np.arange(11), other, np.append(values, 2.0))), name)
    assert figure.low < figure.point < figure.high and figure.se > 0


def test_an_error_that_is_the_same_in_all_items_has_no_ends() -> None:
    always = concordance.concordance(Cells(np.arange(8), np.arange(8.0) / 7, np.arange(8.0) / 7 + 0.1))
    assert always.mae.point == pytest.approx(0.1) and always.mae.low is None
    assert always.pearson.point == pytest.approx(1) and always.pearson.low is None


def test_judges_side_by_side_have_their_figures_of_the_same_ratings_in_units_of_the_scale() -> None:
    human, near, distant = np.array([0.0, 2, 4, 6]), np.array([0.0, 2, 4, 5]), np.array([6.0, 4, 2, 0])
    seats = SharedCells(np.arange(4), human, {"near": near, "far": distant}, np.array([1.0, 1, 1, 2]))
    by_judge = concordance_by_judge(seats, 0.5)
    assert by_judge["near"].mae.point == pytest.approx(0.5 * 2 / 5)  # one code off on the rating that counts twice
    assert (by_judge["near"].kendall.point, by_judge["far"].kendall.point) == (1, -1)
    assert by_judge["far"].mae.point == pytest.approx(0.5 * (6 + 2 + 2 + 2 * 6) / 5)


@pytest.mark.parametrize("differing", [3, 5, 10])
def test_few_answers_that_never_meet_do_not_exclude_that_the_sides_are_unrelated(differing: int) -> None:
    """Of 100 items few have another answer than the commonest, and none on both sides: then nothing seems to vary."""
    human, judge = np.full(100, 5.0), np.full(100, 5.0)
    human[:differing], judge[50 : 50 + differing] = 3.0, 4.0
    figures = concordance.concordance(Cells(np.arange(100), human, judge))
    for figure in figures[:4]:
        assert figure.point is not None and figure.low is not None and figure.high is not None
        assert figure.point < 0 and figure.low < -0.2 and figure.high > 0.05


@pytest.mark.parametrize("cells_of_item", [1, 3])
@pytest.mark.parametrize("differing", [(5, 5), (40, 4), (60, 60)])
def test_the_least_error_is_that_of_sides_put_together_at_random(
    rng: np.random.Generator, differing: tuple[int, int], cells_of_item: int
) -> None:
    sides = []
    for count in differing:
        side = np.full(100, 5.0)
        side[:count] = rng.integers(1, 5, count)
        sides.append(side)
    item, weight = np.repeat(np.arange(100), cells_of_item), np.ones(100 * cells_of_item)
    for figure in (concordance._pearson, concordance._spearman, concordance._kendall, concordance._icc):
        points = []
        for _ in range(400):
            x, y = (np.repeat(rng.permutation(side), cells_of_item) for side in sides)
            points.append(figure(x, y, weight)[0])
        error = concordance._unrelated_error(figure, x, y, weight, item)
        assert error == pytest.approx(np.std(points), rel=0.15)
