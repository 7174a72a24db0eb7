"""The input of auto-accept: a judge's confidence in every item, and its verdicts on items that people have labelled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.calibration.calibration import float_columns, paired_cells_sql
from data.gold.gold import Basis
from data.records.access import allow
from data.records.outcomes import unit_sort_sql
from data.store import Store, cache_result
from judges.reading.confidence import SAMPLES
from judges.stats import bins
from judges.stats.auto_accept import ConfidenceRatings
from judges.types import Dimension


@dataclass(frozen=True)
class ItemConfidence:
    """The confidence of every item that a judge scored in a dimension, from one source: that of its least sure cell.

    Arrays of one length: item ids, confidence (nan: unknown in some cell, or a reply of the item could not be used),
    and the unit of the least sure cell.
    """

    item: NDArray[np.str_]
    confidence: NDArray[np.float64]
    unit: NDArray[np.str_]

    def count_above(self, threshold: float) -> int:
        """Return the number of items that reach a threshold."""
        return int((self.confidence >= threshold).sum())


@allow("annotator")
@cache_result
def confidence_sources(store: Store, dataset_id: str, judge_id: str, dimension: Dimension) -> dict[str, int]:
    """Return the sources of confidence, with the number of cells of each, most first."""
    of_unit = unit_sort_sql(dimension.sort, "s")
    where = f"where i.dataset_id = $1 and s.dimension = $2 and s.judge_id = $3 and {of_unit} "
    rows = store.rows(
        "select split_part(s.source, ': ', 1), count(*) from score_now s join item i on i.id = s.item_id "
        f"{where}and s.confidence is not null group by 1 "
        f"union all select '{SAMPLES}', count(*) from score_spread s join item i on i.id = s.item_id "
        f"{where}having count(*) > 0 order by 2 desc, 1",
        [dataset_id, dimension.name, judge_id],
    )
    return {str(source): int(cells) for source, cells in rows if source}


def item_confidence(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, source: str) -> ItemConfidence:
    """Return the confidence of every item from one source; a cell whose confidence is from another source has none.

    So a score that breaks a rule of its card, whose confidence is low in any case, is never accepted without review.
    """
    own, spread = "case when split_part(s.source, ': ', 1) = $4 then s.confidence end", ""
    params = [dataset_id, dimension.name, judge_id, source]
    if source == SAMPLES:
        own, params = "p.agreement", params[:3]
        spread = (
            "left join score_spread p on p.judge_id = s.judge_id and p.item_id = s.item_id and p.unit = s.unit "
            "and p.dimension = s.dimension "
        )
    frame = store.frame(
        f"select s.item_id, s.unit, case when u.item_id is null then {own} end as confidence from score_now s "
        f"join item i on i.id = s.item_id {spread}"
        "left join (select distinct item_id from unusable_now where judge_id = $3) u on u.item_id = s.item_id "
        f"where i.dataset_id = $1 and s.dimension = $2 and s.judge_id = $3 and {unit_sort_sql(dimension.sort, 's')} "
        f"qualify row_number() over (partition by s.item_id order by {own} nulls first, s.unit) = 1 order by s.item_id",
        params,
    )
    [confidence] = float_columns(frame, "confidence")
    return ItemConfidence(frame["item_id"].to_numpy(dtype=str), confidence, frame["unit"].to_numpy(dtype=str))


def verdict_cells(
    store: Store,
    dataset_id: str,
    judge_id: str,
    dimension: Dimension,
    basis: Basis,
    known: ItemConfidence,
    near: bool = False,
) -> ConfidenceRatings:
    """Return the cells with gold where the judge gave a score. They include n/a, which agrees only with n/a.

    `near`: on ordered answers, one step apart is agreement (`judges.stats.bins.steps_apart`).
    """
    frame = store.frame(
        f"with met as ({paired_cells_sql(store, dataset_id, judge_id, dimension, basis)}) "
        "select item_id, human, judge, weight from met where scored order by item_id, unit",
        [dataset_id, dimension.name, judge_id],
    )
    item = frame["item_id"].to_numpy(dtype=str)
    human, judge, weight = float_columns(frame, "human", "judge", "weight")
    names, number = np.unique(item, return_inverse=True)
    by_item = dict(zip(known.item.tolist(), known.confidence.tolist(), strict=True))
    sure_of = np.array([by_item.get(name, np.nan) for name in names.tolist()], dtype=np.float64)
    steps = 1 if near and dimension.scale.has_order else 0
    agree = (bins.steps_apart(human, judge, dimension.scale) <= steps) | (np.isnan(human) & np.isnan(judge))
    return ConfidenceRatings(number.astype(np.int64), sure_of[number], agree.astype(np.float64), weight)
