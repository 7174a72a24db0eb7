"""How an agreement settles as gold grows: kappa and its interval on the first n items, and with more."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from judges.stats.agreement import Weights, check_weights, effective_size
from judges.stats.intervals import Cells, kappa_influences
from judges.stats.strata import error_of_influences
from judges.stats.uncertainty import Interval, normal_interval

STEPS = 24
_FIRST, _FURTHER = 10, 8


def kappa_by_size(cells: Cells, k: int, weights: Weights) -> list[Interval]:
    """Kappa on the first m items, for about `STEPS` sizes m from 10 up to all of them, each with its 95% interval.

    Items are numbered in the order in which they got their gold, and only that number gives the order.
    Intervals are linearised by items at every size, so that one curve has one method (the page's own interval may be
    a bootstrap's, and a little another at the end). Where kappa is undefined there is no figure.
    """
    distinct, rank = np.unique(np.asarray(cells.item), return_inverse=True)
    ranked = cells._replace(item=rank, weight=check_weights(cells.weight, len(rank)))
    found = []
    for size in curve_sizes(len(distinct)):
        part = ranked.where(rank < size)
        item, weight = np.asarray(part.item), np.asarray(part.weight)
        point, influence = kappa_influences(part, k, weights)
        se = error_of_influences(np.bincount(item, influence, minlength=size))
        mean = np.bincount(item, weight) / np.bincount(item)
        found.append(normal_interval(point, se, size, len(item), effective_size(mean), "linearised", -1.0, 1.0))
    return found


def curve_sizes(items: int, steps: int = STEPS) -> list[int]:
    """About `steps` sizes from 10 to `items`, each an equal factor above the one before; [] below two."""
    if items < 2:
        return []
    if items <= _FIRST:
        return [items]
    spaced: NDArray[np.float64] = np.geomspace(_FIRST, items, steps)
    return [int(n) for n in np.unique(np.round(spaced).astype(np.int64))]


def extrapolate_interval(now: Interval, upto: int) -> list[Interval]:
    """The interval that is to be expected with more items, up to `upto` of them, if kappa stays where it is.

    se(m) = se sqrt(G / m). [] where there is no interval yet, or `upto` is no further than now.
    """
    if now.point is None or now.se is None or upto <= now.items or now.items < 2:
        return []
    further = np.unique(np.round(np.geomspace(now.items, upto, _FURTHER)).astype(np.int64)).tolist()
    return [
        normal_interval(
            now.point, now.se * sqrt(now.items / m), m, round(now.cells * m / now.items), now.n_eff * m / now.items,
            "linearised", -1.0, 1.0,
        )
        for m in further
    ]  # fmt: skip
