"""How many more items are likely needed: with items of the same kind an error shrinks as 1 / sqrt(G)."""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np

from judges.uncertainty import Interval, quantile

_PATHS, _LOOKS = 1_000, 200


def more_for_bound(interval: Interval, threshold: float, level: float = 0.95, power: float = 0.8) -> int | None:
    """Further items after which the one-sided lower bound likely reaches `threshold`, if the point is the truth.

        G' = G ((z_level + z_power) se / (point - threshold))^2,   se = (point - lower bound) / z_.95

    With `power` .8 four of five such collections succeed; with .5 the bound would just touch the threshold on
    average. 0 when the bound is there already; None when the point is not above the threshold (then no number of
    items will do) or nothing is known yet. ValueError for a level or power outside 0..1. Source: root-n law; Flack et
    al. 1988 plan kappa likewise.
    """
    reached, stretch = interval.bound(level), quantile(level) + quantile(power)
    if interval.point is None or interval.lower_bound is None or reached is None:
        return None
    if reached >= threshold:
        return 0
    margin = interval.point - threshold
    if margin <= 0:
        return None
    se = (interval.point - interval.lower_bound) / quantile(0.95)
    return max(1, ceil(interval.items * (stretch * se / margin) ** 2) - interval.items)


def more_range(interval: Interval, threshold: float, z_needed: float) -> tuple[int, int] | None:
    """Further items after which (kappa - threshold) / error likely comes to `z_needed`: the middle half of what may be.

    From G items on the estimate moves as a Brownian motion in what is still unknown, var(t) = se^2 (1 - G / t) at t
    items (kappa being as likely above the estimate as below), and its error is se sqrt(G / t): the quartiles of the
    first t at which the one is z_needed times the other, simulated, to two digits, and no more than ten times the
    sample. (0, 0) where it is there already. None: the point is not above the threshold, no error is known, or in half
    of the cases ten times the sample is not enough: kappa is at the threshold, and more labels will not settle it.
    Source: Spiegelhalter et al. 1986 (predictive probability).
    """
    if interval.point is None or interval.lower_bound is None or interval.items < 2:
        return None
    se = (interval.point - interval.lower_bound) / quantile(0.95)
    margin = interval.point - threshold
    if margin >= z_needed * se:
        return (0, 0) if margin >= 0 else None
    if margin <= 0:
        return None
    times = np.geomspace(1, 10, _LOOKS + 1)[1:]
    step = np.diff(1 - 1 / times, prepend=0.0)
    moved = (np.random.default_rng(0).normal(size=(_PATHS, _LOOKS)) * np.sqrt(step)).cumsum(axis=1)
    there = margin / se + moved >= z_needed / np.sqrt(times)
    first = np.where(there.any(axis=1), times[there.argmax(axis=1)], np.inf)
    low, middle, high = np.quantile(first, [0.25, 0.5, 0.75], method="inverted_cdf").tolist()
    if middle == np.inf:
        return None
    return _rounded(interval.items * (low - 1)), _rounded(interval.items * (min(high, 10.0) - 1))


def _rounded(items: float) -> int:
    """Up to two digits."""
    unit: int = 10 ** max(0, len(str(ceil(items))) - 2)
    return max(1, unit * ceil(items / unit))


def more_for_width(interval: Interval, half_width: float, power: float = 0.8) -> int | None:
    """Further items after which the two-sided interval is likely no wider than the point -+ `half_width`.

        G' = G (present half width (1 + z_power / sqrt(G)) / half_width)^2

    The present half width is an estimate too, with a relative error of about 1 / sqrt(G): with `power` .5 half of such
    plans fall short; with .8 about one in five does, and two in five where nearly all answers are one. 0 when it is
    there already, None when there is no interval yet. ValueError unless `half_width` is above 0.
    """
    if not half_width > 0:
        raise ValueError(f"The half width to reach must be above 0; got {half_width}.")
    if interval.low is None or interval.high is None:
        return None
    # An end that was cut off at 1 makes the interval look narrower than its error is.
    present = max((interval.high - interval.low) / 2, (interval.se or 0.0) * quantile((1 + interval.level) / 2))
    if present <= half_width * (1 + 1e-9):
        return 0
    cautious = present * (1 + quantile(power) / sqrt(interval.items))
    return max(1, ceil(interval.items * (cautious / half_width) ** 2 - 1e-9) - interval.items)
