"""Means of what judges gave: over all items, by a field of the items, and on the cells that two judges share."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas
from numpy.typing import NDArray

from data.calibration.item_fields import MAX_VALUES, SYSTEM, ItemFields, item_fields
from data.calibration.score_sums import MAX_UNITS_WITH_OWN_MEANS
from data.cards import cards
from data.records.access import allow
from data.store import Store, cache_result
from data.store.errors import BadInput
from judges.card import Card
from judges.stats import means as figures
from judges.stats.agreement import Floats
from judges.stats.means import MIN_ITEMS, JudgeMeans, ScoreRows
from judges.stats.uncertainty import Interval
from judges.triage import confidence_level
from judges.types import Dimension, sort_of

MOST_SCORES = 3_000_000
"""Scores of a judge that are held in memory; of more there are only the means by system (score_sums)."""


@dataclass(frozen=True)
class MeansChoice:
    """The means to show: the field to group by ("" none), fields with the value that items must have, another judge."""

    by: str = SYSTEM
    only: tuple[tuple[str, str], ...] = ()
    other: str = ""


@dataclass(frozen=True)
class MeanRow:
    """A dimension in a group of items ("" all) and, where it has few units, in one of them ("" all): its means."""

    group: str
    dimension: Dimension
    unit: str
    means: JudgeMeans

    @property
    def display(self) -> tuple[str, str, str, JudgeMeans]:
        """The row with its dimension and unit in words."""
        return self.group, self.dimension.title, self.unit.replace(":", " ") or self.dimension.sort, self.means


@dataclass(frozen=True)
class MeansTable:
    """The rows, and the groups with fewer items than a mean needs.

    `unshared` are the cells that this judge alone and the other alone has valued, where two are compared: of the items
    and dimensions that the rows are of.
    """

    rows: tuple[MeanRow, ...]
    small_groups: tuple[str, ...] = ()
    unshared: tuple[int, int] | None = None


@allow("annotator")
def group_fields(store: Store, dataset_id: str) -> dict[str, list[str]]:
    """The fields by which items can be grouped, each with its values: system, language, and keys of the items' meta."""
    items = item_fields(store, dataset_id)
    values = {name: {*words, *(items.second if name == SYSTEM else ())} - {""} for name, words in items.words.items()}
    return {name: sorted(group_values) for name, group_values in values.items() if group_values}


@allow("annotator")
@cache_result
def means_table(store: Store, dataset_id: str, judge_id: str, chosen: MeansChoice) -> MeansTable:
    """The means of a judge over the dimensions of its card that are numbers, and of flags the share of yes.

    Raises BadInput for a field or a value that the items do not have, and for more scores than memory is spent on.
    """
    fields = group_fields(store, dataset_id)
    for name, value in ((chosen.by, ""), *chosen.only):
        if name and name not in fields:
            names = ", ".join(fields)
            raise BadInput(
                f"The items have no field {name!r} of 1 to {MAX_VALUES} values. They can be grouped by: {names}."
            )
        if value and value not in fields[name]:
            raise BadInput(f"No item has the {name} {value!r}. There are: {', '.join(fields[name][:20])}.")
    return _table(store, dataset_id, judge_id, chosen)


def overall_means(store: Store, dataset_id: str, judge_id: str) -> tuple[MeanRow, ...]:
    """The means of a judge over all items; none where it has more scores than are held in memory."""
    try:
        return means_table(store, dataset_id, judge_id, MeansChoice("")).rows
    except BadInput:
        return ()


@allow("annotator")
def has_means(store: Store, judge_id: str) -> bool:
    """Whether the judge gives anything that has a mean."""
    card = cards.card_of_judge_if_known(store, judge_id)
    return card is not None and bool(_numeric_dimensions(card))


def _numeric_dimensions(card: Card) -> list[Dimension]:
    return [d for d in card.dimensions if d.scale.has_mean]


def _table(store: Store, dataset_id: str, judge_id: str, chosen: MeansChoice) -> MeansTable:
    card = cards.card_of_judge_if_known(store, judge_id)
    if card is None:
        return MeansTable(())
    items, numbers = item_fields(store, dataset_id), _numeric_dimensions(card)
    frame, unshared = _scores(store, dataset_id, judge_id, chosen.other), None
    if not chosen.other:
        frame = frame[frame["value"].notna()]
    frame = frame.assign(place=frame["item_id"].map(items.place))
    keep = np.ones(len(frame), dtype=bool)
    for name, value in chosen.only:
        keep &= _has_word(items, name, value, frame)
    group = _words(items, chosen.by, frame) if chosen.by else np.full(len(frame), "", dtype=object)
    keep &= (group != "") | (not chosen.by)
    frame = frame.assign(group=group)[keep]
    if chosen.other:
        judge_mask, other_mask = frame["value"].notna(), frame["other"].notna()
        of_numbers = np.any([_is_of(d, frame) for d in numbers], axis=0)
        unshared = (
            int((of_numbers & judge_mask & ~other_mask).sum()),
            int((of_numbers & other_mask & ~judge_mask).sum()),
        )
        frame = frame[judge_mask & other_mask]
    rows, small_groups = [], dict[str, None]()
    for d in numbers:
        own = frame[_is_of(d, frame)]
        units = sorted(map(str, own["unit"].unique()))
        parts, ends = _parts(frame, numbers, d), (0.0, 1.0) if d.scale.kind == "flag" else (d.scale.lo, d.scale.hi)
        listed_units = units if 1 < len(units) <= MAX_UNITS_WITH_OWN_MEANS else []
        for group_name, group_rows in own.groupby("group", sort=True):
            for of in ["", *listed_units]:
                part = group_rows[group_rows["unit"] == of] if of else group_rows
                means = figures.judge_means(_score_rows(part, d, card, frame, parts), *ends)
                if means.reportable:
                    rows.append(MeanRow(str(group_name), d, of, means))
                elif not of:
                    small_groups[str(group_name)] = None
    rows.sort(key=lambda row: row.group)
    return MeansTable(tuple(rows), tuple(small_groups), unshared)


def _scores(store: Store, dataset_id: str, judge_id: str, other: str) -> pandas.DataFrame:
    """A row for every cell: item, unit, its sort and side, dimension, value, stated confidence, the other's value."""
    scored = "from score_now s join item i on i.id = s.item_id where i.dataset_id = $1 and s.judge_id = $2"
    if (n := int(store.rows(f"select count(*) {scored}", [dataset_id, judge_id])[0][0])) > MOST_SCORES:
        raise BadInput(f"There are {n:,} scores, and at most {MOST_SCORES:,} are held in memory for means by a field.")
    query = (
        "select s.item_id, s.unit, s.dimension, cast(s.value as double precision) as value, "
        f"case when s.source = 'self-reported' then s.confidence end as sure {scored}"
    )
    frame = store.frame(query, [dataset_id, judge_id])
    if other:
        other_frame = store.frame(query, [dataset_id, other]).rename(columns={"value": "other"}).drop(columns="sure")
        frame = frame.merge(other_frame, how="outer", on=["item_id", "unit", "dimension"])
    else:
        frame["other"] = np.nan
    units = frame["unit"].unique().tolist()
    frame["sort"] = frame["unit"].map({unit: sort_of(unit) for unit in units})
    frame["side"] = frame["unit"].map({unit: unit[-1] if unit.endswith(("/a", "/b")) else "" for unit in units})
    return frame


def _parts(frame: pandas.DataFrame, numbers: Sequence[Dimension], d: Dimension) -> pandas.Series | None:
    """The plain mean of what an aggregate is made of, by item and side; None where `d` is no aggregate."""
    if d.asked or d.scale.kind != "interval":
        return None
    own = [frame[_is_of(part, frame)] for part in numbers if part.asked and part.scale.kind != "flag"]
    return pandas.concat([frame.iloc[:0], *own]).groupby(["place", "side"])["value"].mean()


def _is_of(d: Dimension, frame: pandas.DataFrame) -> pandas.Series:
    """Whether each row is of that dimension."""
    return (frame["dimension"] == d.name) & (frame["sort"] == d.sort)


def _score_rows(
    group_rows: pandas.DataFrame, d: Dimension, card: Card, frame: pandas.DataFrame, parts: pandas.Series | None
) -> ScoreRows:  # fmt: skip
    """The rows of a group as arrays."""
    nan_column = np.full(len(group_rows), np.nan)
    counts, trusted, part_means = nan_column, nan_column, nan_column
    if card.counts:
        by_word = {
            sure: card.counts.get(confidence_level(sure) or "", np.nan) for sure in group_rows["sure"].dropna().unique()
        }
        counts = _numbers(group_rows["sure"].map(by_word))
    if card.trust and d.name != card.trust:
        trust_by_place = frame[frame["dimension"] == card.trust].drop_duplicates("place").set_index("place")["value"]
        trusted = _numbers(group_rows["place"].map(trust_by_place))
    if parts is not None:
        part_means = _numbers(parts.reindex(pandas.MultiIndex.from_frame(group_rows[["place", "side"]])))
    item = group_rows["place"].to_numpy(dtype=np.int64)
    return ScoreRows(item, _numbers(group_rows["value"]), counts, trusted, part_means, _numbers(group_rows["other"]))


def _numbers(column: pandas.Series) -> Floats:
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)


def _words(items: ItemFields, name: str, frame: pandas.DataFrame) -> NDArray[np.object_]:
    """The word of each row's item in a field; of response B its own system, and of a pair as a whole both."""
    place = frame["place"].to_numpy(dtype=np.int64)
    words: NDArray[np.object_] = items.words[name][place]
    if name == SYSTEM:
        of_pair = (frame["sort"] == "pair").to_numpy()
        words = np.where(of_pair, items.pair_names(place), items.systems(place, frame["side"] == "b"))
    return words


def _has_word(items: ItemFields, name: str, value: str, frame: pandas.DataFrame) -> NDArray[np.bool_]:
    """Whether each row's item has that word in a field; a pair as a whole is of both its systems."""
    mask = np.asarray(_words(items, name, frame) == value, dtype=bool)
    if name == SYSTEM:
        place = frame["place"].to_numpy(dtype=np.int64)
        either = (items.words[SYSTEM][place] == value) | (items.second[place] == value)
        mask |= (frame["sort"] == "pair").to_numpy() & np.asarray(either, dtype=bool)
    return mask


def explain_few_scores(table: MeansTable) -> str:
    """The groups that are hidden, as a sentence; "" where none is."""
    if not table.small_groups:
        return ""
    named = ", ".join(name or "all items" for name in table.small_groups[:12])
    more = f" and {len(table.small_groups) - 12:,} more" if len(table.small_groups) > 12 else ""
    return f"Hidden, as a mean of fewer than {MIN_ITEMS} items would reveal single scores: {named}{more}."


def mean_record(row: MeanRow) -> dict[str, Any]:
    """A row as values of JSON."""

    def interval_record(mean: Interval | None) -> dict[str, Any] | None:
        if mean is None:
            return None
        return {"mean": mean.point, "low": mean.low, "high": mean.high, "items": mean.items, "ratings": mean.cells}

    where = {"group": row.group, "dimension": row.dimension.name, "sort": row.dimension.sort, "unit": row.unit}
    return where | {
        field.name: interval_record(getattr(row.means, field.name)) for field in dataclasses.fields(JudgeMeans)
    }
