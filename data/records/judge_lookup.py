"""The names that distinguish the judges of a dataset, and the lookup of the one that somebody's words mean."""

from __future__ import annotations

from collections.abc import Collection

from data.records import datasets
from data.records.access import allow
from data.records.datasets import Dataset
from data.store import Store
from data.store.errors import BadInput, NotFound
from judges.judge_lookup import JudgeTraits, describe_differences, find_judges, shortest_name

SAYS = 'a model, the head of a judge\'s id, or "MODEL temperature=0.7" where parameters tell judges apart'
"""A description of what an option that names a judge takes."""


def dataset_judge_names(store: Store, dataset_id: str) -> list[JudgeTraits]:
    """The judges of a dataset, most items first, those of probes left out."""
    return _judge_traits(store, [judge.id for judge in datasets.dataset_judges(store, dataset_id)])


def _judge_traits(store: Store, ids: Collection[str]) -> list[JudgeTraits]:
    rows = map(datasets.every_judge(store).__getitem__, ids)
    return [JudgeTraits(r.id, r.card, r.model, r.parameters, r.card_version, r.synthetic) for r in rows]


def distinct_judge_names(judges: list[JudgeTraits]) -> dict[str, str]:
    """The judges by id, each in words that no other of them has, as far as anything but its id distinguishes it."""
    differences = _differences(judges)
    return {judge.id: " · ".join([judge.card, judge.model, *differences[judge.id]]) for judge in judges}


@allow("annotator")
def judge_differences(store: Store, ids: Collection[str]) -> dict[str, str]:
    """By id, what distinguishes each of these judges from those of its card and model, as "version 1a2b3c4d5e6f"."""
    return {key: " · ".join(pairs) for key, pairs in _differences(_judge_traits(store, ids)).items()}


def _differences(judges: list[JudgeTraits]) -> dict[str, list[str]]:
    pairs = {}
    for judge in judges:
        siblings = [other for other in judges if (other.card, other.model) == (judge.card, judge.model)]
        words = shortest_name(siblings, judge).removeprefix(judge.model).split() if len(siblings) > 1 else []
        pairs[judge.id] = [pair.replace("=", " ", 1) for pair in words]
    return pairs


def lookup_judges(
    store: Store, dataset: Dataset, words: str, among: Collection[str] | None = None
) -> list[JudgeTraits]:
    """The judges of a dataset that these words mean (judges/judge_lookup.py); "" is all.

    With `among` only judges of these ids. Raises NotFound, naming those there are.
    """
    judges = [judge for judge in dataset_judge_names(store, dataset.id) if among is None or judge.id in among]
    if not judges:
        raise NotFound(f"No judge has scored {dataset.name!r} yet. Import judgments, or run a judge.")
    if matches := find_judges(judges, words):
        return matches
    listed = "; ".join(f"{name} ({key})" for key, name in list(distinct_judge_names(judges).items())[:12])
    raise NotFound(f"No judge of {dataset.name!r} is called {words!r}. There are: {listed}.")


@allow("annotator")
def lookup_judge(store: Store, dataset: Dataset, words: str, among: Collection[str] | None = None) -> JudgeTraits:
    """The one judge that these words mean. Raises NotFound, and BadInput where it could be several."""
    matches = lookup_judges(store, dataset, words, among)
    if len(matches) == 1:
        return matches[0]
    ids = "; ".join(f"{shortest_name(matches, judge)!r} ({judge.id})" for judge in matches[:12])
    raise BadInput(
        f"{len(matches)} judges of {dataset.name!r} fit, and differ in {describe_differences(matches)}. "
        f"Name one with --judge: {ids}."
    )
