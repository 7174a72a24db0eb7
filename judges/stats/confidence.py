"""Whether a judge is right more often when it is confident: agreement by confidence, calibration error, and ranking."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from judges.rounding import ROUNDING
from judges.stats.agreement import Codes, Floats
from judges.stats.clustered import weighted_share
from judges.stats.concordance import midranks
from judges.stats.uncertainty import Interval, symmetric_interval

MAX_LEVELS = 8
"""So many different values are levels of their own; of more, tenths of the way from 0 to 1 are made."""


@dataclass(frozen=True)
class ConfidenceCells:
    """Scored cells with a confidence: item, confidence 0..1, how many steps of the scale the judge lies off, weight.

    All arrays have one length.
    """

    item: Codes
    confidence: Floats
    off: Floats
    weight: Floats


@dataclass(frozen=True)
class ReliabilityLevel:
    """A level of confidence, and how often the judge is right at it.

    It has its ends, the mean confidence stated there, its share of all weight, and the share of ratings in which the
    judge gives people's answer (`accuracy`) or one at most one step from it (`near`), with intervals by items.
    """

    low: float
    high: float
    stated: float
    share: float
    cells: int
    accuracy: Interval
    near: Interval


@dataclass(frozen=True)
class ConfidenceCalibration:
    """The figures of one dimension.

    `ece` is the expected calibration error and `ece_if_calibrated` how large it would be for a perfectly calibrated
    judge of as many ratings; `auroc` is the AUROC of confidence for being right, with its interval by items (None where
    the judge is always, or never, right).
    """

    levels: tuple[ReliabilityLevel, ...]
    ece: float
    ece_if_calibrated: float
    stated: float
    accuracy: Interval
    auroc: Interval | None
    items: int
    cells: int


def confidence_calibration(sure: ConfidenceCells) -> ConfidenceCalibration | None:
    """Agreement by level of confidence; None where no cell has one.

        error = sum_b W_b / W |mean confidence in b - share right in b|

    Source: Guo et al. 2017 (error, with levels of equal width); the part that chance gives is sum_b W_b / W
    sqrt(2 / pi) sd_b, sd_b = sqrt(c_b (1 - c_b) / n_b), n_b the cells that the level's interval is worth.
    """
    if not len(sure.item):
        return None
    right, close = (sure.off == 0).astype(np.float64), (sure.off <= 1).astype(np.float64)
    total, levels, error, chance = sure.weight.sum(), [], 0.0, 0.0
    for inside, low, high in _levels(sure.confidence):
        item, weight = sure.item[inside], sure.weight[inside]
        share, stated = float(weight.sum() / total), float(np.average(sure.confidence[inside], weights=weight))
        exact = weighted_share(item, right[inside], weight)
        levels.append(
            ReliabilityLevel(low, high, stated, share, len(item), exact, weighted_share(item, close[inside], weight))
        )  # fmt: skip
        error += share * abs(stated - (exact.point or 0.0))
        chance += share * sqrt(2 / pi * stated * (1 - stated) / max(exact.n_eff, 1.0))
    return ConfidenceCalibration(
        tuple(levels), error, chance, float(np.average(sure.confidence, weights=sure.weight)),
        weighted_share(sure.item, right, sure.weight), auroc(sure), len(np.unique(sure.item)), len(sure.item),
    )  # fmt: skip


def _levels(confidence: Floats) -> list[tuple[NDArray[np.bool_], float, float]]:
    """(which cells, lower end, upper end) of every level that has any, from the lowest."""
    values = np.unique(confidence)
    if len(values) <= MAX_LEVELS:
        return [(confidence == v, float(v), float(v)) for v in values]
    place = np.minimum((confidence * 10 + ROUNDING).astype(np.int64), 9)
    return [(place == n, int(n) / 10, (int(n) + 1) / 10) for n in np.unique(place)]


def auroc(sure: ConfidenceCells) -> Interval | None:
    """Return how often a cell that the judge has right has more confidence than a wrong one (ties count half).

    .5 is no use, 1 a perfect ranking. The error sums each cell's structural component by item,

        se^2 = sum_g (sqrt(a / (a - 1)) sum over right cells of g + sqrt(b / (b - 1)) sum over wrong cells of g)^2

    with a and b the items that have right and wrong cells, and the ends are Student's with min(a, b) - 1 degrees of
    freedom: of one or two wrong cells nobody knows how they spread. With one factor for all items and the normal
    quantile, confidence of no use was found of use, or harmful, in half of the samples of 40 items with 3 % wrong.
    No ends where a or b is below two, or nothing varies. None if the judge is never wrong or never right. Source:
    Hanley and McNeil 1982; DeLong et al. 1988; Obuchowski 1997 (clusters).
    """
    right = sure.off == 0
    if right.all() or not right.any():
        return None
    above = midranks(sure.confidence[~right], sure.weight[~right], sure.confidence[right])
    below = 1 - midranks(sure.confidence[right], sure.weight[right], sure.confidence[~right])
    area = float(np.average(above, weights=sure.weight[right]))
    distinct, place = np.unique(sure.item, return_inverse=True)
    items = fewest = len(distinct)
    by_item = np.zeros(items)
    for side, component in ((right, above - area), (~right, below - area)):
        weight, count = sure.weight[side], len(np.unique(place[side]))
        moved = np.bincount(place[side], weight * component, items) / weight.sum()
        by_item, fewest = by_item + moved * sqrt(count / max(count - 1, 1)), min(fewest, count)
    error = sqrt(float(by_item @ by_item))
    se = error if fewest > 1 and error > ROUNDING else None
    freedom = max(fewest - 1, 1)
    return symmetric_interval(area, se, items, len(right), float(items), "linearised", 0.0, 1.0, freedom)
