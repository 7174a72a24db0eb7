"""The cells of one judge and dimension summed up: what single cells become where they are very many.

Cells are placed by numbers: of the item, the unit and the dimension. Only a cell with several people's labels, or with
a decision by adjudication, goes by the rule of gold (data/gold/gold.py). A single label is its cell's gold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas
from numpy.typing import NDArray

from judges.stats import bins
from judges.stats.agreement import Codes, Floats
from judges.stats.calibration import PairedRatings, RatingSums, has_kappa_of_moments, sum_labels
from judges.stats.strata import collapse_strata, products_within_strata
from judges.types import Dimension

if TYPE_CHECKING:
    from data.store.base import Columns

NO_PART = np.iinfo(np.int64).min
"""Stands for the part of the sample of a label that is in none."""
_MAX_SLOTS_PER_LABEL = 8
_MAX_DIRECT_CODES = 100


class NumberedRows(NamedTuple):
    """Labels of people and scores of a judge, as columns; `item_id`, `unit` and dimension `no` are numbers from 0.

    Labels have value, probability and `part` of the sample, scores a value, and what was adjudicated just its place;
    `sorts` are those of the units by number, `parts` the parts of the sample (none: cells count 1 each) with the items
    `drawn` as `data.gold.gold.STRATA` has them, `strata` the stratum of each item (none: all items were drawn alike).
    """

    items: int
    sorts: list[str]
    labels: Columns
    scores: Columns
    settled: Columns
    parts: Columns
    strata: Columns

    @property
    def weighted(self) -> bool:
        """Whether an item stands for others that were not drawn."""
        return bool(self.parts)


def place_ratings(
    rows: NumberedRows, no: int, dimension: Dimension, resolve: Callable[..., Columns]
) -> PairedRatings:
    """The cells with gold of one dimension.

    `resolve` gives the gold of cells from their labels (item_id, unit, value), as the columns of `gold_sql`.
    """
    of_sort = np.array([sort == dimension.sort for sort in rows.sorts], dtype=bool)
    units = int(of_sort.sum())
    within = np.cumsum(of_sort) - 1

    def select_rows(columns: Columns, *names: str) -> list[NDArray[Any]]:
        """Return the place of each row of this dimension, and its columns."""
        mask = columns["no"] == no
        at = np.flatnonzero(mask if of_sort.all() else mask & of_sort[columns["unit"]])
        item, unit = columns["item_id"][at].astype(np.int64), columns["unit"][at]
        return [item * units + within[unit] if units > 1 else item, *(columns[name][at] for name in names)]

    slot, value, *sampled = select_rows(rows.labels, "value", *(("probability", "part") if rows.weighted else ()))
    said_at, scores = select_rows(rows.scores, "value")
    [settled] = select_rows(rows.settled)
    slots, labelled_slots = rows.items * max(units, 1), None
    if slots > _MAX_SLOTS_PER_LABEL * len(slot):  # long items of which few units are labelled
        labelled_slots, slot = np.unique(slot, return_inverse=True)
        (said_at, matches), (settled, _) = _find_places(labelled_slots, said_at), _find_places(labelled_slots, settled)
        scores, slots = scores[matches], len(labelled_slots)
    judge, scored = np.full(slots, np.nan), np.zeros(slots, dtype=bool)
    judge[said_at], scored[said_at] = scores, True

    def item_of(slot: Codes) -> Codes:
        full_slot = slot if labelled_slots is None else labelled_slots[slot]
        return full_slot // units if units > 1 else full_slot

    people = np.bincount(slot, minlength=slots)
    people[settled] += people[settled] > 0
    multiple = np.flatnonzero(people[slot] > 1) if people.max(initial=0) > 1 else np.zeros(0, dtype=np.int64)
    # Cells of one label first, then the others, by their place.
    cell, human, single = slot, value, np.ones(len(slot), dtype=bool)
    if len(multiple):
        single[multiple] = False
        multiple = multiple[np.argsort(slot[multiple], kind="stable")]
        first = np.flatnonzero(np.diff(slot[multiple], prepend=-1))
        cell = np.concatenate([slot[single], slot[multiple][first]])
        human = value[single]
        sampled = [np.concatenate([c[single], np.maximum.reduceat(c[multiple], first)]) for c in sampled]
    weight = np.ones(len(cell))
    if rows.weighted:
        weight = _weights(rows, dimension, item_of(cell), *sampled)
    alone = len(human)
    mean, share = human, np.where(np.isnan(human), 0.0, 1.0)
    people_counts, waits = np.ones(alone, dtype=np.int64), np.zeros(alone, dtype=bool)
    if len(multiple):
        numbers = np.flatnonzero(of_sort)
        full_slot = slot[multiple] if labelled_slots is None else labelled_slots[slot[multiple]]
        gold = resolve(item_id=full_slot // units, unit=numbers[full_slot % units], value=value[multiple])
        at = gold["item_id"].astype(np.int64) * units + within[gold["unit"]]
        at = at if labelled_slots is None else np.searchsorted(labelled_slots, at)
        place = np.searchsorted(cell[alone:], at)
        cell, weight = np.concatenate([cell[:alone], at]), np.concatenate([weight[:alone], weight[alone:][place]])
        human, mean = (np.concatenate([a, gold[n]]) for a, n in ((human, "value"), (mean, "mean")))
        share, people_counts = np.concatenate([share, gold["share"]]), np.concatenate([people_counts, gold["people"]])
        waits = np.concatenate([waits, gold["waits"]])
    item = item_of(cell)
    stratum = None
    if rows.strata:
        stratum = np.zeros(rows.items, dtype=np.int64)
        stratum[rows.strata["item_id"]] = rows.strata["stratum"]
        stratum = stratum[item]
    return PairedRatings(item, human, judge[cell], scored[cell], weight, stratum, mean, share, people_counts, waits)


def _find_places(labelled_slots: Codes, slots: Codes) -> tuple[Codes, NDArray[np.bool_]]:
    """Return where those of `slots` that have labels are in `labelled_slots`, and which of them have labels."""
    at = np.searchsorted(labelled_slots, slots)
    matches = np.zeros(len(slots), dtype=bool)
    inside = at < len(labelled_slots)
    matches[inside] = labelled_slots[at[inside]] == slots[inside]
    return at[matches], matches


def _weights(rows: NumberedRows, dimension: Dimension, item: Codes, probability: Floats, part: Codes) -> Floats:
    """Return how many items the item of each cell represents, as in `gold_sql`: N_h / answered_h."""
    code, parts = pandas.factorize(part)
    answered = code
    if dimension.has_several_cells:  # an item of several cells is one that was answered
        answered = pandas.unique(item * len(parts) + code) % len(parts)
    n = np.bincount(answered, minlength=len(parts)).astype(np.float64)
    drawn = dict(zip(rows.parts["part"], rows.parts["cut" if dimension.sort == "section" else "drawn"], strict=True))
    sample_sizes = np.fmax([float(drawn.get(key, np.nan)) for key in parts], n)
    response = np.where(parts == NO_PART, 1.0, sample_sizes / n)
    weight = 1 / probability * response[code]
    stated = parts < 0
    stated &= parts != NO_PART  # imported with the number of items that theirs were drawn from
    return np.where(stated[code], (-parts / n)[code], weight) if stated.any() else weight


def sum_ratings(cells: PairedRatings, dimension: Dimension) -> RatingSums:
    """The sums of cells, whose items are numbers from 0 and that say of each what its people said."""
    item, human, judge, scored, weight = cells.item, cells.human, cells.judge, cells.scored, cells.weight
    per_item = np.bincount(item)
    single = bool(len(item)) and int(per_item.max()) == 1

    def by_item(values: Floats) -> Floats:
        return values if single else np.bincount(item, values, len(per_item)).astype(np.float64, copy=False)

    ok = cells.has_both
    counted, own = np.where(ok, weight, 0.0), by_item(ok.astype(np.float64))
    met = own > 0
    average = by_item(counted)[met] / own[met]
    cell_terms = _terms(dimension, human, judge, counted, ok)
    terms = np.stack([by_item(term) for term in cell_terms]) if len(item) else np.zeros((len(cell_terms), 0))
    strata: list[Any] = [slice(None)]
    if cells.stratum is not None:
        code = np.zeros(len(per_item), dtype=np.int64)
        code[item] = cells.stratum
        code = code[item] if single else code
        present_items = np.ones(len(item), dtype=bool) if single else per_item > 0
        strata = [np.flatnonzero(present_items & (code == h)) for h in np.unique(code[present_items])] or strata
    totals = np.array([terms[:, rows].sum(axis=1) for rows in strata])
    cross = np.array([terms[:, rows] @ terms[:, rows].T for rows in strata])
    items = np.array([float(np.count_nonzero(met[rows])) for rows in strata])
    (human_code, human_values), (other, others) = _codes(human), _codes(judge)
    kind = (human_code * len(others) + other) * 2 + scored
    place, kinds = pandas.factorize(kind, sort=True)  # of values without steps nearly every pair is another one
    return RatingSums(
        human=human_values[kinds // 2 // len(others)],
        judge=others[kinds // 2 % len(others)],
        scored=kinds % 2 == 1,
        cells=np.bincount(place).astype(np.float64),
        weight=np.bincount(place, weight).astype(np.float64),
        items=int(items.sum()),
        gold_items=int(np.count_nonzero(per_item)),
        mean_weight=(float(average.sum()), float(average @ average)),
        total=totals.sum(axis=0),
        cross=products_within_strata(items, totals, cross),
        label_sums=sum_labels(cells),
        strata=collapse_strata(items) is not None,
    )  # fmt: skip


def _codes(values: Floats) -> tuple[Codes, Floats]:
    """The number of each value from 0, and the values by number."""
    present = values[~np.isnan(values)] if np.isnan(values.sum()) else values
    low, high = (present.min(), present.max()) if len(present) else (0.0, 0.0)
    if high - low < _MAX_DIRECT_CODES:  # the whole numbers of most scales
        offsets = np.where(np.isnan(values), high - low + 1, values - low)
        code = offsets.astype(np.int64)
        if np.array_equal(code, offsets):
            return code, np.append(np.arange(high - low + 1) + low, np.nan)
    code, uniques = pandas.factorize(values, use_na_sentinel=False)
    return code.astype(np.int64), np.asarray(uniques, dtype=np.float64)


def _terms(dimension: Dimension, human: Floats, judge: Floats, weight: Floats, ok: NDArray[np.bool_]) -> list[Floats]:
    """Return the terms that each cell adds to its item's sums: weighted moments, or one place of the table."""
    scale = dimension.scale
    if has_kappa_of_moments(scale):
        x, y = (np.where(ok, side - bins.first_value(scale), 0.0) for side in (human, judge))
        wx, wy = weight * x, weight * y
        return [weight, wx, wy, wx * x, wy * y, wx * y]
    codes: Any = range(scale.base, scale.base + scale.size)
    return [np.where((human == h) & (judge == j), weight, 0.0) for h in codes for j in codes]
