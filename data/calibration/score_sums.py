"""A judge's mean scores by system under test."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from math import fsum

from data.cards import cards
from data.records.access import allow
from data.store import Store, cache_result
from judges.types import UnitSort, sort_of

MAX_UNITS_WITH_OWN_MEANS = 4
"""Up to so many units (the turns of MT-Bench) a dimension's means are given for each of them too."""


@dataclass(frozen=True)
class Mean:
    """The mean of a judge's scores of one system and dimension.

    `unit` "" is the mean over all rows of all units, which is FastChat's aggregation, and not the mean of the units'
    means. Questions of turns and of whole dialogues that share a name have one each, under the sort of their units.
    """

    system: str
    dimension: str
    unit: str
    cells: int
    mean: float


@allow("annotator")
@cache_result
def score_means(store: Store, dataset_id: str, judge_id: str) -> list[Mean]:
    """The means of a judge over dialogues and responses, by system, dimension and unit.

    Unscored replies and n/a are in no mean. Categories, turn references and pairs have none.
    """
    # By value, and summed exactly: the same scores have the same mean in whatever order they were stored.
    rows = store.rows(
        "select i.kind, i.system_a, s.dimension, s.unit, s.value, count(*) "
        "from score_now s join item i on i.id = s.item_id "
        "where i.dataset_id = $1 and s.judge_id = $2 and s.value is not null and i.kind <> 'pair' "
        "group by i.kind, i.system_a, s.dimension, s.unit, s.value",
        [dataset_id, judge_id],
    )
    scales = cards.scales(store)
    sums: list[tuple[str, str, UnitSort, str, int, float]] = []
    units: dict[tuple[str, UnitSort], set[str]] = defaultdict(set)
    for kind, system, dimension, unit, value, n in rows:
        sort = sort_of(unit)
        scale = scales.get((kind, sort, dimension))
        if scale is not None and scale.has_mean:
            sums.append((system, dimension, sort, unit, int(n), float(value)))
            units[dimension, sort].add(unit)
    sorts = Counter(dimension for dimension, _ in units)
    counts: dict[tuple[str, str, str], list[tuple[int, float]]] = defaultdict(list)
    for system, dimension, sort, unit, n, value in sums:
        listed: set[str] = {sort if sorts[dimension] > 1 else ""}
        if 1 < len(units[dimension, sort]) <= MAX_UNITS_WITH_OWN_MEANS:
            listed.add(unit)
        for key in listed:
            counts[system, dimension, key].append((n, value))
    return [
        Mean(system, dimension, unit, cells := sum(n for n, _ in own), fsum(n * value for n, value in own) / cells)
        for (system, dimension, unit), own in sorted(counts.items())
    ]
