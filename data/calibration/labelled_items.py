"""The items that people labelled, summed up for corrected means: what people and the judge say of the same cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np

from data.gold.fewshot import not_in_prompt_sql
from data.gold.gold import Basis, gold_sql, group_alike
from data.records.outcomes import (
    CountedDimension,
    counted_dimension,
    outcome_sums,
    side_column,
    sides_join,
    system_sql,
    table_row_sql,
    unit_sort_sql,
)
from data.records.settings import gold_rule
from data.store import Store, cache_result
from judges.stats.ppi import M_GOLD, A, F, Moments, T, Y
from judges.stats.ppi import M as CELLS
from judges.types import Dimension

Key = tuple[str, str]
"""Unit sort and name of a dimension."""


@cache_result
def labelled_items(
    store: Store, dataset_id: str, judge_id: str, dimensions: Sequence[Dimension], bases: Sequence[Basis]
) -> dict[Key, dict[str, list[Moments]]]:
    """The moments of the items with gold, by dimension and system, one for each outcome.

    The basis is given beside them; `items` and what is of the whole are 0 (`AggregateGroup.moments` fills them in).
    They are made anew only where rows were added that they depend on.
    """
    if not dimensions:
        return {}
    # All dimensions in one statement, so that the scores are looked through once, for the items that have gold.
    rule, asks = gold_rule(store, dataset_id), [counted_dimension(d) for d in dimensions]
    width = max(ask.outcomes for ask in asks) * _SUMS
    parts: list[str] = []
    picked: list[str] = []
    gold: dict[Dimension, str] = {}
    places = {ask.dimension: n for n, ask in enumerate(asks)}
    for basis in dict.fromkeys(bases):
        for group in group_alike([d for d, n in places.items() if bases[n] == basis], means=True):
            names = [f"${places[d] + 3}" for d in group]
            among = not_in_prompt_sql(store, judge_id)
            own = gold_sql(group[0].sort, group[0].scale, basis, rule, among, means=True, names=names)
            parts.append(f"gold{len(picked)} as materialized ({own})")
            for no, d in enumerate(group):
                gold[d] = f"(select * from gold{len(picked)} where no = {no})"
            picked.append(f"select item_id from gold{len(picked)}")
    parts += [
        f"few as materialized (select i.id, i.system_a, i.system_b from item i "
        f"where i.id in ({' union '.join(picked)}))",
        "seen as materialized (select s.item_id, s.unit, s.dimension, s.value from score_now s "
        f"where s.judge_id = $2 and s.item_id in (select id from few) limit {_ALL})",
    ]
    chosen = []
    for n, ask in enumerate(asks):
        with_own, select = _moments(n, ask, width, gold[ask.dimension])
        parts += with_own
        chosen.append(select)
    rows = store.rows(
        f"with {', '.join(parts)} {' union all '.join(chosen)}", [dataset_id, judge_id, *(d.name for d in dimensions)]
    )
    moments: dict[Key, dict[str, list[Moments]]] = {(d.sort, d.name): {} for d in dimensions}
    for n, system, *rest in rows:
        ask = asks[int(n)]
        sums = _read(rest[: 4 + ask.outcomes * _SUMS])
        moments[ask.dimension.sort, ask.dimension.name][str(system)] = sums
    return moments


_ALL = 1 << 60
"""A limit without effect on the result. Without it the query of each dimension would run on every score there is."""
_SUMS = 6 + 21 + 2
"""Totals of six sums, of their products, and the judge's lowest and highest value."""


def _moments(n: int, counted: CountedDimension, width: int, gold: str) -> tuple[list[str], str]:
    """SQL of one dimension: what goes before, and its row for each system, filled up to `width` sums."""
    side, codes = side_column(counted.dimension), [] if counted.mean else list(enumerate(counted.codes))
    by = "1, 2" if side else "1"

    def count_columns(column: str, letter: str) -> str:
        return "".join(f", sum(case when {column} = {c} then 1 else 0 end) as {letter}{k}" for k, c in codes)

    share_sums = "".join(f", sum(l.said{k}) as h{k}" for k, _ in codes)
    columns: list[str] = []
    for outcome in range(counted.outcomes):
        y, f, t = (outcome_sums(counted, letter)[outcome] for letter in "hjc")
        terms = [f"g.w * {y.replace('o.', 'g.')}", "g.w * g.a", f"g.w * {f.replace('o.', 'g.')}", "g.w * g.m", t, "o.m"]
        columns += [f"sum({p})" for p in terms]
        columns += [f"sum(({p}) * ({q}))" for p, q in combinations_with_replacement(terms, 2)]
        judged = f.replace("o.", "g.")
        ends = f"min(case when {judged} = g.m then 1 else 0 end)", f"max(case when {judged} > 0 then 1 else 0 end)"
        columns += ["min(g.lowest)", "max(g.highest)"] if counted.mean else ends
    columns += ["null"] * (width - len(columns))
    condition = f"s.dimension = ${n + 3} and {unit_sort_sql(counted.dimension.sort, 's')}"
    judged = table_row_sql("s.value", counted.dimension.scale)
    before = [
        f"g{n} as (select s.item_id, {side}avg(l.weight) as w, sum(l.share) as a, count(l.mean) as valued, "
        "count(*) as m, coalesce(sum(l.mean * l.share), 0) as h, sum(s.value) as j, "
        f"min({judged}) as lowest, max({judged}) as highest{share_sums}{count_columns(judged, 'j')} "
        f"from {gold} l join seen s on s.item_id = l.item_id and s.unit = l.unit and {condition} "
        f"where s.value is not null group by {by})",
        f"o{n} as (select s.item_id, {side}count(s.value) as m, sum(s.value) as t{count_columns(judged, 'c')} "
        f"from seen s where {condition} group by {by})",
    ]
    sided = " and g.side = o.side" if side else ""
    return before, (
        f"select {n}, {system_sql(counted, 'o')}, count(*), sum(g.valued), sum(g.w), sum(g.w * g.w), "
        f"{', '.join(columns)} "
        f"from g{n} g join o{n} o on o.item_id = g.item_id{sided} join few i on i.id = g.item_id{sides_join(counted)} "
        "group by 2"
    )


def _read(row: Sequence[object]) -> list[Moments]:
    """The moments of every outcome from a row of sums."""
    n, cells, weight, squares, *numbers = (float(x or 0) for x in row)  # type: ignore[arg-type]
    moments = []
    for start in range(0, len(numbers), _SUMS):
        total, cross = np.array(numbers[start : start + 6]), np.zeros((6, 6))
        places = combinations_with_replacement((Y, A, F, M_GOLD, T, CELLS), 2)
        for (place, other), value in zip(places, numbers[start + 6 : start + _SUMS - 2], strict=True):
            cross[place, other] = cross[other, place] = value
        seen = numbers[start + _SUMS - 2], numbers[start + _SUMS - 1]
        zeros = np.zeros(2), np.zeros((2, 2)), 0.0
        moments.append(Moments(int(n), int(cells), (weight, squares), total, cross, 0, *zeros, seen, 0.0))
    return moments
