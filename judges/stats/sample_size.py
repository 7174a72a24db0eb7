"""The change of an agreement as gold grows, and the number of further items that it likely takes.

With items of the same kind an error shrinks as 1 / sqrt(G).
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, sqrt

import numpy as np

from judges.rounding import ROUNDING
from judges.stats.agreement import Weights
from judges.stats.intervals import Cells, linearised_kappa
from judges.stats.sequential import z_from_threshold
from judges.stats.uncertainty import TWO_SIDED, Interval, normal_quantile, symmetric_interval

MOST_TIMES = 10
"""Above so many times the items there are, a figure is at the threshold as far as labels can show."""
CURVE_SIZES = 24
_MIN_CURVE_ITEMS, _EXTRAPOLATED_SIZES = 10, 8


def more_items_for_width(interval: Interval, half_width: float, power: float = 0.8) -> tuple[int, int] | None:
    """Further items, as a range, after which the two-sided interval is no wider than the point -+ `half_width`.

        G' = G (present half width (1 + z_power / sqrt(G)) / half_width)^2

    The present half width is an estimate too, with a relative error of about 1 / sqrt(G). The range goes from 1 -
    `power` to `power`: with .8 about one plan in five needs more than its end, and two in five if nearly all answers
    are equal. (0, 0) when it is there already, None when there is no interval yet. ValueError unless `half_width` is
    above 0.
    """
    if not half_width > 0:
        raise ValueError(f"The half width to reach must be above 0; got {half_width}.")
    if interval.low is None or interval.high is None:
        return None
    # An end that was cut off at 1 makes the interval look narrower than its error is.
    present = max((interval.high - interval.low) / 2, (interval.se or 0.0) * normal_quantile(TWO_SIDED))
    if present <= half_width * (1 + ROUNDING):
        return 0, 0
    widths = (present * (1 + normal_quantile(p) / sqrt(interval.items)) for p in (1 - power, power))
    sizes = (ceil(interval.items * (width / half_width) ** 2 - ROUNDING) for width in widths)
    low, high = (max(1, size - interval.items) for size in sizes)
    return low, high


def more_items_for_threshold(interval: Interval, threshold: float, needed: float) -> tuple[int, int] | None:
    """Further items, as a range, after which kappa likely lies `needed` errors above the threshold.

    With z now, on G items, and r = G / G': what kappa will be on G' items lies about what it is now, with the variance
    (1 - r) of that now, so that z' is enough once z + q sqrt(1 - r) >= needed sqrt(r), q a normal quantile. The range
    is for q = +.84 and -.84: of five collections, three need a number within it, one fewer and one more. Its end is cut
    at `MOST_TIMES` G. (0, 0) if it is already reached. None if even at q = 0 more than that is needed (kappa is at the
    threshold, and labels will not settle it), or if nothing is known.
    """
    z = z_from_threshold(interval, threshold)
    return None if z is None else more_items_for_z(z, interval.items, needed)


def more_items_for_z(z: float, items: int, needed: float) -> tuple[int, int] | None:
    """The same of any figure that is now `z` errors from what it is compared with, on so many items."""
    if not items:
        return None
    if z >= needed:
        return 0, 0
    if z <= 0 or (needed / z) ** 2 > MOST_TIMES:
        return None
    low, high = (_times(z, normal_quantile(p), needed) for p in (0.8, 0.2))
    return max(1, ceil(items * (low - 1))), max(1, ceil(items * (high - 1)))


def _times(z: float, luck: float, needed: float) -> float:
    """Return the factor by which the items must grow to be enough with such luck; at most `MOST_TIMES`."""
    low, high = 1.0, float(MOST_TIMES)
    for _ in range(40):
        times = sqrt(low * high)
        enough = z + luck * sqrt(1 - 1 / times) >= needed / sqrt(times)
        low, high = (low, times) if enough else (times, high)
    return high


def kappa_by_size(cells: Cells, k: int, weights: Weights) -> list[Interval]:
    """Kappa on the first m items, for about `CURVE_SIZES` sizes m from 10 up to all items, each with its 95% interval.

    Items are numbered in the order in which they got their gold, and only that number gives the order.
    Intervals are linearised by items at every size, so that one curve has one method (the page's own interval may be
    a bootstrap's, and a little another at the end). Where kappa is undefined there is no figure.
    """
    distinct, rank = np.unique(np.asarray(cells.item), return_inverse=True)
    ranked = cells._replace(item=rank, stratum=None)
    return [linearised_kappa(ranked.where(rank < size), k, weights) for size in curve_sizes(len(distinct))]


def curve_sizes(items: int) -> list[int]:
    """About `CURVE_SIZES` sizes from 10 to `items`, each an equal factor above the one before; [] below two."""
    if items < 2:
        return []
    if items <= _MIN_CURVE_ITEMS:
        return [items]
    sizes: list[int] = np.unique(np.round(np.geomspace(_MIN_CURVE_ITEMS, items, CURVE_SIZES)).astype(np.int64)).tolist()
    return sizes


def extrapolate_interval(now: Interval, upto: int) -> list[Interval]:
    """The expected interval with more items, up to `upto` of them, if kappa does not change.

    se(m) = se sqrt(G / m). A kappa of 1 has no error; its ends, by the rule of three, come nearer to it as G / m does.
    [] where there is no interval yet, or `upto` is no further than now.
    """
    if now.point is None or now.se is None or upto <= now.items or now.items < 2:
        return []
    further = np.unique(np.round(np.geomspace(now.items, upto, _EXTRAPOLATED_SIZES)).astype(np.int64)).tolist()
    return [_expect_interval(now, m) for m in further]


def _expect_interval(now: Interval, items: int) -> Interval:
    times = items / now.items
    size = items, round(now.cells * times), now.n_eff * times
    expected = symmetric_interval(now.point, (now.se or 0.0) / sqrt(times), *size, "linearised", -1.0, 1.0)
    if now.point != 1 or now.low is None or now.lower_bound is None:
        return expected
    return replace(expected, low=1 - (1 - now.low) / times, lower_bound=1 - (1 - now.lower_bound) / times)
