"""Gold: the value that people's labels of a cell resolve to, by the rule of its scale, on a chosen basis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from data.records.outcomes import unit_sort_sql
from data.records.settings import GoldRule, gold_rule
from data.store.base import Row, Store, view_query
from judges.rounding import ROUNDING
from judges.types import SORTS, SORTS_WITH_SEVERAL_CELLS, Dimension, Scale, UnitSort

Basis = Literal["gate", "imported", "blind", "assisted", "all"]
BASES: dict[Basis, str] = {
    "gate": "Blind labels of random draws",
    "imported": "Blind labels of random draws, imported ones too",
    "blind": "All blind labels",
    "assisted": "Assisted labels of random draws",
    "all": "All labels, blind and assisted",
}
"""The labels that a figure may be computed from.

The first are those given here. The approval check counts them, or the second where the policy counts imported labels
or the dataset is synthetic (`data.approvals.policy.approval_basis`). Labels given after a reveal are in none of them.
"""
BASIS_PHRASES: dict[str, str] = {basis: name[0].lower() + name[1:] for basis, name in BASES.items()}
"""The same as they go on in a sentence."""

WEIGHTED: tuple[Basis, ...] = ("gate", "imported", "assisted")
"""The bases of random draws, on which a cell counts N_h / answered_h: as many items as its item represents.

N_h are the items of the stratum (n_h / pi_h: drawn, by the probability of being drawn), and answered_h those of the
drawn ones that have a counted label of the dimension. Where all are answered that is 1 / pi_h.
"""

_RANDOM = "(d.probability is not null or l.probability is not null)"
# A draw is made here only: the probability of an imported label is kept with the label, and is its importer's word.
LABEL_CONDITIONS: dict[Basis, str] = {
    "gate": "l.mode = 'blind' and d.probability is not null",
    "imported": f"l.mode = 'blind' and {_RANDOM}",
    "blind": "l.mode = 'blind'",
    "assisted": f"l.mode = 'assisted' and {_RANDOM}",
    "all": "l.mode in ('blind', 'assisted')",
}
"""SQL: whether a label `l`, with its draw `d` of the audit sample where it has one, is on a basis."""
NEWEST_OF_PERSON = (
    "row_number() over (partition by l.item_id, l.unit, l.annotator order by l.made_at desc, l.seq desc, l.id desc)"
)
"""SQL of the place of a label `l` among those of a dimension that its person gave a cell: 1 is the newest."""


STRATA = (
    "select d.stratum, d.mode, i.kind, count(*) as drawn, sum(case when i.cells > 3 then 1 else 0 end) as cut, "
    "row_number() over (order by d.stratum, d.mode, i.kind) as part from draw d join item i on i.id = d.item_id "
    "where d.dataset_id = $1 and d.stream = 'audit' group by d.stratum, d.mode, i.kind"
)
"""SQL of the parts of a dataset's audit sample; $1 dataset.

Columns stratum, mode and kind of item, how many of its items were drawn, how many of these have sections (a pair has
three other units), and its number.
"""
_JOIN_STRATA = f"left join ({STRATA}) h on h.stratum = d.stratum and h.mode = d.mode and h.kind = i.kind "
_PARTS = "cast(null as bigint) as part, cast(null as bigint) as drawn, cast(null as bigint) as cut"
_GONE = "(select replaces from label where replaces is not null)"
"""The same as in the view `label_now`."""


def label_tables(basis: Basis) -> dict[str, str]:
    """Return the tables that the numbered labels of `labels_sql` are read from, as queries by table name; $1 dataset.

    These are items and units with a number each, labels that were replaced, and draws with their part of the sample.
    They are made beforehand, so that the database knows how small they are.
    """
    parts, strata = _PARTS, ""
    sorts = " ".join(f"when {unit_sort_sql(sort, 'l')} then '{sort}'" for sort in SORTS)
    if basis in WEIGHTED:
        parts, strata = "h.part, h.drawn, h.cut", _JOIN_STRATA
    return {
        "cell_item": "select id, kind, cast(row_number() over () - 1 as integer) as place from item "
        "where dataset_id = $1",
        "cell_gone": _GONE,
        "cell_unit": "select l.unit, cast(row_number() over () - 1 as integer) as code, "
        f"case {sorts} end as sort "
        "from (select distinct unit from label) l",
        "cell_draw": f"select d.id, d.probability, {parts} from draw_now d "
        f"join cell_item i on i.id = d.item_id {strata}where d.stream = 'audit'",
    }


def place_sql(column: str, names: Sequence[str]) -> str:
    """SQL of the place in `names`, which are parameters, of what a column has; of one alone it is 0."""
    places = " ".join(f"when {name} then {n}" for n, name in enumerate(names))
    return f"case {column} {places} end" if len(names) > 1 else "0"


def labels_sql(basis: Basis, names: Sequence[str], among: str = "", numbered: bool = False) -> str:
    """SQL of the labels that a basis rests on: item_id, unit, no, value, probability, part, drawn, cut; $1 dataset.

    `names` are the parameters of the dimensions ("$2"), of which `no` is the place; `among` is a further condition on
    l.item_id; `numbered`: item_id is a number, by `label_tables`. Who counts as having answered follows from these
    labels alone. `part`, `drawn` and `cut` are those of `STRATA`, NULL where the item was not drawn here; the part of
    imported labels whose items were drawn at random from N is -N, so that what came in several goes is one sample.
    """
    imported = basis in WEIGHTED and basis != "gate"
    of = "d" if numbered else "h"
    parts = f"{f'coalesce({of}.part, -n.population) as part' if imported else f'{of}.part'}, {of}.drawn, {of}.cut"
    if numbered:
        item, in_dataset = "i.place as item_id", "true"
        now = view_query("label_now").replace(_GONE, "cell_gone")
        source = f"({now}) l join cell_item i on i.id = l.item_id left join cell_draw d on d.id = l.draw_id "
    else:
        item, in_dataset = "l.item_id", "i.dataset_id = $1"
        source = (
            "label_now l join item i on i.id = l.item_id "
            "left join draw_now d on d.id = l.draw_id and d.stream = 'audit' "
        )
        if basis in WEIGHTED:
            source += _JOIN_STRATA
        else:
            parts = _PARTS
    if imported:
        source += "left join intake n on n.seq = l.seq and d.id is null and l.probability is not null "
    return (
        f"select {item}, l.unit, {place_sql('l.dimension', names)} as no, l.value, "
        f"coalesce(d.probability, l.probability) as probability, {parts} from {source}"
        f"where {in_dataset} and l.dimension in ({', '.join(names)}) and {LABEL_CONDITIONS[basis]}{among}"
    )


def group_alike(dimensions: Iterable[Dimension], means: bool = False) -> list[list[Dimension]]:
    """Group the dimensions of which gold is made alike: each group may share a statement of `gold_sql`.

    Most of the time of such a statement goes into its planning.
    """
    groups: dict[object, list[Dimension]] = defaultdict(list)
    for d in dimensions:
        tie = None if d.scale.has_order else d.scale.tie_code
        codes = (d.scale.base, d.scale.size) if means else None
        groups[d.sort, d.scale.has_order, d.scale.kind == "interval", tie, codes].append(d)
    return list(groups.values())


def counted_decision_sql(basis: Basis) -> str:
    """Return the condition of adjudications that count on a basis, on their own columns.

    Where labels are blind, a decision counts only if its author did not see the judge's score; for the gate only if it
    was made here.
    """
    unseen = "not saw_judge" if basis in ("gate", "imported", "blind") else "true"
    return unseen + (" and seq not in (select seq from intake)" if basis == "gate" else "")


def gold_sql(
    sort: UnitSort, scale: Scale, basis: Basis, rule: GoldRule, among: str = "", source: str = "", means: bool = False,
    settled: str = "adjudication_now", names: Sequence[str] = ("$2",),
) -> str:  # fmt: skip
    """SQL for the gold of a dimension: item_id, unit, no, value (NULL = n/a), probability, weight and what people say.

    The latter is people, low, high, how, waits, share and mean. Parameters: $1 dataset, $2 dimension. If several
    dimensions share the statement (`group_alike`), `names` are their parameters, and `no` is the place of one in them.

    An adjudication decides; on the blind bases only if its author did not ask for the judge's score, and on the
    approval check's only if it was made here. Otherwise ordered scales resolve to the lower median of the values or, by
    a rule of majority, to the commonest one (tied: the lower median), and to n/a if most people said so; interval
    scales, by a rule of mean, to the mean of the values. Unordered ones and flags resolve to the majority, a tied vote
    to the scale's `drawn` category if it has one, else to no gold.

    `probability` is the inclusion probability of the item (NULL: not a random draw), and `weight` the items that it
    represents (`WEIGHTED`; 1 on the other bases). `low` and `high` are the ends of what people said, and `how` tells
    how the value came about: one, agreed, median, mean, majority, drawn, adjudicated. `waits`: people differ by more
    than the rule allows and nobody has adjudicated; if the rule leaves such cells out, they have no gold.

    Means do not use a cell's `value`, because a lower median of two would bias them. They use all that people said,
    each person alike: `mean` of the values given and `share` of the people who gave one, the others saying n/a
    (adjudicated: that value, 1, or 0 for n/a). With `means` there is also a share of the people for each answer of the
    table (said0, said1 ...), and every cell is included, drawn, waiting or not. Without those cells, the rest would be
    easier than what people were asked.

    `among` is a further condition on l.item_id, for a few items of many: " and l.item_id <= $4". Items that do not
    count are left out there, so that they do not count as answered. `source` is a query of them among the `labels` of
    several dimensions, for statements that ask for all of these, and `settled` what was adjudicated, by the same items.
    """
    # Most cells have one label, or equal ones: only the others, `disputed`, are worth a median or a count of votes.
    ordered = scale.has_order
    in_order = " order by value" if _takes_mean(scale, rule) else ""  # or the last digit, and so fingerprints, vary
    worth = "c.valued > 2 and c.low < c.high" if ordered else "c.low < c.high or c.valued between 1 and c.people - 1"
    codes = range(scale.base, scale.base + scale.size) if means else range(0)
    shares = "".join(f", avg(case when value = {c} then 1.0 else 0.0 end) as said{n}" for n, c in enumerate(codes))
    source = source or labels_sql(basis, names, among)
    cell, part, no = ("no, item_id, unit", "no, part", "") if len(names) > 1 else ("item_id, unit", "part", ", 0 as no")
    drawn = "cut" if sort == "section" else "drawn"
    counts = "count(distinct item_id)" if sort in SORTS_WITH_SEVERAL_CELLS else "count(*)"
    cells = (
        f"with labels as (select {cell}, value, probability, part, {drawn} as drawn from ({source}) l "
        f"where {unit_sort_sql(sort, 'l')}), "
        f"cells as (select {cell}, min(value) as low, max(value) as high, max(probability) as probability, "
        "max(part) as part, max(drawn) as drawn, count(*) as people, count(value) as valued, "
        f"avg(value{in_order}) as mean{shares} from labels group by {cell}), "
        f"response as (select {part}, {counts} as answered from cells where part is not null group by {part}), "
        f"settled as (select {place_sql('dimension', names)} as no, item_id, unit, value, "
        f"{counted_decision_sql(basis)} as counts from {settled} where dimension in ({', '.join(names)})), "
        f"disputed as (select {cell}, l.value from labels l join cells c using ({cell}) where {worth}), "
    )
    tables, joins, value, kind = _resolution_sql(cell, scale, rule)
    waits = _waits_sql(scale, rule)
    exclusions = [] if ordered or scale.drawn else ["not (coalesce(a.counts, false) or coalesce(w.winners, 1) = 1)"]
    exclusions += [waits] if rule.waiting == "out" and rule.apart is not None else []
    where = "" if means or not exclusions else f" where not ({' or '.join(exclusions)})"
    answer_columns = "".join(
        f", case when a.counts then case when a.value = {c} then 1.0 else 0.0 end else c.said{n} end as said{n}"
        for n, c in enumerate(codes)
    )
    weight = "cast(1 as double precision)"
    if basis in WEIGHTED:  # an item with a label was asked, whatever its content says of its units
        sample_size = "cast(greatest(c.drawn, r.answered) as double precision)"
        weight = f"1 / c.probability * coalesce({sample_size} / r.answered, 1)"
        weight = f"case when c.part < 0 then cast(-c.part as double precision) / r.answered else {weight} end"
        joins += f"left join response r using ({part}) "
    return (
        f"{cells}{tables}select {cell}{no}, c.probability, {weight} as weight, c.people, c.low, c.high, "
        f"case when a.counts then a.value else {value} end as value, "
        "case when a.counts then 'adjudicated' when c.people = 1 then 'one' "
        "when c.valued = 0 or c.valued = c.people and c.low = c.high then 'agreed' "
        f"else {kind} end as how, {waits} as waits, case when a.counts then a.value else c.mean end as mean, "
        "case when a.counts then case when a.value is null then 0.0 else 1.0 end "
        f"else 1.0 * c.valued / c.people end as share{answer_columns} from cells c {joins}"
        f"left join settled a using ({cell}){where}"
    )


def _takes_mean(scale: Scale, rule: GoldRule) -> bool:
    return scale.kind == "interval" and rule.resolve == "mean"


def _resolution_sql(cell: str, scale: Scale, rule: GoldRule) -> tuple[str, str, str, str]:
    """How people's values become one: the tables of it, their joins, and SQL of the value and of how it came about."""
    votes = (
        f"votes as (select {cell}, value, count(*) as n from disputed{{among}} group by {cell}, value), "
        f"tops as (select {cell}, max(n) as n from votes group by {cell}), "
        f"won as (select {cell}, count(*) as winners, max(value) as value from votes join tops using ({cell}, n) "
        f"group by {cell}) "
    )
    median = (
        f"middle as (select {cell}, percentile_disc(0.5) within group (order by value) as value "
        f"from disputed group by {cell})"
    )
    won, middle = f"left join won w using ({cell}) ", f"left join middle m using ({cell}) "
    if not scale.has_order:
        tie = "null" if scale.tie_code is None else f"{scale.tie_code:g}"
        value = f"case when w.winners is null then c.low when w.winners = 1 then w.value else {tie} end"
        return votes.format(among=""), won, value, "case when w.winners = 1 then 'majority' else 'drawn' end"
    if rule.resolve == "majority":
        tables, joins = f"{median}, {votes.format(among=' where value is not null')}", f"{middle}{won}"
        value = "case when w.winners = 1 then w.value else coalesce(m.value, c.low) end"
        kind = "case when w.winners = 1 or c.low = c.high then 'majority' else 'median' end"
    else:  # the lower median of two is the lower one
        tables, joins, value, kind = f"{median} ", middle, "coalesce(m.value, c.low)", "'median'"
        if _takes_mean(scale, rule):
            value, kind = "case when c.low = c.high then c.low else c.mean end", "'mean'"
    mostly_na = "case when 2 * c.valued < c.people then"
    return tables, joins, f"{mostly_na} null else {value} end", f"{mostly_na} 'majority' else {kind} end"


def _waits_sql(scale: Scale, rule: GoldRule) -> str:
    """SQL of whether a cell waits for adjudication: people differ by more than the rule allows."""
    if rule.apart is None:
        return "false"
    differ = f"coalesce(c.high - c.low, 0) > {rule.apart:d} + {ROUNDING}"
    if not scale.has_order:
        differ = f"coalesce(c.low < c.high, false) and {'true' if rule.apart == 0 else 'coalesce(w.winners, 0) > 1'}"
    return f"a.counts is null and (c.valued between 1 and c.people - 1 or {differ})"


def load_gold(
    store: Store, dataset_id: str, dimensions: Iterable[Dimension], basis: Basis, columns: str, where: str = "",
    among: str = "", values: Sequence[Any] = (),
) -> Iterator[tuple[Dimension, Row]]:  # fmt: skip
    """Give these columns of `gold_sql` with their dimension, for the cells that meet the SQL of `where`.

    `among` is as in `gold_sql`; it may name the further parameters `values`, which begin with $2.
    """
    rule = gold_rule(store, dataset_id)
    for group in group_alike(dimensions):
        names = [f"${2 + len(values) + n}" for n in range(len(group))]
        gold = gold_sql(group[0].sort, group[0].scale, basis, rule, among, names=names)
        query = f"select no, {columns} from ({gold}) g{where} order by no"
        for no, *row in store.rows(query, [dataset_id, *values, *(d.name for d in group)]):
            yield group[no], tuple(row)
