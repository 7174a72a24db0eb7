"""The cells of a judge and dimension with what they can be parted by: system, language, length, position, meta ..."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.calibration.calibration import MEETING, as_meeting, met
from data.gold.fewshot import not_in_prompt_sql
from data.gold.gold import Basis
from data.records import exposure
from data.store import Store, kept
from judges.stats.agreement import Floats
from judges.stats.calibration import PairedRatings, kappa_cells
from judges.stats.intervals import Cells
from judges.stats.learning_curve import kappa_by_size
from judges.stats.slices import (
    THIRDS,
    SlicedKappa,
    Slicing,
    distinct_slicings,
    length_thirds,
    make_slicing,
    slice_kappa,
)
from judges.stats.uncertainty import Interval
from judges.types import Dimension

MOST = 12
"""Slices of one cut; a key of the items' meta with more values than this is no cut."""
_LATE = 6
_COMBINED = 10_000
_LANGUAGE = ("language", "lang")
_LATIN = "Latin script"
Codes = NDArray[np.int64]
HEAD = "substr(i.content, 1, 800)"
"""SQL of the beginning of an item `i`, from which its language is found."""
_SCRIPTS = (
    ("Japanese", re.compile(r"[\u3040-\u30ff\uff66-\uff9f]")),
    ("Korean", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("Chinese", re.compile(r"[\u3400-\u9fff]")),
    ("Cyrillic script", re.compile(r"[\u0400-\u052f]")),
    ("Arabic script", re.compile(r"[\u0600-\u06ff]")),
    ("Devanagari script", re.compile(r"[\u0900-\u097f]")),
)
_KEYS = re.compile(r'"\w+":')
_ESCAPED = re.compile(r"\\[nrt]")


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

    Items are numbered by the order of their ids in the dataset; `gap` is judge - mean of the people, of each cell.
    """

    cells: Cells
    size: int
    units: CodedWords
    cuts: list[Slicing]
    gap: Floats


class _Items(NamedTuple):
    """The items of a dataset in the order of their ids."""

    ids: list[str]
    systems: tuple[CodedWords, CodedWords]
    stratum: CodedWords
    language: CodedWords
    length: Floats
    meta: dict[str, CodedWords]


def slice_cells(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: str = ""
) -> SlicedCells:
    """The cells that calibration rests on, and every way to part them that makes at least two slices."""
    meeting, units = _numbered(store, dataset_id, judge_id, dimension, basis)
    if drop:
        keep = meeting.human != (code := float(dimension.scale.categories.index(drop)))
        units = units._replace(code=units.code[keep & (meeting.judge != code)])
        meeting = meeting.without(code)
    both = meeting.scored & ~np.isnan(meeting.human) & ~np.isnan(meeting.judge)
    units, gap = units._replace(code=units.code[both]), (meeting.judge - meeting.average)[both]
    cells, k = kappa_cells(meeting, dimension.scale)
    number = np.asarray(cells.item, dtype=np.int64)
    items = _items(store, dataset_id)
    lengths = np.full(len(items.ids), np.nan)
    lengths[number] = items.length[number]
    found = [
        _system(items, number, units, dimension),
        make_slicing("language", items.language.names, items.language.code[number]),
        make_slicing("length", THIRDS, length_thirds(lengths)[number], order=THIRDS),
        position_cut(units, dimension),
        side_cut(units, dimension),
        make_slicing("stratum of the draw", items.stratum.names, items.stratum.code[number]),
        *(make_slicing(key, told.names, told.code[number]) for key, told in sorted(items.meta.items())),
    ]
    return SlicedCells(cells, k, units, distinct_slicings([one for one in found if one is not None]), gap)


def slice_members(
    store: Store, person: str, dataset_id: str, judge_id: str, at: SlicedCells, by: str, name: str, most: int = 200
) -> list[SliceMember]:
    """The cells of a slice, those first in which judge and people lie furthest apart; codes from 0.

    Items that may still come to this person to be answered blind are left out; that the others are shown is recorded.
    """
    one = next((c for c in at.cuts if c.by == by and name in c.names), None)
    if one is None:
        return []
    inside = np.flatnonzero(one.code == one.names.index(name))
    every, kept = _items(store, dataset_id).ids, exposure.blind_pending(store, person)
    inside = inside[[every[n] not in kept for n in np.asarray(at.cells.item, dtype=np.int64)[inside].tolist()]]
    human, judge = (np.asarray(side)[inside] for side in (at.cells.human, at.cells.judge))
    inside = inside[np.argsort(-np.abs(human - judge), kind="stable")][:most]
    ids = [every[n] for n in np.asarray(at.cells.item, dtype=np.int64)[inside].tolist()]
    wanted = sorted(set(ids))
    exposure.record_exposures(store, person, dict.fromkeys(wanted, (judge_id, exposure.PEOPLE)), "slices")
    marks = ", ".join(f"${n}" for n in range(1, len(wanted) + 1)) or "null"
    names = {str(i): str(n) for i, n in store.rows(f"select id, name from item where id in ({marks})", wanted)}
    codes = (np.asarray(side, dtype=np.float64)[inside] for side in (at.cells.human, at.cells.judge))
    return [
        SliceMember(id_, names[id_], at.units.names[unit], float(h), float(j))
        for id_, unit, h, j in zip(ids, at.units.code[inside].tolist(), *codes, strict=True)
    ]


def cells_in_order(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: str = ""
) -> tuple[Cells, int]:
    """The ratings that people and judge gave a value, and K.

    Items are numbered in the order in which they got their first label of this dimension (of the same moment: by the
    hash of their content).
    """
    meeting, _ = _numbered(store, dataset_id, judge_id, dimension, basis)
    dropped = float(dimension.scale.categories.index(drop)) if drop else None
    cells, k = kappa_cells(meeting.without(dropped), dimension.scale)
    rows = store.frame(
        "select n.no, row_number() over (order by l.first, n.hash, n.no) as place from ("
        "select item_id, min(made_at) as first from label where dimension = $2 group by item_id) l "
        "join (select id, hash, row_number() over (order by id) - 1 as no from item where dataset_id = $1) n "
        "on n.id = l.item_id",
        [dataset_id, dimension.name],
    )
    place = np.zeros(int(rows["no"].max()) + 1 if len(rows) else 1, dtype=np.int64)
    place[rows["no"].to_numpy(dtype=np.int64)] = rows["place"].to_numpy(dtype=np.int64)
    return cells._replace(item=place[np.asarray(cells.item, dtype=np.int64)]), k


def script(text: str) -> str:
    """The language that a text's letters suggest, or its script where they show no more; "" without letters.

    A script counts from a fifth of the letters on, so that names and code in Latin letters do not hide it; Han with
    kana is Japanese. Languages in Latin letters are not distinguished.
    """
    if text.isascii():
        return _LATIN if any(map(str.isalpha, text)) else ""
    letters = sum(map(str.isalpha, text))
    if not letters:
        return ""
    counts = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS}
    if counts["Japanese"] >= 0.05 * letters:
        counts["Japanese"] += counts["Chinese"]
    name = max(counts, key=lambda n: counts[n])
    return name if counts[name] >= 0.2 * letters else _LATIN if _latin(text) >= 0.5 * letters else "other"


def _latin(text: str) -> int:
    return sum(c.isalpha() and c < "\u0250" for c in text)


def _numbered(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> tuple[PairedRatings, CodedWords]:
    """`calibration.meeting` with items numbered by the order of their ids in the dataset, and units."""
    frame = store.frame(
        f"with met as ({met(store, dataset_id, dimension, basis, among=not_in_prompt_sql(store, judge_id))}), "
        "numbered as (select id, row_number() over (order by id) - 1 as no from item where dataset_id = $1) "
        f"select n.no, m.unit, {MEETING} from met m join numbered n on n.id = m.item_id "
        "order by n.no, m.unit",
        [dataset_id, dimension.name, judge_id],
    )
    meeting = as_meeting(frame, frame["no"].to_numpy(dtype=np.int64))
    return meeting, code_words(frame["unit"])


def code_words(words: Any) -> CodedWords:
    """A column of words; by hash, as sorting millions of words would take seconds."""
    code, names = words.factorize()
    return CodedWords(np.asarray(code, dtype=np.int64), [str(name) for name in names])


@kept
def _items(store: Store, dataset_id: str) -> _Items:
    frame = store.frame(
        "select i.id, i.system_a, i.system_b, i.meta, coalesce(d.stratum, '') as stratum, "
        f"length(i.content) as length, {HEAD} as head from item i left join "
        "(select item_id, max(stratum) as stratum from draw where dataset_id = $1 and stream = 'audit' "
        "group by item_id) d on d.item_id = i.id where i.dataset_id = $1 order by i.id",
        [dataset_id],
    )
    metas = [json.loads(m) if m not in ("", "{}") else {} for m in frame["meta"]]
    frame["language"] = [language(meta, head) for meta, head in zip(metas, frame["head"], strict=True)]
    values: dict[str, dict[str, int]] = {}
    for meta in metas:
        for key, value in meta.items():
            if (said := word(value)) and len(seen := values.setdefault(key, {})) <= MOST:
                seen.setdefault(said, len(seen))
    few = {k: seen for k, seen in values.items() if 1 < len(seen) <= MOST and k not in _LANGUAGE}
    return _Items(
        frame["id"].tolist(),
        (code_words(frame["system_a"]), code_words(frame["system_b"])),
        code_words(frame["stratum"]),
        code_words(frame["language"]),
        frame["length"].to_numpy(dtype=np.float64),
        {
            key: CodedWords(np.array([seen.get(word(m.get(key)), -1) for m in metas], dtype=np.int64), list(seen))
            for key, seen in few.items()
        },
    )


def language(meta: dict[str, Any], head: str) -> str:
    """The language of an item: what its meta says, else what the letters at its beginning suggest."""
    said = next((str(meta[k])[:60] for k in _LANGUAGE if isinstance(meta.get(k), str)), "")
    return said or (_LATIN if head.isascii() else script(_bare(head)))


def _bare(head: str) -> str:
    """The beginning of an item's JSON without its keys and escapes."""
    return _ESCAPED.sub(" ", _KEYS.sub("", head))


def word(value: object) -> str:
    """A value of an item's meta as a word; "" of what is no plain value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)[:60] if isinstance(value, str | int) else ""


def side_cut(units: CodedWords, dimension: Dimension) -> Slicing | None:
    """The side of the pair."""
    if dimension.sort not in ("section", "side"):
        return None
    return make_slicing("side", [f"response {name.rpartition('/')[2]}" for name in units.names], units.code)


def _system(items: _Items, number: Codes, units: CodedWords, dimension: Dimension) -> Slicing | None:
    """The system that made what is judged; of a pair both, in the order of their names."""
    (one, first), (other, second) = items.systems
    if dimension.sort in ("section", "side"):
        later = np.array([name.endswith("/b") for name in units.names], dtype=bool)[units.code]
        return make_slicing("system", [*first, *second], np.where(later, len(first) + other[number], one[number]))
    if dimension.sort != "pair":
        return make_slicing("system", first, one[number])
    if len(first) * len(second) > _COMBINED:
        return None
    both = [" and ".join(sorted((a, b))) if a and b else "" for a in first for b in second]
    return make_slicing("systems", both, one[number] * len(second) + other[number])


def position_cut(units: CodedWords, dimension: Dimension) -> Slicing | None:
    """The number of the turn or section; from the sixth on together."""
    if dimension.sort not in ("turn", "section"):
        return None
    at = [int(re.split("[:/]", name)[1]) for name in units.names]
    last = max(at, default=0)
    late = f"{dimension.sort} {_LATE} and later"
    name = {n: f"{dimension.sort} {n}" if n < _LATE or last == _LATE else late for n in at}
    order = list(dict.fromkeys(name[n] for n in sorted(at)))
    return make_slicing("position", [name[n] for n in at], units.code, order=order)


@kept
def differences(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: str = ""
) -> list[SlicedKappa]:
    """Kappa in every slice of every way of slicing, and the tests of whether slices differ."""
    found = slice_cells(store, dataset_id, judge_id, dimension, basis, drop)
    return slice_kappa(found.cells, found.size, dimension.scale.weights, found.cuts, found.gap)


@kept
def growth(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, drop: str = ""
) -> list[Interval]:
    """Kappa on the first n items, in the order in which people labelled them."""
    return kappa_by_size(*cells_in_order(store, dataset_id, judge_id, dimension, basis, drop), dimension.scale.weights)
