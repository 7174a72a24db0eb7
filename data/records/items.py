"""Items as they are stored, read back as the models that were validated at import."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from data.records.access import allow
from data.store import Store, Tx, placeholders
from data.store.errors import BadInput, NotFound
from judges.types import ITEM, Dialogue, Pair, Response

OF_QUESTION = (
    "i.kind in ('dialogue', 'pair') and i.meta like '%\"question_id\":%' "
    "and (cast(i.meta as json) ->> 'question_id') is not null"
)
"""SQL: whether an item `i` is of MT-Bench, that is, says which question it answers."""


@dataclass(frozen=True)
class StoredItem:
    """An item with its place in the workspace."""

    id: str
    dataset_id: str
    dataset: str
    synthetic: bool
    name: str
    content: Dialogue | Pair | Response


@lru_cache(maxsize=512)
def _parse(content: str) -> Dialogue | Pair | Response:
    return ITEM.validate_json(content)


@allow("annotator")
def load_item(store: Store | Tx, item_id: str) -> StoredItem:
    """The item of that id. Raises NotFound."""
    if items := load_items(store, [item_id]):
        return items[0]
    raise NotFound("There is no such item in this workspace. The link may belong to another one.")


def load_items(store: Store | Tx, ids: list[str]) -> list[StoredItem]:
    """The items of those ids, in that order; unknown ones are left out."""
    if not ids:
        return []
    rows = store.rows(
        "select i.id, i.dataset_id, d.name, d.synthetic, i.name, i.content "
        f"from item i join dataset d on d.id = i.dataset_id where i.id in ({placeholders(ids)})",
        ids,
    )
    items_by_id = {
        key: StoredItem(key, dataset_id, dataset, synthetic, name, _parse(content))
        for key, dataset_id, dataset, synthetic, name, content in rows
    }
    return [items_by_id[i] for i in ids if i in items_by_id]


def bench_dialogues(store: Store | Tx, dataset_id: str) -> list[dict[str, Any]]:
    """The content of every dialogue of a dataset that answers a question of MT-Bench, by name."""
    rows = store.rows(
        f"select i.content from item i where i.dataset_id = $1 and i.kind = 'dialogue' and {OF_QUESTION} "
        "order by i.name",
        [dataset_id],
    )
    return [json.loads(content) for (content,) in rows]


def item_preview(content: str) -> str:
    """The first line of what an item is about: its scenario or first turn, its input, its task; "" without texts."""
    item = _parse(content)
    if isinstance(item, Dialogue):
        texts = [item.scenario, *(turn.text for turn in item.turns)]
    elif isinstance(item, Pair):
        texts = [item.input] if isinstance(item.input, str) else [turn.text for turn in item.input]
    else:
        texts = [item.task, item.output]
    lines = (line.strip() for text in texts for line in (text or "").splitlines())
    return next((line for line in lines if any(letter.isalnum() for letter in line)), "")


def contains_words(content: str, words: str) -> bool:
    """Whether one of an item's texts has these words, in small letters; its systems and its meta are none of them."""
    item = json.loads(content)
    parts = [item, *item.get("turns", ()), *(item[side] for side in ("response_a", "response_b") if side in item)]
    item_input = item.get("input")
    parts += [{"text": item_input}] if isinstance(item_input, str) else item_input or ()
    parts += [{"text": section.get("label")} for section in item.get("sections") or ()]
    return any(words in (part.get(name) or "").lower() for part in parts for name in _TEXTS)


_TEXTS = ("scenario", "task", "output", "reference", "text")


def neutral_name(item_id: str, name: str, systems: Iterable[str]) -> str:
    """An item's name where its systems are hidden: one that reveals a system is replaced by the beginning of its id."""
    return f"item {item_id[:8]}" if any(_tells(name, system) for system in systems if system) else name


def _tells(name: str, system: str) -> bool:
    """Whether a name gives away a system: has its letters and digits in a row, or a very short one as a word."""
    words = re.findall(r"[^\W_]+", name.casefold())
    sought = "".join(re.findall(r"[^\W_]+", system.casefold()))
    return sought in words if len(sought) < 3 else sought in "".join(words)


@allow("annotator")
def item_names(store: Store, ids: Iterable[str]) -> dict[str, str]:
    """The names of items, by id."""
    rows = store.rows("select id, name from item where id = any($1)", [sorted(set(ids))])
    return {str(id_): str(name) for id_, name in rows}


@allow("researcher")
def item_ids_of_names(store: Store, dataset_id: str, names: Sequence[str]) -> list[str]:
    """The ids of the items of those names. Raises BadInput for names that the dataset does not have."""
    rows = store.rows("select name, id from item where dataset_id = $1 and name = any($2)", [dataset_id, list(names)])
    ids_by_name = {str(n): str(i) for n, i in rows}
    if missing := [n for n in names if n not in ids_by_name]:
        raise BadInput(f"This dataset has no item {', '.join(n[:40] for n in missing[:5])}.")
    if not names:
        raise BadInput("Name at least one item.")
    return [ids_by_name[n] for n in names]
