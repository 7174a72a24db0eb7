"""Whether a dimension may go on a dashboard: an interval becomes a state, with its reason in a sentence.

It judges numbers only. The caller must make sure that the cells are blind labels of random draws that were not used for
prompt tuning.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import inf
from typing import TypeVar

from judges.plural import many
from judges.rounding import ROUNDING
from judges.stats.check_states import State
from judges.stats.multiple_testing import holm
from judges.stats.sample_size import MOST_TIMES, more_items_for_threshold
from judges.stats.sequential import LookPlan, OpenSchedule, Schedule, lower_bound_at, z_from_threshold
from judges.stats.uncertainty import MIN_CLUSTERS, Interval, why_no_interval

Key = TypeVar("Key", bound=Hashable)

_TOO_FEW = "More random items, because these are too few or too similar to estimate the error."


@dataclass(frozen=True)
class CheckPolicy:
    """The requirements of a workspace before a dimension may be published.

    It asks for at least `min_items` items with a value of people and judge (`min_clusters` for any figure), and a point
    estimate of at least `threshold`. With `lower_bound`, the one-sided lower bound at `level` must also be at least
    `threshold`. That bound is valid for any number of looks up to `horizon` items (0: for a single look, which nobody
    may repeat). ValueError for impossible values.
    """

    min_items: int = 100
    threshold: float = 0.5
    lower_bound: bool = True
    level: float = 0.95
    min_clusters: int = MIN_CLUSTERS
    horizon: int = 1_000

    def __post_init__(self) -> None:
        if not -1 < self.threshold <= 1:
            raise ValueError(f"The threshold is a kappa, above -1 and at most 1; got {self.threshold}.")
        if not 0.5 <= self.level < 1:
            raise ValueError(f"The level of the bound is at least .5 and below 1, such as .95; got {self.level}.")
        if self.min_items < 1 or self.min_clusters < 2:
            raise ValueError("At least 1 item must be asked for, and at least 2 for any verdict.")
        if self.horizon < 0:
            raise ValueError(f"Looks are free up to a number of items, or 0 for a single look; got {self.horizon}.")

    @property
    def first(self) -> int:
        """The number of items from which there is a result."""
        return max(self.min_items, self.min_clusters)

    @property
    def schedule(self) -> OpenSchedule:
        """The schedule of any-time looks, used if no plan is on record."""
        return OpenSchedule(self.first, self.horizon)

    def begins(self, plan: LookPlan | None) -> float:
        """The number of items from which there is a result under a plan, which may be older than the policy.

        It is infinite if the plan's last look comes before the number of items that the policy now asks for.
        """
        return self.first if plan is None else min((n for n in plan.sizes if n >= self.first), default=inf)

    def refuses(self, plan: LookPlan) -> str:
        """Return a sentence that says why a plan contradicts the policy; "" if it does not."""
        if plan.first < self.first:
            return f"The plan's first look is at {many(plan.first, 'item')}; the policy requires {self.first:,}."
        if not self.lower_bound:
            return "The policy requires no lower bound, so there are no looks to plan."
        return ""


@dataclass(frozen=True)
class CheckResult:
    """The state of a dimension, why, and what is missing ("" when nothing is).

    `bound` is the lower bound that was compared with the threshold, at `needed` errors below the point (None if there
    was none). `shared` is the number of decisions on the same labels, including this one, that share the error. `more`
    is the range of further items that would likely settle it; None if items are not what is missing, or if no number
    can be given. `cut`: the range ends at the limit of the forecast, so more than its end may be needed.
    """

    state: State
    reason: str
    missing: str = ""
    more: tuple[int, int] | None = None
    bound: float | None = None
    needed: float | None = None
    shared: int = 1
    cut: bool = False

    @property
    def still_needed(self) -> str:
        """What is missing in a sentence that follows the reason; "" when nothing is."""
        return f"Still needed: {self.missing[:1].lower()}{self.missing[1:]}" if self.missing else ""

    @property
    def more_told(self) -> str:
        """The range of further items in words: 40 more items, 60 to 190 more items; "" where none is known."""
        if self.more is None:
            return ""
        low, high = self.more
        return many(low, "more item") if low == high else f"{low:,} to {'over ' * self.cut}{high:,} more items"


def check_dimension(interval: Interval, policy: CheckPolicy | None = None, plan: LookPlan | None = None) -> CheckResult:
    """The result for one dimension alone; the default policy asks for 100 items, kappa .5, and its lower bound.

    The states are checked in this order: undefined (enough items, but an expected disagreement of 0), below minimum
    sample, fails, inconclusive, meets policy. The interval of a `plan` is that of the items of its newest look.
    """
    return _decide(interval, policy or CheckPolicy(), plan, 1, 1)


def check_dimensions(
    intervals: Mapping[Key, Interval], policy: CheckPolicy | None = None, plan: LookPlan | None = None
) -> dict[Key, CheckResult]:
    """The results of all dimensions on the same labels: each bound is at the level that Holm's procedure requires.

    The chance that any dimension whose true kappa is at the threshold ever passes stays at 1 - level for all of them
    together. This covers all looks, because each p is valid for all looks (`judges.stats.sequential`), and all
    dimensions and judges, because these p go through Holm's procedure. Dimensions without gold or with an undefined
    kappa do not count; dimensions below the minimum sample do.
    """
    policy = policy or CheckPolicy()
    counted = {
        key: interval for key, interval in intervals.items() if interval.items and not _is_undefined(interval, policy)
    }
    p_values = {key: _p_value(interval, policy, plan) for key, interval in counted.items()}
    adjusted = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    passed = [p_values[key] for key, p in adjusted.items() if p <= 1 - policy.level + ROUNDING]

    def share(key: Key) -> int:
        """The divisor of the error in Holm's procedure: the number of decisions left when this one is tested."""
        before = sum(p < p_values[key] for p in passed) if key in counted else 0
        return max(1, len(counted) - before)

    return {key: _decide(interval, policy, plan, share(key), len(counted)) for key, interval in intervals.items()}


def _p_value(interval: Interval, policy: CheckPolicy, plan: LookPlan | None) -> float:
    schedule: Schedule = plan or policy.schedule
    z = z_from_threshold(interval, policy.threshold)
    return 1.0 if z is None or interval.items < policy.begins(plan) else schedule.p_value(z, interval.items)


def _is_undefined(interval: Interval, policy: CheckPolicy) -> bool:
    return interval.point is None and interval.items >= policy.min_clusters


def _decide(interval: Interval, policy: CheckPolicy, plan: LookPlan | None, share: int, together: int) -> CheckResult:
    """The result with the error divided by `share`, which `together` dimensions share."""
    schedule: Schedule = plan or policy.schedule
    point, threshold = interval.point, policy.threshold
    if _is_undefined(interval, policy):
        return CheckResult(
            "undefined",
            why_no_interval(interval),
            "More random items, because agreement on a constant shows nothing.",
        )
    if point is None or interval.items < policy.begins(plan):
        return _few(interval, policy, plan)
    needed = schedule.boundary((1 - policy.level) / max(1, share), interval.items)
    z, low = z_from_threshold(interval, threshold), lower_bound_at(interval, needed)
    on_items, required = f"on {many(interval.items, 'item')}", f"the required {format_setting(threshold)}"
    if point < threshold - ROUNDING:
        hope = "More labels are unlikely to change this."
        if interval.high is not None and interval.high >= threshold:
            hope = f"A kappa at the threshold is not ruled out: the interval ends at {interval.high:.2f}."
        reason = f"Kappa {format_kappa(point, threshold)} {on_items} is below {required}."
        return CheckResult("fails", reason, f"A judge with higher agreement. {hope}", None, low, needed, together)
    stands = f"Kappa {format_kappa(point, threshold)} {on_items} is at least {required}"
    if not policy.lower_bound:
        return CheckResult("meets policy", f"{stands}; no lower bound is required.", "", None, low, needed, together)
    if z is None or low is None:
        return CheckResult("inconclusive", f"{stands}, but no lower bound can be formed.", _TOO_FEW, shared=together)
    named = f"its lower bound, {format_kappa(low, threshold)} ({_terms(policy, plan, interval.items, together)})"
    if z >= needed - ROUNDING:
        return CheckResult("meets policy", f"{stands}, and so is {named}.", "", None, low, needed, together)
    more = more_items_for_threshold(interval, threshold, needed)
    cut = more is not None and more[1] >= (MOST_TIMES - 1) * interval.items
    advice = _describe_more(more, cut, interval, plan)
    return CheckResult("inconclusive", f"{stands}, but {named}, is not.", advice, more, low, needed, together, cut)


def _terms(policy: CheckPolicy, plan: LookPlan | None, items: int, together: int) -> str:
    """The terms of a bound: its level, the looks for which it is valid, and the decisions that share the error."""
    words = f"{100 * policy.level:g}%"
    if plan is not None:
        words += f", at {many(len(plan.sizes), 'planned look')}"
    elif policy.schedule.horizon > policy.schedule.first:
        horizon = policy.horizon if items <= policy.horizon else policy.schedule.end
        words += f", valid at any number of looks up to {horizon:,} items"
    else:
        words += ", at a single look"
    return words + (f"; error shared by {together:,} decisions on these labels" if together > 1 else "")


def _few(interval: Interval, policy: CheckPolicy, plan: LookPlan | None) -> CheckResult:
    """The result for too few items. If the policy asks for more since the plan was fixed, earlier looks are void."""
    first, required = policy.first, "the policy requires"
    if plan is not None:
        later = policy.begins(plan)
        if later == inf:
            return CheckResult(
                "below minimum sample",
                f"The plan's last look is at {many(plan.sizes[-1], 'item')}; the policy now requires {first:,}.",
                "Another policy or another dataset, because a plan on record does not change.",
            )
        enough = "" if later == plan.first else f" with the {first:,} that the policy requires"
        first, required = int(later), f"the plan's first look{enough} is at"
    more = max(1, first - interval.items)
    return CheckResult(
        "below minimum sample",
        f"There is gold for {many(interval.items, 'item')}; {required} {first:,}.",
        f"Gold for {many(more, 'more random item')}.",
        (more, more),
    )


def _describe_more(items: tuple[int, int] | None, cut: bool, interval: Interval, plan: LookPlan | None) -> str:
    if plan is not None:
        later = [size for size in plan.sizes if size > interval.items]
        if later:
            return f"The plan's next look, at {later[0]:,} items."
        return "Another dataset, because the plan has had its last look."
    if items is None and interval.point == 1:
        return _TOO_FEW
    if items is None:
        return "A kappa further above the threshold, because at it more labels are unlikely to decide it."
    words = f"{items[0]:,} to {'over ' * cut}{items[1]:,}"
    return f"Gold for about {words} more random items, if the true kappa is as estimated."


def format_setting(value: float) -> str:
    """A setting as it was set: two decimals, or more if it has more."""
    return f"{value:.2f}" if abs(value - round(value, 2)) < ROUNDING else f"{value:g}"


def format_kappa(value: float, against: float) -> str:
    """Two decimals, or enough not to look equal to a threshold that it misses; no minus before a zero."""
    for digits in (2, 3, 4):
        if f"{value:z.{digits}f}" != f"{against:z.{digits}f}":
            return f"{value:z.{digits}f}"
    return f"{value:z.2f}" if abs(value - against) < ROUNDING else f"{value:z.6f}"
