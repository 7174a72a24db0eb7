"""Means that a dashboard may show: a judge's mean, corrected by the cells that people labelled (PPI++).

What is estimated is the mean that people would give over those cells of a system that the judge gave a value (and that
people would not call n/a): a mean over cells, so that a long dialogue weighs as it does in the judge's own mean. Items
were drawn, so the variance is over items; an item enters by its sums over its cells:

    Y   people's values      A  cells that people valued      F  the judge's values       m  cells, all with gold
    T   the judge's values, gold or not                       M  cells, gold or not

With w = 1 / the probability of being drawn, y = sum wY / sum wm, a = sum wA / sum wm, f = sum wF / sum wm over the
labelled items, and g = sum T / sum M over all of them,

    theta = (y + k (g - f)) / a

whose linearised share of an item is u - k v, with

    u = w (Y - theta A) / (a W)                      W = sum wm; 0 where the item has no labels
    v = (w (F - g m) / W - (T - g M) / sum M) / a    the first part only where it has

    SE^2 = n / (n - 1) sum over labelled (u - k v - mean)^2 + N / (N - 1) sum over the others (k v - mean)^2

and k minimises that, within the limits that lambda = k N / (n + N) is in 0..1. For k, the spread of the others is
estimated from all items. Otherwise a few other items that are equal by chance would dominate, and their mean would
replace the system's. With one cell an item, equal weights and no n/a this is word for word

    lambda = clip(cov(Y, F) / ((1 + n / N) var F), 0, 1)        var F = (N var F_labelled + n var F_all) / (n + N)
    theta = lambda mean(F_others) + mean(Y - lambda F)
    SE^2 = lambda^2 var(F_others) / N + var(Y - lambda F) / n

If answers are rare, many label sets contain none of the judge's errors, so the spread is underestimated. Therefore the
error of one further item, which no label has shown, is added to it:

    floor^2 = z^2 / 4 (r D / sum wA)^2 sum w^2 / n          z = 1.96
    D = max(1, sum over items (T - g M)^2 / sum over cells (F - g)^2)

r is the size of an error of one cell: 1 of a share, half the scale of a mean; D is the number of cells of an item that
err together, estimated from the correlation of the judge's own scores within items. z^2 / 4 is what the score interval
of a count (Wilson's, of rare things) adds to that count under the root.

Everything is a function of sums and of sums of products over items, so the number of scores does not matter. Sources:
Angelopoulos, Duchi and Zrnic 2023 (PPI++); Binder 1983 (linearisation with weights); Wilson 1927 and Agresti and Coull
1998 (what is added); Welch 1947 (differences).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, hypot, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from judges.rounding import NO_SPREAD, ROUNDING
from judges.stats.agreement import Floats
from judges.stats.multiple_testing import holm
from judges.stats.uncertainty import (
    MIN_CLUSTERS,
    TWO_SIDED,
    Interval,
    normal_quantile,
    symmetric_interval,
    t_quantile,
    wilson_interval,
)

MAX_UNCOVERED_SHARE = 0.05
"""The largest share of the judge's cells that may have values outside of those of labelled cells.

Beyond it labels do not say how those are to be corrected, and there is no figure, unless chance alone may well have
left them out."""
_MAX_CHANCE = 0.01
_METHOD = "prediction-powered"
Y, A, F, M_GOLD, T, M = range(6)
"""Places of an item's sums in `Moments`; the first four carry its weight."""


class Moments(NamedTuple):
    """Sums over the items of one system and question.

    labelled: items with gold, `cells` their cells that people valued, `weights` sum and sum of squares of their w.
    total (6,) and cross (6, 6): sums of (wY, wA, wF, wm, T, M) over the labelled items, and of its products.
    items: all items the judge valued a cell of; whole (2,) and whole_cross (2, 2): the same of (T, M) over all of them.
    squares: sum of squares of the judge's values over all cells. seen: its lowest and highest value in cells with gold.
    uncovered: share of all cells in which its value lies outside of those.
    """

    labelled: int
    cells: int
    weights: tuple[float, float]
    total: Floats
    cross: Floats
    items: int
    whole: Floats
    whole_cross: Floats
    squares: float
    seen: tuple[float, float]
    uncovered: float


@dataclass(frozen=True)
class CorrectedMean:
    """A corrected mean with what it is made of.

    `interval`: its `items` are the labelled ones, its `n_eff` what those are worth that were drawn with unequal
    chances, after Kish, and less by what people called n/a; without figures where that is below `MIN_CLUSTERS`. `judge`
    is the judge's mean over all ratings, `people` their own over the labelled ones (None without labels). `lam`
    (lambda) says how far the judge's scores of unlabelled items were of use: 0 not at all, 1 fully. `n` are the
    labelled items, `others` the unlabelled ones. `floor` is the part of the standard error that accounts for errors not
    seen, `uncovered` as in `Moments`.
    """

    interval: Interval
    judge: float
    people: float | None
    lam: float
    n: int
    others: int
    floor: float = 0.0
    uncovered: float = 0.0

    @property
    def refused(self) -> bool:
        """Whether there is no figure because labels do not cover the values to be corrected.

        A random draw of so many items would have left them all out less than once in a hundred times,
        (1 - uncovered)^n_eff < .01.
        """
        return self.uncovered > MAX_UNCOVERED_SHARE and (1 - self.uncovered) ** self.interval.n_eff < _MAX_CHANCE

    @property
    def missing(self) -> int:
        """About how many labelled items are missing before there is a corrected mean; 0 where there is one."""
        worth = self.interval.n_eff / self.n if self.interval.n_eff else 1.0
        return max(0, ceil((MIN_CLUSTERS - self.interval.n_eff) / worth - ROUNDING))


def moments(
    item: ArrayLike, judge: ArrayLike, human: ArrayLike, gold: ArrayLike, weight: ArrayLike | None = None,
    share: ArrayLike | None = None,
) -> Moments:  # fmt: skip
    """`Moments` of the cells that the judge valued.

    It takes item numbers from 0, the judge's values, people's (nan = n/a or none; of several their mean), whether there
    is gold, each cell's weight 1/pi (alike within an item; it counts where there is gold), and the share of its people
    that gave a value (default 1, n/a 0). SQL gives the same by sums by item. ValueError when the lengths differ.
    """
    index = np.asarray(item, dtype=np.int64)
    value, people = (np.asarray(x, dtype=np.float64) for x in (judge, human))
    known = np.asarray(gold, dtype=bool)
    w = np.ones(index.shape) if weight is None else np.asarray(weight, dtype=np.float64)
    part = np.ones(index.shape) if share is None else np.asarray(share, dtype=np.float64)
    if not index.shape == value.shape == people.shape == known.shape == w.shape == part.shape:
        raise ValueError("Items, judge, people, gold, weights and shares must be of one length.")
    w, valued = np.where(known, w, 0.0), known & ~np.isnan(people)
    part = np.where(valued, part, 0.0)
    columns = np.where(valued, people, 0) * part * w, part * w, value * w, w, value, np.ones(index.shape)
    sums = np.stack([np.bincount(index, column).astype(np.float64) for column in columns])
    sums = sums[:, sums[M] > 0]
    has = sums[M_GOLD] > 0
    seen = (float(value[known].min()), float(value[known].max())) if known.any() else (np.inf, -np.inf)
    subset = sums[:, has]
    cells = np.bincount(index, known)
    own = subset[M_GOLD] / cells[cells > 0]
    return Moments(
        int(has.sum()), int(valued.sum()), (float(own.sum()), float(own @ own)), subset.sum(axis=1), subset @ subset.T,
        sums.shape[1], sums[T:].sum(axis=1), sums[T:] @ sums[T:].T, float(value @ value),
        seen, float(((value < seen[0]) | (value > seen[1])).mean()) if len(value) else 0.0,
    )  # fmt: skip


def correct_mean(moments: Moments, reach: tuple[float, float], share: bool = False) -> CorrectedMean:
    """The corrected mean with its interval, kept within the scale's ends `reach`.

    `share`: the values are 0 and 1; the interval is Wilson's for the share of so many independent trials as have that
    standard error (which also holds where none or all are 1), and `se` is what its width comes to. Ends lie as far off
    as Student's t with n_eff - 1 degrees of freedom has it: with the normal ones, those of 36 items held the truth in
    93 of 100 cases. Means without any spread have no interval: equal values so far do not show how far others lie.
    There is no figure if labels do not cover the values to be corrected (`MAX_UNCOVERED_SHARE`). ValueError without a
    cell that the judge valued.
    """
    if moments.items == 0 or moments.whole[1] <= 0:
        raise ValueError("There is no cell with a value of the judge, so there is no mean.")
    n, others = moments.labelled, moments.items - moments.labelled
    mean = float(moments.whole[0] / moments.whole[1])
    total = moments.total
    kish = _worth(moments)
    people = float(total[Y] / total[A]) if total[A] > 0 else None
    uncorrected_mean = CorrectedMean(
        Interval.point_only(n, moments.cells, kish, _METHOD), mean, people, 0.0, n, others, uncovered=moments.uncovered
    )
    if kish < MIN_CLUSTERS - ROUNDING or people is None or uncorrected_mean.refused:
        return uncorrected_mean
    k, theta, se = _solve(moments, people, mean)
    theta = min(max(theta, reach[0]), reach[1])
    lam = k * others / moments.items
    floor = _floor(moments, mean, 1.0 if share else (reach[1] - reach[0]) / 2) if se else 0.0
    interval = _interval(theta, hypot(se, floor), reach, share, n, moments.cells, kish)
    return CorrectedMean(interval, mean, people, lam, n, others, floor, moments.uncovered)


def _floor(moments: Moments, mean: float, size: float) -> float:
    """The effect on theta of the error of one item that no label has shown."""
    among = np.array([1.0, -mean])
    cells = moments.squares - 2 * mean * moments.whole[0] + mean**2 * moments.whole[1]
    together = (
        max(1.0, float(among @ moments.whole_cross @ among) / cells) if cells > NO_SPREAD * moments.squares else 1.0
    )
    unit = size * together * sqrt(moments.weights[1] / moments.labelled) / float(moments.total[A])
    return normal_quantile(TWO_SIDED) / 2 * unit


def _worth(moments: Moments) -> float:
    """Kish's number of the labelled items, (sum w)^2 / sum w^2, times the share of it that n/a leaves.

        min(1, ((sum wA)^2 / sum (wA)^2) / ((sum wm)^2 / sum (wm)^2))

    With one rating per item that is Kish's number of the items that people valued; without n/a it is that of all.
    """
    if not moments.total[A] > 0:
        return 0.0
    valued, gold = (float(moments.total[c] ** 2 / moments.cross[c, c]) for c in (A, M_GOLD))
    return moments.weights[0] ** 2 / moments.weights[1] * min(1.0, valued / gold)


def _solve(moments: Moments, people: float, mean: float) -> tuple[float, float, float]:
    """k, theta and its standard error. k is computed at theta = people's own mean, which is valid for any k."""
    total, gold, judged = moments.total, moments.total[M_GOLD], moments.whole[1]
    a = total[A] / gold
    n, others = moments.labelled, moments.items - moments.labelled

    def shares(theta: float) -> tuple[Floats, Floats]:
        u, v = np.zeros(6), np.zeros(6)
        u[[Y, A]] = np.array([1.0, -theta]) / gold
        v[[F, M_GOLD]] = np.array([1.0, -mean]) / gold
        v[[T, M]] = np.array([-1.0, mean]) / judged
        return u / a, v / a

    def spread(x: Floats, y: Floats) -> float:
        return _centred_sum(x, y, moments.cross, total, n, moments.cross)

    x = np.array([-1.0, mean]) / judged / a
    cross, sums = moments.whole_cross - moments.cross[T:, T:], moments.whole - total[T:]
    unlabelled_spread = _centred_sum(x, x, cross, sums, others, moments.whole_cross) if others > 1 else 0.0
    u, v = shares(people)
    everywhere = _centred_sum(x, x, moments.whole_cross, moments.whole, moments.items, moments.whole_cross)
    size = spread(v, v) + everywhere * others / moments.items
    top = moments.items / others if others else 0.0
    k = min(max(spread(u, v) / size, 0.0), top) if size > 0 else 0.0
    theta = float((total[Y] / gold + k * (mean - total[F] / gold)) / a)
    u, v = shares(theta)
    w = u - k * v
    return k, theta, sqrt(max(0.0, spread(w, w) + k * k * unlabelled_spread))


def _centred_sum(x: Floats, y: Floats, cross: Floats, sums: Floats, n: int, overall: Floats) -> float:
    """n / (n - 1) times the centred sum of products of x and y over n items with those sums and sums of products.

    0 where that is rounding only, as the products in `overall` are large beside it: of equal values there is no spread.
    """
    total = float(x @ cross @ y - (x @ sums) * (y @ sums) / n)
    if abs(total) <= NO_SPREAD * float(np.abs(x) @ np.abs(overall) @ np.abs(y)):
        return 0.0
    return total * n / (n - 1)


def _interval(
    point: float, se: float, reach: tuple[float, float], share: bool, n: int, cells: int, kish: float
) -> Interval:
    if share:
        quantile = t_quantile(TWO_SIDED, kish - 1)
        stretch = quantile / normal_quantile(TWO_SIDED)
        trials = point * (1 - point) / (stretch * se) ** 2 if se > 0 and 0 < point < 1 else kish
        wilson = wilson_interval(point * trials, trials)
        low, high = wilson.low or 0.0, wilson.high or 0.0
        return Interval(point, low, high, wilson.lower_bound, n, cells, kish, _METHOD, (high - low) / (2 * quantile))
    if se == 0:
        return Interval.point_only(n, cells, kish, _METHOD, point)
    return symmetric_interval(point, se, n, cells, kish, _METHOD, *reach, kish - 1)


@dataclass(frozen=True)
class MeanComparison:
    """The difference of two corrected means, ordered so that it is not below 0.

    It is that of `one` minus that of `other` (their places in what was given). p is two-sided, `adjusted` Holm's over
    all pairs. `differs`: they differ, at 5% for all pairs together.
    """

    one: int
    other: int
    difference: Interval
    p: float
    adjusted: float

    @property
    def differs(self) -> bool:
        """Whether the two differ significantly."""
        return self.adjusted <= 0.05


def corrected_difference(a: Interval, b: Interval, shared: bool = False) -> Interval:
    """Interval of a - b, two corrected means; without figures where one has none.

    The errors are those of independent items, and the ends lie as far off as Student's t has it (`degrees_of_freedom`).
    `shared`: both rest on the same items (the two sides of pairs), whose covariance is not known; the errors are then
    added, which is the most that their difference can have.
    """
    if a.point is None or b.point is None or a.se is None or b.se is None:
        return Interval.point_only(*a.smaller_group(b), _METHOD)
    point = a.point - b.point
    se = a.se + b.se if shared else hypot(a.se, b.se)
    free = degrees_of_freedom(a, b, shared)
    return symmetric_interval(point, se, *a.smaller_group(b), _METHOD, freedom=free)


def degrees_of_freedom(a: Interval, b: Interval, shared: bool = False) -> float:
    """Degrees of freedom of a difference, after Welch and Satterthwaite; the smaller one's where errors are added.

        (s1^2 + s2^2)^2 / (s1^4 / (n1 - 1) + s2^4 / (n2 - 1))

    with n the effective items. Both need figures.
    """
    own = [max(1.0, i.n_eff - 1) for i in (a, b)]
    squares = [(i.se or 0.0) ** 2 for i in (a, b)]
    if shared or not any(squares):
        return min(own)
    return sum(squares) ** 2 / sum(s * s / n for s, n in zip(squares, own, strict=True))


def compare_means(means: Sequence[Interval], shared: bool = False) -> list[MeanComparison]:
    """Every pair of corrected means, largest difference first.

    Means without figures, or without any spread, are left out. p = 2 P(T > |difference| / SE), T being Student's t with
    so many `degrees_of_freedom`.
    """
    from scipy.special import stdtr

    rows = []
    for i, j in combinations(range(len(means)), 2):
        higher, lower = (i, j) if (means[i].point or 0) >= (means[j].point or 0) else (j, i)
        gap = corrected_difference(means[higher], means[lower], shared)
        if gap.point is not None and gap.se:
            free = degrees_of_freedom(means[higher], means[lower], shared)
            rows.append((higher, lower, gap, 2 * float(stdtr(free, -gap.point / gap.se))))
    adjusted = holm([p for *_, p in rows])
    pairs = [MeanComparison(*pair, now) for pair, now in zip(rows, adjusted, strict=True)]
    return sorted(pairs, key=lambda c: -(c.difference.point or 0.0))
