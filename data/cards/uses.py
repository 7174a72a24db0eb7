"""What uses a card: judges with the datasets that they judged, and datasets that people label by it."""

from __future__ import annotations

from dataclasses import dataclass

from data.cards import desk_cards
from data.records import datasets
from data.store import Store


@dataclass(frozen=True)
class Use:
    """A judge of a card over a dataset, with the items that it judged; a judge "": people label the dataset by it."""

    dataset: str
    judge: str = ""
    model: str = ""
    items: int = 0


def uses(store: Store) -> dict[str, list[Use]]:
    """Everything that uses each card, by its name."""
    found: dict[str, list[Use]] = {}
    for dataset in datasets.all_datasets(store):
        for judge, card, model, _, items in datasets.judges(store, dataset.id):
            found.setdefault(card, []).append(Use(dataset.name, judge, model, items))
        for card in desk_cards.chosen(store, dataset.id):
            found.setdefault(card, []).append(Use(dataset.name))
    return found
