"""A figure with its uncertainty, and the interval of a share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot, inf, log, sqrt
from statistics import NormalDist

from judges.plural import many

MIN_CLUSTERS = 30
"""Fewer items than this give no verdict: the spread between items is itself unknown."""
TWO_SIDED = 0.975
"""The quantile of the upper end of a two-sided 95% interval."""


def normal_quantile(probability: float) -> float:
    """Quantile of the standard normal distribution; ValueError outside 0..1."""
    if not 0 < probability < 1:
        raise ValueError(f"A level lies between 0 and 1, such as .95; got {probability}.")
    return NormalDist().inv_cdf(probability)


def t_quantile(probability: float, freedom: float) -> float:
    """Quantile of Student's t with that many degrees of freedom, which need not be whole.

    ValueError for a probability outside 0..1, or without freedom.
    """
    from scipy.special import stdtrit  # not above: it takes a tenth of a second or more, and 27 MB

    if not 0 < probability < 1:
        raise ValueError(f"A level lies between 0 and 1, such as .95; got {probability}.")
    if not freedom > 0:
        raise ValueError(f"Degrees of freedom must be above 0; got {freedom}.")
    return float(stdtrit(freedom, probability))


@dataclass(frozen=True)
class Interval:
    """A figure with its uncertainty.

    `low` and `high` are two-sided at `level`; `lower_bound` is always the one-sided 95% bound. `items` is the number of
    clusters, `n_eff` their effective number (Kish, over items), `se` the standard error, `undefined` the share of
    bootstrap replicates in which the figure did not exist (left out), `strata` whether items were resampled within
    strata. What does not exist is None.
    """

    point: float | None
    low: float | None
    high: float | None
    lower_bound: float | None
    items: int
    cells: int
    n_eff: float
    method: str
    se: float | None = None
    level: float = 0.95
    undefined: float = 0.0
    strata: bool = False

    @classmethod
    def point_only(
        cls, items: int, cells: int, n_eff: float, method: str, point: float | None = None, undefined: float = 0.0
    ) -> Interval:
        """A figure without ends, or, without a point, no figure at all."""
        return cls(point, None, None, None, items, cells, n_eff, method, undefined=undefined)

    @property
    def ends(self) -> list[float] | None:
        """The two ends as JSON has them; None where there are none."""
        return None if self.low is None or self.high is None else [self.low, self.high]

    def in_brackets(self, shape: str) -> str:
        """The two ends in this format, in brackets after a space; "" where there are none."""
        return "" if self.low is None or self.high is None else f" ({self.low:{shape}} to {self.high:{shape}})"

    def smaller_group(self, other: Interval) -> tuple[int, int, float]:
        """Items, cells and effective items of the smaller of two groups, which is the one that limits a difference."""
        return min(self.items, other.items), min(self.cells, other.cells), min(self.n_eff, other.n_eff)

    @property
    def is_too_small(self) -> bool:
        """True below `MIN_CLUSTERS` items: the interval may be shown, and nothing may be concluded from it."""
        return self.items < MIN_CLUSTERS


def why_no_interval(kappa: Interval, raters: str = "everyone") -> str:
    """Return a sentence on why a kappa, or a difference of kappas, of `raters` is undefined or has no interval.

    "" if it has one, or has none because there are too few items.
    """
    on = many(kappa.items, "item")
    if kappa.items and kappa.point is None:
        return f"Kappa is undefined on {on}: {raters} gave one and the same value, so agreement by chance is certain."
    no_interval = kappa.ends is None and not kappa.is_too_small
    return f"Nearly all values on {on} are the same, so kappa has no interval: no conclusion." if no_interval else ""


def symmetric_interval(
    point: float | None, se: float | None, items: int, cells: int, n_eff: float, method: str,
    lo: float = -inf, hi: float = inf, freedom: float | None = None,
) -> Interval:  # fmt: skip
    """The interval point -+ z se, all ends kept within `lo` to `hi`; without a standard error the point only.

    z is the normal quantile, or Student's with `freedom` degrees of freedom.
    """
    if point is None or se is None:
        return Interval.point_only(items, cells, n_eff, method, point)
    wide, bound = (
        se * (normal_quantile(p) if freedom is None else t_quantile(p, freedom)) for p in (TWO_SIDED, 0.95)
    )  # fmt: skip
    low, high = max(lo, point - wide), min(hi, point + wide)
    return Interval(point, low, high, max(lo, point - bound), items, cells, n_eff, method, se)


def independent_difference(a: Interval, b: Interval, method: str, lo: float = -inf, hi: float = inf) -> Interval:
    """b - a of two disjoint groups of items: errors added as they are independent."""
    point = None if a.point is None or b.point is None else b.point - a.point
    se = None if a.se is None or b.se is None else hypot(a.se, b.se)
    return symmetric_interval(point, se, *a.smaller_group(b), method, lo, hi)


def reciprocal_lower_end(point: float, error: float, z: float) -> float:
    """The lower end of a kappa of which 1 / (1 - kappa) is normal: (kappa - r) / (1 - r), r = z error / (1 - kappa).

    At least -1. Its error is taken to grow as (1 - kappa)^2 towards lower values.
    """
    if point >= 1:
        return point
    r = z * error / (1 - point)
    return max(-1.0, (point - r) / (1 - r)) if r < 1 else -1.0


def wilson_interval(successes: float, n: float) -> Interval:
    """Interval of a share of independent trials; `items` and `cells` are n (rounded), all figures None when n is 0.

        (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)

    ValueError unless 0 <= successes <= n. Source: Wilson 1927.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"Successes must lie between 0 and n; got {successes} of {n}.")
    trials = round(n)
    if n == 0:
        return Interval.point_only(0, 0, 0.0, "wilson")
    p = successes / n

    def ends(z: float) -> tuple[float, float]:
        centre, half = p + z**2 / (2 * n), z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        low, high = (centre - half) / (1 + z**2 / n), (centre + half) / (1 + z**2 / n)
        return (0.0 if successes == 0 else low), (1.0 if successes == n else high)

    low, high = ends(normal_quantile(TWO_SIDED))
    bound = ends(normal_quantile(0.95))[0]
    return Interval(p, low, high, bound, trials, trials, float(n), "wilson", sqrt(p * (1 - p) / n))


def with_rule_of_three(interval: Interval, once: float) -> Interval:
    """The ends for a kappa of 1 by the rule of three: with probability a, -log(a) expected cases are not observed.

    `once` is how far one cell in which judge and people lie one step apart would pull kappa down.
    """
    tails = 1 - TWO_SIDED, 0.05
    low, bound = (max(-1.0, 1 + log(tail) * once * interval.items / interval.n_eff) for tail in tails)
    return replace(interval, low=low, lower_bound=bound)
