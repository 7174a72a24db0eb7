"""A score as a flag, at one threshold."""

from __future__ import annotations

from data.calibration.calibration import load_paired_ratings
from data.gold.gold import Basis
from data.records.access import allow
from data.store import Store, cache_result
from judges.stats import threshold
from judges.stats.threshold import ThresholdRates
from judges.types import Dimension


@allow("annotator")
@cache_result
def flag_at(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, at: float
) -> ThresholdRates:
    """The rates of the flag that a score is from a threshold on, with intervals."""
    return threshold.rates_at_threshold(
        load_paired_ratings(store, dataset_id, judge_id, dimension, basis), dimension, at
    )
