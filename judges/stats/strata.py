"""The error of a figure whose items were drawn from strata: only the variation within strata enters it.

Source: Cochran 1977, chapters 5 and 5A.12 (collapsed strata).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from judges.stats.agreement import Codes, Floats
from judges.stats.bootstrap import column_pairs, resample
from judges.stats.uncertainty import TWO_SIDED, Interval, normal_quantile, reciprocal_lower_end

MIN_ITEMS = 3
"""Strata with fewer items are put together with their neighbour: one item has no spread, and two hardly one."""


def item_strata(stratum: Codes, item: Codes, items: int) -> Codes | None:
    """The stratum of every item, 0.., from those of the cells, each with `MIN_ITEMS` or more; None for a single one.

    ValueError when the lengths differ.
    """
    if stratum.shape != item.shape:
        raise ValueError(f"Items and strata must be of one length; got {item.size} and {stratum.size}.")
    own = np.zeros(items, dtype=np.intp)
    _, own[item] = np.unique(stratum, return_inverse=True)
    group = collapse_strata(np.bincount(own))
    return None if group is None else group[own]


def collapse_strata(sizes: ArrayLike) -> Codes | None:
    """The group of every stratum, by its items: neighbours until they are `MIN_ITEMS` together. None: a single one."""
    group, number, group_size = [], 0, 0.0
    for size in np.asarray(sizes).tolist():
        group.append(number)
        group_size += size
        if group_size >= MIN_ITEMS:
            number, group_size = number + 1, 0.0
    return np.minimum(np.array(group, dtype=np.intp), number - 1) if number > 1 else None


def error_of_influences(influence: Floats, stratum: Codes | None = None) -> float | None:
    """The standard error that follows from the influences of items.

    sqrt(sum_h n_h / (n_h - 1) sum_g (u_g - mean_h)^2), u being the influence of items; of a single stratum the mean
    is 0. None for fewer than two items.
    """
    items = len(influence)
    if stratum is None or items < 2:
        return sqrt(items / (items - 1) * float(influence @ influence)) if items > 1 else None
    size = np.bincount(stratum)
    centred = influence - (np.bincount(stratum, influence) / size)[stratum]
    return sqrt(float(np.bincount(stratum, centred * centred) @ (size / (size - 1))))


def widen_for_strata(interval: Interval) -> Interval:
    """An interval of items that were drawn from strata, with lower ends that are cautious enough for them.

    `interval` has the error linearised within strata. Its lower ends become no higher than those of a normal
    1 / (1 - kappa) (`uncertainty.reciprocal_lower_end`). In a sample with few of the errors that have the largest
    weights, kappa is too high and its error too small: the error then falls as (1 - kappa)^2. Resampling shows that
    only in part: if most answers are equal and strata are the judge's scores, 7 to 10 % of nominal 5 % bounds were
    above the truth.
    """
    if interval.point is None or interval.se is None or interval.low is None or interval.lower_bound is None:
        return interval
    low = min(interval.low, reciprocal_lower_end(interval.point, interval.se, normal_quantile(TWO_SIDED)))
    bound = min(interval.lower_bound, reciprocal_lower_end(interval.point, interval.se, normal_quantile(0.95)))
    return replace(interval, low=low, lower_bound=bound, strata=True)


def products_within_strata(items: ArrayLike, totals: ArrayLike, cross: ArrayLike) -> Floats:
    """The cross-products for `interval_from_moments` and `interval_from_table` where items were drawn from strata.

    Given, by stratum: n_h, the sums s_h (H, columns) and their cross-products (H, columns, columns). The result is

        (G - 1) / G sum_h n_h / (n_h - 1) (cross_h - s_h s_h' / n_h),

    as both multiply with G / (G - 1). Small strata are collapsed; a single one is left as it is.
    """
    size, sums, square = (np.asarray(array, dtype=np.float64) for array in (items, totals, cross))
    group = collapse_strata(size)
    if group is None:
        return np.asarray(square.sum(axis=0), dtype=np.float64)
    membership = np.eye(int(group.max()) + 1)[group].T
    n, s = membership @ size, membership @ sums
    centred = np.einsum("ha,aij->hij", membership, square) - s[:, :, None] * s[:, None, :] / n[:, None, None]
    total = float(n.sum())
    return np.asarray(np.einsum("h,hij->ij", n / (n - 1), centred) * (total - 1) / total, dtype=np.float64)


def resample_within_strata(
    parts: Floats, stratum: Codes, columns: int, replicates: int, seed: int
) -> tuple[Floats, Floats]:
    """Totals of samples drawn within the strata, (replicates, ...), and of the items themselves, (1, ...).

    `parts` are the items' `judges.stats.bootstrap.with_products`, of so many columns.
    """
    groups, rng = [parts[stratum == h] for h in range(int(stratum.max()) + 1)], np.random.default_rng(seed)
    drawn = [resample(group, replicates, rng) for group in groups]
    return sum_strata(drawn, groups, columns), sum_strata([g.sum(axis=0)[None] for g in groups], groups, columns)


def sum_strata(totals: Sequence[Floats], groups: Sequence[Floats], columns: int) -> Floats:
    """Totals of all strata from those of each.

    They are totals of `bootstrap.with_products` of so many columns; `groups` are the items of each stratum. The
    products become those within the strata, as in `products_within_strata`.
    """
    left, right, _ = column_pairs(columns)
    items = sum(map(len, groups))
    sums = np.zeros((len(totals[0]), columns))
    products = np.zeros((len(sums), len(left)))
    for total, group in zip(totals, groups, strict=True):
        n, own = len(group), total[:, :columns]
        sums = sums + own
        products = products + n / (n - 1) * (total[:, columns:] - own[:, left] * own[:, right] / n)
    return np.hstack([sums, products * ((items - 1) / items)])
