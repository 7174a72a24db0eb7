"""The cells of a judge and dimension with what they can be parted by: system, language, length, position, meta ..."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pandas
from numpy.typing import NDArray

from data.calibration.calibration import PAIRED_COLUMNS, paired_cells_sql, to_paired_ratings
from data.calibration.item_fields import LANGUAGE, LANGUAGE_KEYS, SYSTEM, ItemFields, item_fields
from data.gold.gold import Basis
from data.records import exposure
from data.records.access import allow
from data.records.items import item_names
from data.records.outcomes import unit_sort_sql
from data.store import Store
from judges.stats.agreement import Codes, Floats
from judges.stats.calibration import PairedRatings, kappa_cells, value_cells
from judges.stats.intervals import Cells
from judges.stats.sample_size import kappa_by_size
from judges.stats.slices import (
    THIRDS,
    SlicedKappa,
    Slicing,
    distinct_slicings,
    length_thirds,
    make_slicing,
    slice_kappa,
)
from judges.stats.system_order import SystemOrder, order_systems
from judges.stats.uncertainty import Interval
from judges.types import Dimension

MAX_SLICES = 12
"""The most slices of one cut; a key of the items' meta with more values is no cut."""
_FIRST_POOLED_POSITION = 6
_RESERVED_NAMES = {
    "system", "systems", "length", "position", "side", "stratum of the draw", "items", "ratings", "kappa",
    "95% interval", "bias",
}  # fmt: skip
"""The names of other cuts, and of columns beside the slices."""
QUESTION = "question_id"
"""The key of an item's meta by which answers of several systems to one question are known, as in MT-Bench."""


class SliceMember(NamedTuple):
    """A cell of a slice: the item, its name, the unit, and the codes of people and judge."""

    item: str
    name: str
    unit: str
    human: float
    judge: float


class CodedWords(NamedTuple):
    """Words by the place of each in `names`: one code for every item, or every cell."""

    code: Codes
    names: list[str]


class SlicedCells(NamedTuple):
    """The cells that people and judge gave a value (codes 0..K-1), K, the unit of each cell, and the cuts.

    Items are numbered by the order of their ids in the dataset. `gap` is the judge's value minus the people's mean, of
    each cell; `share` is the share of its people who gave a value.
    """

    cells: Cells
    size: int
    units: CodedWords
    cuts: list[Slicing]
    gap: Floats
    share: Floats | None


@allow("annotator")
def slice_cells(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: bool = False
) -> SlicedCells:
    """Return the cells that calibration uses (`drop`: without ties), and every way to divide them into slices."""
    ratings, units = numbered_ratings(store, dataset_id, judge_id, dimension, basis)
    code = dimension.scale.tie_code if drop else None
    if code is not None:
        keep = ratings.human != code
        units = units._replace(code=units.code[keep & (ratings.judge != code)])
        ratings = ratings.drop_code(code)
    mask = ratings.has_both
    units, gap = units._replace(code=units.code[mask]), (ratings.judge - ratings.average)[mask]
    cells, k = kappa_cells(ratings, dimension.scale)
    number = np.asarray(cells.item, dtype=np.int64)
    items = item_fields(store, dataset_id)
    lengths = np.full(len(items.ids), np.nan)
    lengths[number] = items.length[number]
    cuts = [
        _system(items, number, units, dimension),
        _cut("language", items.words[LANGUAGE][number]),
        make_slicing("length", THIRDS, length_thirds(lengths)[number], order=THIRDS),
        position_cut(units, dimension),
        side_cut(units, dimension),
        _cut("stratum of the draw", items.drawn[number]),
        *(
            _cut(f"{key} (meta)" if key in _RESERVED_NAMES else key, words[number])
            for key, words in sorted(items.meta.items())
            if key not in LANGUAGE_KEYS and items.values[key] <= MAX_SLICES
        ),
    ]
    share = None if ratings.share is None else ratings.share[mask]
    return SlicedCells(cells, k, units, distinct_slicings([cut for cut in cuts if cut is not None]), gap, share)


@allow("annotator")
def slice_members(
    store: Store, person: str, dataset_id: str, judge_id: str, at: SlicedCells, by: str, name: str, limit: int = 200
) -> list[SliceMember]:
    """Return the cells of a slice, first those in which judge and people differ most; codes from 0.

    Items that this person may still get to answer blind are left out. That the rest are shown is recorded.
    """
    cut = next((c for c in at.cuts if c.by == by and name in c.names), None)
    if cut is None:
        return []
    inside = np.flatnonzero(cut.code == cut.names.index(name))
    every, hidden = item_fields(store, dataset_id).ids, exposure.blind_pending(store, person)
    inside = inside[[every[n] not in hidden for n in np.asarray(at.cells.item, dtype=np.int64)[inside].tolist()]]
    human, judge = (np.asarray(side)[inside] for side in (at.cells.human, at.cells.judge))
    inside = inside[np.argsort(-np.abs(human - judge), kind="stable")][:limit]
    ids = [every[n] for n in np.asarray(at.cells.item, dtype=np.int64)[inside].tolist()]
    names = item_names(store, ids)
    exposure.record_exposures(store, person, dict.fromkeys(sorted(names), (judge_id, exposure.OTHER_PEOPLE)), "slices")
    codes = (np.asarray(side, dtype=np.float64)[inside] for side in (at.cells.human, at.cells.judge))
    return [
        SliceMember(id_, names[id_], at.units.names[unit], float(h), float(j))
        for id_, unit, h, j in zip(ids, at.units.code[inside].tolist(), *codes, strict=True)
    ]


def cells_in_order(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: bool
) -> tuple[Cells, int]:
    """The ratings that people and judge gave a value (`drop`: without ties), and K.

    Items are numbered in the order in which they got their first label of this dimension (of the same moment: by the
    hash of their content).
    """
    ratings, _ = numbered_ratings(store, dataset_id, judge_id, dimension, basis)
    cells, k = kappa_cells(ratings.drop_code(dimension.scale.tie_code if drop else None), dimension.scale)
    rows = store.frame(
        "select n.no, row_number() over (order by l.first, n.hash, n.no) as place from ("
        "select l.item_id, min(l.made_at) as first from label l "
        f"where l.dimension = $2 and {unit_sort_sql(dimension.sort, 'l')} group by l.item_id) l "
        "join (select id, hash, row_number() over (order by id) - 1 as no from item where dataset_id = $1) n "
        "on n.id = l.item_id",
        [dataset_id, dimension.name],
    )
    place = np.zeros(int(rows["no"].max()) + 1 if len(rows) else 1, dtype=np.int64)
    place[rows["no"].to_numpy(dtype=np.int64)] = rows["place"].to_numpy(dtype=np.int64)
    return cells._replace(item=place[np.asarray(cells.item, dtype=np.int64)]), k


def numbered_ratings(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> tuple[PairedRatings, CodedWords]:
    """The paired ratings of a judge and dimension, items numbered by the order of their ids, and the unit of each."""
    frame = store.frame(
        f"with met as ({paired_cells_sql(store, dataset_id, judge_id, dimension, basis)}), "
        "numbered as (select id, row_number() over (order by id) - 1 as no from item where dataset_id = $1) "
        f"select n.no, m.unit, {PAIRED_COLUMNS} from met m join numbered n on n.id = m.item_id "
        "order by n.no, m.unit",
        [dataset_id, dimension.name, judge_id],
    )
    ratings = to_paired_ratings(frame, frame["no"].to_numpy(dtype=np.int64))
    return ratings, encode_words(frame["unit"])


def encode_words(words: Any) -> CodedWords:
    """A column or list of words; by hash, as sorting millions of words would take seconds."""
    code, names = pandas.Series(words, dtype=object).factorize()
    return CodedWords(np.asarray(code, dtype=np.int64), [str(name) for name in names])


def side_cut(units: CodedWords, dimension: Dimension) -> Slicing | None:
    """The side of the pair."""
    if not dimension.is_of_side:
        return None
    return make_slicing("side", [f"response {name.rpartition('/')[2]}" for name in units.names], units.code)


def _cut(by: str, words: NDArray[np.object_]) -> Slicing | None:
    """A cut by a word of every cell."""
    coded = encode_words(words)
    return make_slicing(by, coded.names, coded.code)


def _system(items: ItemFields, number: Codes, units: CodedWords, dimension: Dimension) -> Slicing | None:
    """The system that made what is judged; of a pair both, in the order of their names."""
    if dimension.sort != "pair":
        second = np.array([name.endswith("/b") for name in units.names], dtype=bool)[units.code]
        return _cut("system", items.systems(number, second))
    sides = zip(items.words[SYSTEM][number], items.second[number], strict=True)
    systems = [" and ".join(sorted((a, b))) if a and b else "" for a, b in sides]
    return _cut("systems", np.array(systems, dtype=object))


def position_cut(units: CodedWords, dimension: Dimension) -> Slicing | None:
    """The number of the turn or section; from the sixth on together."""
    if not dimension.has_several_units:
        return None
    at = [int(re.split("[:/]", name)[1]) for name in units.names]
    last = max(at, default=0)
    late = f"{dimension.sort} {_FIRST_POOLED_POSITION} and later"
    name = {
        n: f"{dimension.sort} {n}" if n < _FIRST_POOLED_POSITION or last == _FIRST_POOLED_POSITION else late for n in at
    }
    order = list(dict.fromkeys(name[n] for n in sorted(at)))
    return make_slicing("position", [name[n] for n in at], units.code, order=order)


def kappa_by_slice(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: bool = False
) -> list[SlicedKappa]:
    """Kappa in every slice of every way of slicing, and the tests of whether slices differ."""
    sliced = slice_cells(store, dataset_id, judge_id, dimension, basis, drop)
    return slice_kappa(sliced.cells, sliced.size, dimension.scale.weights, sliced.cuts, sliced.gap, sliced.share)


def kappa_growth(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: bool = False
) -> list[Interval]:
    """Kappa on the first n items, in the order in which people labelled them."""
    return kappa_by_size(*cells_in_order(store, dataset_id, judge_id, dimension, basis, drop), dimension.scale.weights)


def measure_system_order(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> SystemOrder:
    """The systems of a dataset in people's order and the judge's; items without a system are left out.

    What is drawn together is a question where every item names one, else an item.
    """
    ratings, _ = numbered_ratings(store, dataset_id, judge_id, dimension, basis)
    cells, items = value_cells(ratings), item_fields(store, dataset_id)
    named = items.words[SYSTEM][np.asarray(cells.item, dtype=np.int64)] != ""
    cells = cells.where(named)
    number = np.asarray(cells.item, dtype=np.int64)
    systems = encode_words(items.words[SYSTEM][number])
    questions = items.meta[QUESTION][number] if QUESTION in items.meta else None
    by_question = questions is not None and bool((questions != "").all())
    cluster = encode_words(questions).code if by_question else number
    return order_systems(cells, systems.code, systems.names, cluster)
