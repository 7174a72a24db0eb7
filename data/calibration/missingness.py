"""The cells that a judge was asked about and gave no usable value, and the figures under each way of counting them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from data.calibration.calibration import load_paired_ratings, paired_cells_sql
from data.gold.gold import Basis
from data.records.access import allow
from data.store import Store, cache_result
from judges.reading.bare_scores import from_raw
from judges.stats import missingness as figures
from judges.stats.missingness import Missingness
from judges.types import Dimension


@allow("annotator")
@cache_result
def measure_missingness(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, more: tuple[str, ...] = (),
    drop: bool = False,
) -> Missingness:  # fmt: skip
    """The figures under the usual choices and `more`; `drop`: without ties."""
    choices = list(dict.fromkeys([*figures.usual_choices(dimension.scale), *more]))
    cells = load_paired_ratings(store, dataset_id, judge_id, dimension, basis)
    missing = _missing_scores(store, dataset_id, judge_id, dimension, basis, len(cells))
    return figures.compare_choices(cells, dimension, missing, choices, dimension.scale.drawn if drop else "")


def _missing_scores(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, count: int
) -> NDArray[np.bool_]:
    """Whether the judge was asked and gave nothing, for each of `count` cells, in the order of `load_paired_ratings`.

    Scores that came without a reply concern only the cells that they name.
    """
    rows = store.rows(
        f"with met as ({paired_cells_sql(store, dataset_id, judge_id, dimension, basis)}), placed as ("
        "select item_id, unit, scored, row_number() over (order by item_id, unit) - 1 as place from met) "
        "select p.place, p.unit, j.raw from placed p left join judgment j "
        "on j.item_id = p.item_id and j.judge_id = $3 and not p.scored and j.part in ('', p.unit)",
        [dataset_id, dimension.name, judge_id],
    )
    missing = np.zeros(count, dtype=bool)
    for place, unit, raw in rows:
        if raw is not None:
            named = from_raw(str(raw))
            missing[int(place)] |= named is None or any((s.unit, s.dimension) == (unit, dimension.name) for s in named)
    return missing
