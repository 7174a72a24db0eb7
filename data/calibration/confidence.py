"""A judge's confidence in scores of cells that people have labelled, its single samples, and how far they were off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from data.calibration.calibration import float_columns, paired_cells_sql
from data.gold.gold import Basis
from data.records.outcomes import unit_sort_sql
from data.store import Store
from judges.reading.confidence import SAMPLES
from judges.stats.bins import steps_apart
from judges.stats.confidence import ConfidenceCalibration, ConfidenceCells, confidence_calibration
from judges.stats.self_consistency import SampledCells, SelfConsistency, measure_self_consistency
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


def measure_repeats(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> SelfConsistency | None:
    """Return the gain from asking several times in a dimension; None if the judge was always asked once."""
    flips = store.rows(
        "select sum(case when p.flips then 1.0 else 0.0 end), cast(count(*) as double precision) from score_spread p "
        "join item i on i.id = p.item_id where i.dataset_id = $1 and p.judge_id = $2 and p.dimension = $3 "
        f"and {unit_sort_sql(dimension.sort, 'p')} group by p.item_id",
        [dataset_id, judge_id, dimension.name],
    )
    if not flips:
        return None
    frame = store.frame(
        f"with met as ({paired_cells_sql(store, dataset_id, judge_id, dimension, basis)}) "
        "select dense_rank() over (order by m.item_id) - 1 as item, "
        "dense_rank() over (order by m.item_id, m.unit) - 1 as cell, m.human, m.judge, m.weight, s.sample, s.value "
        "from met m join score s on s.item_id = m.item_id and s.unit = m.unit and s.dimension = $2 "
        "and s.judge_id = $3 where m.human is not null order by cell, s.sample, s.seq",
        [dataset_id, dimension.name, judge_id],
    )
    # A sample that was taken twice counts by its last score.
    frame = frame.drop_duplicates(["cell", "sample"], keep="last")
    samples = frame.pivot(index="cell", columns="sample", values="value").to_numpy(dtype=np.float64, na_value=np.nan)
    first = frame.drop_duplicates("cell")
    human, judge, weight = float_columns(first, "human", "judge", "weight")
    sampled_cells = SampledCells(first["item"].to_numpy(dtype=np.int64), human, judge, weight, samples)
    hits, cells = (np.array([float(row[n]) for row in flips]) for n in (0, 1))
    return measure_self_consistency(sampled_cells, (hits, cells), dimension.scale)
