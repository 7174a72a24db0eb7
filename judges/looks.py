"""Looking again and again: how far a figure must lie from a threshold so that no number of looks passes it by luck.

With G items a figure has an error of about s / sqrt(G), and z = (figure - threshold) / error, looked at after every
item, moves as W(G) / sqrt(G) does, W being a Brownian motion. In the time log G that is a stationary process (Ornstein
and Uhlenbeck's) whose correlation falls as exp(-|log G - log H| / 2): the chance to pass a boundary depends on how many
times over the items grow while somebody looks, not on how many looks there are. Looks that are few and fixed before
have a lower boundary. Both are computed by carrying the density of z from look to look and cutting off what passed.
Sources: Armitage, McPherson and Rowe 1969; Pocock 1977; Siegmund 1985, chapter 4 (boundaries, and the correction of a
continuous one for discrete steps); Jennison and Turnbull 2000, chapter 19.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from judges.uncertainty import quantile

Floats = NDArray[np.float64]
_STEP = 0.02
"""Of log G between looks that stand for looking all the time, and of the grid of z."""
_CORRECTION = 0.5826
"""How far, in standard deviations of a step, a walk oversteps a boundary on average (Siegmund 1985)."""
_FLOOR = -6.0
_LOWEST, _HIGHEST = -3.0, 8.0
"""Beyond them the chance is 1 and 0 for all that matters."""


def chance(z: float, first: int, last: int) -> float:
    """The chance that a figure at its threshold ever comes to `z` or more, looked at after every item.

    From `first` to `last` items; with first = last it is 1 - Phi(z). This is the any-time p of a figure that stands at
    `z` now. ValueError unless 1 <= first <= last.
    """
    _range(first, last)
    return _passed(z, _continuous(first, last))


def boundary(alpha: float, first: int, last: int) -> float:
    """The z that a figure at its threshold ever comes to with probability `alpha`, looked at after every item.

    From `first` to `last` items. ValueError for an alpha outside 0 .. .5 or a wrong range.
    """
    _range(first, last)
    return _solved(alpha, _continuous(first, last))


def planned_chance(z: float, sizes: Sequence[int]) -> float:
    """The same chance for looks at these numbers of items only. ValueError unless they rise."""
    return _passed(z, _fixed(sizes))


def planned(alpha: float, sizes: Sequence[int]) -> float:
    """The z that is asked at each of these looks so that all together err with probability `alpha`."""
    return _solved(alpha, _fixed(sizes))


def _range(first: int, last: int) -> None:
    if not 1 <= first <= last:
        raise ValueError(f"Looks begin at one item or more and end no earlier; got {first} to {last}.")


def _continuous(first: int, last: int) -> tuple[float, ...]:
    """The steps of log G that stand for looking after every item; minus signs mark a continuous boundary."""
    whole = log(last / first)
    count = round(whole / _STEP) if whole > 0 else 0
    return tuple(-whole / count for _ in range(count)) if count else ()


def _fixed(sizes: Sequence[int]) -> tuple[float, ...]:
    if not sizes or sizes[0] < 1 or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError(
            f"The looks of a plan are rising numbers of items; got {', '.join(map(str, sizes)) or 'none'}."
        )
    return tuple(log(b / a) for a, b in pairwise(sizes))


def _passed(z: float, steps: tuple[float, ...]) -> float:
    """The chance to come to z at the first look or after any of the steps."""
    if not steps:
        return 1 - NormalDist().cdf(z)
    return 0.0 if z >= _HIGHEST else _walked(max(z, _LOWEST), steps)


@cache
def _walked(z: float, steps: tuple[float, ...]) -> float:
    continuous = steps[0] < 0
    at = z - _CORRECTION * sqrt(1 - exp(steps[0])) if continuous else z
    points, weights = _grid(at)
    density = np.exp(-(points**2) / 2) / sqrt(2 * np.pi)
    kernels: dict[float, Floats] = {}
    for step in steps:
        size = abs(step)
        if size not in kernels:
            keep, spread = exp(-size / 2), sqrt(1 - exp(-size))
            gap = (points[:, None] - keep * points[None, :]) / spread
            kernels[size] = np.exp(-(gap**2) / 2) / (spread * sqrt(2 * np.pi)) * weights[None, :]
        density = kernels[size] @ density
    return min(1.0, max(0.0, 1 - float(density @ weights)))


def _grid(top: float) -> tuple[Floats, Floats]:
    """Points and weights of an even grid from `_FLOOR` to `top`, by the midpoint rule."""
    count = round((top - _FLOOR) / _STEP)
    size = (top - _FLOOR) / count
    points = np.asarray(_FLOOR + size * (np.arange(count) + 0.5), dtype=np.float64)
    return points, np.full(count, size, dtype=np.float64)


def _solved(alpha: float, steps: tuple[float, ...]) -> float:
    if not 0 < alpha <= 0.5:
        raise ValueError(f"An error probability lies above 0 and is at most .5; got {alpha}.")
    return _bisected(alpha, steps)


@cache
def _bisected(alpha: float, steps: tuple[float, ...]) -> float:
    if not steps:
        return quantile(1 - alpha)
    return _root(lambda z: _passed(z, steps) - alpha, quantile(1 - alpha) - 1e-9, _HIGHEST)


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return high
