"""The statistics of a dimension in the order in which page and report have them."""

from __future__ import annotations

from typing import Any

from data.reports.statistics.agreement import AGREEMENT
from data.reports.statistics.anchoring import ANCHORING
from data.reports.statistics.auto_accept import AUTO_ACCEPT
from data.reports.statistics.confidence import CONFIDENCE
from data.reports.statistics.human_agreement import HUMAN_AGREEMENT
from data.reports.statistics.missing_scores import MISSING_SCORES
from data.reports.statistics.other_metrics import OTHER_METRICS
from data.reports.statistics.rates import RATES
from data.reports.statistics.sample_size import SAMPLE_SIZE
from data.reports.statistics.self_consistency import SELF_CONSISTENCY
from data.reports.statistics.slices import SLICES
from data.reports.statistics.statistic import Of, Statistic
from data.reports.statistics.threshold import THRESHOLD

STATISTICS: dict[str, Statistic[Any]] = {
    one.name: one
    for one in (
        AGREEMENT, OTHER_METRICS, MISSING_SCORES, SLICES, SAMPLE_SIZE, HUMAN_AGREEMENT, THRESHOLD, RATES, CONFIDENCE,
        AUTO_ACCEPT, SELF_CONSISTENCY, ANCHORING,
    )
}  # fmt: skip
"""By name."""


def figures(of: Of, met: bool) -> dict[str, Any]:
    """The figures of all statistics of a dimension by their names; `met`: people and judge meet somewhere."""
    return {name: one.load(of) if met else one.empty for name, one in STATISTICS.items()}
