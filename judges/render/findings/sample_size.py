"""Kappa by the number of items with gold, and how many more are needed."""

from __future__ import annotations

from collections.abc import Sequence

from judges.plural import many
from judges.render.findings.findings import Finding, Growth, Sentence, quiet, say
from judges.render.words import cell, span
from judges.stats.approval_check import CheckPolicy
from judges.stats.uncertainty import Interval


def growth(steps: Sequence[Interval], ahead: Sequence[Interval], policy: CheckPolicy, title: str = "") -> list[Finding]:
    """Kappa on the first n items with its band, the forecast, and how much it moved last; nothing of one size only."""
    if len(steps) < 2:
        return []
    threshold = policy.threshold
    findings: list[Finding] = [Growth(steps, ahead, threshold, f"required: {threshold:.2f}", title)]
    first, last = steps[0], steps[-1]
    if first.point is not None and last.point is not None and len(steps) > 2:
        late = [s for s in steps if s.point is not None and s.items >= last.items / 2]
        drift = max(abs((s.point or 0.0) - last.point) for s in late)
        findings.append(
            quiet(
                "Over the second half of the items kappa stayed within {drift} of {now}. Band: 95% interval by items "
                "(linearised)." + (" Dotted: forecast." if ahead else ""),
                drift=f"{drift:.2f}", now=cell(last.point, ".2f"),
            )
        )  # fmt: skip
    return findings


def plan(
    now: Interval, half: float, width: tuple[int, int] | None, bound: tuple[int, int] | None, policy: CheckPolicy,
    noun: str,
) -> list[Sentence]:
    """Return sentences on further items (`noun`: "blind item") for an interval of -+ `half` and the required bound.

    `width` and `bound` are the ranges of `judges.stats.sample_size`. With fewer items than the policy asks for, there
    is no sentence on the bound, because kappa of a few items does not show on which side of the threshold it will lie.
    """
    items, threshold = many(now.items, "item"), f"{policy.threshold:.2f}"
    wide = {"half": f"{half:.2f}", "span": span(now), "items": items}
    if width is None:
        first = say("The number of items for an interval of ±{half} cannot be estimated yet.", half=f"{half:.2f}")
    elif width == (0, 0):
        first = say("The interval is no wider than ±{half} already: {span} from {items}.", **wide)
    else:
        first = say(
            "About **{low} to {high}** until the interval is no wider than ±{half}; now it is {span} from {items}.",
            low=f"{width[0]:,}", high=many(width[1], f"more {noun}"), **wide,
        )  # fmt: skip
    if now.items < policy.first:
        second = say(
            "With fewer than {first} it cannot be estimated when the lower bound reaches {threshold}: {more} are "
            "needed first.",
            first=many(policy.first, "item"), threshold=threshold, more=many(policy.first - now.items, f"more {noun}"),
        )  # fmt: skip
    elif bound == (0, 0):
        second = say("The lower bound is at the required {threshold} or above.", threshold=threshold)
    elif bound is not None:
        second = say(
            "About **{low} to {high}** until the lower bound is at {threshold}, if the true kappa is as estimated "
            "(80% range).",
            low=f"{bound[0]:,}", high=many(bound[1], f"more {noun}"), threshold=threshold,
        )  # fmt: skip
    elif (now.point or 0.0) < policy.threshold:
        second = say("Kappa itself is below {threshold}, so more labels alone will not help.", threshold=threshold)
    else:
        second = say("Kappa is at the required {at}: more labels are unlikely to decide it.", at=threshold)
    return [first, second]
