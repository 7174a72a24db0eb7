"""Corrected means against hand arithmetic, the published formula, a slow oracle and known truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from judges.correction import compared, corrected, difference, moments
from judges.uncertainty import Interval, wilson


def flat(n: int, others: int, seed: int, noise: float = 0.6) -> tuple[Any, Any]:
    """Y and F of n labelled and then `others` items of one cell, F one higher than Y."""
    rng = np.random.default_rng(seed)
    y = rng.normal(3, 1, n + others)
    return y, y + 1 + rng.normal(0, noise, n + others)


def test_by_hand() -> None:
    # 30 labelled items, F = 0 and 1 in turn, Y = F: cov = var F = .25 * 30 / 29. 60 others, two of three have F = 1:
    # var F = 2/3 * 1/3 * 60 / 59. pooled: (60 * 7.5/29 + 30 * (40/3)/59) / 90 = (15.517241 + 6.779661) / 90 = .2477434;
    # lambda = .2586207 / (1.5 * .2477434) = .6959371; theta = .6959371 * 2/3 + (.5 - .6959371 * .5) = .6159895
    f = np.array([0.0, 1.0] * 15 + [0.0, 1.0, 1.0] * 20)
    y = np.where(np.arange(90) < 30, f, np.nan)
    found = corrected(moments(np.arange(90), f, y, np.arange(90) < 30), (0, 1))
    assert found.lam == pytest.approx(0.6959371, abs=1e-7)
    assert found.interval.point == pytest.approx(0.6159895, abs=1e-7)
    assert (found.people, found.judge, found.n, found.others) == (0.5, pytest.approx(55 / 90), 30, 60)
    # SE^2 = lambda^2 * .2259887 / 60 + (1 - lambda)^2 * .2586207 / 30 = .0018242 + .0007970
    assert found.interval.se == pytest.approx(0.0026212**0.5, abs=1e-5)


@pytest.mark.parametrize(("n", "others"), [(30, 0), (30, 2), (50, 400), (200, 100)])
def test_is_the_published_formula_where_every_item_has_one_cell(n: int, others: int) -> None:
    y, f = flat(n, others, seed=n + others)
    known = np.arange(n + others) < n
    found = corrected(moments(np.arange(n + others), f, np.where(known, y, np.nan), known), (-99, 99))
    lam, rest = 0.0, 0.0
    if others:
        var = (others * f[:n].var(ddof=1) + n * f[n:].var(ddof=1)) / (n + others)
        lam = float(np.clip(np.cov(y[:n], f[:n])[0, 1] / ((1 + n / others) * var), 0, 1))
        rest = lam**2 * f[n:].var(ddof=1) / others
    theta = lam * (f[n:].mean() if others else 0) + (y[:n] - lam * f[:n]).mean()
    assert found.lam == pytest.approx(lam)
    assert found.interval.point == pytest.approx(theta)
    assert found.interval.se == pytest.approx((rest + (y[:n] - lam * f[:n]).var(ddof=1) / n) ** 0.5)


def slow(item: Any, f: Any, y: Any, known: Any, w: Any, k: float) -> tuple[float, float]:
    """theta and SE for a given k, straight from the definition: every item taken out of its cells one by one."""
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
    return theta(total), float(var**0.5)


def clustered(seed: int, items: int = 90) -> tuple[Any, ...]:
    """Items of 1 to 4 cells, unequal weights, some of people's values n/a, some labelled cells without gold."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(items), rng.integers(1, 5, items))
    y = np.clip(np.round(rng.normal(3, 1, items)[item] + rng.normal(0, 0.6, item.size)), 1, 5)
    f = np.clip(np.round(y + rng.normal(0.5, 0.7, item.size)), 1, 5)
    known = (item < items // 2) & (rng.random(item.size) < 0.9)
    return item, f, np.where(known & (rng.random(item.size) < 0.9), y, np.nan), known, 1 + (item % 3).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_clusters_weights_and_na_against_numerical_derivatives(seed: int) -> None:
    item, f, y, known, w = clustered(seed)
    found = corrected(moments(item, f, y, known, w), (1, 5))
    k = found.lam * (found.n + found.others) / found.others
    theta, se = slow(item, f, y, known, w, k)
    assert found.interval.point == pytest.approx(theta, rel=1e-9)
    assert found.interval.se == pytest.approx(se, rel=1e-6)
    # k is what makes the interval shortest
    assert all(slow(item, f, y, known, w, k + d)[1] >= se - 1e-4 for d in (-0.1, 0.1))
    assert found.interval.n_eff < found.n


@given(some.integers(0, 10_000), some.floats(-5, 5))
def test_a_judge_that_is_kinder_by_a_constant_gives_the_same(seed: int, by: float) -> None:
    item, f, y, known, w = clustered(seed, 70)
    one, other = (corrected(moments(item, g, y, known, w), (-99, 99)) for g in (f, f + by))
    if not np.isnan(y[known]).any():  # where people say n/a, the judge's level matters through k
        assert other.interval.point == pytest.approx(one.interval.point)
    assert other.people == one.people


def test_too_little_is_said() -> None:
    y, f = flat(29, 50, 1)
    known = np.arange(79) < 29
    found = corrected(moments(np.arange(79), f, np.where(known, y, np.nan), known), (0, 9))
    assert found.interval.point is None and found.missing == 1 and found.judge == pytest.approx(f.mean())
    # 60 items, 30 of which weigh nine times as much: (30 + 270)^2 / (30 + 2430) = 36.6; 10 of them: 140^2 / 860 = 22.8
    f, known = np.resize([0.0, 1.0, 2.0], 100), np.arange(100) < 60
    for heavy, worth in ((30, 36.585), (10, 22.791)):
        weight = np.where(np.arange(100) < heavy, 9.0, 1.0)
        found = corrected(moments(np.arange(100), f, np.where(known, f, np.nan), known, weight), (0, 9))
        assert found.interval.n_eff == pytest.approx(worth, abs=1e-3)
        assert (found.interval.point is None, found.missing) == ((False, 0) if heavy == 30 else (True, 19))
    with pytest.raises(ValueError, match="no cell"):
        corrected(moments([], [], [], []), (0, 1))
    with pytest.raises(ValueError, match="one length"):
        moments([0], [1.0, 2.0], [1.0], [True])


def test_where_nothing_varies_there_is_no_certainty() -> None:
    ones, known = np.ones(100), np.arange(100) < 40
    given = moments(np.arange(100), ones, np.where(known, 1.0, np.nan), known)
    mean = corrected(given, (1, 5)).interval
    assert (mean.point, mean.low, mean.se) == (1.0, None, None)
    share, asked = corrected(given, (0, 1), share=True).interval, wilson(40, 40)
    assert (share.point, share.low, share.high) == (1.0, asked.low, 1.0)
    assert compared([mean, mean]) == []


def test_a_share_without_help_of_the_judge_is_wilsons_own() -> None:
    y = np.array([0.0, 1.0, 1.0, 1.0] * 10)
    found = corrected(moments(np.arange(40), np.zeros(40), y, np.ones(40, dtype=bool)), (0, 1), share=True)
    # se^2 = p (1 - p) / (n - 1), so it is Wilson's for n - 1 = 39 trials, fewer as t_39 (2.0226909) is above 1.959964
    trials = 39 * (1.959964 / 2.0226909) ** 2
    asked = wilson(0.75 * trials, trials)
    assert (found.lam, found.interval.low, found.interval.high) == (
        0.0,
        pytest.approx(asked.low, rel=1e-6),
        pytest.approx(asked.high, rel=1e-6),
    )


def at(point: float, se: float) -> Interval:
    return Interval(point, None, None, None, 50, 50, 50.0, "", se)


def test_pairs_are_turned_sorted_and_held_to_holm() -> None:
    # d = .5, se = sqrt(.09 + .16) = .5: z = 1, p = .3173; d = 2, se = sqrt(.16 + .01): z = 4.85; d = 1.5, se = .3162
    found = compared([at(3.0, 0.3), at(3.5, 0.4), at(1.5, 0.1)])
    assert [(c.one, c.other) for c in found] == [(1, 2), (0, 2), (1, 0)]
    assert found[2].p == pytest.approx(0.31731, abs=1e-5) and found[2].adjusted == found[2].p
    assert found[0].adjusted == pytest.approx(3 * found[0].p) and found[1].adjusted == pytest.approx(2 * found[1].p)
    assert [c.apart for c in found] == [True, True, False]
    assert found[0].difference.low == pytest.approx(2 - 1.959964 * 0.17**0.5)


def test_systems_that_share_items_get_the_longest_error() -> None:
    assert difference(at(3.0, 0.3), at(3.5, 0.4), shared=True).se == pytest.approx(0.7)
    assert difference(at(3.0, 0.3), at(3.5, 0.4)).se == pytest.approx(0.5)
    nothing = Interval(None, None, None, None, 5, 5, 5.0, "")
    assert difference(at(3.0, 0.3), nothing).point is None


def test_corrected_means_cover_where_the_judges_own_do_not() -> None:
    # A judge that is .4 kinder, turns of one dialogue alike, 60 of 600 dialogues labelled, with unequal chances.
    rng, held, raw, asked = np.random.default_rng(7), 0, 0, 400
    for _ in range(asked):
        turns = rng.integers(1, 6, 600)
        item = np.repeat(np.arange(600), turns)
        quality = rng.normal(0, 0.8, 600)
        y = 3 + quality[item] + rng.normal(0, 0.6, item.size)
        f = y + 0.4 + rng.normal(0, 0.6, item.size)
        chance = np.where(quality + rng.normal(0, 1, 600) > 0, 0.15, 0.05)
        known = (rng.random(600) < chance)[item]
        found = corrected(moments(item, f, np.where(known, y, np.nan), known, (1 / chance)[item]), (-9, 9))
        low, high = found.interval.low or 9.0, found.interval.high or -9.0
        held += low <= 3.0 <= high
        spread = 1.96 * (f.var(ddof=1) / 600) ** 0.5
        raw += found.judge - spread <= 3.0 <= found.judge + spread
    assert 0.92 <= held / asked <= 0.975  # 95 % with a Monte Carlo error of 1.1 %
    assert raw / asked < 0.05
