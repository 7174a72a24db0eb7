"""Corrected means against hand arithmetic, the published formula, a slow oracle and known truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from judges.stats.ppi import (
    CorrectedMean,
    MeanComparison,
    compare_means,
    correct_mean,
    corrected_difference,
    degrees_of_freedom,
    moments,
)
from judges.stats.uncertainty import Interval, wilson_interval


def flat(n: int, others: int, seed: int, noise: float = 0.6) -> tuple[Any, Any]:
    """Y and F of n labelled and then `others` items of one cell, F one higher than Y."""
    rng = np.random.default_rng(seed)
    y = rng.normal(3, 1, n + others)
    return y, y + 1 + rng.normal(0, noise, n + others)


def seen_error(corrected: CorrectedMean) -> float:
    """The standard error without the part for errors not seen."""
    assert corrected.interval.se is not None and corrected.floor > 0
    return (corrected.interval.se**2 - corrected.floor**2) ** 0.5


def test_by_hand() -> None:
    # 30 labelled items, F = 0 and 1 in turn, Y = F: cov = var F = .25 * 30 / 29 = .2586207. 60 others, two of three
    # with F = 1: 55 of all 90, var F = 55/90 * 35/90 * 90/89 = .2403246. pooled: (60 * .2586207 + 30 * .2403246) / 90 =
    # .2525220; lambda = .2586207 / (1.5 * .2525220) = .6827674; theta = .6827674 * 2/3 + (1 - .6827674) * .5 = .6137946
    f = np.array([0.0, 1.0] * 15 + [0.0, 1.0, 1.0] * 20)
    y = np.where(np.arange(90) < 30, f, np.nan)
    corrected = correct_mean(moments(np.arange(90), f, y, np.arange(90) < 30), (0, 1))
    assert corrected.lam == pytest.approx(0.6827674, abs=1e-7)
    assert corrected.interval.point == pytest.approx(0.6137946, abs=1e-7)
    assert (corrected.people, corrected.judge, corrected.n, corrected.others) == (0.5, pytest.approx(55 / 90), 30, 60)
    # SE^2 = lambda^2 * (2/9 * 60/59) / 60 + (1 - lambda)^2 * .2586207 / 30 = .00175582 + .00086756
    assert seen_error(corrected) == pytest.approx(0.00262338**0.5, abs=1e-6)
    # one cell an item, scale of 0 to 1: an error of half the scale in one of 30 items, z / 2 = .979982 times
    assert corrected.floor == pytest.approx(0.979982 * 0.5 / 30, rel=1e-6)


def test_the_error_that_no_label_has_shown_by_hand() -> None:
    # 40 items of two equal cells, every other one 1 and 1, all labelled, drawn with one half: g = .5; (T - g M)^2 = 1,
    # summed 40; (F - g)^2 = .25, summed 20: two cells err together. An error of a share is 1 a cell, of 80 cells.
    f, item = np.repeat([0.0, 1.0] * 20, 2), np.repeat(np.arange(40), 2)
    share = correct_mean(moments(item, f, f, item >= 0, np.full(80, 2.0)), (0, 1), share=True)
    assert share.floor == pytest.approx(0.979982 * 2 / 80, rel=1e-6)
    # a quarter of the people's answers was n/a: 60 cells are valued; on 1 to 5 an error is of two steps
    y = np.where(np.arange(80) % 4 == 3, np.nan, 1 + 4 * f)
    mean = correct_mean(moments(item, 1 + 4 * f, y, item >= 0), (1, 5))
    assert mean.floor == pytest.approx(0.979982 * 2 * 2 / 60, rel=1e-6)


def test_labels_that_do_not_cover_what_is_corrected_give_no_figure() -> None:
    # of 200 cells 12 have a 1 and none of those is labelled: 6 %, where 5 % is the most; of 10 it is just 5 %; and of
    # 60 labelled cells chance leaves out 6 % more than once in a hundred times (.94^60 = .024)
    for count, labelled, refused in ((12, 80, True), (10, 80, False), (10, 150, False), (12, 60, False)):
        f = np.where(np.arange(200) >= 200 - count, 1.0, np.resize([3.0, 4.0, 5.0], 200))
        known = np.arange(200) < labelled
        corrected = correct_mean(moments(np.arange(200), f, np.where(known, f, np.nan), known), (1, 5))
        assert (corrected.refused, corrected.uncovered, corrected.missing) == (refused, count / 200, 0)
        assert (corrected.interval.point is None, corrected.lam > 0) == (refused, not refused)
    known = np.arange(200) < 60
    # nor an answer that no labelled cell got, of which shares are corrected
    yes = np.where(np.arange(200) >= 180, 1.0, 0.0)
    corrected = correct_mean(moments(np.arange(200), yes, np.where(known, 0.0, np.nan), known), (0, 1), share=True)
    assert corrected.refused and corrected.uncovered == 0.1 and corrected.people == 0.0


def test_people_who_differ_count_each() -> None:
    # item 0: 2 and 4; item 1: 5 and n/a; item 2: three of 1: (3 + 5 / 2 + 1) / (1 + 1 / 2 + 1)
    values = [3.0, 5.0, 1.0] * 12
    known, item = np.ones(36, dtype=bool), np.arange(36)
    corrected = correct_mean(moments(item, values, values, known, share=[1.0, 0.5, 1.0] * 12), (1, 5))
    assert corrected.people == pytest.approx(6.5 / 2.5) and corrected.interval.point == pytest.approx(2.6)


@pytest.mark.parametrize("slope", [1, 100, -1], ids=["within", "one", "none"])  # lambda is within 0..1, or cut to it
@pytest.mark.parametrize(("n", "others"), [(30, 0), (30, 2), (50, 400), (200, 100)])
def test_is_the_published_formula_where_every_item_has_one_cell(n: int, others: int, slope: int) -> None:
    y, f = flat(n, others, seed=n + others)
    y = slope * y
    known = np.arange(n + others) < n
    f[0], f[1] = min(f), max(f)  # labels cover what is corrected
    corrected = correct_mean(moments(np.arange(n + others), f, np.where(known, y, np.nan), known), (-999, 999))
    lam, rest = 0.0, 0.0
    if others:
        var = (others * f[:n].var(ddof=1) + n * f.var(ddof=1)) / (n + others)
        lam = float(np.clip(np.cov(y[:n], f[:n])[0, 1] / ((1 + n / others) * var), 0, 1))
        rest = lam**2 * f[n:].var(ddof=1) / others
    theta = lam * (f[n:].mean() if others else 0) + (y[:n] - lam * f[:n]).mean()
    assert corrected.lam == pytest.approx(lam)
    assert lam == {100: min(others, 1), -1: 0}.get(slope, lam)
    assert corrected.interval.point == pytest.approx(theta)
    assert seen_error(corrected) == pytest.approx((rest + (y[:n] - lam * f[:n]).var(ddof=1) / n) ** 0.5)


def test_one_item_without_labels_tells_next_to_nothing() -> None:
    # 30 labelled, Y = F = 0 and 1 in turn, one other with F = 1. var F = .2586207, of all 31 16/31 * 15/31 * 31/30 =
    # .2580645; pooled (.2586207 + 30 * .2580645) / 31 = .2580825; lambda = .2586207 / (31 * .2580825) = .0323253;
    # theta = .0323253 * 1 + .9676747 * .5; SE = .9676747 sqrt(.2586207 / 30): the other one has no spread of its own
    f = np.array([0.0, 1.0] * 15 + [1.0])
    known = np.arange(31) < 30
    corrected = correct_mean(moments(np.arange(31), f, np.where(known, f, np.nan), known), (0, 1))
    assert corrected.lam == pytest.approx(0.0323253, abs=1e-7)
    assert (corrected.interval.point, seen_error(corrected)) == pytest.approx((0.5161627, 0.0898463), abs=1e-7)


@pytest.mark.parametrize("others", [1, 2, 5])
def test_a_few_unlabelled_items_do_not_mislead(others: int) -> None:
    # 100 items labelled, one of ten is a 1, which the judge sees: means of others that happen to be alike are no truth
    rng, covered, n = np.random.default_rng(others), 0, 100 + others
    for _ in range(100):
        y, known = (rng.random(n) < 0.1) * 1.0, np.arange(n) < 100
        f = np.where(rng.random(n) < 0.03, 1 - y, y)
        corrected = correct_mean(moments(np.arange(n), f, np.where(known, y, np.nan), known), (0, 1), share=True)
        covered += (corrected.interval.low or 0.0) <= 0.1 <= (corrected.interval.high or 0.0)
        assert corrected.lam < 0.12  # at most about N / (n + N) for a judge this good
    assert covered >= 89  # of 100 at 95 %: three times the Monte Carlo error of 2.2


def slow(item: Any, f: Any, y: Any, known: Any, w: Any, k: float) -> tuple[float, float, float]:
    """theta and SE for a given k, straight from the definition.

    Every item is taken out of its cells one by one, and SE is computed with the spread of the others taken from all
    items, which k is to make smallest.
    """
    items = sorted(set(item))
    cells = [np.flatnonzero(item == i) for i in items]
    weigh = [float(w[c][0]) if known[c].any() else 0.0 for c in cells]
    sums = np.array(
        [
            [g * np.nansum(y[c][known[c]]), g * (~np.isnan(y[c][known[c]])).sum(), g * f[c][known[c]].sum(),
             g * known[c].sum(), f[c].sum(), len(c)]
            for c, g in zip(cells, weigh, strict=True)
        ]
    )  # fmt: skip

    def theta(s: Any) -> float:
        y, a, f, m, t, size = s
        return float((y / m + k * (t / size - f / m)) / (a / m))

    total, step = sums.sum(axis=0), 1e-6
    slope = [(theta(total + step * e) - theta(total - step * e)) / (2 * step) for e in np.eye(6)]
    share = sums @ slope
    has = np.array(weigh) > 0
    var = sum(s.size / (s.size - 1) * ((s - s.mean()) ** 2).sum() for s in (share[has], share[~has]))
    whole = sums[:, 4:] @ slope[4:]
    planned = has.sum() * share[has].var(ddof=1) + (~has).sum() * whole.var(ddof=1)
    return theta(total), float(var**0.5), float(planned**0.5)


def clustered_cells(seed: int, items: int = 90) -> tuple[Any, ...]:
    """Items of 1 to 4 cells, unequal weights, some of people's values n/a, some labelled cells without gold."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(items), rng.integers(1, 5, items))
    y = np.clip(np.round(rng.normal(3, 1, items)[item] + rng.normal(0, 0.6, item.size)), 1, 5)
    f = np.clip(np.round(y + rng.normal(0.5, 0.7, item.size)), 1, 5)
    known = (item < items // 2) & (rng.random(item.size) < 0.9)
    return item, f, np.where(known & (rng.random(item.size) < 0.9), y, np.nan), known, 1 + (item % 3).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_clusters_weights_and_na_against_numerical_derivatives(seed: int) -> None:
    item, f, y, known, w = clustered_cells(seed)
    corrected = correct_mean(moments(item, f, y, known, w), (1, 5))
    k = corrected.lam * (corrected.n + corrected.others) / corrected.others
    theta, se, planned = slow(item, f, y, known, w, k)
    assert corrected.interval.point == pytest.approx(theta, rel=1e-9)
    assert seen_error(corrected) == pytest.approx(se, rel=1e-6)
    # k makes that smallest (at people's own mean, which theta is near to)
    assert all(slow(item, f, y, known, w, k + d)[2] >= planned - 1e-5 for d in (-0.1, 0.1))
    assert corrected.interval.n_eff < corrected.n


def figures(corrected: CorrectedMean) -> list[float]:
    at = corrected.interval
    return [float(x if x is not None else np.nan) for x in (at.point, at.low, at.high, at.lower_bound, at.se)]


@settings(max_examples=25)
@given(some.integers(0, 10_000), some.floats(-50, 50), some.floats(0.01, 100), some.floats(1e-4, 100))
def test_another_zero_unit_or_unit_of_weight_changes_nothing(seed: int, by: float, unit: float, heavy: float) -> None:
    item, f, y, known, w = clustered_cells(seed, 120)
    y = np.where(known & np.isnan(y), 2.0, y)  # where people say n/a, the judge's level matters through k
    plain = correct_mean(moments(item, f, y, known, w), (1, 5))
    assert plain.interval.point is not None
    kinder = correct_mean(moments(item, by + f, y, known, w), (1, 5))
    assert figures(kinder) == pytest.approx(figures(plain)) and kinder.judge == pytest.approx(plain.judge + by)
    other = correct_mean(moments(item, by + unit * f, by + unit * y, known, w), (by + unit, by + 5 * unit))
    turned = [by + unit * x for x in figures(plain)[:-1]] + [unit * figures(plain)[-1]]
    assert figures(other) == pytest.approx(turned, rel=1e-5, abs=1e-5 * unit)
    scaled = correct_mean(moments(item, f, y, known, heavy * w), (1, 5))
    assert figures(scaled) == pytest.approx(figures(plain)) and scaled.lam == pytest.approx(plain.lam)
    assert scaled.interval.n_eff == pytest.approx(plain.interval.n_eff)


def test_a_very_small_unit_has_its_spread() -> None:
    item, f, y, known, w = clustered_cells(4)
    plain, tiny = (correct_mean(moments(item, u * f, u * y, known, w), (u, 5 * u)) for u in (1.0, 1e-7))
    assert figures(tiny) == pytest.approx([1e-7 * x for x in figures(plain)], rel=1e-6, abs=0)
    assert tiny.lam == pytest.approx(plain.lam) and plain.lam > 0.1


def test_numbers_and_order_of_items_do_not_matter_nor_weights_of_what_has_no_gold() -> None:
    item, f, y, known, w = clustered_cells(3)
    one = correct_mean(moments(item, f, y, known, w), (1, 5))
    order = np.random.default_rng(1).permutation(item.size)
    w = np.where(known, w, np.nan)
    other = correct_mean(moments(7 + 3 * (89 - item[order]), f[order], y[order], known[order], w[order]), (1, 5))
    assert figures(other) == pytest.approx(figures(one)) and (other.n, other.others) == (one.n, one.others)
    assert other.interval.cells == (known & ~np.isnan(y)).sum() < known.sum()


def test_ends_are_students() -> None:
    item, f, y, known, w = clustered_cells(2)
    interval = correct_mean(moments(item, f, y, known, w), (-9, 9)).interval
    assert interval.point is not None and interval.se is not None and interval.n_eff < interval.items - 2
    wide, bound = (stats.t.ppf(p, interval.n_eff - 1) * interval.se for p in (0.975, 0.95))
    ends = (interval.point - wide, interval.point + wide, interval.point - bound)
    assert (interval.low, interval.high, interval.lower_bound) == pytest.approx(ends)
    assert (interval.level, interval.items) == (0.95, len(set(item[known])))
    # a scale that ends between those and the mean cuts them
    reach = interval.point - bound / 2, interval.point + wide / 2
    cut = correct_mean(moments(item, f, y, known, w), reach).interval
    assert (cut.low, cut.high, cut.lower_bound) == pytest.approx((reach[0], reach[1], reach[0]))


def test_a_mean_keeps_to_the_scale() -> None:
    # 40 labelled: Y = F = 5 and 4 in turn; 40 others with F = 5. var F = .25 * 40/39 = .2564103, that of all is
    # (60 of 80 are 5) .75 * .25 * 80/79 = .1898734; lambda = .2564103 / (.2564103 + .1898734)
    f = np.array([5.0, 4.0] * 20 + [5.0] * 40)
    known = np.arange(80) < 40
    high, low = (moments(np.arange(80), s * f, np.where(known, s * f, np.nan), known) for s in (1, -1))
    assert correct_mean(high, (1, 9)).interval.point == pytest.approx(4.5 + 0.5745455 * 0.5, abs=1e-6)
    assert correct_mean(high, (1, 4.7)).interval.point == correct_mean(high, (1, 4.7)).interval.high == 4.7
    assert correct_mean(low, (-4.7, -1)).interval.point == correct_mean(low, (-4.7, -1)).interval.low == -4.7
    # a share that is cut to 1, or to 0, is Wilson's for as many as are labelled
    for sums, reach, end in ((high, (0, 1), 1.0), (low, (0, 1), 0.0)):
        cut, wilson = correct_mean(sums, reach, share=True).interval, wilson_interval(40 * end, 40)
        assert (cut.point, cut.low, cut.high) == pytest.approx((end, wilson.low, wilson.high))


def test_too_little_is_said() -> None:
    y, f = flat(29, 50, 1)
    known = np.arange(79) < 29
    corrected = correct_mean(moments(np.arange(79), f, np.where(known, y, np.nan), known), (0, 9))
    assert corrected.interval.point is None and corrected.missing == 1 and corrected.judge == pytest.approx(f.mean())
    # 60 items, 30 of which weigh nine times as much: (30 + 270)^2 / (30 + 2430) = 36.6; 10 of them: 140^2 / 860 = 22.8
    f, known = np.resize([0.0, 1.0, 2.0], 100), np.arange(100) < 60
    for heavy, worth in ((30, 36.585), (10, 22.791)):
        weight = np.where(np.arange(100) < heavy, 9.0, 1.0)
        corrected = correct_mean(moments(np.arange(100), f, np.where(known, f, np.nan), known, weight), (0, 9))
        assert corrected.interval.n_eff == pytest.approx(worth, abs=1e-3)
        assert (corrected.interval.point is None, corrected.missing) == ((False, 0) if heavy == 30 else (True, 19))
    # equal weights are worth their number, though (30 * .7)^2 / (30 * .49) falls short of 30 by rounding
    for labelled, missing in ((30, 0), (20, 10), (29, 1)):
        known = np.arange(100) < labelled
        corrected = correct_mean(
            moments(np.arange(100), f, np.where(known, f, np.nan), known, np.full(100, 0.7)), (0, 9)
        )
        assert (corrected.interval.point is None, corrected.missing) == (missing > 0, missing)
    # nothing labelled, one item only, and nothing but n/a
    bare = correct_mean(moments(np.arange(100), f, np.full(100, np.nan), np.zeros(100, dtype=bool)), (0, 9))
    assert (bare.people, bare.lam, bare.n, bare.others, bare.missing) == (None, 0.0, 0, 100, 30)
    assert bare.interval == Interval(None, None, None, None, 0, 0, 0.0, "prediction-powered")
    assert correct_mean(moments([0], [4.0], [np.nan], [False]), (1, 5)).judge == 4.0
    void = correct_mean(moments(np.arange(100), f, np.full(100, np.nan), np.ones(100, dtype=bool)), (0, 9))
    assert (void.people, void.interval.point, void.interval.n_eff, void.n, void.missing) == (None, None, 0.0, 100, 30)
    with pytest.raises(ValueError, match="no cell"):
        correct_mean(moments([], [], [], []), (0, 1))
    with pytest.raises(ValueError, match="one length"):
        moments([0], [1.0, 2.0], [1.0], [True])


def test_what_people_called_na_is_worth_nothing() -> None:
    # 80 labelled items of one cell, weights 1 and 3 in turn; people valued a quarter, all of those weigh 3: worth 20
    f, known = np.resize([0.0, 1.0, 1.0], 200), np.arange(200) < 80
    y, w = np.where(known & (np.arange(200) % 4 == 1), f, np.nan), np.resize([1.0, 3.0], 200)
    corrected = correct_mean(moments(np.arange(200), f, y, known, w), (0, 1), share=True)
    assert (corrected.interval.n_eff, corrected.interval.point, corrected.n) == (pytest.approx(20), None, 80)
    assert corrected.missing == 40  # each labelled item is worth a quarter, and 10 are missing
    # every other: 40 of weight 3, where without n/a it was (40 + 120)^2 / (40 + 360) = 64
    y = np.where(known & (np.arange(200) % 2 == 1), f, np.nan)
    corrected = correct_mean(moments(np.arange(200), f, y, known, w), (0, 1), share=True)
    assert (
        (corrected.interval.n_eff, corrected.missing) == (pytest.approx(40), 0)
        and corrected.interval.point is not None
    )  # fmt: skip
    # items of 1 and 3 cells, n/a where there are 3: what is left is more alike, which makes it worth no more
    item = np.repeat(np.arange(80), np.resize([1, 3], 80))
    first = np.r_[True, item[1:] != item[:-1]]
    y = np.where((item < 70) & first, 1.0, np.nan)
    assert correct_mean(moments(item, y + 1, y, item < 70), (0, 1)).interval.n_eff == pytest.approx(70)


@pytest.mark.parametrize("value", [3.7, 4.0, 1 / 3])
def test_rounding_is_no_spread(value: float) -> None:
    rng, share = np.random.default_rng(1), False
    for _ in range(10):
        n = int(rng.integers(60, 300))
        item = np.repeat(np.arange(n), rng.integers(1, 6, n))
        known, w = item < 50, (1 / rng.choice([0.3, 0.35, 0.4], n))[item]
        same, varied = np.full(item.size, value), rng.integers(1, 6, item.size).astype(float)
        for judge, people in ((same, same), (varied, same), (same, varied)):
            corrected = correct_mean(moments(item, judge, np.where(known, people, np.nan), known, w), (0, 6))
            assert corrected.lam == 0 and (corrected.interval.low is None) == (people is same)
        # a share of one half in every item is not known without error
        half, share = np.resize([0.0, 1.0], 2 * n), True
        item, w = np.repeat(np.arange(n), 2), (1 / rng.choice([0.3, 0.35, 0.4], n)).repeat(2)
        known = item < 50
        interval = correct_mean(moments(item, half, np.where(known, half, np.nan), known, w), (0, 1), share).interval
        wilson = wilson_interval(interval.n_eff / 2, interval.n_eff)
        assert (interval.low, interval.high) == (pytest.approx(wilson.low), pytest.approx(wilson.high))


def test_where_nothing_varies_there_is_no_certainty() -> None:
    scores, known = np.ones(100), np.arange(100) < 40
    sums = moments(np.arange(100), scores, np.where(known, 1.0, np.nan), known)
    mean = correct_mean(sums, (1, 5)).interval
    assert (mean.point, mean.low, mean.se) == (1.0, None, None)
    share, wilson = correct_mean(sums, (0, 1), share=True).interval, wilson_interval(40, 40)
    assert (share.point, share.low, share.high) == (1.0, wilson.low, 1.0)
    assert compare_means([mean, mean]) == []


def test_a_share_without_help_of_the_judge_is_wilsons_own() -> None:
    y = np.array([0.0, 1.0, 1.0, 1.0] * 10)
    corrected = correct_mean(moments(np.arange(40), np.zeros(40), y, np.ones(40, dtype=bool)), (0, 1), share=True)
    # se^2 = p (1 - p) / (n - 1) and that of one error more, so it is Wilson's for about 39 trials, fewer as t_39
    # (2.0226909) is above 1.959964
    assert corrected.floor == pytest.approx(0.979982 / 40, rel=1e-6)
    trials = 0.1875 / (0.1875 / 39 + corrected.floor**2) * (1.959964 / 2.0226909) ** 2
    wilson = wilson_interval(0.75 * trials, trials)
    assert (corrected.lam, corrected.interval.low, corrected.interval.high) == (
        0.0,
        pytest.approx(wilson.low, rel=1e-6),
        pytest.approx(wilson.high, rel=1e-6),
    )
    assert corrected.interval.lower_bound == pytest.approx(wilson.lower_bound, rel=1e-6)
    assert corrected.interval.se == pytest.approx(((wilson.high or 0) - (wilson.low or 0)) / 2 / 2.0226909, rel=1e-6)


def at(point: float, se: float) -> Interval:
    return Interval(point, None, None, None, 50, 50, 50.0, "", se)


def test_pairs_are_turned_sorted_and_held_to_holm() -> None:
    # d = .5, se = sqrt(.09 + .16) = .5: t = 1 with (.25)^2 / (.0081 + .0256) * 49 = 90.875 degrees of freedom; d = 2,
    # se = sqrt(.16 + .01): t = 4.85 with .17^2 / (.0256 + .0001) * 49 = 55.101; d = 1.5, se = .3162
    pairs = compare_means([at(3.0, 0.3), at(3.5, 0.4), at(1.5, 0.1)])
    assert [(c.one, c.other) for c in pairs] == [(1, 2), (0, 2), (1, 0)]
    assert pairs[2].p == pytest.approx(2 * stats.t.sf(1, 90.8754), abs=1e-6) and pairs[2].adjusted == pairs[2].p
    assert pairs[0].adjusted == pytest.approx(3 * pairs[0].p) == pairs[1].adjusted > 2 * pairs[1].p > 0
    assert [c.differs for c in pairs] == [True, True, False]
    assert pairs[0].difference.low == pytest.approx(2 - stats.t.ppf(0.975, 55.1011673) * 0.17**0.5)
    assert [c.difference.point for c in pairs] == pytest.approx([2, 1.5, 0.5])
    # a mean of 0 is a mean: .5 above it, and equal ones stand in the order given; without any error there is no test
    assert [(c.one, c.other, c.p) for c in compare_means([at(0.0, 0.5), at(0.5, 0.5), at(0.5, 0.5)])] == [
        (1, 0, pytest.approx(2 * stats.t.sf(0.5**0.5, 98))), (2, 0, pytest.approx(2 * stats.t.sf(0.5**0.5, 98))),
        (1, 2, pytest.approx(1)),
    ]  # fmt: skip
    assert [(c.one, c.other) for c in compare_means([at(0.5, 0.5), at(0.0, 0.5)])] == [(0, 1)]
    assert compare_means([at(1.0, 0.0), at(2.0, 0.0)]) == compare_means([at(1.0, 0.1)]) == []
    assert [(c.one, c.other) for c in compare_means([at(1.0, 0.1), at(2.0, 0.0)])] == [(1, 0)]


@pytest.mark.parametrize(("adjusted", "differs"), [(0.05, True), (0.0501, False), (0.0, True), (1.0, False)])
def test_apart_is_five_percent_for_all_pairs(adjusted: float, differs: bool) -> None:
    assert MeanComparison(0, 1, at(1.0, 0.1), 0.01, adjusted).differs is differs


@given(some.lists(some.tuples(some.floats(-9, 9), some.floats(0.01, 3)), min_size=2, max_size=5), some.booleans())
@settings(max_examples=25)
def test_every_pair_is_there_once_and_every_figure_is_the_textbooks(means: Any, shared: bool) -> None:
    pairs = compare_means([at(*mean) for mean in means], shared)
    assert sorted(tuple(sorted((c.one, c.other))) for c in pairs) == [
        (i, j) for i in range(len(means)) for j in range(i + 1, len(means))
    ]
    for c in pairs:
        (one, e), (other, d) = means[c.one], means[c.other]
        se = e + d if shared else (e * e + d * d) ** 0.5
        assert c.difference.point == one - other >= 0 and c.difference.se == pytest.approx(se)
        free = 49 if shared else 49 * (e * e + d * d) ** 2 / (e**4 + d**4)
        assert c.p == pytest.approx(2 * stats.t.sf((one - other) / se, free), abs=1e-12)


def test_freedom_is_that_of_welchs_test() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(0, 1, 31), rng.normal(0.4, 3, 74)
    means = [
        Interval(float(x.mean()), None, None, None, len(x), len(x), float(len(x)), "", float(stats.sem(x)))
        for x in (a, b)
    ]
    welch = stats.ttest_ind(a, b, equal_var=False)
    pair = compare_means(means)[0]
    assert pair.p == pytest.approx(welch.pvalue) and degrees_of_freedom(*means) == pytest.approx(welch.df)
    sign = 1 if pair.one == 0 else -1
    low, high = sorted(sign * end for end in welch.confidence_interval(0.95))
    assert (pair.difference.low, pair.difference.high) == pytest.approx((low, high))


def test_systems_that_share_items_get_the_longest_error() -> None:
    assert corrected_difference(at(3.0, 0.3), at(3.5, 0.4), shared=True).se == pytest.approx(0.7)
    assert corrected_difference(at(3.0, 0.3), at(3.5, 0.4)).se == pytest.approx(0.5)
    nothing = Interval(None, None, None, None, 5, 5, 5.0, "")
    assert (
        corrected_difference(at(3.0, 0.3), nothing).point is corrected_difference(nothing, at(3.0, 0.3)).point is None
    )
    assert (
        corrected_difference(at(3.0, 0.3), Interval(3.0, None, None, None, 50, 50, 50.0, "")).point is None
    )  # no spread


def test_a_difference_rests_on_the_weaker_of_the_two() -> None:
    one = Interval(3.0, 2.5, 3.5, 2.6, 50, 200, 40.0, "", 0.3)
    other = Interval(1.0, 0.5, 1.5, 0.6, 60, 90, 31.0, "", 0.4)
    for gap in (corrected_difference(one, other), corrected_difference(other, one)):
        assert (gap.items, gap.cells, gap.n_eff, gap.level) == (50, 90, 31.0, 0.95)
    gap = corrected_difference(one, other)  # 2 with an error of .5, .0625 / (.0081 / 39 + .0256 / 30) of freedom
    wide, bound = (0.5 * stats.t.ppf(p, 0.0625 / (0.0081 / 39 + 0.0256 / 30)) for p in (0.975, 0.95))
    assert (gap.point, gap.low, gap.high) == pytest.approx((2.0, 2 - wide, 2 + wide))
    assert gap.lower_bound == pytest.approx(2 - bound)


def test_corrected_means_cover_where_the_judges_own_do_not() -> None:
    # A judge that is .4 kinder, turns of one dialogue alike, 60 of 600 dialogues labelled, with unequal chances.
    rng, covered, raw, rounds = np.random.default_rng(7), 0, 0, 400
    for _ in range(rounds):
        turns = rng.integers(1, 6, 600)
        item = np.repeat(np.arange(600), turns)
        quality = rng.normal(0, 0.8, 600)
        y = 3 + quality[item] + rng.normal(0, 0.6, item.size)
        f = y + 0.4 + rng.normal(0, 0.6, item.size)
        chance = np.where(quality + rng.normal(0, 1, 600) > 0, 0.15, 0.05)
        known = (rng.random(600) < chance)[item]
        corrected = correct_mean(moments(item, f, np.where(known, y, np.nan), known, (1 / chance)[item]), (1, 5))
        low, high = corrected.interval.low or 9.0, corrected.interval.high or -9.0
        covered += low <= 3.0 <= high
        spread = 1.96 * (f.var(ddof=1) / 600) ** 0.5
        raw += corrected.judge - spread <= 3.0 <= corrected.judge + spread
    assert 0.92 <= covered / rounds <= 0.975  # 95 % with a Monte Carlo error of 1.1 %
    assert raw / rounds < 0.05
