"""Few-shot examples for a card from what people have corrected, only of items that the approval check never uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from data.cards import cards
from data.exporting.kind import TEXT, ExportKind, ExportOption, Options, Row, typed_schema
from data.gold import excluded_items, fewshot
from data.records import items
from data.records.datasets import Dataset, dataset_judges
from data.store import Store
from data.store.errors import BadInput
from judges.card import Card, Example


def _cards(store: Store, dataset_id: str) -> dict[str, str]:
    used = {judge.card for judge in dataset_judges(store, dataset_id)}
    return {c.name: c.title for c in cards.current_cards(store).values() if c.name in used}


CARD = ExportOption("card", "Card", "the card whose judges are to see the examples", "", _cards)
FEW = ExportOption("few", "Examples", "at most so many; a card takes two or three", 3)


def rows(store: Store, dataset: Dataset, options: Options) -> Iterator[Row]:
    """Examples whose reply could be put right in full, those with most labels first, one of an item.

    Left out is every item of an audit sample, and every one that people have answered blind in a random draw.
    """
    if not options["card"]:
        raise BadInput("Say for which card the examples are: option card.")
    card = cards.card_named(store, options["card"])
    barred = excluded_items.audit_sample_items(store, dataset.id) | excluded_items.blind_sample_items(store, dataset.id)
    left = options["few"]
    for item in fewshot.items_with_labels(store, dataset.id, card, barred):
        example = _first_example(store, card, item)
        if example is not None:
            yield example
            left -= 1
            if not left:
                return


def _first_example(store: Store, card: Card, item_id: str) -> Row | None:
    """The example of an item's first part whose reply people have corrected in full."""
    item = items.load_item(store, item_id)
    for part in card.parts(item.content):
        draft = fewshot.draft_example(store, card, item_id, part)
        if draft.reply is None or draft.left or not draft.corrected:
            continue
        example = Example(f"as people have it: {', '.join(draft.corrected)}", draft.fields, draft.reply)
        origin = {"card": card.name, "card_version": card.version, "item": item.name, "part": part}
        return {**asdict(example), **origin, "judge_model": draft.judge}
    return None


KIND = ExportKind(
    "examples",
    "Few-shot examples for a card",
    "Items with a judge's reply that people have corrected, in the form that a card needs. Only items that are in no "
    "audit sample and were not labelled blind in a random draw; the approval check leaves them out from then on.",
    typed_schema(
        shows=TEXT, fields=TEXT, reply=TEXT, card=TEXT, card_version=TEXT, item=TEXT, part=TEXT, judge_model=TEXT
    ),
    rows,
    shows_people=True,
    options=(CARD, FEW),
    place=40,
    shows_judges="all",
    marks_tuning_items=True,
    empty_message="People have corrected no reply of this card on an item that may be an example: those of the audit "
    "sample, and those labelled blind in a random draw, may not.",
)
