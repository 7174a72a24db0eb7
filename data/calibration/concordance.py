"""Figures of single values that stand beside kappa: correlations, ICC, mean error, and a score as a flag."""

from __future__ import annotations

from data.calibration.calibration import BEHIND, meeting
from data.gold.gold import Basis
from data.store import Store, remembered
from judges.stats import concordance, threshold
from judges.stats.concordance import Concordance
from judges.stats.threshold import Flagged, Step
from judges.types import Dimension


def concordance_of(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: str = ""
) -> Concordance | None:
    """The figures of one judge and dimension on a basis; None where answers have no order."""
    if dimension.scale.weights is None:
        return None

    def make() -> Concordance:
        code = float(dimension.scale.categories.index(drop)) if drop else None
        given = meeting(store, dataset_id, judge_id, dimension, basis).without(code)
        return concordance.concordance(concordance.cells_of(given))

    return remembered(store, ("concordance", dataset_id, judge_id, dimension, basis, drop), BEHIND, make)


def flag_curve(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis) -> list[Step]:
    """A score as a flag, over thresholds."""
    given = meeting(store, dataset_id, judge_id, dimension, basis)
    return threshold.curve(given, dimension.scale)


def flag_at(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, at: float) -> Flagged:
    """The same at one threshold, with intervals."""
    return threshold.flagged(meeting(store, dataset_id, judge_id, dimension, basis), dimension, at)
