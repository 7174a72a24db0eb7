"""What the items of a dataset can be parted by: system, language, kind, stratum, fields and days of their meta."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.calibration.slices import HEAD, language, word
from data.store import Store, kept

SYSTEM, LANGUAGE = "system", "language"
MOST = 200
"""Values of a field; one with more is no field to group by (an address, a text)."""
_DAY = re.compile(r"\d{4}-[01]\d-[0-3]\d(?:[T ].*)?")


class ItemFields(NamedTuple):
    """The place of every item, and their words by field; of a pair `second` has the system of response B.

    `days` are fields of meta that are dates wherever they are given ("" none); kind and stratum are no fields
    of the items' own.
    """

    place: dict[str, int]
    words: dict[str, NDArray[np.object_]]
    second: NDArray[np.object_]
    days: dict[str, NDArray[np.object_]]
    kind: NDArray[np.object_]
    stratum: NDArray[np.object_]


@kept
def item_fields(store: Store, dataset_id: str) -> ItemFields:
    """All items of a dataset."""
    frame = store.frame(
        f"select i.id, i.kind, i.system_a, i.system_b, i.meta, {HEAD} as head, coalesce(s.stratum, '') as stratum "
        "from item i left join (select item_id, max(stratum) as stratum from stratum where dataset_id = $1 "
        "group by item_id) s on s.item_id = i.id where i.dataset_id = $1 order by i.id",
        [dataset_id],
    )
    metas = [json.loads(m) if m not in ("", "{}") else {} for m in frame["meta"]]
    words = {
        SYSTEM: frame["system_a"].to_numpy(dtype=object),
        LANGUAGE: np.array([language(m, head) for m, head in zip(metas, frame["head"], strict=True)], dtype=object),
    }
    days = {}
    for key in sorted({key for meta in metas for key in meta} - {SYSTEM, LANGUAGE}):
        held = np.array([word(meta.get(key)) for meta in metas], dtype=object)
        there = set(held) - {""}
        if 1 <= len(there) <= MOST:
            words[key] = held
        if there and all(map(_DAY.fullmatch, there)):
            days[key] = np.array([value[:10] for value in held], dtype=object)
    own = (frame[name].to_numpy(dtype=object) for name in ("system_b", "kind", "stratum"))
    second, kind, stratum = own
    return ItemFields({id_: n for n, id_ in enumerate(frame["id"])}, words, second, days, kind, stratum)
