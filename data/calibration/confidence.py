"""A judge's confidence in the scores of cells that people have labelled, and how far these scores were off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from data.calibration.calibration import float_columns, paired_cells_sql
from data.gold.gold import Basis
from data.store import Store
from judges.reading.confidence import SAMPLES
from judges.stats.bins import steps_apart
from judges.stats.confidence import ConfidenceCalibration, ConfidenceCells, confidence_calibration
from judges.types import Dimension


def confidence_cells(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> tuple[dict[str, ConfidenceCells], int]:
    """Return the scored cells with gold that have a confidence, by its source, and the number of all scored cells.

    Sources are those that the scores name (self-reported, log-probabilities, ...), and SAMPLES where the judge was
    asked several times, the one of most cells first; a cell may be under both.
    """
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
    human, judge, weight, stated, agreement = float_columns(frame, "human", "judge", "weight", "confidence", "agreed")
    item, (source, names) = frame["no"].to_numpy(dtype=np.int64), frame["source"].factorize()
    # What several samples combine to is right if the answer nearest to it is.
    off = steps_apart(human, judge, dimension.scale)
    known = [(str(name) or "not told", stated, source == code) for code, name in enumerate(names)]
    cells = {}
    for name, confidence, mask in [*known, (SAMPLES, agreement, ~np.isnan(agreement))]:
        mask = mask & ~np.isnan(confidence)
        if mask.any():
            cells[name] = ConfidenceCells(item[mask], confidence[mask], off[mask], weight[mask])
    return dict(sorted(cells.items(), key=lambda pair: (-len(pair[1].item), pair[0]))), len(frame)


class ConfidenceReliability(NamedTuple):
    """Calibration of confidence by where it comes from, each with its number of ratings, of `scored` ratings in all."""

    by_source: Mapping[str, tuple[ConfidenceCalibration, int]]
    scored: int


def confidence_reliability(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> ConfidenceReliability:
    """Return how often the judge agrees with people at each level of its confidence, by source of confidence."""
    labelled, scored = confidence_cells(store, dataset_id, judge_id, dimension, basis)
    by_source = {
        source: (levels, len(cells.item))
        for source, cells in labelled.items() if (levels := confidence_calibration(cells)) is not None
    }  # fmt: skip
    return ConfidenceReliability(by_source, scored)
