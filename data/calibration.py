"""Where gold and scores meet: the cells of a judge and dimension, single or summed up, and the items in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from data import cards
from data.fewshot import apart
from data.gold import BASES, WEIGHTED, Basis, gold, rests_on
from data.settings import gold_rule
from data.store import Store, remembered
from data.tuning import aside
from judges.calibrate import Meeting, Sums, by_moments
from judges.intervals import LINEARISE_FROM
from judges.types import Dimension

_JOINED = (
    "from ({gold}) g "
    "left join score_now s on s.item_id = g.item_id and s.unit = g.unit and s.dimension = $2 and s.judge_id = $3 "
)
_ITEM = "join item i on i.id = g.item_id "
_BEHIND = ("item", "judge", "card", "score", "label", "draw", "setting", "adjudication", "item_use")
"""The tables that gold and scores rest on. What is summed up of them is small, and asked for by many pages."""
_LARGEST_TABLE = 16  # values squared: beyond it the cross-products of a table are too many columns


class Rest(NamedTuple):
    """What a basis has to rest on: labels, and the people who gave them."""

    labels: int
    people: int


class Found(NamedTuple):
    """A cell in a list: the item, its name and systems under test, and the unit."""

    item: str
    name: str
    systems: str
    unit: str


def dimensions(store: Store, judge_id: str) -> list[Dimension]:
    """The dimensions of a judge's card that people are asked about and whose scale has a table."""
    card = cards.maybe(store, judge_id)
    return [d for d in card.dimensions if d.asked and d.scale.size] if card is not None else []


def rests(store: Store, dataset_id: str, asked: Sequence[Dimension]) -> dict[Basis, Rest]:
    """How many labels of these dimensions each basis has in a dataset, and from how many people.

    Labels of items that prompts were tuned on are in none (data/tuning.py).
    """
    names = [d.name for d in asked if d.scale.size]
    marks = ", ".join(f"${n}" for n in range(2, len(names) + 2)) or "null"
    rows = store.rows(
        "select l.mode, coalesce(d.probability, l.probability) is not null as random, l.annotator, count(*) "
        "from label_now l join item i on i.id = l.item_id "
        "left join draw_now d on d.id = l.draw_id and d.stream = 'audit' "
        f"where i.dataset_id = $1 and l.dimension in ({marks}){aside(store, 'l.item_id')} group by 1, 2, 3",
        [dataset_id, *names],
    )
    people: dict[Basis, dict[str, int]] = {basis: defaultdict(int) for basis in BASES}
    for mode, random, annotator, labels in rows:
        for basis in rests_on(str(mode), bool(random)):
            people[basis][str(annotator)] += int(labels)
    return {basis: Rest(sum(found.values()), len(found)) for basis, found in people.items()}


def evidence(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: str = ""
) -> Meeting | Sums:
    """The cells of one judge and dimension where there is gold: single ones, or their sums where items are many.

    `drop` is a category ("tie") whose cells are left out of the sums; of single cells `summarise` leaves them out.
    """
    count = "select count(*) from item where dataset_id = $1"
    items = remembered(store, ("items", dataset_id), ["item"], lambda: int(store.rows(count, [dataset_id])[0][0]))
    if items >= LINEARISE_FROM and (by_moments(dimension.scale) or dimension.scale.size**2 <= _LARGEST_TABLE):
        key = ("sums", dataset_id, judge_id, dimension, basis, drop)
        found = remembered(store, key, _BEHIND, lambda: sums(store, dataset_id, judge_id, dimension, basis, drop))
        if found.items >= LINEARISE_FROM:
            return found
    return meeting(store, dataset_id, judge_id, dimension, basis)


def meeting(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis) -> Meeting:
    """The cells of one judge and dimension where there is gold: who says what, and with which weight.

    Weights are 1/pi of the item's draw on the bases of random draws and 1 on the others. Items that stand as examples
    in the judge's prompt are left out, here and in all figures (data/fewshot.py).
    """
    frame = store.frame(
        f"with met as ({met(store, dataset_id, dimension, basis, apart(store, judge_id))}) "
        "select dense_rank() over (order by item_id) as no, human, judge, scored, weight from met",
        [dataset_id, dimension.name, judge_id],
    )
    return Meeting(
        item=frame["no"].to_numpy(dtype=np.int64) - 1,
        human=frame["human"].to_numpy(dtype=np.float64, na_value=np.nan),
        judge=frame["judge"].to_numpy(dtype=np.float64, na_value=np.nan),
        scored=frame["scored"].to_numpy(dtype=bool),
        weight=frame["weight"].to_numpy(dtype=np.float64),
    )


def sums(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: str = "") -> Sums:
    """The same cells summed up by the database in one statement; only a table and the moments leave it.

    What an item gives to kappa is s_g, its six moments or its own table (`judges.calibrate.Sums`); the totals are
    sum_g s_g and sum_g s_g s_g'.
    """
    scale, params = dimension.scale, [dataset_id, dimension.name, judge_id]
    extra = apart(store, judge_id)
    if drop:
        extra += " and g.value is distinct from $4 and s.value is distinct from $4"
        params.append(float(scale.categories.index(drop)))  # type: ignore[arg-type]
    if by_moments(scale):
        x, y = f"(human - {scale.base})", f"(judge - {scale.base})"
        terms = ["1", x, y, f"{x} * {x}", f"{y} * {y}", f"{x} * {y}"]
    else:
        codes = range(scale.base, scale.base + scale.size)
        terms = [f"case when human = {h} and judge = {j} then 1 else 0 end" for h in codes for j in codes]
    size = len(terms)
    pairs = list(combinations_with_replacement(range(size), 2))
    own = ", ".join(f"coalesce(sum(case when ok then weight * {t} end), 0) as s{n}" for n, t in enumerate(terms))
    totals = ", ".join([f"sum(s{n})" for n in range(size)] + [f"sum(s{a} * s{b})" for a, b in pairs])
    rows = store.rows(
        f"with met as ({met(store, dataset_id, dimension, basis, extra)}), "
        "marked as (select *, scored and human is not null and judge is not null as ok from met), "
        f"own as (select item_id, avg(case when ok then weight end) as mean_weight, {own} "
        "from marked group by item_id) "
        f"select human, judge, scored, count(*), sum(weight){', null' * (2 + size + len(pairs))} "
        "from marked group by human, judge, scored union all "
        "select null, null, null, count(mean_weight), count(*), sum(mean_weight), sum(mean_weight * mean_weight), "
        f"{totals} from own",
        params,
    )
    groups, last = [r for r in rows if r[2] is not None], next(r for r in rows if r[2] is None)
    numbers = [0.0 if value is None else float(value) for value in last[3:]]
    cross = np.zeros((size, size))
    for (a, b), value in zip(pairs, numbers[4 + size :], strict=True):
        cross[a, b] = cross[b, a] = value
    return Sums(
        human=_column(groups, 0),
        judge=_column(groups, 1),
        scored=np.array([bool(r[2]) for r in groups], dtype=bool),
        cells=_column(groups, 3),
        weight=_column(groups, 4),
        items=int(numbers[0]),
        gold_items=int(numbers[1]),
        mean_weight=(numbers[2], numbers[3]),
        total=np.array(numbers[4 : 4 + size]),
        cross=cross,
    )


def met(store: Store, dataset_id: str, dimension: Dimension, basis: Basis, extra: str = "", among: str = "") -> str:
    """SQL of the cells with gold: item_id, unit, human, judge (NULL = n/a), scored, weight. $1 dataset, $2 dimension,

    $3 judge; `extra` are further conditions on gold and scores, `among` on the items of the labels (data/gold.py).
    """
    weight = "1 / g.probability" if basis in WEIGHTED else "cast(1 as double precision)"
    return (
        "select g.item_id, g.unit, g.value as human, s.value as judge, s.judge_id is not null as scored, "
        f"{weight} as weight "
        + _JOINED.format(gold=gold(dimension.sort, dimension.scale, basis, gold_rule(store, dataset_id), among))
        + f"where 1 = 1{extra}"
    )


def _column(rows: list[tuple[Any, ...]], place: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([np.nan if r[place] is None else float(r[place]) for r in rows], dtype=np.float64)


def items_in(
    store: Store,
    dataset_id: str,
    judge_id: str,
    dimension: Dimension,
    basis: Basis,
    human: float | None,
    judge: float | None,
    most: int = 500,
) -> list[Found]:
    """The cells where people say `human` and the judge `judge` (None = n/a), by name; at most so many."""
    conditions, params = [], []
    for column, value in (("g.value", human), ("s.value", judge)):
        if value is None:
            conditions.append(f"{column} is null")
        else:
            params.append(value)
            conditions.append(f"{column} = ${3 + len(params)}")
    rows = store.rows(
        "select i.id, i.name, i.system_a, i.system_b, g.unit "
        + _JOINED.format(gold=gold(dimension.sort, dimension.scale, basis, gold_rule(store, dataset_id)))
        + f"{_ITEM}where s.judge_id is not null and {' and '.join(conditions)}{apart(store, judge_id)} "
        f"order by i.name, g.unit limit {most:d}",
        [dataset_id, dimension.name, judge_id, *params],
    )
    return [Found(str(i), str(name), " · ".join(s for s in (a, b) if s), str(unit)) for i, name, a, b, unit in rows]


def unscored(store: Store, dataset_id: str, judge_id: str) -> list[tuple[str, int]]:
    """(reason, how many) of a judge's replies that could not be used, and were not asked for again with success."""
    rows = store.rows(
        "select m.unscored, count(*) from unscored_now m join item i on i.id = m.item_id "
        "where i.dataset_id = $1 and m.judge_id = $2 group by m.unscored order by 2 desc, 1",
        [dataset_id, judge_id],
    )
    return [(str(a), int(b)) for a, b in rows]
