"""Figures of single ratings that stand beside kappa: those of other papers, and a score as a flag."""

from __future__ import annotations

from data.calibration.calibration import load_paired_ratings
from data.gold.gold import Basis
from data.records.access import allow
from data.store import Store, cache_result
from judges.stats import other_metrics, threshold
from judges.stats.other_metrics import OtherMetrics
from judges.stats.threshold import ThresholdPoint, ThresholdRates
from judges.types import Dimension


@allow("annotator")
@cache_result
def measure_other_metrics(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: bool = False
) -> OtherMetrics:
    """Accuracy, AC and correlations on the cells that the calibration page's kappa rests on; `drop`: without ties."""
    cells = load_paired_ratings(store, dataset_id, judge_id, dimension, basis)
    return other_metrics.measure_other_metrics(cells, dimension, dimension.scale.drawn if drop else "")


@cache_result
def flag_curve(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> list[ThresholdPoint]:
    """A score as a flag, over thresholds."""
    return threshold.threshold_curve(
        load_paired_ratings(store, dataset_id, judge_id, dimension, basis), dimension.scale
    )


@allow("annotator")
@cache_result
def flag_at(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, at: float
) -> ThresholdRates:
    """The same at one threshold, with intervals."""
    return threshold.rates_at_threshold(
        load_paired_ratings(store, dataset_id, judge_id, dimension, basis), dimension, at
    )
