"""Baselines of rules that do not read the text: the gold of a judge's cells against the lengths of the judged texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas

from data.calibration.calibration import paired_frames, to_paired_ratings
from data.gold.fewshot import not_in_prompt_sql
from data.gold.gold import Basis
from data.records.access import allow
from data.store import Store, cache_result
from judges.stats.baselines import Baselines, compare_baselines, unit_length
from judges.types import ITEM, Dialogue, Dimension, Pair, Response

MOST_ITEMS = 1_000
"""The most labelled items that are looked at.

Ids are hashes of names, so the first by id are a random choice, and always the same one.
"""


@allow("annotator")
@cache_result
def measure_baselines(
    store: Store, dataset_id: str, judge_id: str, dimensions: Sequence[Dimension], basis: Basis, drop: bool = False
) -> dict[tuple[str, str], Baselines]:
    """Return the baselines of every dimension, by (unit sort, name), on the cells of calibration; see MOST_ITEMS.

    `drop`: cells where either side gives the scale's drawn category ("tie") are left out.
    """
    items = _items(store, dataset_id)
    if not items or not dimensions:
        return {(d.sort, d.name): Baselines(0) for d in dimensions}
    left_out, subset = not_in_prompt_sql(store, judge_id), ("{item} <= $4", max(items))
    frames = paired_frames(store, dataset_id, [judge_id], dimensions, basis, left_out, subset=subset, units=True)
    return {
        (d.sort, d.name): _floors(frame[frame["no"] == no], d, drop, items)
        for group, frame in frames
        for no, d in enumerate(group)
    }


def _items(store: Store, dataset_id: str) -> dict[str, Dialogue | Pair | Response]:
    """The first items with a label, by id, in the order of their ids.

    They are looked up for a range of ids at a time, so that not all labels are read for a thousand items.
    """
    items: dict[str, Dialogue | Pair | Response] = {}
    last, stretch = "", 4 * MOST_ITEMS
    while len(items) < MOST_ITEMS:
        ends = store.rows(
            "select max(id), count(*) from (select id from item where dataset_id = $1 and id > $2 "
            f"order by id limit {stretch:d}) s",
            [dataset_id, last],
        )
        end, count = ends[0]
        if end is None:
            break
        rows = store.rows(
            "select i.id, i.content from item i where i.dataset_id = $1 and i.id > $2 and i.id <= $3 and i.id in "
            "(select l.item_id from label l where l.item_id > $2 and l.item_id <= $3) "
            f"order by i.id limit {MOST_ITEMS - len(items):d}",
            [dataset_id, last, end],
        )
        items |= {str(id_): ITEM.validate_json(content) for id_, content in rows}
        if int(count) < stretch:
            break
        last, stretch = str(end), 8 * stretch
    return items


def _floors(
    frame: pandas.DataFrame, dimension: Dimension, drop: bool, items: dict[str, Dialogue | Pair | Response]
) -> Baselines:
    cells = zip(frame["item_id"], frame["unit"], strict=True)
    lengths = np.array([unit_length(items[item], unit) for item, unit in cells], dtype=np.float64)
    ratings = to_paired_ratings(frame, frame["item_id"].factorize()[0].astype(np.int64))
    code = dimension.scale.tie_code
    if drop and code is not None:
        keep = (ratings.human != code) & (ratings.judge != code)
        ratings, lengths = ratings.drop_code(code), lengths[keep]
    return compare_baselines(ratings, lengths, dimension)
