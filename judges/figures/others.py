"""The figures that other papers have of a judge and people, beside kappa: one place for page, report and command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judges.agreement import Floats, cross_table, gwet_ac, rounded
from judges.calibrate import Meeting, scored_cells
from judges.concordance import Concordance, concordance
from judges.figures.accuracy import Accuracy, accuracy
from judges.measures.clustered import mean, share_of
from judges.types import Dimension
from judges.uncertainty import Interval


@dataclass(frozen=True)
class Others:
    """How judge and people go together in a dimension, on the cells that both valued.

    `exact` is accuracy, the share of equal answers, with its interval by items, and `macro` precision, recall and F1
    averaged over the answers; `ac` is Gwet's AC2 of answers in order, AC1 of others. `concordance` has the figures of
    values in an order (None: there is no order). Figures of a table are None on a scale that has none.
    """

    ordered: bool
    exact: Interval
    macro: Accuracy
    ac: float | None
    concordance: Concordance | None

    @property
    def rows(self) -> list[tuple[str, Interval, str]]:
        """Every figure in order: its name, its value with the interval where it has one, and what it says."""
        return list(_rows(self))


def others(given: Meeting, dimension: Dimension, drop: str = "") -> Others:
    """All of them; `drop` is a category that is left out on both sides, as in `judges.calibrate.summarise`."""
    scale, dropped = dimension.scale, dimension.scale.categories.index(drop) if drop else -1
    cells, k = scored_cells(given.without(float(dropped) if drop else None), scale)
    human, judge = (np.asarray(side, dtype=np.float64) for side in (cells.human, cells.judge))
    weight = np.ones(len(human)) if cells.weight is None else np.asarray(cells.weight, dtype=np.float64)
    table = None
    if k:
        judge = rounded(judge)
        table = cross_table(human.astype(np.int64), judge.astype(np.int64), k, weight)
        table = np.delete(np.delete(table, dropped, 0), dropped, 1) if drop else table
    ordered = scale.weights is not None
    return Others(
        ordered,
        _exact(cells.item, human == judge, weight),
        Accuracy(None, None, None, None) if table is None else accuracy(table),
        None if table is None else gwet_ac(table, scale.weights),
        concordance(cells) if ordered else None,
    )


def _exact(item: ArrayLike, equal: NDArray[np.bool_], weight: Floats) -> Interval:
    """The share of equal answers."""
    if not len(equal):
        return mean([], [])
    _, place = np.unique(item, return_inverse=True)
    hits, whole = (np.asarray(np.bincount(place, each), dtype=np.float64) for each in (weight * equal, weight))
    return replace(share_of(hits, whole), cells=len(equal), items=len(whole))


def _rows(found: Others) -> Iterator[tuple[str, Interval, str]]:
    yield "accuracy", found.exact, "Share of equal answers, exact agreement; luck is in it."
    if not found.ordered:
        for name, value in zip(("precision", "recall", "F1"), found.macro[1:], strict=True):
            yield f"{name} (macro)", _point(value), "Of every answer by itself, the plain mean over the answers."
    told = "Gwet's, of answers in order." if found.ordered else "Gwet's, of answers without order."
    yield "AC2" if found.ordered else "AC1", _point(found.ac), told + " One common answer disturbs it less than kappa."
    if (one := found.concordance) is not None:
        yield "Pearson r", one.pearson, "Correlation of the values. It is not agreement: constant leniency leaves it 1."
        yield "Spearman", one.spearman, "Correlation of the ranks; equal values share a rank."
        yield "Kendall tau-b", one.kendall, "Pairs of cells in one order less those in opposite orders, ties corrected."
        yield "ICC(A,1)", one.icc, "Two raters, absolute agreement: nearly quadratic kappa."
        yield "mean absolute error", one.mae, "How far judge and people lie apart on average, in steps of the scale."


def _point(value: float | None) -> Interval:
    return Interval(value, None, None, None, 0, 0, 0.0, "no interval")


def plain(found: Others) -> dict[str, object]:
    """The same as values of JSON: the figure, and the ends of its interval where it has one."""
    made: dict[str, object] = {}
    for name, one, _ in found.rows:
        key = name.lower().replace(" (macro)", "").replace("(a,1)", "").replace("-", "_").replace(" ", "_")
        made[key] = one.point
        if one.low is not None:
            made[f"{key}_interval"] = [one.low, one.high]
    return made
