"""A judge's confidence in the scores of cells that people have labelled, and how far these scores were off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from data.calibration.calibration import paired_cells_sql
from data.gold.gold import Basis
from data.store import Store, cache_result
from judges.reading.confidence import SAMPLES
from judges.stats.bins import steps_apart
from judges.stats.confidence import ConfidenceCalibration, ConfidenceCells, confidence_calibration
from judges.types import Dimension


class LabelledConfidence(NamedTuple):
    """Scored cells that have a confidence, by where it comes from, and how many scored cells there are in all.

    Sources are those that the scores name (self-reported, log-probabilities, ...), and SAMPLES where the judge was
    asked several times; a cell may be under both.
    """

    by_source: dict[str, ConfidenceCells]
    scored: int


def confidence_cells(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> LabelledConfidence:
    """The confidences of one judge and dimension where there is gold, most cells first."""
    sampled = store.rows("select 1 from score where judge_id = $1 and sample > 0 limit 1", [judge_id])
    spread = (
        "left join score_spread p on p.judge_id = $3 and p.item_id = m.item_id and p.unit = m.unit "
        "and p.dimension = $2 "
        if sampled
        else ""
    )
    agreed = "p.agreement" if sampled else "cast(null as double precision)"
    frame = store.frame(
        f"with met as ({paired_cells_sql(store, dataset_id, judge_id, dimension, basis)}) "
        "select dense_rank() over (order by m.item_id) - 1 as no, m.human, m.judge, m.weight, s.confidence, s.source, "
        f"{agreed} as agreed from met m join score_now s on s.item_id = m.item_id and s.unit = m.unit "
        f"and s.dimension = $2 and s.judge_id = $3 {spread}"
        "where m.scored and m.human is not null and m.judge is not null order by m.item_id, m.unit",
        [dataset_id, dimension.name, judge_id],
    )
    numbers = {
        name: frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        for name in ("human", "judge", "weight", "confidence", "agreed")
    }
    item, (source, names) = frame["no"].to_numpy(dtype=np.int64), frame["source"].factorize()
    # What several samples combine to is right if the answer nearest to it is.
    off = steps_apart(numbers["human"], numbers["judge"], dimension.scale)
    cells = {}
    for code, name in enumerate(names):
        mask = (source == code) & ~np.isnan(numbers["confidence"])
        if mask.any():
            cells[str(name) or "not told"] = ConfidenceCells(
                item[mask], numbers["confidence"][mask], off[mask], numbers["weight"][mask]
            )
    mask = ~np.isnan(numbers["agreed"])
    if mask.any():
        cells[SAMPLES] = ConfidenceCells(item[mask], numbers["agreed"][mask], off[mask], numbers["weight"][mask])
    return LabelledConfidence(dict(sorted(cells.items(), key=lambda pair: (-len(pair[1].item), pair[0]))), len(frame))


class ConfidenceReliability(NamedTuple):
    """Calibration of confidence by where it comes from, each with its number of ratings, of `scored` ratings in all."""

    by_source: Mapping[str, tuple[ConfidenceCalibration, int]]
    scored: int


@cache_result
def confidence_reliability(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> ConfidenceReliability:
    """Return how often the judge agrees with people at each level of its confidence, by source of confidence."""
    labelled = confidence_cells(store, dataset_id, judge_id, dimension, basis)
    levels_by_source = {
        source: (confidence_calibration(cells), len(cells.item)) for source, cells in labelled.by_source.items()
    }
    return ConfidenceReliability(
        {source: (levels, n) for source, (levels, n) in levels_by_source.items() if levels is not None}, labelled.scored
    )
