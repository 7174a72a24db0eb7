"""How an agreement settles as gold grows: kappa and its interval on the first n items, and with more."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from judges.stats.agreement import Weights, effective_size
from judges.stats.intervals import Cells, kappa_influences
from judges.stats.uncertainty import Interval, normal_interval

STEPS = 24
_FIRST = 10


def kappa_by_size(cells: Cells, k: int, weights: Weights = "quadratic", steps: int = STEPS) -> list[Interval]:
    """Kappa on the first m items, for about `steps` sizes m from 10 up to all of them, each with its 95% interval.

    Items are numbered in the order in which they got their gold, and only that number gives the order.
    Intervals are linearised by items at every size, so that one curve has one method (the page's own interval may be
    a bootstrap's, and a little another at the end). Where kappa is undefined there is no figure.
    """
    item, human, judge = (np.asarray(side) for side in cells[:3])
    weight = np.ones(len(item)) if cells.weight is None else np.asarray(cells.weight, dtype=np.float64)
    rank = np.unique(item, return_inverse=True)[1] if len(item) else item
    items = int(rank.max()) + 1 if len(rank) else 0
    found = []
    for size in curve_sizes(items, steps):
        inside = rank < size
        part = Cells(rank[inside], human[inside], judge[inside], weight[inside])
        point, influence = kappa_influences(part, k, weights)
        by_item = np.bincount(rank[inside], influence, minlength=size)
        se = sqrt(size / (size - 1) * float(by_item @ by_item)) if point is not None and size > 1 else None
        mean = np.bincount(rank[inside], weight[inside]) / np.bincount(rank[inside])
        cells_inside = int(inside.sum())
        found.append(normal_interval(point, se, size, cells_inside, effective_size(mean), "linearised", -1.0, 1.0))
    return found


def curve_sizes(items: int, steps: int = STEPS) -> list[int]:
    """About `steps` sizes from 10 to `items`, each an equal factor above the one before; [] below two."""
    if items < 2:
        return []
    if items <= _FIRST:
        return [items]
    spaced: NDArray[np.float64] = np.geomspace(_FIRST, items, steps)
    return [int(n) for n in np.unique(np.round(spaced).astype(np.int64))]


def extrapolate_interval(now: Interval, upto: int, steps: int = 8) -> list[Interval]:
    """The interval that is to be expected with more items, up to `upto` of them, if kappa stays where it is.

    se(m) = se sqrt(G / m). [] where there is no interval yet, or `upto` is no further than now.
    """
    if now.point is None or now.se is None or upto <= now.items or now.items < 2:
        return []
    further = np.unique(np.round(np.geomspace(now.items, upto, steps)).astype(np.int64)).tolist()
    return [
        normal_interval(
            now.point, now.se * sqrt(now.items / m), m, round(now.cells * m / now.items), now.n_eff * m / now.items,
            "linearised", -1.0, 1.0,
        )
        for m in further
    ]  # fmt: skip
