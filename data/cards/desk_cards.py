"""The cards that an item is labelled by, and the uses of each card.

An item is labelled by one judge's card, and also by those applied per turn or chosen for the dataset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from data.cards import cards
from data.records import combinations
from data.records.access import allow, allow_change
from data.records.datasets import DatasetJudge, all_datasets, dataset_judges
from data.records.values import change_setting, get_setting
from data.store import Store, Tx
from data.store.errors import BadInput
from judges.card import Card
from judges.types import Kind, Pair

_SETTING = "desk cards"
_USUAL = {"dialogue": "multi_turn_dialogue", "response": "rubric_open_ended"}


@dataclass(frozen=True)
class CardLayer:
    """A card on the desk, and the judge whose scores are shown there ("": none)."""

    judge_id: str
    judge_name: str
    card: Card


def card_layers(
    store: Store, dataset_id: str, item: Any, judge_id: str, usual: Sequence[DatasetJudge]
) -> tuple[CardLayer, ...]:
    """The cards of an item, the main one first.

    The main one is that of the wanted judge, else of the dataset's most used one, else a card for that kind of item
    without a judge.

    After it come the cards that were chosen for the dataset; where nothing was chosen, those that a judge applied per
    turn to its dialogues (and, beside such a one, the most used card that is not). Of each card, the judge of most
    items.
    """
    kind: Kind = item.kind
    by_name = cards.current_cards(store)
    chosen = [n for n in chosen_desk_cards(store, dataset_id) if n in by_name and by_name[n].kind == kind]
    fitting = []
    for id_, model in combinations.model_names(store, usual).items():
        card = cards.card_of_judge_if_known(store, id_)
        if card is not None and card.kind == kind:
            fitting.append(CardLayer(id_, model, card))
    main = next((layer for layer in fitting if layer.judge_id == judge_id), None)
    if main is None and chosen:
        main = _layer_named(store, chosen[0], fitting)
    if main is None:
        main = fitting[0] if fitting else CardLayer("", "", _default(store, item))
    if chosen:
        others = [_layer_named(store, name, fitting) for name in chosen]
    else:
        others = [layer for layer in fitting if cards.is_per_turn(layer.card)]
        if cards.is_per_turn(main.card):
            others = [layer for layer in fitting if not cards.is_per_turn(layer.card)][:1] + others
    layers = {main.card.name: main}
    for layer in others:
        layers.setdefault(layer.card.name, layer)
    return tuple(layers.values())


@allow("annotator")
def chosen_desk_cards(store: Store | Tx, dataset_id: str) -> list[str]:
    """The cards that were chosen for the desk of a dataset; none: the usual ones."""
    return [str(name) for name in get_setting(store, dataset_id, _SETTING, [])]


@allow_change("researcher", "desk cards", "dataset_id")
def choose_desk_cards(tx: Tx, actor: str, dataset_id: str, names: Sequence[str]) -> None:
    """Choose which cards people are asked about in a dataset (researchers and leads); none: the usual ones again.

    It holds for blind and for assisted labels alike. Raises BadInput for a card that there is not.
    """
    unknown = [name for name in names if name not in cards.current_cards(tx)]
    if unknown:
        raise BadInput(f"There is no card {unknown[0][:80]!r} to put on the desk.")
    change_setting(tx, dataset_id, _SETTING, list(names), [])


@dataclass(frozen=True)
class CardUse:
    """A judge of a card over a dataset, with the items that it judged; a judge "": people label the dataset by it."""

    dataset: str
    judge: str = ""
    model: str = ""
    items: int = 0


@allow("annotator")
def card_uses(store: Store) -> dict[str, list[CardUse]]:
    """Everything that uses each card, by its name."""
    uses: dict[str, list[CardUse]] = {}
    for dataset in all_datasets(store):
        for judge in dataset_judges(store, dataset.id):
            uses.setdefault(judge.card, []).append(CardUse(dataset.name, judge.id, judge.model, judge.items))
        for card in chosen_desk_cards(store, dataset.id):
            uses.setdefault(card, []).append(CardUse(dataset.name))
    return uses


def _layer_named(store: Store, name: str, fitting: Sequence[CardLayer]) -> CardLayer:
    """A card with the judge of most items, or without one."""
    return next((layer for layer in fitting if layer.card.name == name), None) or CardLayer(
        "", "", cards.card_named(store, name)
    )


def _default(store: Store, item: Any) -> Card:
    if isinstance(item, Pair):
        return cards.card_named(store, "long_form_pairwise" if item.sections else "plain_pairwise")
    return cards.card_named(store, _USUAL[item.kind])
