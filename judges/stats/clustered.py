"""Shares, means and their differences, with intervals that are clustered by item.

Cells come as arrays of one length: a value, and the number of the item that it belongs to. If every item has one cell,
the intervals are the usual ones; with several cells, the spread between items sets their width.
"""

from __future__ import annotations

from dataclasses import replace
from math import hypot, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judges.stats.agreement import Floats
from judges.stats.uncertainty import TWO_SIDED, Interval, normal_quantile, symmetric_interval, wilson_interval


def _by_item(value: ArrayLike, item: ArrayLike) -> tuple[Floats, Floats]:
    """Sum of the values and number of cells of every item."""
    values, items = np.asarray(value, dtype=np.float64), np.asarray(item)
    if values.shape != items.shape or values.ndim != 1:
        raise ValueError(f"Each value needs the number of its item; got {values.size} and {items.size}.")
    _, position = np.unique(items, return_inverse=True)
    return np.bincount(position, values).astype(np.float64), np.bincount(position).astype(np.float64)


def share_by_item(hit: ArrayLike, item: ArrayLike) -> Interval:
    """Interval of a share of cells, clustered by item: Wilson's, for the number of independent cells worth as much.

        p = sum_g s_g / N,   var = G / (G - 1) * sum_g (s_g - p n_g)^2 / N^2,   n_eff = p (1 - p) / var

    with s_g hits among the n_g cells of item g. One cell an item is plain Wilson, n_eff = N. If p is 0 or 1, or there
    is only one item, n_eff is the number of items. var is at least the change that one flipped item would cause, so
    that items without internal variation do not suggest certainty. Everything is None without cells. ValueError when
    lengths differ. Source: Wilson 1927; Dean and Pagano 2015 (effective sample size in Wilson's interval).
    """
    return share_from_counts(*_by_item(np.asarray(hit, dtype=bool), item))


def share_from_counts(hits: Floats, cells: Floats, ratings: int | None = None) -> Interval:
    """`share_by_item` from the hits and the number of cells of every item that has any.

    `ratings`: where both are sums of weights, how many cells these are of; n_eff is then kept between 1 and that.
    """
    n, items = float(cells.sum()), len(cells)
    number = round(n) if ratings is None else ratings
    if n == items:
        return replace(wilson_interval(float(hits.sum()), n), cells=number)
    p = float(hits.sum()) / n
    if p in (0.0, 1.0) or items < 2:
        effective = float(items)
    else:
        squares = float(((hits - p * cells) ** 2).sum())
        effective = p * (1 - p) * n**2 * (items - 1) / items / max(squares, (n / items) ** 2)
        if ratings is not None and n != ratings:
            effective = min(float(ratings), max(1.0, effective))
    interval = wilson_interval(p * effective, effective)
    return replace(interval, point=p, items=items, cells=number, n_eff=effective, method="wilson, by item")


def pairs_within(item: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every pair of rows of one item, once: the numbers of its first and of its second row."""
    order = np.argsort(item, kind="stable")
    ordered, first, second, step = item[order], [order[:0]], [order[:0]], 1
    while step < len(ordered) and len(start := np.flatnonzero(ordered[step:] == ordered[:-step])):
        first.append(order[start])
        second.append(order[start + step])
        step += 1
    return np.concatenate(first), np.concatenate(second)


def weighted_share(item: NDArray[np.int64], yes: Floats, weight: Floats) -> Interval:
    """A weighted share of cells with Wilson's interval, on the number of cells that the clustered error is worth.

        p = sum(w y) / sum(w),  se^2 = G / (G - 1) sum_g (sum_{i in g} w_i (y_i - p) / sum(w))^2,  n* = p (1 - p) / se^2

    n* is kept between 1 and the number of cells. If p is 0 or 1, it is the number of items, because all cells of one
    item may be the same case. `n_eff` of the result is n*. Source: Korn and Graubard 1998, with Wilson's interval.
    """
    if not len(yes):
        return Interval.point_only(0, 0, 0.0, "wilson")
    p, square, constant, by_item = spread_of_share(item, yes, weight)
    number = len(by_item)
    worth = float(number) if constant or square <= 0 else min(float(len(yes)), max(1.0, p * (1 - p) / square))
    plain = wilson_interval(min(p * worth, worth), worth)
    return replace(plain, point=p, items=number, cells=len(yes), n_eff=worth, se=sqrt(square))


def spread_of_share(item: NDArray[np.int64], yes: Floats, weight: Floats) -> tuple[float, float, bool, Floats]:
    """A weighted share, its se^2 by items (`weighted_share`), whether all cells are alike, and the items' weights."""
    place = np.unique(item, return_inverse=True)[1]
    p = float(np.average(yes, weights=weight))
    moved, by_item = np.bincount(place, weight * (yes - p) / weight.sum()), np.bincount(place, weight)
    square = len(moved) / max(len(moved) - 1, 1) * float(moved @ moved)
    constant = bool(np.all(yes == yes[0]))
    return float(yes[0]) if constant else p, square, constant, by_item.astype(np.float64)


def mean_by_item(value: ArrayLike, item: ArrayLike, weight: ArrayLike | None = None) -> Interval:
    """Mean over cells with a normal interval, clustered by item; only a point with one item, all None without cells.

        m = sum w x / W,   var = G / (G - 1) * sum_g (sum of w x of item g - m w_g)^2 / W^2

    with a weight w of every cell, 1 where none is given, and W and w_g their sums over all and over an item. Source:
    Liang and Zeger 1986.
    """
    values = np.asarray(value, dtype=np.float64)
    cell_weight = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
    (sums, _), (weights, _) = (_by_item(column, item) for column in (values * cell_weight, cell_weight))
    total, items, n = float(weights.sum()), len(weights), len(values)
    if not total:
        return Interval.point_only(0, 0, 0.0, "mean, by item")
    point = float(sums.sum()) / total
    se = sqrt(items / (items - 1) * float(((sums - point * weights) ** 2).sum())) / total if items > 1 else None
    return symmetric_interval(point, se, items, n, float(items), "mean, by item")


def with_t_ends(interval: Interval, lo: float, hi: float) -> Interval:
    """A mean with Student's t interval, kept within the scale `lo` to `hi`; no ends if there is no spread."""
    if interval.point is None or not interval.se:
        return replace(interval, low=None, high=None, lower_bound=None)
    on = interval.items, interval.cells, interval.n_eff, interval.method
    return symmetric_interval(interval.point, interval.se, *on, lo, hi, interval.items - 1)


def newcombe_difference(a: Interval, b: Interval) -> Interval:
    """b - a of two shares of independent groups, from their Wilson intervals (l, u).

        d - sqrt((p_b - l_b)^2 + (u_a - p_a)^2)  to  d + sqrt((u_b - p_b)^2 + (p_a - l_a)^2),   d = p_b - p_a

    Items and ratings are those of the smaller group. All None where a group is empty. Source: Newcombe 1998, method 10.
    """
    if a.point is None or b.point is None:
        return Interval.point_only(*a.smaller_group(b), "newcombe")
    assert a.low is not None and a.high is not None and b.low is not None and b.high is not None
    assert a.lower_bound is not None and b.lower_bound is not None
    d = b.point - a.point
    low = d - hypot(b.point - b.low, a.high - a.point)
    high = d + hypot(b.high - b.point, a.point - a.low)
    bound = d - (d - low) * normal_quantile(0.95) / normal_quantile(TWO_SIDED)
    return Interval(d, low, high, bound, *a.smaller_group(b), "newcombe")
