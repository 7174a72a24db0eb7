"""Items as they are stored, read back as the models that were validated at the door."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from data.errors import NotFound
from data.store import Store, Tx
from judges.types import ITEM, Dialogue, Pair, Response


@dataclass(frozen=True)
class Stored:
    """An item with its place in the workspace."""

    id: str
    dataset_id: str
    dataset: str
    synthetic: bool
    name: str
    content: Dialogue | Pair | Response
    meta: dict[str, Any]


_SELECT = (
    "select i.id, i.dataset_id, d.name, d.synthetic, i.name, i.content, i.meta "
    "from item i join dataset d on d.id = i.dataset_id "
)


@lru_cache(maxsize=512)
def _parse(content: str) -> Dialogue | Pair | Response:
    return ITEM.validate_json(content)


def _stored(row: tuple[Any, ...]) -> Stored:
    item_id, dataset_id, dataset, synthetic, name, content, meta = row
    return Stored(item_id, dataset_id, dataset, synthetic, name, _parse(content), json.loads(meta))


def item(store: Store | Tx, item_id: str) -> Stored:
    """The item of that id. Raises NotFound."""
    rows = store.rows(_SELECT + "where i.id = $1", [item_id])
    if not rows:
        raise NotFound("There is no such item in this workspace. The link may belong to another one.")
    return _stored(rows[0])


def items(store: Store | Tx, ids: list[str]) -> list[Stored]:
    """The items of those ids, in that order; unknown ones are left out."""
    if not ids:
        return []
    marks = ", ".join(f"${n}" for n in range(1, len(ids) + 1))
    found = {row[0]: _stored(row) for row in store.rows(_SELECT + f"where i.id in ({marks})", ids)}
    return [found[i] for i in ids if i in found]
