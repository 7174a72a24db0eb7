"""What uses a card: judges with the datasets that they judged, and datasets that people label by it."""

from __future__ import annotations

from dataclasses import dataclass

from data.cards import desk_cards
from data.records import datasets
from data.store import Store


@dataclass(frozen=True)
class CardUse:
    """A judge of a card over a dataset, with the items that it judged; a judge "": people label the dataset by it."""

    dataset: str
    judge: str = ""
    model: str = ""
    items: int = 0


def card_uses(store: Store) -> dict[str, list[CardUse]]:
    """Everything that uses each card, by its name."""
    found: dict[str, list[CardUse]] = {}
    for dataset in datasets.all_datasets(store):
        for judge in datasets.dataset_judges(store, dataset.id):
            found.setdefault(judge.card, []).append(CardUse(dataset.name, judge.id, judge.model, judge.items))
        for card in desk_cards.chosen_desk_cards(store, dataset.id):
            found.setdefault(card, []).append(CardUse(dataset.name))
    return found
