"""The judges of a dataset that a command was asked about."""

from __future__ import annotations

from data import datasets
from data.datasets import Dataset
from data.errors import BadInput, NotFound
from data.store import Store


def judges(store: Store, dataset: Dataset, wanted: str) -> list[tuple[str, str, str]]:
    """(judge id, card, model) of the judges that `wanted` names: a model, or the head of a judge's id; "" is all.

    Raises NotFound, naming those there are.
    """
    there = [(judge, card, model) for judge, card, model, _, _ in datasets.judges(store, dataset.id)]
    if not there:
        raise NotFound(f"No judge has scored {dataset.name!r} yet. Import judgments, or run a judge.")
    chosen = [one for one in there if not wanted or one[2] == wanted or one[0].startswith(wanted)]
    if not chosen:
        names = ", ".join(sorted({model for _, _, model in there}))
        raise NotFound(f"No judge of {dataset.name!r} is called {wanted!r}. There are: {names}.")
    return chosen


def judge(store: Store, dataset: Dataset, wanted: str) -> tuple[str, str, str]:
    """The one judge that `wanted` names. Raises NotFound, and BadInput where it fits several."""
    chosen = judges(store, dataset, wanted)
    if len(chosen) > 1:
        told = "; ".join(f"{judge} ({model}, {card})" for judge, card, model in chosen)
        raise BadInput(f"Several judges of {dataset.name!r} fit: {told}. Name one with --judge and the head of its id.")
    return chosen[0]
