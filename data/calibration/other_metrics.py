"""The figures of other papers for a judge and dimension of a workspace."""

from __future__ import annotations

from data.calibration.calibration import meeting
from data.gold.gold import Basis
from data.records.settings import Waiting
from data.store import Store, kept
from judges.stats import other_metrics as figures
from judges.stats.other_metrics import OtherMetrics
from judges.types import Dimension


@kept
def measure_other_metrics(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: str = "",
    waiting: Waiting | None = None,
) -> OtherMetrics:  # fmt: skip
    """Accuracy, AC and correlations on the cells that the calibration page's kappa rests on."""
    cells = meeting(store, dataset_id, judge_id, dimension, basis, waiting=waiting)
    return figures.measure_other_metrics(cells, dimension, drop)
