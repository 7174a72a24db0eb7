"""How sure a judge was of the scores that people have labelled: its confidence beside how far it was off."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from data.calibration.calibration import met
from data.gold.fewshot import apart
from data.gold.gold import Basis
from data.store import Store
from judges.reading.confidence import SAMPLES
from judges.stats.bins import apart as apart_of
from judges.stats.reliability import Sure
from judges.types import Dimension


class ConfidenceCells(NamedTuple):
    """Scored cells that have a confidence, by where it comes from, and how many scored cells there are in all.

    Sources are those that the scores name (self-reported, log-probabilities, ...), and SAMPLES where the judge was
    asked several times; a cell may be under both.
    """

    by_source: dict[str, Sure]
    scored: int


def confidence_cells(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> ConfidenceCells:
    """The confidences of one judge and dimension where there is gold, most cells first."""
    several = store.rows("select 1 from score where judge_id = $1 and sample > 0 limit 1", [judge_id])
    spread = (
        "left join score_spread p on p.judge_id = $3 and p.item_id = m.item_id and p.unit = m.unit "
        "and p.dimension = $2 "
        if several
        else ""
    )
    agreed = "p.agreement" if several else "cast(null as double precision)"
    frame = store.frame(
        f"with met as ({met(store, dataset_id, dimension, basis, among=apart(store, judge_id))}) "
        "select dense_rank() over (order by m.item_id) - 1 as no, m.human, m.judge, m.weight, s.confidence, s.source, "
        f"{agreed} as agreed from met m join score_now s on s.item_id = m.item_id and s.unit = m.unit "
        f"and s.dimension = $2 and s.judge_id = $3 {spread}"
        "where m.scored and m.human is not null and m.judge is not null",
        [dataset_id, dimension.name, judge_id],
    )
    numbers = {
        name: frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        for name in ("human", "judge", "weight", "confidence", "agreed")
    }
    item, (source, names) = frame["no"].to_numpy(dtype=np.int64), frame["source"].factorize()
    # What several samples came to is right where the answer nearest to it is.
    off = apart_of(numbers["human"], numbers["judge"], dimension.scale)
    found = {}
    for code, name in enumerate(names):
        there = (source == code) & ~np.isnan(numbers["confidence"])
        if there.any():
            found[str(name) or "not told"] = Sure(
                item[there], numbers["confidence"][there], off[there], numbers["weight"][there]
            )
    there = ~np.isnan(numbers["agreed"])
    if there.any():
        found[SAMPLES] = Sure(item[there], numbers["agreed"][there], off[there], numbers["weight"][there])
    return ConfidenceCells(dict(sorted(found.items(), key=lambda pair: (-len(pair[1].item), pair[0]))), len(frame))
