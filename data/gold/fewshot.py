"""Few-shot examples from what people have labelled, and the items that a judge was shown as examples.

An item whose answer is in a judge's prompt does not show how reliable the judge is, so no figure that compares the
judge with people counts it. Such items are found by their content. This covers examples that were pasted, those of a
card's folder, and items that are imported later.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from data.cards import cards
from data.gold import excluded_items
from data.gold.gold import load_gold
from data.records import exposure
from data.records.access import allow, require
from data.records.datasets import NO_PROBE_SQL
from data.records.items import load_item
from data.store import Store, Tx, cache_result
from judges.card import Card
from judges.examples import is_example
from judges.protocols.call_plan import unpack_replies
from judges.reading.reading import json_objects, read_reply
from judges.reading.reply_edit import correct_reply, order_keys
from judges.types import ITEM

_MAX_ITEMS = 200
"""Items that are offered as examples, at most."""
_RECENT = 20
_COMPARED_TEXTS = 3


@dataclass(frozen=True)
class ExampleDraft:
    """An example as it could be: the fields as the judge sees the item (and part), and the reply to begin with.

    `judge` is the model whose newest reply it is ("": none could be used, and there is no reply); `corrected` are the
    dimensions in which people's labels have put it right, with the number of cells; `left` those where that could not
    be done.
    """

    fields: dict[str, Any]
    reply: dict[str, Any] | str | None
    judge: str = ""
    corrected: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def items_with_labels(store: Store, dataset_id: str, card: Card, without: Collection[str] = ()) -> dict[str, str]:
    """Items, but for those `without`, that people have labelled on a card's dimensions, by id, most labels first."""
    names = [d.name for d in card.dimensions if d.asked]
    rows = store.rows(
        "select i.id, i.name, count(*) as n from label_now l join item i on i.id = l.item_id "
        "where i.dataset_id = $1 and i.kind = $2 and l.dimension = any($3) and not i.id = any($4) "
        f"group by i.id, i.name order by n desc, i.name limit {_MAX_ITEMS}",
        [dataset_id, card.kind, names, list(without)],
    )
    return {str(id_): f"{name} · {n} label{'' if n == 1 else 's'}" for id_, name, n in rows}


@allow("researcher")
def offered_items(store: Store, actor: str, dataset_id: str, card: Card) -> dict[str, str]:
    """The same without items that may still come to this person to be answered blind: what may be shown to them."""
    return items_with_labels(store, dataset_id, card, exposure.blind_pending(store, actor))


@allow("researcher")
def open_draft(store: Store, actor: str, card: Card, item_id: str, part: str = "") -> ExampleDraft:
    """A draft for a person who writes an example; that the judge's reply and people's labels are shown is recorded."""
    require(store, actor, "researcher")
    judges = exposure.judges_of_items(store, [item_id]).get(item_id, set())
    exposure.record_exposures(store, actor, {item_id: judges | {exposure.OTHER_PEOPLE}}, "examples")
    return draft_example(store, card, item_id, part)


def draft_example(store: Store, card: Card, item_id: str, part: str = "") -> ExampleDraft:
    """An example of an item: the newest reply of the card's judges that can be read, with people's labels put in.

    Raises NotFound.
    """
    item = load_item(store, item_id)
    fields = card.fields(item.content, part)
    for raw, model in store.rows(
        "select m.raw, j.model from judgment m join judge j on j.id = m.judge_id where m.item_id = $1 and m.part = $2 "
        f"and m.unscored = '' and j.card = $3 and {NO_PROBE_SQL} "
        f"order by m.seq desc, m.id limit {_RECENT:d}",
        [item_id, part, card.name],
    ):
        for text in _texts(str(raw)):
            if read_reply(card, text, item.content, part).unscored:
                continue
            if card.text is not None:
                return ExampleDraft(fields, text, str(model))
            reply = order_keys(card, json_objects(text)[0])
            right = correct_reply(card, item.content, part, reply, _gold(store, item.dataset_id, card, item_id))
            return ExampleDraft(fields, right.reply, str(model), _words(right.corrected), _words(right.uncorrected))
    return ExampleDraft(fields, None)


def _texts(raw: str) -> list[str]:
    """Return the replies that a judgment was made of; of several calls, those that saw the whole item as it is."""
    calls = unpack_replies(raw)
    return [raw] if calls is None else [text for name, text, *_ in calls if name == "order:ab"]


def _words(places: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    counts = Counter(name.replace("_", " ") for _, name in places)
    return tuple(f"{name} ({n} ratings)" if n > 1 else name for name, n in counts.items())


def _gold(store: Store, dataset_id: str, card: Card, item_id: str) -> dict[tuple[str, str], float | None]:
    """Return people's gold in the cells of an item, by unit and dimension."""
    cells = load_gold(
        store, dataset_id, (d for d in card.dimensions if d.asked), "all", "unit, value",
        among=" and l.item_id = $2", values=[item_id],
    )  # fmt: skip
    return {(str(unit), d.name): None if value is None else float(value) for d, (unit, value) in cells}


@allow("annotator")
@cache_result
def items_in_prompt(store: Store | Tx, judge_id: str) -> Mapping[str, str]:
    """The items, name by id, that stand as examples in a judge's prompt."""
    card = cards.card_of_judge_if_known(store, judge_id)
    return {} if card is None else items_in_examples(store, card)


@allow("annotator")
def items_in_examples(store: Store | Tx, card: Card) -> dict[str, str]:
    """The items, name by id, that a card's examples show as its judges see them."""
    names: dict[str, str] = {}
    for example in card.examples:
        longest = sorted({text for text in _strings(example.fields) if text.strip()}, key=len)[-_COMPARED_TEXTS:]
        if not longest:
            continue
        # The content of an item is JSON: a text is in it as JSON writes it.
        marks = [json.dumps(text, ensure_ascii=False)[1:-1] for text in longest]
        holds = " or ".join(f"strpos(content, ${n}) > 0" for n in range(2, len(marks) + 2))
        for id_, name, content in store.rows(
            f"select id, name, content from item where kind = $1 and ({holds})", [card.kind, *marks]
        ):
            if is_example(card, ITEM.validate_json(content)):
                names[str(id_)] = str(name)
    return names


def not_in_prompt_sql(store: Store | Tx, judge_id: str, column: str = "l.item_id") -> str:
    """SQL that leaves out items that do not count for a judge.

    A further condition on an item's id in SQL: not one of those items, nor one that prompts were tuned on
    (data/gold/excluded_items.py); "" where there are none."""
    ids = ", ".join(f"'{id_}'" for id_ in sorted(items_in_prompt(store, judge_id)) if id_.replace("-", "").isalnum())
    return (f" and {column} not in ({ids})" if ids else "") + excluded_items.not_excluded_sql(store, column)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for element in value.values():
            yield from _strings(element)
    elif isinstance(value, list):
        for element in value:
            yield from _strings(element)
