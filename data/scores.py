"""What a judge gave, summed up by system under test."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from data.store import Store, remembered

FEW = 4
"""Up to so many units (the turns of MT-Bench) a dimension's means are given for each of them too."""


@dataclass(frozen=True)
class Mean:
    """The mean of a judge's scores of one system and dimension; `unit` "" is the mean over all rows of all units,

    which is FastChat's aggregation, and not the mean of the units' means.
    """

    system: str
    dimension: str
    unit: str
    cells: int
    mean: float


def means(store: Store, dataset_id: str, judge_id: str) -> list[Mean]:
    """The means of a judge over dialogues and responses, by system, dimension and unit.

    Unscored replies and n/a are in no mean. Categories, turn references and pairs have none.
    """
    return remembered(store, ("means", dataset_id, judge_id), ["score"], lambda: _means(store, dataset_id, judge_id))


def _means(store: Store, dataset_id: str, judge_id: str) -> list[Mean]:
    rows = store.rows(
        "select i.system_a, s.dimension, s.unit, count(*), sum(s.value) "
        "from score_now s join item i on i.id = s.item_id "
        "where i.dataset_id = $1 and s.judge_id = $2 and s.value is not null and i.kind <> 'pair' "
        "and s.dimension not in ('verdict', 'weakest_turn') group by i.system_a, s.dimension, s.unit",
        [dataset_id, judge_id],
    )
    units: dict[str, set[str]] = defaultdict(set)
    found: dict[tuple[str, str, str], tuple[int, float]] = {}
    for system, dimension, unit, n, total in rows:
        units[dimension].add(unit)
        for key in ((system, dimension, unit), (system, dimension, "")):
            cells, summed = found.get(key, (0, 0.0))
            found[key] = cells + int(n), summed + float(total)
    return [
        Mean(system, dimension, unit, cells, summed / cells)
        for (system, dimension, unit), (cells, summed) in sorted(found.items())
        if not unit or 1 < len(units[dimension]) <= FEW
    ]
