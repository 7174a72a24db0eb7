"""The single samples of a judge that was asked several times, compared with the gold."""

from __future__ import annotations

import numpy as np

from data.calibration.calibration import paired_cells_sql
from data.gold.gold import Basis
from data.records.outcomes import unit_sort_sql
from data.store import Store
from judges.stats.self_consistency import SampledCells, SelfConsistency, measure_self_consistency
from judges.types import Dimension


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
        "and s.judge_id = $3 where m.human is not null order by cell, s.sample",
        [dataset_id, dimension.name, judge_id],
    )
    number = {name: frame[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in frame.columns}
    cell, first = np.unique(number["cell"].astype(np.int64), return_index=True)
    known, sample = np.unique(number["sample"], return_inverse=True)
    samples = np.full((len(cell), len(known)), np.nan)
    samples[number["cell"].astype(np.int64), sample] = number["value"]
    sampled_cells = SampledCells(
        item=number["item"][first].astype(np.int64),
        human=number["human"][first],
        judge=number["judge"][first],
        weight=number["weight"][first],
        samples=samples,
    )
    hits, cells = (np.array([float(row[n]) for row in flips]) for n in (0, 1))
    return measure_self_consistency(sampled_cells, (hits, cells), dimension.scale)
