"""Other metrics: accuracy, AC, correlations and the rest, for comparison with other papers."""

from __future__ import annotations

from data.calibration import other_metrics
from data.reports.statistics.statistic import Of, Statistic
from judges.render.findings import other_metrics as said
from judges.stats import other_metrics as figures
from judges.stats.other_metrics import OtherMetrics


def _load(of: Of) -> OtherMetrics | None:
    return other_metrics.measure_other_metrics(*of.place, of.basis, of.drop)


OTHER_METRICS = Statistic[OtherMetrics | None](
    "others", "Other metrics", _load,
    lambda found, line, _: said.findings(found, line.dimension) if found is not None else [], None,
    lambda found: {"others": None if found is None else figures.as_json(found)}, reading=("others", "AC2"),
)  # fmt: skip
