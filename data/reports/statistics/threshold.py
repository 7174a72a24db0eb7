"""Binary threshold: a score from a threshold on is "yes", with kappa, precision and recall of that."""

from __future__ import annotations

from collections.abc import Sequence

from data.calibration import other_metrics
from data.reports.statistics.statistic import Of, Statistic
from judges.render.findings import threshold as said
from judges.stats.threshold import ThresholdPoint


def _load(of: Of) -> Sequence[ThresholdPoint]:
    return other_metrics.flag_curve(*of.place, of.basis)


THRESHOLD = Statistic[Sequence[ThresholdPoint]](
    "flag", "Binary threshold", _load,
    lambda found, line, _: said.curve(found, f"{line.dimension.title}: as a flag, by threshold"), (),
    stands=lambda line: line.dimension.scale.kind in ("ordinal", "interval"), drops=False, folded=True,
    reading=("threshold",),
)  # fmt: skip
