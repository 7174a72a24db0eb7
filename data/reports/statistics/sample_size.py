"""Sample size: kappa by the number of items with gold."""

from __future__ import annotations

from collections.abc import Sequence

from data.calibration import slices
from data.reports.statistics.statistic import Of, Statistic
from judges.render.findings import sample_size as said
from judges.render.json_figures import kappa
from judges.stats.uncertainty import Interval


def _load(of: Of) -> Sequence[Interval]:
    return slices.growth(*of.place, of.basis, of.drop)


SAMPLE_SIZE = Statistic[Sequence[Interval]](
    "size", "Sample size", _load,
    lambda found, line, policy: said.growth(found, (), policy, f"{line.dimension.title}: kappa by sample size"), (),
    lambda found: {"by_items": [kappa(step) for step in found]}, folded=True, reading=("curve", "planner"),
)  # fmt: skip
