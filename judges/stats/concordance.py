"""Agreement of two raters' numbers besides kappa: functions of values, not of tables, for every ordered scale.

Audits correlate other pairs of numbers with the same functions, such as a score and a length.
Each gives an `Interval` over items: the derivative of the figure by each cell's weight, summed over the cells of an
item, is the item's influence u_g, and

    var = G / (G - 1) sum_g u_g^2

(within strata where items were drawn from them). Correlations and the ICC have it on Fisher's scale, z = atanh r. Where
unrelated sides could give the figure, the error is at least theirs (`_unrelated_error`): few answers besides the
commonest often never meet, and then no item seems to move the figure. The quantiles are Student's, with n_eff - 1
degrees of freedom, or one less than the items that differ from the commonest answer of a side, if that is fewer.

If no item moves the figure, as where judge and people are always equal, there are no ends: equal values so far do not
show how far others lie. A correlation has none either if only one or two items differ on a side, which is then
constant in more than `MAX_UNDEFINED` of the samples of items. Nothing is resampled, so the same cells always give the
same ends, and ten thousand of them take a moment. Spearman's rho and Kendall's tau are computed here, because scipy's
take no weights of cells and give no slope. Lin's concordance itself is quadratic kappa by its six sums
(`judges.stats.intervals`).
Sources: Binder 1983 (linearisation); Fisher 1921.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import atanh, sqrt, tanh
from typing import NamedTuple

import numpy as np

from judges.rounding import ROUNDING
from judges.stats.agreement import Codes, Floats, check_weights, effective_size, merge_rounded
from judges.stats.bootstrap import MAX_UNDEFINED
from judges.stats.intervals import Cells, unrelated_error
from judges.stats.strata import error_of_influences, item_strata
from judges.stats.uncertainty import TWO_SIDED, Interval, symmetric_interval, t_quantile

Figure = Callable[[Floats, Floats, Floats], tuple[float, Floats]]
"""From both sides and weights: the figure, and its slope by the weight of every cell; nan where it does not exist."""
_SURE = 0.9999
"""A correlation beyond it has no place on Fisher's scale; it makes no difference to any verdict."""


class Concordance(NamedTuple):
    """Every figure that judge and people give beside kappa on an ordered scale."""

    icc: Interval
    pearson: Interval
    spearman: Interval
    kendall: Interval
    mae: Interval


FIGURES = {
    "icc": ("ICC(A,1)", "Two raters, absolute agreement: close to quadratic-weighted kappa."),
    "pearson": ("Pearson's r", "Correlation of the values. A constant bias does not lower it."),
    "spearman": ("Spearman's rho", "Correlation of the ranks; equal values share a rank."),
    "kendall": ("Kendall's tau-b", "Concordant minus discordant pairs of ratings, corrected for ties (tau-b)."),
    "mae": ("mean absolute error", "Mean absolute difference of judge and people, in units of the scale."),
}
"""The figures of `Concordance`: their names in words, and what each of them says."""


def concordance(cells: Cells) -> Concordance:
    """All figures for the same cells, given as values of their scale (`judges.stats.calibration.value_cells`)."""
    return Concordance(
        _interval(_icc, cells, "ICC(A,1)"),
        pearson(cells),
        spearman(cells),
        _interval(_kendall, cells, "kendall"),
        _interval(_mae, cells, "mean absolute error", fisher=False),
    )


def pearson(cells: Cells) -> Interval:
    """Pearson's correlation of both sides. Undefined where a side is constant; values may lie between two answers.

    It does not measure agreement: a judge that is always two steps too high correlates perfectly.
    """
    return _interval(_pearson, cells, "pearson")


def spearman(cells: Cells) -> Interval:
    """Spearman's rank correlation; equal values share the middle of their ranks. Undefined where a side is constant.

    Long tails, as those of lengths, would dominate Pearson's correlation.
    """
    return _interval(_spearman, cells, "spearman")


def _icc(x: Floats, y: Floats, w: Floats) -> tuple[float, Floats]:
    """ICC(A,1), also called ICC(2,1): two-way random effects, absolute agreement, single rater.

        ICC = (MSR - MSE) / (MSR + MSE + 2 (MSC - MSE) / n) = 2 s_xy / (s_x^2 + s_y^2 + d^2 - s_(y-x)^2 / n)

    with the mean squares of n cells (rows), of judge and people (columns) and of what is left; d is the difference of
    the means, and all s have n - 1 below. It is Lin's concordance up to terms of 1 / n. None where nothing varies.
    Source: Shrout and Fleiss 1979; McGraw and Wong 1996.
    """
    if len(x) < 2 or not (_varies(x) or _varies(y)):
        return float("nan"), x
    a, b, xx, yy, xy = _moments(x, y, w)
    n, total = len(x), float(w.sum())
    d, more = float(np.average(y - x, weights=w)), n / (n - 1)
    numerator = 2 * more * xy
    denominator = more * (xx + yy) + d**2 - more * (xx + yy - 2 * xy) / n
    if denominator <= 0:
        return float("nan"), x
    numerator_slope = 2 * more * (a * b - xy)
    left = (b - a) ** 2 - (xx + yy - 2 * xy)
    denominator_slope = more * (a**2 - xx + b**2 - yy) + 2 * d * (y - x - d) - more * left / n
    point = numerator / denominator
    return point, np.asarray((numerator_slope - point * denominator_slope) / denominator / total, dtype=np.float64)


def _interval(figure: Figure, cells: Cells, name: str, fisher: bool = True) -> Interval:
    x, y = (np.asarray(side, dtype=np.float64) for side in (cells.human, cells.judge))
    keys = np.asarray(cells.item)
    if not x.shape == y.shape == keys.shape or x.ndim != 1:
        raise ValueError(f"Items and both sides must be of one length; got {keys.size}, {x.size} and {y.size}.")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("Both sides must be finite numbers.")
    weight = check_weights(cells.weight, len(x))
    distinct, item = np.unique(keys, return_inverse=True)
    items, sizes = len(distinct), np.bincount(item)
    n_eff = effective_size(np.bincount(item, weight) / sizes) if items else 0.0
    point_interval = Interval.point_only(items, len(x), n_eff, f"{name}, linearised")
    x, y = merge_rounded(x), merge_rounded(y)
    point, slope = figure(x, y, weight) if len(x) else (float("nan"), x)
    if not np.isfinite(point):
        return point_interval
    stratum = None if cells.stratum is None else item_strata(np.asarray(cells.stratum), item, items)
    error = error_of_influences(np.bincount(item, weight * slope).astype(np.float64), stratum)
    point_interval = replace(point_interval, point=point)
    differing = min(_count_differing(side, item) for side in (x, y))
    undefined = float((1 - differing / items) ** items) if figure in (_pearson, _spearman, _kendall) else 0.0
    if undefined > MAX_UNDEFINED:
        return replace(point_interval, undefined=undefined)
    if items < 3 or error is None or error <= ROUNDING * max(abs(point), ROUNDING):
        return point_interval
    freedom = max(1.0, n_eff - 1)
    if not fisher:
        return symmetric_interval(point, error, items, len(x), n_eff, point_interval.method, 0.0, freedom=freedom)
    wide, one_sided = (t_quantile(p, max(1.0, min(freedom, differing - 1))) for p in (TWO_SIDED, 0.95))
    centre = atanh(min(max(point, -_SURE), _SURE))
    step, unrelated = error / (1 - tanh(centre) ** 2), _unrelated_error(figure, x, y, weight, item)
    step = max(step, unrelated) if abs(centre) <= wide * unrelated else step
    low, high, bound = (tanh(centre + z * step) for z in (-wide, wide, -one_sided))
    low, high, bound = min(point, low), max(point, high), min(point, bound)
    return replace(point_interval, low=low, high=high, lower_bound=bound, se=step * (1 - tanh(centre) ** 2))


def _count_differing(side: Floats, item: Codes) -> int:
    """The number of items with another value than the commonest of a side."""
    _, code = np.unique(side, return_inverse=True)
    return len(np.unique(item[code != np.bincount(code).argmax()]))


def _unrelated_error(figure: Figure, x: Floats, y: Floats, w: Floats, item: Codes) -> float:
    """The error of a correlation, or the ICC, of sides that have nothing to do with each other, on Fisher's scale.

    It is `intervals.unrelated_error` of the values or ranks, centred: a and b. With s as their standard deviations, the
    slope is a b / (s_x s_y) for Pearson's and Spearman's. Kendall's and the ICC have another divisor (docs/methods.md).
    """
    total, by_item = float(w.sum()), np.bincount(item, w)
    ranked = figure in (_spearman, _kendall)
    sides = [(_weight_below(s, w) / total - 0.5) if ranked else s - np.average(s, weights=w) for s in (x, y)]
    spreads = [float(w @ side**2) / total for side in sides]
    products = [float(sums @ sums) for sums in (np.bincount(item, w * side) for side in sides)]
    if figure is _icc:
        slope = 2 / (sum(spreads) + float(np.average(y - x, weights=w)) ** 2)
    elif figure is _kendall:
        unequal = [total - float(w @ _equal(side, w)) / total for side in (x, y)]
        slope = 8 * total / sqrt(unequal[0] * unequal[1])
    else:
        slope = 1 / sqrt(spreads[0] * spreads[1])
    own = float(w @ w)
    squares, of_items = ([np.array([[number]]) for number in numbers] for numbers in (spreads, products))
    return unrelated_error(
        np.array([[slope]]), squares, of_items,
        own=own, pairs=float(by_item @ by_item) - own, total=total, items=len(by_item),
    )  # fmt: skip


def _varies(side: Floats) -> bool:
    """Whether a side, whose rounding is merged, has two different values."""
    return bool((side != side[0]).any())


def _moments(x: Floats, y: Floats, w: Floats) -> tuple[Floats, Floats, float, float, float]:
    """Both sides centred, their variances and covariance over the total weight."""
    a, b, total = x - np.average(x, weights=w), y - np.average(y, weights=w), float(w.sum())
    return a, b, float(w @ a**2) / total, float(w @ b**2) / total, float(w @ (a * b)) / total


def _pearson(x: Floats, y: Floats, w: Floats) -> tuple[float, Floats]:
    if not (_varies(x) and _varies(y)):
        return float("nan"), x
    a, b, xx, yy, xy = _moments(x, y, w)
    r = xy / sqrt(xx * yy)
    p, q = a / sqrt(xx), b / sqrt(yy)
    return min(1.0, max(-1.0, r)), np.asarray((p * q - r * (p**2 + q**2) / 2) / float(w.sum()), dtype=np.float64)


def _weight_below(keys: Floats | Codes, amount: Floats) -> Floats:
    """For each cell, the sum of amounts over all cells with a lower key, plus half of those with its own key."""
    _, group = np.unique(keys, return_inverse=True)
    on = np.bincount(group, amount)
    return np.asarray((np.cumsum(on) - on / 2)[group], dtype=np.float64)


def midranks(x: Floats, weight: Floats, values: Floats) -> Floats:
    """The weighted share of `x` that lies below each value, equal ones counting half."""
    order = np.argsort(x, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(weight[order])])
    below, upto = (np.searchsorted(x[order], values, side=side) for side in ("left", "right"))
    return np.asarray((sums[below] + sums[upto]) / (2 * sums[-1]), dtype=np.float64)


def _spearman(x: Floats, y: Floats, w: Floats) -> tuple[float, Floats]:
    if not (_varies(x) and _varies(y)):
        return float("nan"), x
    total = float(w.sum())
    # Ranks as shares minus one half: their weighted mean is always 0, so no mean has to be subtracted.
    p, q = (_weight_below(side, w) / total - 0.5 for side in (x, y))
    pp, qq, pq = (float(w @ product) / total for product in (p * p, q * q, p * q))

    def moved_weight(side: Floats, rank: Floats, other: Floats) -> Floats:
        """The derivative of sum w rank other by a cell's weight, through the ranks of the cells above it and of all."""
        weight_above = float(w @ other) - _weight_below(side, w * other)
        return np.asarray((weight_above - float(w @ ((rank + 0.5) * other))) / total, dtype=np.float64)

    of_both = p * q - pq + moved_weight(x, p, q) + moved_weight(y, q, p)
    of_x, of_y = p * p - pp + 2 * moved_weight(x, p, p), q * q - qq + 2 * moved_weight(y, q, q)
    r = pq / sqrt(pp * qq)
    slope = (of_both / sqrt(pp * qq) - r * (of_x / pp + of_y / qq) / 2) / total
    return min(1.0, max(-1.0, r)), np.asarray(slope, dtype=np.float64)


def _kendall(x: Floats, y: Floats, w: Floats) -> tuple[float, Floats]:
    """Kendall's tau-b: pairs of cells in one order less those in opposite orders, corrected for ties.

        tau_b = S / sqrt(A B),   S = sum w_i w_j sign(x_i - x_j) sign(y_i - y_j),   A = sum w_i w_j [x_i != x_j]

    None where a side is constant. Source: Kendall 1945.
    """
    if not (_varies(x) and _varies(y)):
        return float("nan"), x
    total = float(w.sum())
    lower_both = _dominated_weight(x, y, w)
    # The sums of signs follow from who is lower on both sides, lower on one, and equal.
    lower_x, lower_y, equal_x, equal_y = _lower(x, w), _lower(y, w), _equal(x, w), _equal(y, w)
    less_x_same_y, less_y_same_x = _lower_in(x, y, w), _lower_in(y, x, w)
    down_up = lower_x - lower_both - less_x_same_y  # lower in x, higher in y
    up_down = lower_y - lower_both - less_y_same_x
    same = equal_x + equal_y - _equal(_number_pairs(x, y), w)
    up = total - same - lower_both - down_up - up_down
    s, a, b = lower_both + up - down_up - up_down, total - equal_x, total - equal_y
    numerator, of_x, of_y = (float(w @ sums) for sums in (s, a, b))
    root = sqrt(of_x * of_y)
    tau = numerator / root
    slope = 2 * s / root - tau * (a / of_x + b / of_y)
    return min(1.0, max(-1.0, tau)), np.asarray(slope, dtype=np.float64)


def _mae(x: Floats, y: Floats, w: Floats) -> tuple[float, Floats]:
    """Mean absolute error: the mean distance of judge and people, in the units of the values given."""
    gap = np.abs(x - y)
    point = float(np.average(gap, weights=w))
    return point, np.asarray((gap - point) / float(w.sum()), dtype=np.float64)


def _equal(keys: Floats | Codes, w: Floats) -> Floats:
    """For each cell the weight of all with its key."""
    _, group = np.unique(keys, return_inverse=True)
    return np.asarray(np.bincount(group, w)[group], dtype=np.float64)


def _lower(keys: Floats | Codes, w: Floats) -> Floats:
    """For each cell the weight of all with a lower key."""
    return np.asarray(_weight_below(keys, w) - _equal(keys, w) / 2, dtype=np.float64)


def _number_pairs(x: Floats, y: Floats) -> Codes:
    """A number for each pair of values, rising with x and, within it, y."""
    (_, x_rank), (ys, y_rank) = (np.unique(side, return_inverse=True) for side in (x, y))
    return np.asarray(x_rank.astype(np.int64) * len(ys) + y_rank, dtype=np.int64)


def _lower_in(x: Floats, y: Floats, w: Floats) -> Floats:
    """For each cell the weight of those with its y and a lower x."""
    _, group = np.unique(y, return_inverse=True)
    before = _lower(_number_pairs(y, x), w)
    on = np.bincount(group, w)
    return np.asarray(before - (np.cumsum(on) - on)[group], dtype=np.float64)


def _dominated_weight(x: Floats, y: Floats, w: Floats) -> Floats:
    """For each cell the weight of those that are lower on both sides, in n log^2 n.

    Cells are in order of y; bit by bit of the ranks of x, from the highest, those whose bit is 1 get what came before
    them in y with the same higher bits and a 0.
    """
    _, rank = np.unique(x, return_inverse=True)
    order = np.argsort(y, kind="stable")
    dominated = np.zeros(len(x))
    for bit in range(int(rank.max(initial=0)).bit_length() - 1, -1, -1):
        node = rank[order] >> (bit + 1)
        by_node = order[np.argsort(node, kind="stable")]
        node, digit = rank[by_node] >> (bit + 1), (rank[by_node] >> bit) & 1
        before = np.concatenate([[0.0], np.cumsum(np.where(digit == 0, w[by_node], 0.0))[:-1]])
        start = np.concatenate([[True], node[1:] != node[:-1]])
        run = start | np.concatenate([[True], y[by_node][1:] != y[by_node][:-1]])
        first = np.maximum.accumulate(np.where(run, np.arange(len(by_node)), 0))
        origin = np.maximum.accumulate(np.where(start, np.arange(len(by_node)), 0))
        gained = before[first] - before[origin]
        dominated[by_node] += np.where(digit == 1, gained, 0.0)
    return dominated
