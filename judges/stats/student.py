"""Student's t distribution, for tests on few items."""

from __future__ import annotations

from functools import lru_cache
from math import exp, isinf, lgamma, log, log1p

_STEPS = 500
_CLOSE = 1e-15
_TINY = 1e-300


def t_cdf(t: float, freedom: float) -> float:
    """P(T <= t) of Student's t with that many degrees of freedom.

        P(T > |t|) = I_x(freedom / 2, 1/2) / 2,   x = freedom / (freedom + t^2)

    ValueError unless there is freedom. Source: Abramowitz and Stegun, 26.7.1.
    """
    if not freedom > 0:
        raise ValueError(f"Degrees of freedom must be above 0; got {freedom}.")
    if isinf(t):
        return 1.0 if t > 0 else 0.0
    if t * t < freedom:  # near the middle x is so near to 1 that its digits are lost
        middle = incomplete_beta(0.5, freedom / 2, t * t / (freedom + t * t)) / 2
        return 0.5 + middle if t > 0 else 0.5 - middle
    tail = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
    return 1 - tail if t > 0 else tail


@lru_cache(maxsize=512)
def t_quantile(probability: float, freedom: float) -> float:
    """The value below which Student's t lies with that probability, by halving; ValueError outside 0..1."""
    if not 0 < probability < 1:
        raise ValueError(f"A level lies between 0 and 1, such as .95; got {probability}.")
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while t_cdf(high, freedom) < probability:
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, freedom) < probability else (low, middle)
    return high


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction (modified Lentz).

    ValueError unless a, b > 0 and 0 <= x <= 1. Source: Abramowitz and Stegun, 26.5.8.
    """
    if not (a > 0 and b > 0 and 0 <= x <= 1):
        raise ValueError(f"I_x(a, b) needs a, b > 0 and 0 <= x <= 1; got x {x}, a {a}, b {b}.")
    if x in (0.0, 1.0):
        return x
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    # The fraction converges fast below the mean of the distribution; above it its mirror does.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    total = d
    for n in range(1, _STEPS):
        for factor in (
            n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n)),
            -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1)),
        ):
            d = 1 / _away(1 + factor * d)
            c = _away(1 + factor / c)
            total *= c * d
        if abs(c * d - 1) < _CLOSE:
            break
    return total


def _away(value: float) -> float:
    """The value, kept away from 0."""
    return value if abs(value) > _TINY else _TINY
