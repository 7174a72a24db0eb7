"""Datasets and judges by their ids and names, and what a dataset holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from data.records import datasets
from data.store import Store
from data.store.errors import NotFound
from tests import seeds
from tests.data.imports import bring, pair, verdict, workspace


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = workspace(tmp_path)
    yield made
    made.close()


def test_what_is_there_is_found_and_what_is_not_is_told(store: Store) -> None:
    bring(store, [pair("p1"), verdict("p1", "a")])
    there = datasets.dataset_named(store, "d")
    assert datasets.find_dataset(store, there.id) == there and not there.synthetic
    [(judge, *_)] = datasets.dataset_judges(store, there.id)
    found = datasets.find_judge(store, judge)
    assert (found.id, found.card, found.model, found.params) == (judge, "plain_pairwise", "m", "{}")
    assert datasets.every_judge(store) == {judge: found}
    for ask, says in (
        (lambda: datasets.find_dataset(store, "x"), "There is no dataset 'x' in this workspace. The link may belong to "
         "another one."),
        (lambda: datasets.find_judge(store, "x"), "There is no judge 'x' in this workspace. The link may belong to "
         "another one."),
        (lambda: datasets.dataset_named(store, "x"), "There is no dataset called 'x' in this workspace."),
    ):  # fmt: skip
        with pytest.raises(NotFound) as refused:
            ask()
        assert str(refused.value) == says


def test_what_a_dataset_holds(store: Store) -> None:
    pairs = [pair(f"p{n}") for n in range(2)]
    said = [verdict("p0", "a", model="z"), verdict("p0", "a", model="b"), verdict("p1", "a", model="b"),
            verdict("p1", "a", model="a"), verdict("p1", "a", model="c", params={"probe": "x"})]  # fmt: skip
    bring(store, [*pairs, seeds.dialogue(1), {**pair("p9"), "response_b": {"system": "", "text": "B"}}, *said])
    found = datasets.dataset_named(store, "d").id
    assert datasets.item_kinds(store, found) == ["pair", "dialogue"] and datasets.item_kinds(store, "x") == []
    assert datasets.dataset_systems(store, found) == ["model-y", "x", "y"]
    assert [(one[2], one[4]) for one in datasets.dataset_judges(store, found)] == [("b", 2), ("a", 1), ("z", 1)], (
        "judges of a probe saw other items"
    )
