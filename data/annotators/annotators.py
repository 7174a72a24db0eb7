"""The people who label a dataset: what each of them did, and how far they agree with the others and with gold.

A person is only compared with gold made without their own labels. Otherwise they would partly agree with themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from data.cards import cards
from data.gold.fewshot import not_in_prompt_sql
from data.gold.gold import NEWEST_OF_PERSON, counted_decision_sql, gold_sql
from data.records import datasets, exposure
from data.records.access import allow, require
from data.records.outcomes import nearest_sql
from data.records.settings import gold_rule
from data.store import Store, cache_result
from judges.stats import bins
from judges.stats.agreement import Codes, Floats
from judges.stats.intervals import Cells, kappa_interval
from judges.stats.raters import rater_flags
from judges.stats.raters.dawid_skene import DawidSkene, fit_dawid_skene
from judges.stats.raters.rater_flags import RaterFlag, RaterShift, RaterWork
from judges.stats.raters.ratings import Ratings, gold_without_self, mean_without_self
from judges.stats.uncertainty import Interval
from judges.types import Dimension, sort_of

LabelSet = Literal["blind", "all"]
LABEL_SETS: dict[LabelSet, str] = {"blind": "Blind labels", "all": "Labels, blind and assisted"}
_MODES: dict[str, str] = {
    "here": "l.mode = 'blind' and l.answer_id <> ''", "blind": "l.mode = 'blind'",
    "all": "l.mode in ('blind', 'assisted')",
}  # fmt: skip
"""`here`: blind, and given on the desk, not imported."""
PRIOR_LABELS = 4.0
"""Prior of each row of a person's errors, in labels of the average person (`judges.stats.raters.dawid_skene`)."""


@dataclass(frozen=True)
class DimensionLabels:
    """The labels of one dimension.

    `items` (id, name) and `cells` (item number, unit) tell what the numbers in `ratings` mean, and `made_at` when each
    label was made. `others` is, per row, the gold that other people's labels give its cell, -1 if there is none. `mean`
    is their mean (a code, nan if there is none). Differences use it: a lower median would make everybody look lenient.
    """

    ratings: Ratings
    items: tuple[tuple[str, str], ...]
    cells: tuple[tuple[int, str], ...]
    made_at: np.ndarray[tuple[int, ...], np.dtype[np.datetime64]]
    others: Codes | Floats
    mean: Floats

    @property
    def rows(self) -> Codes:
        """The rows of the table for the values in `others`, -1 where there is none."""
        scale = self.ratings.scale
        return np.where(self.others < 0, -1, bins.row_numbers(bins.from_codes(self.others, scale), scale)).astype(
            np.int64
        )


@dataclass(frozen=True)
class Annotator:
    """A person in a dataset and dimension.

    `labels` and `items` count their labels here, `shared` those with gold of others. `exact` and `agreement` (kappa)
    compare them with that gold; `accuracy` is by Dawid and Skene's model. A figure that does not exist is None.
    """

    name: str
    team: str
    labels: int
    items: int
    shared: int
    exact: float | None
    agreement: Interval | None
    leniency: RaterShift | None
    accuracy: float | None
    work: RaterWork
    flags: tuple[RaterFlag, ...]


@dataclass(frozen=True)
class DifferingCell:
    """A cell whose Dawid-Skene estimate differs from gold: both codes, the posterior, and what people said.

    Without gold, `origin` is "drawn" where the vote is, and "waits" where the cell waits for adjudication, left out.
    """

    item: str
    name: str
    unit: str
    gold: float | None
    origin: str
    estimate: float
    posterior: float
    labels: tuple[float, ...]


@dataclass(frozen=True)
class DawidSkeneEstimate:
    """The Dawid-Skene estimate of ratings that two or more people labelled, and the cells where gold differs."""

    opinion: DawidSkene
    cells: int
    differing_cells: tuple[DifferingCell, ...]


@allow("researcher")
@cache_result
def labelled_dimensions(store: Store, dataset_id: str) -> dict[str, Dimension]:
    """The dimensions that people have labelled in a dataset, by key (turn.helpfulness), most labels first."""
    rows = store.rows(
        "select i.kind, l.unit, l.dimension, count(*) from label_now l join item i on i.id = l.item_id "
        "where i.dataset_id = $1 and l.mode in ('blind', 'assisted') group by i.kind, l.unit, l.dimension",
        [dataset_id],
    )
    dimensions, counts = {}, defaultdict[str, int](int)
    for kind, unit, name, n in rows:
        dimension = cards.find_dimension(store, kind, str(unit), str(name))
        if dimension is not None and bins.row_count(dimension.scale):
            key = f"{dimension.sort}.{dimension.name}"
            dimensions[key] = dimension
            counts[key] += int(n)
    return {key: dimensions[key] for key in sorted(dimensions, key=lambda key: (-counts[key], key))}


@allow("researcher")
@cache_result
def dimension_labels(
    store: Store, dataset_id: str, dimension: Dimension, label_set: LabelSet | Literal["here"] = "blind",
    judge_id: str = "", shared: int = 0,
) -> DimensionLabels:  # fmt: skip
    """Return every label of a dimension in force, without n/a; of several by one person in a cell, the newest.

    With a judge, its scores are added, and the items that it knows from its prompt or tuning are left out. `shared`:
    only cells that at least two people labelled, of at most that many items, drawn at random (0: all cells).
    """
    if shared:  # a hash of the id draws at random, and the same items each time
        clauses = (
            ", several as (select item_id, unit from g where newest = 1 and value is not null group by item_id, unit "
            "having count(*) > 1), some_items as (select item_id from several group by item_id "
            f"order by md5(item_id) limit {shared:d})"
        )
        joined = "join several n on n.item_id = g.item_id and n.unit = g.unit "
        joined += "join some_items c on c.item_id = g.item_id "
    else:
        clauses = joined = ""
    condition = not_in_prompt_sql(store, judge_id, "g.item_id") if judge_id else ""
    frame = store.frame(
        f"with g as (select l.item_id, i.name, l.unit, l.annotator, l.value, l.made_at, {NEWEST_OF_PERSON} as newest "
        "from label_now l join item i on i.id = l.item_id "
        f"where i.dataset_id = $1 and l.dimension = $2 and {_MODES[label_set]}){clauses} "
        f"select g.item_id, g.name, g.unit, g.annotator, g.value, g.made_at, s.value as judge from g {joined}"
        "left join score_now s on s.item_id = g.item_id and s.unit = g.unit and s.dimension = $2 and s.judge_id = $3 "
        f"where g.newest = 1 and g.value is not null{condition} order by g.made_at, g.item_id, g.unit, g.annotator",
        [dataset_id, dimension.name, judge_id],
    )
    units = frame["unit"].unique()
    frame = frame[frame["unit"].isin([unit for unit in units if sort_of(str(unit)) == dimension.sort])]
    item, ids = pd.factorize(frame["item_id"])
    place, _ = pd.factorize(pd.MultiIndex.from_arrays([item, frame["unit"]]) if len(frame) else frame["unit"])
    first = np.unique(place, return_index=True)[1]
    person, people = pd.factorize(frame["annotator"], sort=True)
    names = frame["name"].to_numpy()[np.unique(item, return_index=True)[1]]
    judge = frame["judge"].to_numpy(dtype=np.float64, na_value=np.nan)
    scale = dimension.scale
    value, judge = frame["value"].to_numpy(dtype=np.float64), np.where(np.isnan(judge), -1, bins.to_codes(judge, scale))
    ratings = Ratings(
        item=item.astype(np.int64),
        cell=place.astype(np.int64),
        person=person.astype(np.int64),
        value=bins.row_numbers(value, scale).astype(np.int64),
        judge=judge.astype(np.int64) if np.all(judge == np.floor(judge)) else judge,
        people=tuple(str(name) for name in people),
        scale=scale,
        exact=np.asarray(bins.to_codes(value, scale), dtype=np.float64) if bins.is_binned(scale) else None,
    )
    cells = tuple(zip(item[first].tolist(), frame["unit"].to_numpy()[first].tolist(), strict=True))
    labels = DimensionLabels(
        ratings=ratings,
        items=tuple((str(i), str(n)) for i, n in zip(ids, names, strict=True)),
        cells=cells,
        made_at=frame["made_at"].to_numpy(dtype="datetime64[us]"),
        others=gold_without_self(ratings, gold_rule(store, dataset_id).resolve),
        mean=mean_without_self(ratings),
    )
    _replace_adjudicated(store, dataset_id, dimension, label_set, labels)
    return labels


def _replace_adjudicated(
    store: Store, dataset_id: str, dimension: Dimension, label_set: LabelSet | Literal["here"], labels: DimensionLabels
) -> None:
    """Use a decision instead of the gold from the others' labels, in each cell that somebody else adjudicated.

    Labels that were given here go with the decisions that count for the gate.
    """
    counted = counted_decision_sql("gate" if label_set == "here" else label_set)
    rows = store.rows(
        "select item_id, unit, value, person from adjudication_now "
        f"where dataset_id = $1 and dimension = $2 and {counted}",
        [dataset_id, dimension.name],
    )
    if not rows or not len(labels.ratings):
        return
    number = {(labels.items[item][0], unit): n for n, (item, unit) in enumerate(labels.cells)}
    people = np.array(labels.ratings.people)[labels.ratings.person]
    for item, unit, value, person in rows:
        cell = number.get((str(item), str(unit)))
        if cell is not None:
            mask = (labels.ratings.cell == cell) & (people != str(person))
            code = np.nan if value is None else float(bins.to_codes([value], dimension.scale)[0])
            labels.others[mask], labels.mean[mask] = -1 if value is None else code, code


@allow("researcher")
@cache_result
def find_annotators(store: Store, dataset_id: str, dimension: Dimension, label_set: LabelSet) -> list[Annotator]:
    """Return everybody who labelled the dataset, most labels of the dimension first; those without have only `work`."""
    labels = dimension_labels(store, dataset_id, dimension, label_set)
    done = annotator_work(store, dataset_id)
    teams = {str(p): str(t) for p, t in store.rows("select person, team from person_now")}
    opinion = estimate_dawid_skene(store, dataset_id, dimension, label_set)
    ratings, scale = labels.ratings, dimension.scale
    excess = _excess_agreement(labels)
    rows = []
    for number, name in enumerate(ratings.people):
        own_mask = ratings.person == number
        mask = own_mask & (labels.others >= 0)
        exact, agreement, leniency, course = None, None, None, None
        if mask.any():
            item, value, other_codes = ratings.item[mask], ratings.code[mask], labels.others[mask]
            same = bins.is_same_answer(value, other_codes, scale)
            exact = float(same.mean())
            agreement = kappa_interval(Cells(item, other_codes, value), bins.code_count(scale), scale.weights)
            relative = mask & ~np.isnan(excess)
            if is_order_known(labels, relative):
                means = (item_means(ratings.item[relative], of) for of in (same[relative[mask]], excess[relative]))
                course = rater_flags.common_shift(*map(rater_flags.agreement_drift, means))
            if scale.has_order:
                leniency = rater_flags.mean_shift(item_means(item, (value - labels.mean[mask]) * bins.code_step(scale)))
        work = done.get(name, RaterWork())
        known = bool((ratings.multi_rater_cells().person == number).any())
        rows.append(Annotator(
            name=name,
            team=teams.get(name, ""),
            labels=int(own_mask.sum()),
            items=len(np.unique(ratings.item[own_mask])),
            shared=int(mask.sum()),
            exact=exact,
            agreement=agreement,
            leniency=leniency,
            accuracy=float(opinion.opinion.accuracy[number]) if opinion is not None and known else None,
            work=work,
            flags=tuple(rater_flags.flag_rater(work, agreement, leniency, course, bins.code_step(scale))),
        ))  # fmt: skip
    for name in set(done) - set(ratings.people):
        remarks = tuple(rater_flags.flag_rater(done[name], None, None, None))
        rows.append(Annotator(name, teams.get(name, ""), 0, 0, 0, None, None, None, None, done[name], remarks))
    return sorted(rows, key=lambda row: (-row.labels, row.name))


def _excess_agreement(labels: DimensionLabels) -> Floats:
    """Return, for each label, whether it equals the others' gold, minus the share of the other people whose label does.

    This cancels what affects all of them: hard items, or one person who changes. nan where there are no others.
    """
    mask, cell = labels.others >= 0, labels.ratings.cell
    equal = (bins.is_same_answer(labels.ratings.code, labels.others, labels.ratings.scale) & mask).astype(np.float64)
    many, same = np.bincount(cell, mask.astype(np.float64))[cell], np.bincount(cell, equal)[cell]
    return np.where(mask & (many > 1), equal - (same - equal) / np.maximum(many - 1, 1), np.nan)


def item_means(item: Codes, value: Floats) -> list[float]:
    """The mean value of every item, items in the order in which they first come."""
    codes, _ = pd.factorize(item)
    means: list[float] = (np.bincount(codes, value) / np.bincount(codes)).tolist()
    return means


def is_order_known(labels: DimensionLabels, rows: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> bool:
    """Whether the order of these labels is known; an import may give many items the same time."""
    moments, items = len(np.unique(labels.made_at[rows])), len(np.unique(labels.ratings.item[rows]))
    return moments > 1 and 2 * moments >= items


@cache_result
def annotator_work(store: Store, dataset_id: str) -> dict[str, RaterWork]:
    """Return the work of every person in a dataset, over all dimensions, by name."""
    first = (  # a correction weeks later does not show how long an item took
        "select person, mode, milliseconds / 1000 as seconds from answer where dataset_id = $1 and action = 'save' "
        "qualify row_number() over (partition by person, item_id order by seq, id) = 1 and milliseconds > 0"
    )
    query = f"select person, list(seconds), list(seconds) filter (mode = 'assisted') from ({first}) group by person"
    seconds = {name: (tuple(every), tuple(part or ())) for name, every, part in store.rows(query, [dataset_id])}
    seen, nearest = "l.mode = 'assisted' and l.saw", nearest_sql("l.seen")
    rows = store.rows(
        "select l.annotator, count(*), count(distinct l.item_id), "
        + ", ".join(f"count(case when l.mode = '{mode}' then 1 end)" for mode in ("blind", "assisted", "revealed"))
        + f", count(case when {seen} then 1 end), "
        f"count(case when {seen} and (l.value = l.seen or l.value is not distinct from {nearest}) then 1 end), "
        f"count(case when {seen} and l.unseen then 1 end) "
        "from label_now l join item i on i.id = l.item_id where i.dataset_id = $1 group by l.annotator",
        [dataset_id],
    )
    work = {}
    for name, *numbers in rows:
        labels_, items, blind, shown, revealed, seen_, scores_kept, unseen = (int(n) for n in numbers)
        times = seconds.get(name, ((), ()))
        work[str(name)] = RaterWork(labels_, items, blind, shown, revealed, seen_, scores_kept, *times, unseen)
    return work


@allow("annotator")
def own_labelling(store: Store, person: str) -> dict[str, RaterWork]:
    """Return the work of one person, by the names of the datasets in which they labelled."""
    names = datasets.all_datasets(store)
    return {d.name: done[person] for d in names if person in (done := annotator_work(store, d.id))}


@allow("researcher")
def differing_cells(store: Store, actor: str, dawid_skene_estimate: DawidSkeneEstimate) -> tuple[DifferingCell, ...]:
    """Return the differing cells whose labels the actor may be shown; that they are shown is recorded."""
    may = expose_labels(store, actor, (row.item for row in dawid_skene_estimate.differing_cells))
    return tuple(row for row in dawid_skene_estimate.differing_cells if row.item in may)


def expose_labels(store: Store, actor: str, items: Iterable[str]) -> set[str]:
    """Return the items whose labels a researcher or lead may be shown, and record that they are shown."""
    require(store, actor, "researcher")
    return exposure.expose_list(store, actor, items, "annotators")


@allow("researcher")
@cache_result
def estimate_dawid_skene(
    store: Store, dataset_id: str, dimension: Dimension, label_set: LabelSet
) -> DawidSkeneEstimate | None:
    """Estimate every cell that at least two people labelled, by Dawid and Skene's model; None if there is none."""
    labels = dimension_labels(store, dataset_id, dimension, label_set)
    shared, scale = labels.ratings.multi_rater_cells(), dimension.scale
    if not len(shared):
        return None
    opinion = fit_dawid_skene(shared.cell, shared.person, shared.value, bins.row_count(scale), PRIOR_LABELS)
    rule = gold_rule(store, dataset_id)
    query = gold_sql(dimension.sort, scale, label_set, replace(rule, waiting="counted"))
    resolved = {
        (str(item), str(unit)): (value, str(resolution), bool(waits) and rule.waiting == "out")
        for item, unit, value, resolution, waits in store.rows(
            f"select item_id, unit, value, how, waits from ({query}) g", [dataset_id, dimension.name]
        )
    }
    best, sure = opinion.posterior.argmax(axis=1), opinion.posterior.max(axis=1)
    order, rows = np.lexsort([shared.code, shared.cell]), []
    for cell in np.unique(shared.cell).tolist():
        number, unit = labels.cells[cell]
        id_, name = labels.items[number]
        value, resolution, waits = resolved.get((id_, unit), (None, "drawn", False))
        seen = bins.row_values(scale)[best[cell]]
        if value is None and resolution != "drawn":
            continue  # most people said n/a, which the model does not know
        if waits:
            value, resolution = None, "waits"
        if value is None or bins.steps_apart([value], [seen], scale)[0] > 0:
            at = slice(*np.searchsorted(shared.cell[order], [cell, cell + 1]))
            answers = tuple(bins.from_codes(shared.code[order[at]], scale).tolist())
            rows.append(DifferingCell(id_, name, unit, value, resolution, seen, float(sure[cell]), answers))
    rows.sort(key=lambda row: (-row.posterior, row.name, row.unit))
    return DawidSkeneEstimate(opinion, len(np.unique(shared.cell)), tuple(rows))


def agreement_between_pairs(labels: DimensionLabels, people: list[str]) -> tuple[Codes, Floats]:
    """For every two of those people: how many cells both labelled, and the share of equal answers, nan where none."""
    place = {name: n for n, name in enumerate(people)}
    number = np.array([place.get(name, -1) for name in labels.ratings.people] or [-1])
    chosen = labels.ratings.where(number[labels.ratings.person] >= 0)
    first, second_ = chosen.pairs()
    size = len(people)
    person, other = (number[chosen.person[rows]] for rows in (first, second_))
    equal = bins.is_same_answer(chosen.code[first], chosen.code[second_], chosen.scale).astype(np.float64)
    shape = (size, size)
    n = np.bincount(person * size + other, minlength=size * size).reshape(shape)
    same = np.bincount(person * size + other, equal, minlength=size * size).reshape(shape)
    n, same = n + n.T, same + same.T
    return n.astype(np.int64), np.where(n > 0, same / np.maximum(n, 1), np.nan)
