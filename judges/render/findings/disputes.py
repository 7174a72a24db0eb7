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
            "dimension": kept.dimension.title, "unit": kept.dimension.sort,
            "to adjudicate": f"{kept.people.waiting:,} of {kept.gold_cells:,}",
            "kappa, counted": f"{cell(kept.interval.point, '.2f')} ({span(kept.interval)})",
            "kappa, left out": f"{cell(out.interval.point, '.2f')} ({span(out.interval)})",
            "bias, counted": cell(kept.mean_difference, "+.2f"), "bias, left out": cell(out.mean_difference, "+.2f"),
        }
        for kept, out in pairs
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
