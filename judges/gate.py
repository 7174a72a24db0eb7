"""May this dimension go on a dashboard? Here an interval becomes a decision, with its reason in a sentence.

It judges numbers only. That the cells behind them are blind labels of random draws, untouched by prompt tuning, is for
the caller to see to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor
from statistics import NormalDist
from typing import Literal

from judges.counted import many
from judges.multiple import holm as holm
from judges.planner import more_for_bound
from judges.uncertainty import MIN_CLUSTERS, Interval, quantile

State = Literal["not enough gold", "undefined", "below", "promising", "eligible"]

_ROUNDING = 1e-9  # equal fractional weights can sum to an n_eff of 99.99999999999999


@dataclass(frozen=True)
class Policy:
    """What a workspace asks before a dimension may be published.

    At least `min_items` effective items (n_eff) and `min_clusters` items, a point estimate of at least `threshold`,
    and, if `lower_bound`, the one-sided lower bound at `level` at least `threshold` too. ValueError for values that
    make no sense.
    """

    min_items: int = 100
    threshold: float = 0.5
    lower_bound: bool = True
    level: float = 0.95
    min_clusters: int = MIN_CLUSTERS

    def __post_init__(self) -> None:
        if not -1 < self.threshold <= 1:
            raise ValueError(f"The threshold is a kappa, above -1 and at most 1; got {self.threshold}.")
        if not 0.5 <= self.level < 1:
            raise ValueError(f"The level of the bound is at least .5 and below 1, such as .95; got {self.level}.")
        if self.min_items < 1 or self.min_clusters < 2:
            raise ValueError("At least 1 effective item and 2 items must be asked for.")


@dataclass(frozen=True)
class Decision:
    """The state of a dimension, why, and what is missing ("" when nothing is).

    `more_items` is about how many further items would settle it; None where items are not what is missing or no
    number can be given.
    """

    state: State
    reason: str
    missing: str = ""
    more_items: int | None = None


def decide(interval: Interval, policy: Policy | None = None) -> Decision:
    """One dimension decided by itself; the default policy is METHODS' own (100 items, .5, and the 95% bound at .5).

    In this order: undefined (enough clusters, yet no disagreement to be expected), not enough gold, below, promising,
    eligible.
    """
    policy = policy or Policy()
    point, threshold = _testable(interval, policy), policy.threshold
    if isinstance(point, Decision):
        return point
    if point < threshold - _ROUNDING:
        return _below(point, interval, threshold)
    on_items = f"on {many(interval.items, 'item')}"
    stands = f"Kappa {_figure(point, threshold)} {on_items} reaches the {_plain(threshold)} that the policy asks"
    if not policy.lower_bound:
        return Decision("eligible", f"{stands}; it asks no lower bound.")
    bound = interval.bound(policy.level)
    if bound is None:
        return Decision(
            "promising",
            f"{stands}, but no lower bound can be formed.",
            "Items with other values than the commonest one.",
        )
    named = f"its lower bound ({_percent(policy.level)}, one-sided), {_figure(bound, threshold)}"
    if bound < threshold - _ROUNDING:
        more = more_for_bound(interval, threshold, policy.level)
        return Decision("promising", f"{stands}, but {named}, does not.", _more(more), more)
    return Decision("eligible", f"{stands}, and so does {named}.")


def decide_together(intervals: Mapping[str, Interval], policy: Policy | None = None) -> dict[str, Decision]:
    """Several dimensions decided at one time, by name: each bound at the level that Holm's procedure asks of it.

    The chance that any dimension passes whose true kappa is below the threshold stays at 1 - level for the whole lot.
    Dimensions without enough gold, or undefined, are not tested and do not count; those below the threshold do. A
    dimension that would pass alone and does not pass here is "promising", and the reason says so. Without a bound in
    the policy there is no test to adjust.
    """
    policy = policy or Policy()
    decisions = {name: decide(interval, policy) for name, interval in intervals.items()}
    tested = [name for name, interval in intervals.items() if not isinstance(_testable(interval, policy), Decision)]
    if not policy.lower_bound or len(tested) < 2:
        return decisions
    p_values = [p_value(intervals[name], policy.threshold) for name in tested]
    adjusted = dict(zip(tested, holm([1.0 if p is None else p for p in p_values]), strict=True))
    alpha = 1 - policy.level
    passed = sum(p <= alpha + _ROUNDING for p in adjusted.values())
    for name, p in adjusted.items():
        held = decisions[name]
        if p <= alpha + _ROUNDING or held.state not in ("eligible", "promising"):
            continue
        more = more_for_bound(intervals[name], policy.threshold, 1 - alpha / (len(tested) - passed))
        reason, missing = held.reason, held.missing
        if more is not None or not missing:
            missing = _more(more)
        if held.state == "eligible":
            reason = (
                f"Alone it would pass, but {len(tested)} dimensions decided together ask more of each (Holm): "
                f"p {_figure(p, alpha)} against {_plain(alpha)}."
            )
        decisions[name] = Decision("promising", reason, missing, more)
    return decisions


def p_value(interval: Interval, threshold: float) -> float | None:
    """One-sided p of "the true kappa is at most `threshold`", from the distance of the 95% bound; None without one.

        p = 1 - Phi(z_.95 (point - threshold) / (point - lower bound))

    so that p <= .05 says the same as lower bound >= threshold.
    """
    if interval.point is None or interval.lower_bound is None:
        return None
    gap = interval.point - interval.lower_bound
    if gap <= _ROUNDING:  # no spread at all: every replicate gave the same figure
        return 0.0 if interval.lower_bound >= threshold - _ROUNDING else 1.0
    return NormalDist().cdf(-quantile(0.95) * (interval.point - threshold) / gap)


def _testable(interval: Interval, policy: Policy) -> float | Decision:
    """The figure to hold against the threshold, or the decision that there is none: undefined, or not enough gold."""
    point, few = interval.point, interval.items < policy.min_clusters
    if point is None and not few:
        return Decision(
            "undefined",
            f"Kappa is undefined on {many(interval.items, 'item')}: everyone gave one and the same value, "
            "so no disagreement was to be expected.",
            "Items that deserve another value: agreement on a constant proves nothing.",
        )
    if point is not None and not few and interval.n_eff >= policy.min_items - _ROUNDING:
        return point
    worth = interval.n_eff / interval.items if interval.items else 1.0
    needed = ceil((policy.min_items - interval.n_eff) / worth - _ROUNDING) if worth > 0 else policy.min_items
    more = max(1, needed, policy.min_clusters - interval.items)
    short = floor(10 * interval.n_eff) / 10  # 99.97 must not look like 100
    effective = "" if abs(worth - 1) < _ROUNDING else f", worth {short:.1f} equally weighted ones"
    return Decision(
        "not enough gold",
        f"There is gold for {many(interval.items, 'item')}{effective}; "
        f"the policy asks for {max(policy.min_items, policy.min_clusters):,}.",
        f"Gold for {'about ' if effective else ''}{many(more, 'more item')}.",
        more,
    )


def _below(point: float, interval: Interval, threshold: float) -> Decision:
    reason = (
        f"Kappa {_figure(point, threshold)} on {many(interval.items, 'item')} "
        f"is below the {_plain(threshold)} that the policy asks."
    )
    if interval.high is not None and interval.high >= threshold:
        hope = f"more gold could still change this, as the interval reaches {interval.high:.2f}."
        return Decision("below", reason, f"A judge that agrees better; {hope}")
    return Decision("below", reason, "A judge that agrees better: more gold is unlikely to change this.")


def _more(items: int | None) -> str:
    if items is None:
        return "A point estimate above the threshold: at the threshold itself no number of items will do."
    return f"Gold for about {many(items, 'more item')}, if kappa stays where it is."


def _percent(level: float) -> str:
    return f"{100 * level:g}%"


def _plain(value: float) -> str:
    """A setting as it was set: two decimals, or more if it has more."""
    return f"{value:.2f}" if abs(value - round(value, 2)) < _ROUNDING else f"{value:g}"


def _figure(value: float, against: float) -> str:
    """Two decimals, or as many as it takes not to look equal to a threshold that it misses."""
    for digits in (2, 3, 4):
        if f"{value:.{digits}f}" != f"{against:.{digits}f}":
            return f"{value:.{digits}f}"
    return f"{value:.2f}" if abs(value - against) < _ROUNDING else f"{value:.6f}"
