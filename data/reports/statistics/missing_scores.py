"""Missing scores: the figures under each way of counting what the judge could not answer."""

from __future__ import annotations

from data.calibration import missingness
from data.reports.statistics.statistic import Of, Statistic
from judges.render.findings import other_metrics as said
from judges.stats import missingness as figures
from judges.stats.missingness import Missingness


def _load(of: Of) -> Missingness | None:
    return missingness.measure_missingness(*of.place, of.basis, drop=of.drop)


MISSING_SCORES = Statistic[Missingness | None](
    "missing", "Missing scores", _load,
    lambda found, *_: said.missing(found) if found is not None and found.cells else [], None,
    lambda found: {"missing_counted": None if found is None else figures.as_json(found)},
    stands=lambda line: bool(line.shown.unscored), reading=("missing",),
)  # fmt: skip
