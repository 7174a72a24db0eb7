"""Kappa by the number of items with gold."""

from __future__ import annotations

from collections.abc import Sequence

from judges.render.findings.findings import Finding, Growth, quiet
from judges.render.words import cell
from judges.stats.approval_check import Policy
from judges.stats.uncertainty import Interval


def growth(steps: Sequence[Interval], ahead: Sequence[Interval], policy: Policy, title: str = "") -> list[Finding]:
    """Kappa on the first n items with its band, the forecast, and how much it moved last; nothing of one size only."""
    if len(steps) < 2:
        return []
    threshold = policy.threshold
    found: list[Finding] = [Growth(steps, ahead, threshold, f"required: {threshold:.2f}", title)]
    first, last = steps[0], steps[-1]
    if first.point is not None and last.point is not None and len(steps) > 2:
        late = [s for s in steps if s.point is not None and s.items >= last.items / 2]
        drift = max(abs((s.point or 0.0) - last.point) for s in late)
        found.append(
            quiet(
                "Over the second half of the items kappa stayed within {drift} of {now}. Band: 95% interval by items "
                "(linearised)." + (" Dotted: forecast." if ahead else ""),
                drift=f"{drift:.2f}", now=cell(last.point, ".2f"),
            )
        )  # fmt: skip
    return found
