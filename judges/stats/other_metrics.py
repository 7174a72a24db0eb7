"""Agreement figures of other papers besides kappa: one place for page, report and command."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judges.rounding import STEP_ROUNDING
from judges.stats import bins
from judges.stats.agreement import Accuracy, Floats, accuracy, cross_table
from judges.stats.calibration import PairedRatings, value_cells
from judges.stats.clustered import mean_by_item, share_from_counts
from judges.stats.concordance import FIGURES, Concordance, concordance
from judges.stats.uncertainty import Interval
from judges.types import Dimension


@dataclass(frozen=True)
class OtherMetrics:
    """Further figures on judge and people in a dimension, on the cells that both gave a value.

    `exact` is accuracy, the share of equal answers, with its interval by items; `macro` precision, recall and F1
    averaged over answers without order; `ac` Gwet's AC2 of answers in order, AC1 of others. `concordance` has the
    figures of values in an order. A figure that does not exist on the scale is None.
    """

    exact: Interval
    macro: Accuracy | None
    ac: float | None
    concordance: Concordance | None

    @property
    def rows(self) -> list[tuple[str, Interval, str]]:
        """Every figure in order: its name, its value with the interval where it has one, and what it says."""
        equal = "Share of ratings with the same answer (accuracy); not corrected for chance."
        rows = [("% agreement", self.exact, equal)]
        if self.macro is not None:
            for name, value in zip(("precision", "recall", "F1"), self.macro[1:], strict=True):
                rows.append((f"{name} (macro)", _point(value), "Unweighted mean over the answers."))
        if self.ac is not None:
            name = "AC1" if self.concordance is None else "AC2"
            rows.append((name, _point(self.ac), "Gwet's: less affected by one very common answer than kappa."))
        if self.concordance is not None:
            figures = zip(FIGURES.values(), self.concordance, strict=True)
            rows += [(name, interval, meaning) for (name, meaning), interval in figures]
        return rows


def measure_other_metrics(ratings: PairedRatings, dimension: Dimension, drop: str = "") -> OtherMetrics:
    """All of them; `drop` is a category that is left out on both sides, as in `judges.stats.calibration.summarise`."""
    scale, dropped = dimension.scale, dimension.scale.categories.index(drop) if drop else None
    cells = value_cells(ratings.drop_code(None if dropped is None else float(dropped)))
    human, judge = (np.asarray(side, dtype=np.float64) for side in (cells.human, cells.judge))
    weight = np.asarray(cells.weight, dtype=np.float64)
    equal = np.abs(bins.nearest_answers(judge, scale) - bins.nearest_answers(human, scale)) <= (
        STEP_ROUNDING * bins.code_step(scale)
    )
    table = cross_table(bins.row_numbers(human, scale), bins.row_numbers(judge, scale), bins.row_count(scale), weight)
    if dropped is not None:
        table = np.delete(np.delete(table, dropped, 0), dropped, 1)
    ordered = scale.has_order
    return OtherMetrics(
        _exact(cells.item, equal, weight),
        None if ordered else accuracy(table),
        bins.gwet_ac(table, scale),
        concordance(cells) if ordered else None,
    )


def _exact(item: ArrayLike, equal: NDArray[np.bool_], weight: Floats) -> Interval:
    """The share of equal answers."""
    if not len(equal):
        return mean_by_item([], [])
    _, place = np.unique(item, return_inverse=True)
    hits, totals = (np.asarray(np.bincount(place, amount), dtype=np.float64) for amount in (weight * equal, weight))
    return share_from_counts(hits, totals, len(equal))


def _point(value: float | None) -> Interval:
    return Interval.point_only(0, 0, 0.0, "no interval", value)


def as_json(metrics: OtherMetrics) -> dict[str, object]:
    """The same as JSON values: accuracy, averages over answers and figures without a table, each with its ends."""
    values: dict[str, object] = {"accuracy": metrics.exact.point, "accuracy_interval": metrics.exact.ends}
    if metrics.macro is not None:
        values |= dict(zip(("precision", "recall", "f1"), metrics.macro[1:], strict=True))
    values["ac1" if metrics.concordance is None else "ac2"] = metrics.ac
    if metrics.concordance is not None:
        intervals = metrics.concordance._asdict().items()
        values["beside"] = {
            key: {"point": interval.point, "interval": interval.ends, "se": interval.se} for key, interval in intervals
        }
    return values
