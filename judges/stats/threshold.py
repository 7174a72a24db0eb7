"""A score as a flag: from a threshold on it is "yes". What the judge then finds, and how far it agrees.

A score that is published unchanged is evaluated by kappa of its values. If a score triggers an action (an alarm below
3, a filter from 4 on), it matters how often judge and people are on the same side of that threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from judges.rounding import ROUNDING
from judges.stats import bins, rates
from judges.stats.agreement import Floats, cross_table, kappa
from judges.stats.calibration import PairedRatings, summarise
from judges.stats.rates import Rates
from judges.stats.uncertainty import Interval
from judges.types import Dimension, Scale

_MAX_THRESHOLDS = 20
_FLAG = Scale("flag")


class ThresholdPoint(NamedTuple):
    """A threshold with kappa of both sides of it, precision, recall, and the shares of yes; None where undefined."""

    at: float
    kappa: float | None
    precision: float | None
    recall: float | None
    people: float
    judge: float


@dataclass(frozen=True)
class ThresholdRates:
    """One threshold in full: kappa with its interval by item, and the rates of yes (`judges.stats.rates`)."""

    at: float
    kappa: Interval
    rates: Rates


def flag_thresholds(scale: Scale) -> list[float]:
    """The scores from which a flag may begin: every answer but the lowest, or the inner twentieths of a finer scale."""
    step = scale.step if scale.kind == "interval" else 1.0
    if step and bins.scale_width(scale) / step <= _MAX_THRESHOLDS + ROUNDING:
        return [float(round(scale.lo + n * step, 9)) for n in range(1, round(bins.scale_width(scale) / step) + 1)]
    spacing = bins.scale_width(scale) / _MAX_THRESHOLDS
    thresholds = (scale.lo + n * spacing for n in range(1, _MAX_THRESHOLDS))
    return list(dict.fromkeys(float(round(scale.snap(t), 9)) for t in thresholds))


def threshold_curve(ratings: PairedRatings, scale: Scale) -> list[ThresholdPoint]:
    """The figures at every threshold, of the cells that both people and judge gave a value; [] without any."""
    complete, points = ratings.has_both, []
    for at in flag_thresholds(scale) if complete.any() else []:
        human, judge = ((side[complete] >= at - ROUNDING).astype(np.intp) for side in (ratings.human, ratings.judge))
        table = cross_table(human, judge, 2, ratings.weight[complete])
        yes, judge_yes, hits, total = (float(n) for n in (table[1].sum(), table[:, 1].sum(), table[1, 1], table.sum()))
        precision, recall = (hits / n if n else None for n in (judge_yes, yes))
        points.append(ThresholdPoint(at, kappa(table), precision, recall, yes / total, judge_yes / total))
    return points


def rates_at_threshold(ratings: PairedRatings, dimension: Dimension, at: float) -> ThresholdRates:
    """The figures at one threshold with their intervals by item."""

    def side(values: Floats) -> Floats:
        return np.where(np.isnan(values), np.nan, (values >= at - ROUNDING).astype(np.float64))

    flag = replace(dimension, scale=_FLAG)
    cells = replace(ratings, human=side(ratings.human), judge=side(ratings.judge), mean=None, share=None)
    [flag_rates] = rates.rates_of_tables(rates.sum_tables(cells, flag), flag)
    return ThresholdRates(at, summarise(cells, flag).interval, flag_rates)


def explain(threshold_rates: ThresholdRates, dimension: Dimension) -> list[str]:
    """The figures in sentences: recall, false positives and precision."""
    flag_rates, units, from_ = (
        threshold_rates.rates, rates.UNITS[dimension.sort], dimension.scale.format(threshold_rates.at),
    )  # fmt: skip
    lines = []
    if flag_rates.recall.point is None:
        lines.append(f"People give none of these {units} {from_} or more.")
    else:
        lines.append(
            f"Recall {flag_rates.recall.point:.0%}: of the {units} that people give {from_} or more, those that the "
            "judge does too."
        )
    if flag_rates.false_positive_rate.point is not None:
        lines.append(f"False positive rate {flag_rates.false_positive_rate.point:.0%}: of those that people give less.")
    if flag_rates.precision.point is not None:
        lines.append(f"Precision {flag_rates.precision.point:.0%}: of those that the judge gives {from_} or more, "
            "those that people do too.")
    return lines
