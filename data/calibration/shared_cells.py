"""The cells of several judges with the same gold, in few statements: judge by judge, the same gold would be made again.

All judges of a dataset share the error of their decisions, so each new label requires the figures of all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from data.calibration.calibration import compared_dimensions, comparison_inputs, load_ratings_of_judges
from data.gold.fewshot import not_in_prompt_sql
from data.gold.gold import Basis
from data.records import datasets
from data.store import Store
from judges.stats.calibration import PairedRatings, RatingSums
from judges.stats.intervals import LINEARISE_FROM
from judges.types import Dimension

_MAX_CELLS_PER_QUERY = 1_000_000
"""Cells of judges, gold times judges, that one statement gives."""


def paired_ratings_by_judge(
    store: Store, dataset_id: str, judge_ids: Sequence[str], basis: Basis
) -> dict[str, list[tuple[Dimension, PairedRatings | RatingSums]]]:
    """Return every dimension of each judge with its cells, as `data.calibration.calibration.comparison_inputs` does.

    In datasets so large that the database sums up, judges are queried one after the other.
    """
    dimensions_by_judge = {judge: compared_dimensions(store, judge) for judge in judge_ids}
    if len(dimensions_by_judge) < 2 or datasets.count_items(store, dataset_id) >= LINEARISE_FROM:
        return {
            judge: list(zip(of, comparison_inputs(store, dataset_id, judge, of, basis), strict=True))
            for judge, of in dimensions_by_judge.items()
        }
    judges_by_filter: dict[tuple[Dimension, str], list[str]] = defaultdict(list)
    for judge, of in dimensions_by_judge.items():
        left_out = not_in_prompt_sql(store, judge)
        for d in of:
            judges_by_filter[d, left_out].append(judge)
    query = "select dimension, count(*) from label l join item i on i.id = l.item_id where i.dataset_id = $1 group by 1"
    labels = {str(name): int(n) for name, n in store.rows(query, [dataset_id])}
    groups: dict[tuple[str, tuple[str, ...]], list[Dimension]] = defaultdict(list)
    for (d, left_out), sharing in judges_by_filter.items():
        groups[left_out, tuple(sharing)].append(d)
    ratings: dict[tuple[str, Dimension], PairedRatings] = {}
    for (left_out, judges), dimensions in groups.items():
        step = max(1, _MAX_CELLS_PER_QUERY // max(1, sum(labels.get(d.name, 0) for d in dimensions)))
        for start in range(0, len(judges), step):
            batch = judges[start : start + step]
            ratings |= load_ratings_of_judges(store, dataset_id, batch, dimensions, basis, left_out)
    return {judge: [(d, ratings[judge, d]) for d in of] for judge, of in dimensions_by_judge.items()}
