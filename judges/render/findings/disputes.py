"""Ratings on which people disagree and nobody has decided yet: the figures with and without them."""

from __future__ import annotations

from collections.abc import Sequence

from judges.render.findings.findings import Finding, Table, quiet
from judges.render.words import cell, span
from judges.stats.calibration import Summary


def findings(pairs: Sequence[tuple[Summary, Summary]], counted: bool) -> list[Finding]:
    """Kappa and bias of each dimension with and without those ratings.

    `counted` says whether the approval check counts them.
    """
    rows = [
        {
            "dimension": with_disputes.dimension.title, "unit": with_disputes.dimension.sort,
            "to adjudicate": f"{with_disputes.people.waiting:,} of {with_disputes.gold_cells:,}",
            "kappa, counted": f"{cell(with_disputes.interval.point, '.2f')} ({span(with_disputes.interval)})",
            "kappa, left out": f"{cell(without_disputes.interval.point, '.2f')} ({span(without_disputes.interval)})",
            "bias, counted": cell(with_disputes.mean_difference, "+.2f"),
            "bias, left out": cell(without_disputes.mean_difference, "+.2f"),
        }
        for with_disputes, without_disputes in pairs
    ]  # fmt: skip
    used = "counts them, combined by the setting of the dataset" if counted else "leaves them out"
    return [
        Table(rows),
        quiet(
            "People disagree there by more than the dataset allows, and nobody has decided yet. The approval check "
            "{used} (how labels are combined). Leaving them out keeps the easier ratings, which overestimates kappa.",
            used=used,
        ),
    ]
