"""Figures of single values that stand beside kappa: correlations, ICC, mean error, and a score as a flag."""

from __future__ import annotations

from data.calibration.calibration import meeting
from data.gold.gold import Basis
from data.store import Store, kept
from judges.stats import concordance, threshold
from judges.stats.concordance import Concordance
from judges.stats.threshold import ThresholdPoint, ThresholdRates
from judges.types import Dimension


@kept
def concordance_of(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: str = ""
) -> Concordance | None:
    """The figures of one judge and dimension on a basis; None where answers have no order."""
    if dimension.scale.weights is None:
        return None
    code = float(dimension.scale.categories.index(drop)) if drop else None
    given = meeting(store, dataset_id, judge_id, dimension, basis).without(code)
    return concordance.concordance(concordance.value_cells(given))


@kept
def flag_curve(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> list[ThresholdPoint]:
    """A score as a flag, over thresholds."""
    given = meeting(store, dataset_id, judge_id, dimension, basis)
    return threshold.threshold_curve(given, dimension.scale)


@kept
def flag_at(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, at: float
) -> ThresholdRates:
    """The same at one threshold, with intervals."""
    return threshold.rates_at_threshold(meeting(store, dataset_id, judge_id, dimension, basis), dimension, at)
