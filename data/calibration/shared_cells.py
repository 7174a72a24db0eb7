"""The cells of several judges with the same gold, in one statement for each dimension.

All judges of a dataset use the same labels and share the error of their decisions, so each new label requires the
figures of all of them. Judge by judge, most of the time would go into computing the same gold again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from data.calibration.calibration import (
    PAIRED_COLUMNS,
    STRATUM_JOIN,
    compared_dimensions,
    comparison_inputs,
    is_stratified,
    to_paired_ratings,
)
from data.gold.fewshot import not_in_prompt_sql
from data.gold.gold import Basis, gold_sql
from data.records.settings import gold_rule
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
    items = int(store.rows("select count(*) from item where dataset_id = $1", [dataset_id])[0][0])
    if len(dimensions_by_judge) < 2 or items >= LINEARISE_FROM:
        return {
            judge: list(zip(of, comparison_inputs(store, dataset_id, judge, of, basis), strict=True))
            for judge, of in dimensions_by_judge.items()
        }
    alike: dict[tuple[Dimension, str], list[str]] = defaultdict(list)
    for judge, of in dimensions_by_judge.items():
        left_out = not_in_prompt_sql(store, judge)
        for d in of:
            alike[d, left_out].append(judge)
    query = "select dimension, count(*) from label l join item i on i.id = l.item_id where i.dataset_id = $1 group by 1"
    labels = {str(name): int(n) for name, n in store.rows(query, [dataset_id])}
    found: dict[tuple[str, Dimension], PairedRatings] = {}
    for (d, left_out), judges in alike.items():
        step = max(1, _MAX_CELLS_PER_QUERY // max(1, labels.get(d.name, 0)))
        for start in range(0, len(judges), step):
            by_judge = _meetings(store, dataset_id, judges[start : start + step], d, basis, left_out)
            found |= {(judge, d): one for judge, one in by_judge.items()}
    return {judge: [(d, found[judge, d]) for d in of] for judge, of in dimensions_by_judge.items()}


def _meetings(
    store: Store, dataset_id: str, judges: Sequence[str], d: Dimension, basis: Basis, left_out: str
) -> dict[str, PairedRatings]:
    """The cells of judges for which the same items are left out (`data.gold.fewshot.not_in_prompt_sql`)."""
    strata = is_stratified(store, dataset_id, basis)
    stratum_of = "dense_rank() over (order by coalesce(d.stratum, ''))" if strata else "0"
    rule = gold_rule(store, dataset_id)
    frame = store.frame(
        f"with g as ({gold_sql(d.sort, d.scale, basis, rule, left_out)}), "
        "met as (select g.item_id, g.unit, j.id as judge_id, g.value as human, s.value as judge, "
        "s.judge_id is not null as scored, g.weight, g.mean, g.share, g.people, g.waits from g "
        "cross join (select distinct id from judge where id = any($3)) j "
        "left join (select * from score_now where dimension = $2 and judge_id = any($3)) s "
        "on s.item_id = g.item_id and s.unit = g.unit and s.judge_id = j.id) "
        f"select m.judge_id, dense_rank() over (order by m.item_id) as no, {PAIRED_COLUMNS}, {stratum_of} as stratum "
        "from met m "
        f"{STRATUM_JOIN.format(of='m') if strata else ''} order by m.judge_id, 2, m.unit",
        [dataset_id, d.name, list(judges)],
    )
    by_judge, item, stratum = {}, frame["no"].to_numpy(dtype=np.int64) - 1, frame["stratum"].to_numpy(dtype=np.int64)
    whose = frame["judge_id"].to_numpy(dtype=str)
    whole = to_paired_ratings(frame, item)
    whole = replace(whole, stratum=stratum) if strata else whole
    for judge in judges:
        by_judge[judge] = whole.where(whose == judge)
    return by_judge
