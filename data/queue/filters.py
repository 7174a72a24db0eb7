"""What a dataset's queues can be narrowed by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import get_args

from data.cards import cards
from data.records import combinations, datasets
from data.store import Store
from judges.triage import ReasonKind

REASONS: tuple[ReasonKind, ...] = get_args(ReasonKind)


@dataclass(frozen=True)
class FilterOptions:
    """For each filter, its values and how they read."""

    system: dict[str, str]
    judge: dict[str, str]
    dimension: dict[str, str]
    reason: dict[str, str]


def filter_options(store: Store, dataset_id: str) -> FilterOptions:
    """The values that occur in a dataset."""
    judges = datasets.dataset_judges(store, dataset_id)
    names = combinations.model_names(store, judges)
    common = Counter(names.values())
    used = [card for card in (cards.card_of_judge_if_known(store, judge) for judge in names) if card is not None]
    dimensions = [d for card in used for d in card.dimensions if d.asked]
    return FilterOptions(
        {name: name for name in datasets.dataset_systems(store, dataset_id)},
        {judge: name + (f" ({judge[:6]})" if common[name] > 1 else "") for judge, name in names.items()},
        {d.name: d.title for d in dimensions},
        {r: r for r in REASONS},
    )
