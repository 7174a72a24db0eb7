"""What rules that do not read the text reach: the gold of a judge's cells beside the lengths of the judged texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.calibration import met
from data.fewshot import apart
from data.gold import Basis
from data.store import Store
from judges.baselines import Floors, floors, length
from judges.calibrate import Meeting
from judges.types import ITEM, Dialogue, Dimension, Pair, Response

MOST_ITEMS = 1_000
"""Of more items with a label so many are looked at. Ids are hashes of names, so the first in their order are a random
choice, and always the same one."""


def measured(
    store: Store, dataset_id: str, judge_id: str, dimensions: Sequence[Dimension], basis: Basis, drop: bool = False
) -> dict[tuple[str, str], Floors]:
    """The floors of every dimension, by (unit sort, name), on the cells that calibration rests on; see MOST_ITEMS.

    `drop`: cells where either side says the scale's drawn category ("tie") are left out.
    """
    rows = store.rows(
        "select i.id, i.content from item i where i.dataset_id = $1 "
        f"and exists (select 1 from label l where l.item_id = i.id) order by i.id limit {MOST_ITEMS:d}",
        [dataset_id],
    )
    if not rows:
        return {(d.sort, d.name): Floors(0) for d in dimensions}
    last = str(rows[-1][0])
    items = {str(id_): ITEM.validate_json(content) for id_, content in rows}
    return {
        (d.sort, d.name): _floors(store, (dataset_id, d.name, judge_id, last), d, basis, drop, items)
        for d in dimensions
    }


def _floors(
    store: Store,
    params: tuple[str, str, str, str],
    dimension: Dimension,
    basis: Basis,
    drop: bool,
    items: dict[str, Dialogue | Pair | Response],
) -> Floors:
    frame = store.frame(
        f"with met as ({met(store, params[0], dimension, basis, apart(store, params[2]), ' and l.item_id <= $4')}) "
        "select item_id, unit, human, judge, scored, weight from met where scored order by item_id, unit",
        list(params),
    )
    names = frame["item_id"].to_numpy()
    lengths = np.array([length(items[i], unit) for i, unit in zip(names, frame["unit"], strict=True)], dtype=np.float64)
    numbers = np.unique(names.astype(str), return_inverse=True)[1] if len(names) else np.zeros(0)
    meeting = Meeting(
        item=numbers.astype(np.int64),
        human=frame["human"].to_numpy(dtype=np.float64, na_value=np.nan),
        judge=frame["judge"].to_numpy(dtype=np.float64, na_value=np.nan),
        scored=frame["scored"].to_numpy(dtype=bool),
        weight=frame["weight"].to_numpy(dtype=np.float64),
    )
    if drop and dimension.scale.drawn:
        code = float(dimension.scale.categories.index(dimension.scale.drawn))
        keep = (meeting.human != code) & (meeting.judge != code)
        meeting, lengths = meeting.without(code), lengths[keep]
    return floors(meeting, lengths, dimension)
