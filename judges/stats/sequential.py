"""Repeated looks: how far a figure must lie from a threshold so that repeated looks do not pass it by chance.

With G items a figure has an error of about s / sqrt(G), and z = (figure - threshold) / error, looked at after every
item, moves as W(G) / sqrt(G) does, W being a Brownian motion. In the time log G that is a stationary process (Ornstein
and Uhlenbeck's) whose correlation falls as exp(-|log G - log H| / 2): the chance to pass a boundary depends on how many
times over the items grow while somebody looks, not on how many looks there are. A few looks that are fixed in advance
have a lower boundary. Both are computed by propagating the density of z from look to look and removing the part that
passed. Sources: Armitage, McPherson and Rowe 1969; Pocock 1977; Siegmund 1985, chapter 4 (boundaries, and the
correction of a continuous one for discrete steps); Jennison and Turnbull 2000, chapter 19.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import exp, expm1, inf, log, sqrt
from statistics import NormalDist

import numpy as np

from judges.rounding import ROUNDING
from judges.stats.agreement import Floats
from judges.stats.uncertainty import Interval, normal_quantile, reciprocal_lower_end

_STEP = 0.04
"""The step of log G between the looks that approximate looking all the time."""
_GRID = 0.02
_CORRECTION = 0.5826
"""The average overshoot of a walk over a boundary, in standard deviations of a step (Siegmund 1985)."""
_FLOOR = -6.0
_EARLY_SHARE = 0.95
_PLAIN, _BEND = 0.5, 0.4
"""Above which threshold the scale bends, and over how much it does so by one power."""
_NODES = np.arange(0.0, 7.01, 0.125)
"""The z for which chances are computed; between them their logarithm is interpolated."""


def anytime_p(z: float, first: int, last: int) -> float:
    """The probability that a figure at its threshold ever reaches `z` or more, if looked at after every item.

    From `first` to `last` items; with first = last it is 1 - Phi(z). This is the any-time p of a figure that is at
    `z` now. ValueError unless 1 <= first <= last.
    """
    return _chance_to_pass(z, _continuous(first, last))


def anytime_boundary(alpha: float, first: int, last: int) -> float:
    """The z that a figure at its threshold ever reaches with probability `alpha`, if looked at after every item.

    From `first` to `last` items. ValueError for an alpha outside 0 .. .5 or a wrong range.
    """
    return _solve_bound(alpha, _continuous(first, last))


@dataclass(frozen=True)
class OpenSchedule:
    """Looks whenever somebody likes, from `first` items on; `horizon` 0 is one look, and no more.

    Up to `horizon` items, all looks together use 19/20 of the allowed error; later ones, up to a hundred times as many
    items, use the rest. A figure on more items than the horizon must therefore lie further from the threshold.
    """

    first: int
    horizon: int

    def p_value(self, z: float, items: int) -> float:
        """The any-time p of a figure that is at `z` on so many items."""
        share, first, last = self._part(items)
        return min(1.0, anytime_p(z, first, last) / share)

    def boundary(self, alpha: float, items: int) -> float:
        """The z that a figure on so many items has to reach."""
        share, first, last = self._part(items)
        return anytime_boundary(alpha * share, first, last)

    def _part(self, items: int) -> tuple[float, int, int]:
        if self.horizon <= self.first:
            return 1.0, self.first, self.first
        if items <= self.horizon:
            return _EARLY_SHARE, self.first, self.horizon
        return 1 - _EARLY_SHARE, self.horizon, self.end

    @property
    def end(self) -> int:
        """The number of items up to which the error is guaranteed."""
        return 100 * self.horizon


@dataclass(frozen=True)
class LookPlan:
    """Looks at these numbers of items only, fixed before the first label. ValueError unless they rise."""

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        _log_steps(self.sizes)

    @property
    def first(self) -> int:
        """The items of the first look."""
        return self.sizes[0]

    def p_value(self, z: float, items: int) -> float:
        """The p, for all looks of the plan, of a figure that is at `z` at one of them."""
        return _chance_to_pass(z, _log_steps(self.sizes))

    def boundary(self, alpha: float, items: int) -> float:
        """The z that is asked at each look, so that all together err with probability `alpha`."""
        return _solve_bound(alpha, _log_steps(self.sizes))

    def newest_look(self, items: int, least: int = 1) -> int:
        """The items of the newest look that so many items allow; 0 before the first of at least `least`."""
        return max((size for size in self.sizes if least <= size <= items), default=0)


Schedule = OpenSchedule | LookPlan
"""The times at which somebody looks."""


def z_from_threshold(interval: Interval, threshold: float) -> float | None:
    """z: how far a kappa lies from a threshold, in units of its error, where 1 - kappa is put on a logarithm's scale.

        z = log((1 - threshold) / (1 - kappa)) (1 - kappa) / se

    1 - kappa is a ratio of two disagreements, whose logarithm is spread evenly: on this scale looking all the time
    passes 2.7 to 4.4 % of judges at a threshold of .50, on the plain one 4.7 to 9.1 %. Higher ones are missed by few
    large errors, of which a sample that met none also thinks itself surer than it is: there, and where items are of
    strata, it is the scale of a power, as `scale_power` has it,

        z = (1 - ((1 - kappa) / (1 - threshold))^p) / p (1 - kappa) / se

    (p = 0 is the logarithm). Judges that lie below their threshold are on the logarithm's scale. Of a kappa of 1, z is
    what the interval's rule of three comes to. None without a kappa or an error.
    """
    point, error = interval.point, _error(interval)
    if point is None or error is None or threshold >= 1:
        return None if point is None or error is None else -inf if point < 1 else inf
    if point >= 1:
        room = 1 - (1.0 if interval.lower_bound is None else interval.lower_bound)
        return inf if room <= ROUNDING else NormalDist().inv_cdf(-expm1(max(-36.0, log(0.05) * (1 - threshold) / room)))
    if error <= ROUNDING:
        return inf if point >= threshold else -inf
    ratio, bent = (1 - point) / (1 - threshold), scale_power(interval.strata, threshold) if point >= threshold else 0.0
    return (-expm1(bent * log(ratio)) / bent if bent else -log(ratio)) * (1 - point) / error


def lower_bound_at(interval: Interval, z: float) -> float | None:
    """The threshold from which a kappa lies just `z` away: its lower bound there. None without a kappa or an error."""
    point, error = interval.point, _error(interval)
    if point is None or error is None:
        return None
    if point >= 1:
        room = 1 - (1.0 if interval.lower_bound is None else interval.lower_bound)
        return max(-1.0, 1 - room * log(NormalDist().cdf(-z)) / log(0.05))
    if z > 0 and interval.strata:
        bound = reciprocal_lower_end(point, error, z)
    else:
        bound = max(-1.0, 1 - (1 - point) * exp(min(z * error / (1 - point), 50.0)))
    if z <= 0 or bound <= _PLAIN:
        return bound
    low, high = _PLAIN, bound
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if (z_from_threshold(interval, middle) or 0.0) >= z else (low, middle)
    return low


def scale_power(strata: bool, threshold: float) -> float:
    """The power of the scale: up to a threshold of .50 it is 0, of strata 1; at .90 one more; between in proportion.

    On the logarithm's scale up to 8 % of judges at .70 were ever passed, and 12 % at .80, where few items are misjudged
    altogether or errors have heavy tails; with strata 4 to 11 % at .50, and on the reciprocal (p = 1) 8 % at .80. On
    this one it is 5 % at most.
    """
    return float(strata) + min(1.0, max(0.0, threshold - _PLAIN) / _BEND)


def _error(interval: Interval) -> float | None:
    """The standard error; of an interval that was kept without it, that which its bound implies."""
    if interval.se is not None or interval.point is None or interval.lower_bound is None:
        return interval.se
    return (interval.point - interval.lower_bound) / normal_quantile(0.95)


def _continuous(first: int, last: int) -> tuple[float, ...]:
    """The steps of log G that approximate looking after every item; minus signs mark a continuous boundary."""
    if not 1 <= first <= last:
        raise ValueError(f"Looks begin at one item or more and end no earlier; got {first} to {last}.")
    span = log(last / first)
    count = round(span / _STEP)
    return tuple(-span / count for _ in range(count))


def _log_steps(sizes: Sequence[int]) -> tuple[float, ...]:
    if not sizes or sizes[0] < 1 or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError(
            f"The looks of a plan are rising numbers of items; got {', '.join(map(str, sizes)) or 'none'}."
        )
    return tuple(log(b / a) for a, b in pairwise(sizes))


def _chance_to_pass(z: float, steps: tuple[float, ...]) -> float:
    """The chance to come to z at the first look or after any of the steps; 1 below 0, where no precision is needed."""
    if not steps:
        return 1 - NormalDist().cdf(z)
    return 1.0 if z < 0 else exp(float(np.interp(z, _NODES, _table(steps))))


def _solve_bound(alpha: float, steps: tuple[float, ...]) -> float:
    if not 0 < alpha <= 0.5:
        raise ValueError(f"An error probability lies above 0 and is at most .5; got {alpha}.")
    if not steps:
        return normal_quantile(1 - alpha)
    return float(np.interp(log(alpha), _table(steps)[::-1], _NODES[::-1]))


@cache
def _table(steps: tuple[float, ...]) -> Floats:
    """The logarithm of the chance to come to each of `_NODES`."""
    return np.array([log(max(_integrate_walk(z, steps), 1e-15)) for z in _NODES.tolist()])


def _integrate_walk(z: float, steps: tuple[float, ...]) -> float:
    at = z - _CORRECTION * sqrt(1 - exp(steps[0])) if steps[0] < 0 else z
    count = round((at - _FLOOR) / _GRID)
    points = np.asarray(_FLOOR + (at - _FLOOR) / count * (np.arange(count) + 0.5), dtype=np.float64)
    density = np.exp(-(points**2) / 2) * (at - _FLOOR) / count / sqrt(2 * np.pi)
    passed, moves = NormalDist().cdf(-at), dict[float, tuple[Floats, Floats]]()
    for size in map(abs, steps):
        if size not in moves:
            moves[size] = _move(points, at, size)
        over, kernel = moves[size]
        passed, density = passed + float(density @ over), kernel @ density
    return passed


def _move(points: Floats, top: float, size: float) -> tuple[Floats, Floats]:
    """Return, for a step of log G from each point, the chance to pass `top`, and the distribution of the rest."""
    keep, spread = exp(-size / 2), sqrt(1 - exp(-size))
    over = [NormalDist().cdf((keep * point - top) / spread) for point in points.tolist()]
    gap = (points[:, None] - keep * points[None, :]) / spread
    kernel = np.exp(-(gap**2) / 2) * ((points[1] - points[0]) / (spread * sqrt(2 * np.pi)))
    return np.array(over), np.asarray(kernel, dtype=np.float64)
