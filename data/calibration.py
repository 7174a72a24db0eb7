"""Where gold and scores meet: the cells of a judge and dimension, single or summed up, and the items in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from data import cards, exposure
from data.fewshot import apart
from data.gold import BASES, Basis, gold, labels, rests_on
from data.settings import gold_rule
from data.store import Store, each_remembered, remembered
from data.tuning import aside
from judges.calibrate import Meeting, Sums, by_moments
from judges.intervals import LINEARISE_FROM
from judges.types import Dimension

_JOINED = (
    "from ({gold}) g "
    "left join {scores} s on s.item_id = g.item_id and s.unit = g.unit and s.dimension = $2 and s.judge_id = $3 "
)
_ITEM = "join item i on i.id = g.item_id "
BEHIND = ("item", "judge", "card", "score", "label", "draw", "setting", "adjudication", "item_use")
"""The tables that gold and scores rest on. What is summed up of them is small, and asked for by many pages."""
_AT_ONCE = 2_000_000
"""Items times dimensions that one statement sums up: it holds their labels in memory."""
MOST = 500
"""Cells of a list."""
_LARGEST_TABLE = 16  # values squared: beyond it the cross-products of a table are too many columns


class Rest(NamedTuple):
    """What a basis has to rest on: labels, and the people who gave them."""

    labels: int
    people: int


class Found(NamedTuple):
    """A cell in a list: the item, its name and systems under test, the unit, and how its gold came about, in words."""

    item: str
    name: str
    systems: str
    unit: str
    came: str = ""


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
        "select l.mode, coalesce(d.probability, l.probability) is not null as random, "
        "d.probability is not null as drawn, l.annotator, count(*) "
        "from label_now l join item i on i.id = l.item_id "
        "left join draw_now d on d.id = l.draw_id and d.stream = 'audit' "
        f"where i.dataset_id = $1 and l.dimension in ({marks}){aside(store, 'l.item_id')} group by 1, 2, 3, 4",
        [dataset_id, *names],
    )
    people: dict[Basis, dict[str, int]] = {basis: defaultdict(int) for basis in BASES}
    for mode, random, drawn, annotator, count in rows:
        for basis in rests_on(str(mode), bool(random), bool(drawn)):
            people[basis][str(annotator)] += int(count)
    return {basis: Rest(sum(found.values()), len(found)) for basis, found in people.items()}


def evidence(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: str = ""
) -> Meeting | Sums:
    """The cells of one judge and dimension where there is gold: single ones, or their sums where items are many.

    `drop` is a category ("tie") whose cells are left out of the sums; of single cells `summarise` leaves them out.
    """
    return every(store, dataset_id, judge_id, [dimension], basis, bool(drop))[0]


def every(
    store: Store, dataset_id: str, judge_id: str, asked: Sequence[Dimension], basis: Basis, dropped: bool = False
) -> list[Meeting | Sums]:
    """The same of several dimensions, which costs less than one after the other; `dropped`: without what is drawn."""
    count = "select count(*) from item where dataset_id = $1"
    items = remembered(store, ("items", dataset_id), ["item"], lambda: int(store.rows(count, [dataset_id])[0][0]))
    many = [d for d in asked if by_moments(d.scale) or d.scale.size**2 <= _LARGEST_TABLE]
    found: dict[Dimension, Sums] = {}
    if items >= LINEARISE_FROM:
        keys = [("sums", dataset_id, judge_id, d, basis, d.scale.drawn if dropped else "") for d in many]

        def make(places: Sequence[int]) -> list[Sums]:
            step = max(1, _AT_ONCE // items)
            lacking = [many[n] for n in places]
            parts = [lacking[n : n + step] for n in range(0, len(lacking), step)]
            return [s for part in parts for s in all_sums(store, dataset_id, judge_id, part, basis, dropped)]

        found = dict(zip(many, each_remembered(store, keys, BEHIND, make), strict=True))
    return [
        found[d] if d in found and found[d].items >= LINEARISE_FROM else meeting(store, dataset_id, judge_id, d, basis)
        for d in asked
    ]


def meeting(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis) -> Meeting:
    """The cells of one judge and dimension where there is gold: who says what, and with which weight.

    Weights are N_h / answered_h of the item's stratum on the bases of random draws (data/gold.py) and 1 on the others.
    Items that stand as examples in the judge's prompt are left out, here and in all figures (data/fewshot.py).
    """
    frame = store.frame(
        f"with met as ({met(store, dataset_id, dimension, basis, among=apart(store, judge_id))}) "
        "select dense_rank() over (order by item_id) as no, human, judge, scored, weight from met order by 1, unit",
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
    """The same cells summed up by the database; only a table and the moments leave it."""
    return all_sums(store, dataset_id, judge_id, [dimension], basis, bool(drop))[0]


def all_sums(
    store: Store, dataset_id: str, judge_id: str, asked: Sequence[Dimension], basis: Basis, dropped: bool = False
) -> list[Sums]:
    """The sums of several dimensions in one statement, which looks at labels, items and draws once.

    What an item gives to kappa is s_g, its six moments or its own table (`judges.calibrate.Sums`); the totals are
    sum_g s_g and sum_g s_g s_g'. `dropped`: cells with what a scale calls drawn ("tie") are left out.
    """
    names = list(dict.fromkeys(d.name for d in asked))
    marks = {name: "$2" if n == 0 else f"${n + 3}" for n, name in enumerate(names)}
    terms = [_terms(d) for d in asked]
    width = max(len(t) * (len(t) + 3) // 2 for t in terms)
    counted = labels(basis, list(marks.values()), apart(store, judge_id))
    parts, chosen = [f"held as materialized ({counted})"], []
    for n, (d, own) in enumerate(zip(asked, terms, strict=True)):
        size, left = len(own), ""
        if dropped and d.scale.drawn:
            code = f"cast({d.scale.categories.index(d.scale.drawn)} as double precision)"
            left += f" and g.value is distinct from {code} and s.value is distinct from {code}"
        held = f"select * from held where no = {names.index(d.name)}"
        cells = met(store, dataset_id, d, basis, left, held=held).replace("$2", marks[d.name])
        each = ", ".join(f"coalesce(sum(case when ok then weight * {t} end), 0) as s{k}" for k, t in enumerate(own))
        totals = [f"sum(s{k})" for k in range(size)]
        totals += [f"sum(s{a} * s{b})" for a, b in combinations_with_replacement(range(size), 2)]
        parts += [
            f"marked{n} as (select *, scored and human is not null and judge is not null as ok from ({cells}) m)",
            f"own{n} as (select item_id, avg(case when ok then weight end) as mean_weight, {each} "
            f"from marked{n} group by item_id)",
        ]
        chosen += [
            f"select {n}, human, judge, scored, count(*), sum(weight){', null' * (2 + width)} "
            f"from marked{n} group by human, judge, scored",
            f"select {n}, null, null, null, count(mean_weight), count(*), sum(mean_weight), "
            f"sum(mean_weight * mean_weight), {', '.join(totals)}{', null' * (width - len(totals))} from own{n}",
        ]
    rows = store.rows(
        f"with {', '.join(parts)} {' union all '.join(chosen)}", [dataset_id, names[0], judge_id, *names[1:]]
    )
    return [_read([r[1:] for r in rows if r[0] == n], len(own)) for n, own in enumerate(terms)]


def _terms(dimension: Dimension) -> list[str]:
    """What a cell gives to its item's sums, before the weight."""
    scale = dimension.scale
    if by_moments(scale):
        x, y = f"(human - {scale.base})", f"(judge - {scale.base})"
        return ["1", x, y, f"{x} * {x}", f"{y} * {y}", f"{x} * {y}"]
    codes = range(scale.base, scale.base + scale.size)
    return [f"case when human = {h} and judge = {j} then 1 else 0 end" for h in codes for j in codes]


def _read(rows: list[tuple[Any, ...]], size: int) -> Sums:
    """The sums of one dimension from its rows: one for each combination that occurs, and the one of its totals."""
    groups, last = [r for r in rows if r[2] is not None], next(r for r in rows if r[2] is None)
    numbers = [0.0 if value is None else float(value) for value in last[3:]]
    pairs = list(combinations_with_replacement(range(size), 2))
    cross = np.zeros((size, size))
    for (a, b), value in zip(pairs, numbers[4 + size : 4 + size + len(pairs)], strict=True):
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


def met(
    store: Store, dataset_id: str, dimension: Dimension, basis: Basis, extra: str = "", among: str = "", held: str = "",
    scores: str = "score_now",
) -> str:  # fmt: skip
    """SQL of the cells with gold: item_id, unit, human, judge (NULL = n/a), scored, weight. $1 dataset, $2 dimension,

    $3 judge; `extra` are further conditions on gold and scores, `among` on the items of the labels: those that do not
    count for a judge (`data.fewshot.apart`) are left out there, as weights are told from the labels. Statements that
    ask for several dimensions say where their labels are (`held`, see data/gold.py) and which scores may be met.
    """
    return (
        "select g.item_id, g.unit, g.value as human, s.value as judge, s.judge_id is not null as scored, g.weight "
        + _JOINED.format(
            gold=gold(dimension.sort, dimension.scale, basis, gold_rule(store, dataset_id), among, held), scores=scores
        )
        + f"where 1 = 1{extra}"
    )


def _column(rows: list[tuple[Any, ...]], place: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([np.nan if r[place] is None else float(r[place]) for r in rows], dtype=np.float64)


def items_in(
    store: Store,
    person: str,
    dataset_id: str,
    judge_id: str,
    dimension: Dimension,
    basis: Basis,
    human: float | None,
    judge: float | None,
    most: int = MOST,
) -> list[Found]:
    """The cells where people say `human` and the judge `judge` (None = n/a), by name; at most so many.

    Items that may still come to this person to be answered blind are left out; that the others are shown is recorded.
    """
    conditions: list[str] = ["not (g.item_id = any($4))"]
    params: list[Any] = [sorted(exposure.pending(store, person))]
    for column, value in (("g.value", human), ("s.value", judge)):
        if value is None:
            conditions.append(f"{column} is null")
        else:
            params.append(value)
            conditions.append(f"{column} = ${3 + len(params)}")
    rows = store.rows(
        "select i.id, i.name, i.system_a, i.system_b, g.unit, g.how, g.people, a.person, a.reason "
        + _JOINED.format(
            gold=gold(dimension.sort, dimension.scale, basis, gold_rule(store, dataset_id), apart(store, judge_id)),
            scores="score_now",
        )
        + f"{_ITEM}left join adjudication_now a on a.item_id = g.item_id and a.unit = g.unit and a.dimension = $2 "
        f"where s.judge_id is not null and {' and '.join(conditions)} "
        f"order by i.name, g.unit limit {most:d}",
        [dataset_id, dimension.name, judge_id, *params],
    )
    exposure.record(store, person, {str(row[0]): [judge_id, exposure.PEOPLE] for row in rows}, "calibration")
    return [
        Found(str(i), str(name), " · ".join(s for s in (a, b) if s), str(unit), _came(*told))
        for i, name, a, b, unit, *told in rows
    ]


def _came(how: str, people: int, person: str | None, reason: str | None) -> str:
    """How the gold of a cell came about, in words."""
    return {
        "one": "one person",
        "agreed": f"{people} people agree",
        "drawn": f"drawn vote of {people}",
        "adjudicated": f"adjudicated by {person}: {reason}",
    }.get(how, f"{how} of {people}")


def unscored(store: Store, dataset_id: str, judge_id: str) -> list[tuple[str, int]]:
    """(reason, how many) of a judge's replies that could not be used, and were not asked for again with success."""
    rows = store.rows(
        "select m.unscored, count(*) from unscored_now m join item i on i.id = m.item_id "
        "where i.dataset_id = $1 and m.judge_id = $2 group by m.unscored order by 2 desc, 1",
        [dataset_id, judge_id],
    )
    return [(str(a), int(b)) for a, b in rows]
