"""The comparison of gold and scores: the cells of a judge and dimension, single or summed up, and the items in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas

from data.calibration.rating_sums import NO_PART, NumberedRows, place_ratings, sum_ratings
from data.cards import cards
from data.gold.excluded_items import not_excluded_sql
from data.gold.fewshot import not_in_prompt_sql
from data.gold.gold import LABEL_CONDITIONS, WEIGHTED, Basis, gold_sql, group_alike, label_tables, labels_sql, place_sql
from data.records import datasets, exposure
from data.records.access import allow
from data.records.outcomes import is_answer_sql, unit_sort_sql
from data.records.settings import Waiting, gold_rule
from data.store import Store, Tx, cache_each, cache_result
from judges.stats import bins
from judges.stats.agreement import Floats
from judges.stats.calibration import PairedRatings, RatingSums, has_kappa_of_moments
from judges.stats.intervals import LINEARISE_FROM
from judges.types import Dimension

_STRATUM_JOIN = (
    "left join (select item_id, max(stratum) as stratum from draw where dataset_id = $1 and stream = 'audit' "
    "group by item_id) d on d.item_id = m.item_id"
)
_MAX_ITEMS_TIMES_DIMENSIONS = 10_000_000
"""The most items times dimensions in one statement, which holds their labels in memory."""
MAX_LISTED_CELLS = 500
"""The most cells in a list."""
_MAX_CELLS_PER_QUERY = 1_000_000
"""Cells of judges, gold times judges, that one statement gives."""
_LARGEST_TABLE = 16  # values squared: larger tables would need too many columns for their cross-products


class BasisSize(NamedTuple):
    """The size of a basis: its labels, and the people who gave them."""

    labels: int
    people: int


class ListedCell(NamedTuple):
    """A cell in a list: the item, its name and systems under test, the unit, and how its gold came about, in words."""

    item: str
    name: str
    systems: str
    unit: str
    came: str = ""


@allow("annotator")
def compared_dimensions(store: Store | Tx, judge_id: str) -> list[Dimension]:
    """Return the dimensions of a judge's card that people are asked about and whose scale has a table.

    The judge's own aggregates on an interval scale are included once people have labelled them.
    """
    card = cards.card_of_judge_if_known(store, judge_id)
    dimensions = [d for d in card.dimensions if bins.row_count(d.scale)] if card is not None else []
    return [d for d in dimensions if d.asked or (d.scale.kind == "interval" and _has_labels(store, d))]


@cache_result
def _has_labels(store: Store | Tx, dimension: Dimension) -> bool:
    """Whether anybody ever gave a label of a dimension."""
    query = f"select 1 from label l where l.dimension = $1 and {unit_sort_sql(dimension.sort, 'l')} limit 1"
    return bool(store.rows(query, [dimension.name]))


@allow("annotator")
@cache_result
def basis_sizes(store: Store, dataset_id: str, dimensions: Sequence[Dimension]) -> dict[Basis, BasisSize]:
    """Return the number of labels of these dimensions that each basis has in a dataset, and the number of their people.

    Labels of items that prompts were tuned on are in no basis (data/gold/excluded_items.py).
    """
    counted = [d for d in dimensions if bins.row_count(d.scale)]
    # Other cards may ask by the same name of other units, and of other kinds of items.
    conditions = (f"l.dimension = ${n} and {unit_sort_sql(d.sort, 'l')}" for n, d in enumerate(counted, 2))
    condition = " or ".join(conditions) or "false"
    own = ", ".join(f"count(case when {on} then 1 end) as n{n}" for n, on in enumerate(LABEL_CONDITIONS.values()))
    sizes = ", ".join(f"sum(n{n}), count(nullif(n{n}, 0))" for n in range(len(LABEL_CONDITIONS)))
    [row] = store.rows(  # labels by person first: counts of distinct people among all labels would take far longer
        f"select {sizes} from (select l.annotator, {own} from label_now l join item i on i.id = l.item_id "
        "left join draw_now d on d.id = l.draw_id and d.stream = 'audit' "
        f"where i.dataset_id = $1 and ({condition}){not_excluded_sql(store, 'l.item_id')} group by l.annotator) p",
        [dataset_id, *(d.name for d in counted)],
    )
    counts = [int(count or 0) for count in row]
    return {
        basis: BasisSize(*size) for basis, *size in zip(LABEL_CONDITIONS, counts[::2], counts[1::2], strict=True)
    }


def comparison_input(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, dropped: bool = False
) -> PairedRatings | RatingSums:
    """The cells of one judge and dimension where there is gold: single ones, or their sums where items are many.

    `dropped`: cells in the scale's drawn category ("tie") are left out of the sums; of single cells `summarise` leaves
    them out.
    """
    return comparison_inputs(store, dataset_id, judge_id, [dimension], basis, dropped)[0]


def comparison_inputs(
    store: Store, dataset_id: str, judge_id: str, dimensions: Sequence[Dimension], basis: Basis, dropped: bool = False,
    waiting: Waiting | None = None,
) -> list[PairedRatings | RatingSums]:  # fmt: skip
    """Return the input of several dimensions.

    It costs less than one after the other. `dropped`: without the drawn category. `waiting`: how cells count that wait
    for adjudication (None: by the dataset's rule).
    """
    items = datasets.count_items(store, dataset_id)
    many = [d for d in dimensions if has_kappa_of_moments(d.scale) or d.scale.size**2 <= _LARGEST_TABLE]
    sums_by_dimension: dict[Dimension, RatingSums] = {}
    if items >= LINEARISE_FROM:
        keys = [("sums", dataset_id, judge_id, d, basis, d.scale.drawn if dropped else "", waiting) for d in many]

        def make(places: Sequence[int]) -> list[RatingSums]:
            step, lacking = max(1, _MAX_ITEMS_TIMES_DIMENSIONS // items), [many[n] for n in places]
            sums = list[RatingSums]()
            for start in range(0, len(lacking), step):
                part = lacking[start : start + step]
                sums += load_rating_sums(store, dataset_id, judge_id, part, basis, dropped, waiting)
            return sums

        sums_by_dimension = dict(zip(many, cache_each(store, keys, make), strict=True))
    summed = {d: sums for d, sums in sums_by_dimension.items() if sums.items >= LINEARISE_FROM}
    single = [d for d in dimensions if d not in summed]
    loaded = load_ratings_of_judges(
        store, dataset_id, [judge_id], single, basis, not_in_prompt_sql(store, judge_id), waiting
    )
    return [summed[d] if d in summed else loaded[judge_id, d] for d in dimensions]


def load_paired_ratings(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, first: int | None = None,
    among: str = "",
) -> PairedRatings:  # fmt: skip
    """Return the cells of one judge and dimension with gold: who says what, and with which weight.

    `first`: only cells of that many items, those that were labelled first.

    Weights are N_h / answered_h of the item's stratum on the bases of random draws (data/gold/gold.py), and 1 on the
    others. Items that are examples in the judge's prompt are left out, here and in all figures (data/gold/fewshot.py).
    `among` is a further condition on the labels' l.item_id, with $1 the dataset, $2 the dimension and $3 the judge.
    """
    among, subset = not_in_prompt_sql(store, judge_id) + among, None
    if first is not None:
        subset = "{item} = any($4)", _earliest(store, dataset_id, judge_id, dimension, basis, first)
    ratings = load_ratings_of_judges(store, dataset_id, [judge_id], [dimension], basis, among, subset=subset)
    return ratings[judge_id, dimension]


def load_ratings_of_judges(
    store: Store, dataset_id: str, judge_ids: Sequence[str], dimensions: Sequence[Dimension], basis: Basis, among: str,
    waiting: Waiting | None = None, subset: tuple[str, Any] | None = None,
) -> dict[tuple[str, Dimension], PairedRatings]:  # fmt: skip
    """The paired ratings of each judge and dimension. Parameters as in `paired_frames`."""
    ratings: dict[tuple[str, Dimension], PairedRatings] = {}
    frames = paired_frames(store, dataset_id, judge_ids, dimensions, basis, among, waiting, subset)
    for group, frame in frames:
        judge, no, item = (frame[column].to_numpy(dtype=np.int64) for column in ("judge_no", "no", "item"))
        frame_ratings = to_paired_ratings(frame, item)
        if "stratum" in frame:
            frame_ratings = replace(frame_ratings, stratum=frame["stratum"].to_numpy(dtype=np.int64))
        for (judge_no, judge_id), (place, d) in product(enumerate(judge_ids), enumerate(group)):
            ratings[judge_id, d] = frame_ratings.where((judge == judge_no) & (no == place))
    return ratings


def paired_ratings_by_judge(
    store: Store, dataset_id: str, judge_ids: Sequence[str], basis: Basis
) -> dict[str, list[tuple[Dimension, PairedRatings | RatingSums]]]:
    """Return every dimension of each judge with its cells, as `comparison_inputs` does, in few statements.

    All judges of a dataset share the error of their decisions, so each new label requires the figures of all of them;
    judge by judge, the same gold would be made again. Where the database sums up, they are queried one by one.
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


def paired_frames(
    store: Store, dataset_id: str, judge_ids: Sequence[str], dimensions: Iterable[Dimension], basis: Basis, among: str,
    waiting: Waiting | None = None, subset: tuple[str, Any] | None = None, units: bool = False,
) -> Iterator[tuple[list[Dimension], pandas.DataFrame]]:  # fmt: skip
    """Give the cells of judges as frames of those dimensions that can share a statement.

    Columns judge_no and no (the places of judge and dimension), item (its number), PAIRED_COLUMNS, if there are strata
    the number of a `stratum`, and with `units` item_id and unit. `among` are conditions on the labels' l.item_id that
    hold for all judges. `subset` is one on labels and scores, for a few items of many: "{item} <= $4", and its value.
    """
    rule, strata = gold_rule(store, dataset_id), is_stratified(store, dataset_id, basis)
    rule = rule if waiting is None else replace(rule, waiting=waiting)
    scored, values = "", [] if subset is None else [subset[1]]
    if subset is not None:
        among, scored = f"{among} and {subset[0].format(item='l.item_id')}", f" and {subset[0].format(item='item_id')}"
    judges = ["$3", *(f"${n + 4 + len(values)}" for n in range(len(judge_ids) - 1))]
    whose, parameter_count = f"in ({', '.join(judges)})", len(judges) + len(values) + 3
    for group in group_alike(dimensions):
        names = ["$2", *(f"${n + parameter_count}" for n in range(len(group) - 1))]
        gold = gold_sql(group[0].sort, group[0].scale, basis, rule, among, names=names)
        ranks = {"item": "m.item_id", "stratum": "coalesce(d.stratum, '')"} if strata else {"item": "m.item_id"}
        ranked = (f"dense_rank() over (partition by m.no order by {of}) - 1 as {name}" for name, of in ranks.items())
        yield group, store.frame(
            "with met as (select g.no, g.item_id, g.unit, j.place as judge_no, g.value as human, s.value as judge, "
            "s.judge_id is not null as scored, g.weight, g.mean, g.share, g.people, g.waits "
            f"from ({gold}) g cross join "
            f"(select distinct id, {place_sql('id', judges)} as place from judge where id {whose}) j "
            f"left join (select item_id, unit, judge_id, value, {place_sql('dimension', names)} as no "
            f"from score_now where judge_id {whose} and dimension in ({', '.join(names)}){scored}) s "
            "on s.item_id = g.item_id and s.unit = g.unit and s.judge_id = j.id and s.no = g.no) "
            f"select m.judge_no, m.no, {PAIRED_COLUMNS}, {', '.join(ranked)}{', m.item_id, m.unit' if units else ''} "
            f"from met m {_STRATUM_JOIN if strata else ''} order by m.judge_no, m.no, m.item_id, m.unit",
            [dataset_id, group[0].name, judge_ids[0], *values, *judge_ids[1:], *(d.name for d in group[1:])],
        )


@cache_result
def is_stratified(store: Store | Tx, dataset_id: str, basis: Basis) -> bool:
    """Whether strata enter the error: where items were drawn by what a judge said, or not in proportion.

    Proportional strata of systems, languages or fields hardly narrow an interval. The cautious scale that strata by a
    judge's scores need (judges/stats/strata.py) would cost more than strata give. Without strata the error is on the
    safe side.
    """
    query = (
        "select 1 from design where dataset_id = $1 and (parted_by in ('score', 'confidence') "
        "or allocation <> 'proportional') limit 1"
    )
    return basis in WEIGHTED and bool(store.rows(query, [dataset_id]))


PAIRED_COLUMNS = "human, judge, scored, weight, mean, share, people, waits"
"""The columns of `paired_cells_sql` that make `PairedRatings`."""


def float_columns(frame: pandas.DataFrame, *names: str) -> list[Floats]:
    """Return these columns of numbers; NULL is nan."""
    return [frame[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in names]


def to_paired_ratings(frame: pandas.DataFrame, item: np.ndarray[Any, np.dtype[np.int64]]) -> PairedRatings:
    """A frame of those columns, and the numbers of its items."""
    human, judge, mean = float_columns(frame, "human", "judge", "mean")
    scored, waits = (frame[c].to_numpy(dtype=bool) for c in ("scored", "waits"))
    weight, share = (frame[c].to_numpy(dtype=np.float64) for c in ("weight", "share"))
    people = frame["people"].to_numpy(dtype=np.int64)
    return PairedRatings(item, human, judge, scored, weight, None, mean, share, people, waits)


def _earliest(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, first: int
) -> list[str]:
    """Return the items with a value of people and judge whose first label on the basis is oldest; changes move none."""
    rows = store.rows(
        f"with met as ({paired_cells_sql(store, dataset_id, judge_id, dimension, basis)}), "
        "both_valued as (select distinct item_id from met where scored and human is not null and judge is not null) "
        "select b.item_id from both_valued b join label l on l.item_id = b.item_id and l.dimension = $2 "
        "left join draw d on d.id = l.draw_id and d.stream = 'audit' "
        f"where {LABEL_CONDITIONS[basis]} and {unit_sort_sql(dimension.sort, 'l')} "
        f"group by b.item_id order by min(l.seq), b.item_id limit {first:d}",
        [dataset_id, dimension.name, judge_id],
    )
    return [str(row[0]) for row in rows]


def load_rating_sums(
    store: Store, dataset_id: str, judge_id: str, dimensions: Sequence[Dimension], basis: Basis, dropped: bool = False,
    waiting: Waiting | None = None,
) -> list[RatingSums]:  # fmt: skip
    """Return the sums of `load_paired_ratings` for several dimensions; labels and scores are read once for all.

    Items and units get numbers for this purpose only. `dropped`: cells in a scale's drawn category ("tie") are left
    out.
    """
    names = list(dict.fromkeys(d.name for d in dimensions))
    marks = [f"${n}" for n in range(4, len(names) + 4)]
    rule, weighted = gold_rule(store, dataset_id), basis in WEIGHTED
    rule = rule if waiting is None else replace(rule, waiting=waiting)
    among = not_in_prompt_sql(store, judge_id)
    label = labels_sql(basis, marks, among, numbered=True)
    sampled = f", l.probability, coalesce(l.part, {NO_PART}) as part" if weighted else ""
    number = place_sql("s.dimension", marks)
    score = (
        f"select i.place as item_id, u.code as unit, cast({number} as tinyint) as no, s.value from score_now s "
        "join cell_item i on i.id = s.item_id join cell_unit u on u.unit = s.unit "
        f"where s.judge_id = $3 and s.dimension in ({', '.join(marks)})"
    )
    settled = (
        f"select s.item_id, u.code as unit, cast({number} as tinyint) as no from cell_settled s "
        f"join cell_unit u on u.unit = s.unit where s.dimension in ({', '.join(marks)})"
    )
    source = (
        "select g.item_id, u.unit, g.value, null as probability, null as part, null as drawn, null as cut "
        "from given g join cell_unit u on u.code = g.unit"
    )
    tables = label_tables(basis) | {
        "cell_settled": "select i.place as item_id, a.unit, a.dimension, a.value, a.saw_judge, a.seq "
        "from adjudication_now a join cell_item i on i.id = a.item_id",
    }
    stratified = is_stratified(store, dataset_id, basis)
    with store.moment(tables, [dataset_id, None, judge_id, *names]) as ask:
        rows = NumberedRows(
            int(ask("select count(*) as n from cell_item")["n"][0]),
            ask("select sort from cell_unit order by code")["sort"].tolist(),
            ask(
                f"select l.item_id, u.code as unit, cast(l.no as tinyint) as no, l.value{sampled} from ({label}) l "
                "join cell_unit u on u.unit = l.unit"
            ),
            ask(score),
            ask(settled),
            ask("select distinct part, drawn, cut from cell_draw where part is not null") if weighted else {},
            ask(
                "select i.place as item_id, dense_rank() over (order by max(d.stratum)) as stratum from draw d "
                "join cell_item i on i.id = d.item_id where d.dataset_id = $1 and d.stream = 'audit' group by i.place"
            ) if stratified else {},
        )  # fmt: skip
        sums = []
        for d in dimensions:
            no = names.index(d.name)
            gold = gold_sql(d.sort, d.scale, basis, rule, source=source, settled="cell_settled", names=[marks[no]])
            query = (
                "select g.item_id, u.code as unit, g.value, g.mean, g.share, g.people, g.waits "
                f"from ({gold}) g join cell_unit u on u.unit = g.unit"
            )
            cells = place_ratings(rows, no, d, partial(ask, query))
            sums.append(sum_ratings(cells.drop_code(d.scale.tie_code if dropped else None), d))
        return sums


def paired_cells_sql(store: Store | Tx, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis) -> str:
    """SQL of the cells with gold that count for a judge.

    Columns item_id, unit, human, judge (NULL = n/a), scored, weight, and of their gold mean, share, people, waits and
    how (data/gold/gold.py). $1 dataset, $2 dimension, $3 judge. Items that do not count for a judge
    (`data.gold.fewshot.not_in_prompt_sql`) are left out of the labels, because weights follow from these.
    """
    left_out = not_in_prompt_sql(store, judge_id)
    gold = gold_sql(dimension.sort, dimension.scale, basis, gold_rule(store, dataset_id), left_out)
    return (
        "select g.item_id, g.unit, g.value as human, s.value as judge, s.judge_id is not null as scored, g.weight, "
        f"g.mean, g.share, g.people, g.waits, g.how from ({gold}) g left join score_now s "
        "on s.item_id = g.item_id and s.unit = g.unit and s.dimension = $2 and s.judge_id = $3"
    )


@allow("annotator")
def list_cells(
    store: Store,
    person: str,
    dataset_id: str,
    judge_id: str,
    dimension: Dimension,
    basis: Basis,
    human: float | None,
    judge: float | None,
    limit: int = MAX_LISTED_CELLS,
) -> list[ListedCell]:
    """Return the cells in one place of the table.

    These are cells where people say `human` and the judge `judge` or a value nearest to it (None = n/a), by name, up to
    a limit. If a row of the table is a bin, its middle stands for it (`judges.stats.bins.row_values`).

    Items that this person may still get to answer blind are left out. That the rest are shown is recorded.
    """
    human_is, judge_is = (
        f"{column} is null" if value is None else is_answer_sql(column, value, dimension.scale)
        for column, value in (("m.human", human), ("m.judge", judge))
    )
    rows = store.rows(
        "select i.id, i.name, i.system_a, i.system_b, m.unit, m.how, m.people, a.person, a.reason "
        f"from ({paired_cells_sql(store, dataset_id, judge_id, dimension, basis)}) m join item i on i.id = m.item_id "
        "left join adjudication_now a on a.item_id = m.item_id and a.unit = m.unit and a.dimension = $2 "
        f"where m.scored and not (m.item_id = any($4)) and {human_is} and {judge_is} "
        f"order by i.name, m.unit limit {limit:d}",
        [dataset_id, dimension.name, judge_id, sorted(exposure.blind_pending(store, person))],
    )
    exposure.record_exposures(
        store, person, {str(row[0]): [judge_id, exposure.OTHER_PEOPLE] for row in rows}, "calibration"
    )
    return [
        ListedCell(str(i), str(name), " · ".join(s for s in (a, b) if s), str(unit), _came(*origin))
        for i, name, a, b, unit, *origin in rows
    ]


def _came(resolution: str, people: int, person: str | None, reason: str | None) -> str:
    """Say how the gold of a cell came about."""
    return {
        "one": "one person",
        "agreed": f"{people} people agree",
        "drawn": f"drawn vote of {people}",
        "adjudicated": f"adjudicated by {person}: {reason}",
    }.get(resolution, f"{resolution} of {people}")


@cache_result
def count_unscored(store: Store, dataset_id: str, judge_id: str) -> list[tuple[str, int]]:
    """Return (reason, count) of a judge's replies that could not be used and that no later reply replaced."""
    rows = store.rows(
        "select m.unscored, count(*) from unscored_now m join item i on i.id = m.item_id "
        "where i.dataset_id = $1 and m.judge_id = $2 group by m.unscored order by 2 desc, 1",
        [dataset_id, judge_id],
    )
    return [(str(a), int(b)) for a, b in rows]
