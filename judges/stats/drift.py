"""Whether an approval is still valid: newer gold, compared with the frozen evidence and with the policy.

Two things suspend an approval: the figure of all gold falls below the threshold that the approval met, or the newer
gold is significantly below it. Weaker doubts put it *to be looked at* and suspend nothing. It judges numbers only; the
caller says which gold is newer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import hypot, sqrt
from typing import Literal, NamedTuple

from judges.plural import many
from judges.rounding import ROUNDING
from judges.stats import approval_check
from judges.stats.approval_check import CheckPolicy, format_kappa, format_setting
from judges.stats.calibration import Summary, count_other_answers
from judges.stats.sequential import OpenSchedule, lower_bound_at
from judges.stats.uncertainty import Interval

ApprovalState = Literal["holds", "to be looked at", "suspended"]
Reason = Literal["no gold", "pooled", "since", "latest", "bound", "weights", "lower", "down", "up"]
"""The reasons: the first four suspend an approval, the others are to be looked at."""

ALPHA = 0.05
"""The chance that the gold since the approval ever says "fails" of a judge whose true kappa is at the threshold."""
MIN_ITEMS = 50
"""Items since the approval below which nothing is concluded from them alone."""
MIN_OTHER_ANSWERS = 18
"""Of them as many have to hold another answer than the commonest one (count_other_answers)."""
LATEST_ITEMS = 120
"""The newest items since the approval, which are looked at by themselves too: much good gold must not hide a fall."""
_SCHEDULE = OpenSchedule(MIN_ITEMS, 1_000)


class FrozenEvidence(NamedTuple):
    """The frozen evidence of the approval: kappa, its standard error, items and effective items; None if not kept."""

    kappa: float | None
    se: float | None
    items: float | None
    n_eff: float | None


class GoldAgreement(NamedTuple):
    """Kappa of some gold, and the share of the commonest answer in it (both sides' mean; None without cells)."""

    kappa: Interval
    commonest: float | None

    @classmethod
    def from_summary(cls, summary: Summary) -> GoldAgreement:
        """That of a dimension's figures."""
        return cls(summary.interval, summary.commonest)

    @property
    def enough(self) -> bool:
        """Whether anything may be concluded from it by itself."""
        worth = min(self.kappa.items, self.kappa.n_eff)
        varied = count_other_answers(self.kappa, self.commonest) >= MIN_OTHER_ANSWERS - ROUNDING
        return self.kappa.point is not None and worth >= MIN_ITEMS - ROUNDING and varied


@dataclass(frozen=True)
class DriftFinding:
    """The state of an approval, the reasons by kind, and each as a sentence.

    `since` is kappa of the gold since the approval with an any-time valid interval. `change` is its difference to the
    kappa at the approval, with such an interval. Both are None if nothing may be concluded yet.
    """

    state: ApprovalState
    reasons: tuple[Reason, ...]
    sentences: tuple[str, ...]
    since: Interval | None = None
    change: Interval | None = None

    @property
    def why(self) -> str:
        """The reasons, one after the other."""
        return " ".join(self.sentences)


def assess_drift(
    then: FrozenEvidence,
    pooled: GoldAgreement,
    since: GoldAgreement | None,
    latest: GoldAgreement | None,
    policy: CheckPolicy,
) -> DriftFinding:
    """The state of an approval under the policy that it met (docs/methods.md, Drift and suspension).

    `pooled` is all gold there is now, `since` what came after the approval (None: nothing), `latest` the newest of it
    (`LATEST_ITEMS` items; None where `since` is no more than that).

    The gold since lies below the threshold when even its any-time upper end does: with z the boundary of looks from 50
    items on (`judges.stats.sequential.OpenSchedule`) and the error e,

        upper end = 1 - (1 - kappa) exp(-z e / (1 - kappa)),

    the scale of `sequential.z_from_threshold`. e is the larger of its own standard error and of the error of all gold
    scaled to so many items, error * sqrt(n_eff / n_eff of the new): without a rare answer, a few new items
    underestimate their error. The change since the approval is kappa since - kappa then, its error the root of both
    errors' squares, and its interval two-sided at the same any-time level.
    """
    reach = anytime_interval(since, pooled) if since is not None and since.enough else None
    recent = anytime_interval(latest, pooled) if latest is not None and latest.enough else None
    change = None if reach is None else change_interval(then, reach)
    bad = list(_suspension_reasons(then, pooled.kappa, (reach, recent), policy))
    reasons = bad or list(_doubts(pooled.kappa, reach, change, policy))
    state: ApprovalState = "suspended" if bad else "to be looked at" if reasons else "holds"
    kinds, sentences = tuple(kind for kind, _ in reasons), tuple(sentence for _, sentence in reasons)
    return DriftFinding(state, kinds, sentences, reach, change)


def anytime_interval(new: GoldAgreement, pooled: GoldAgreement) -> Interval:
    """Kappa of new gold with ends that are any-time valid at `ALPHA` each; no ends if it has no standard error."""
    own, pooled_kappa = new.kappa, pooled.kappa
    if own.point is None or own.se is None:
        return own
    error = own.se
    if pooled_kappa.se is not None and own.n_eff > 0:
        error = max(error, pooled_kappa.se * sqrt(max(1.0, pooled_kappa.n_eff / own.n_eff)))
    z, interval = _SCHEDULE.boundary(ALPHA, own.items), replace(own, se=error, method="any-time", level=1 - 2 * ALPHA)
    low, high = lower_bound_at(interval, z), lower_bound_at(interval, -z)
    return replace(interval, low=low, high=high, lower_bound=low)


def change_interval(then: FrozenEvidence, since: Interval) -> Interval | None:
    """Kappa since the approval minus kappa at the approval, with an any-time valid 95 % interval."""
    if then.kappa is None or then.se is None or since.point is None or since.se is None:
        return None
    point, error = since.point - then.kappa, hypot(since.se, then.se)
    wide = _SCHEDULE.boundary(ALPHA / 2, since.items) * error
    return Interval(
        point, point - wide, point + wide, point - wide, since.items, since.cells, since.n_eff, "any-time", error
    )  # fmt: skip


_Told = tuple[Reason, str]


def _suspension_reasons(
    then: FrozenEvidence, pooled: Interval, new: tuple[Interval | None, Interval | None], policy: CheckPolicy
) -> Iterator[_Told]:
    """Yield the reasons that suspend an approval, each with its sentence."""
    threshold = policy.threshold
    if pooled.point is None or pooled.items < policy.min_clusters:
        decision = approval_check.check_dimension(pooled, policy)
        yield "no gold", f"{decision.reason} {decision.still_needed}".strip()
    elif pooled.point < threshold - ROUNDING and not _is_open(then, pooled):
        yield (
            "pooled",
            f"With all labels kappa is {format_kappa(pooled.point, threshold)} on {many(pooled.items, 'item')}, below "
            f"the {format_setting(threshold)} required at the approval.",
        )
    since, latest = new
    for kind, kappa, labels in (("since", since, "labels since the approval"), ("latest", latest, "the newest labels")):
        if kappa is not None and kappa.high is not None and kappa.point is not None and kappa.high < threshold:
            yield (
                kind,  # type: ignore[misc]
                f"Kappa of {labels} is {kappa.point:z.2f} on {many(kappa.items, 'item')}, and at most "
                f"{format_kappa(kappa.high, threshold)} (95%, valid at any number of looks): below the "
                f"{format_setting(threshold)} required at the approval.",
            )


def _doubts(
    pooled: Interval, since: Interval | None, change: Interval | None, policy: CheckPolicy
) -> Iterator[_Told]:
    """Yield the reasons that are to be looked at, each with its sentence."""
    threshold = policy.threshold
    if pooled.point is not None and pooled.point < threshold - ROUNDING:
        yield (
            "weights",
            f"With all labels kappa is {format_kappa(pooled.point, threshold)} on {many(pooled.items, 'item')}, below "
            f"the {format_setting(threshold)} required at the approval, but a few new items have a large weight so "
            "far: label more of the draw.",
        )
    elif (decision := approval_check.check_dimension(pooled, replace(policy, horizon=0))).state != "meets policy":
        # A pass at the bound of all looks need not be repeated at each: only the bound of one look counts here.
        yield "bound", f"With all labels it would not be approved now: {decision.reason}"
    if since is not None and since.point is not None and since.point < threshold:
        yield (
            "lower",
            f"Kappa of labels since the approval is {format_kappa(since.point, threshold)} on "
            f"{many(since.items, 'item')}, below {format_setting(threshold)}; this may be chance.",
        )
    if change is not None and change.point is not None and change.low is not None and change.high is not None:
        ends = f"{change.low:+z.2f} to {change.high:+z.2f}"
        if change.high < 0:
            yield "down", f"Kappa fell by {-change.point:.2f} since the approval (95% interval of the change {ends})."
        elif change.low > 0:
            yield (
                "up",
                f"Kappa rose by {change.point:.2f} since the approval (95% interval of the change {ends}): the "
                "judge, the annotators or the items have changed.",
            )


def _is_open(then: FrozenEvidence, pooled: Interval) -> bool:
    """Whether a draw is open whose first answers stand for all of a new stratum.

    Then there are more items than at the approval, and each has less weight.
    """
    if then.items is None or then.n_eff is None:
        return False
    return pooled.items > then.items and pooled.n_eff < 0.9 * then.n_eff
