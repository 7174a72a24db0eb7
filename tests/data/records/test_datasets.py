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
    opened = workspace(tmp_path)
    yield opened
    opened.close()


def test_what_is_there_is_found_and_what_is_not_is_told(store: Store) -> None:
    bring(store, [pair("p1"), verdict("p1", "a")])
    dataset = datasets.dataset_named(store, "d")
    assert datasets.find_dataset(store, dataset.id) == dataset and not dataset.synthetic
    [(judge, *_)] = datasets.dataset_judges(store, dataset.id)
    stored_judge = datasets.find_judge(store, judge)
    assert (stored_judge.id, stored_judge.card, stored_judge.model, stored_judge.params) == (
        judge, "plain_pairwise", "m", "{}"
    )  # fmt: skip
    assert datasets.every_judge(store) == {judge: stored_judge}
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
    verdicts = [verdict("p0", "a", model="z"), verdict("p0", "a", model="b"), verdict("p1", "a", model="b"),
            verdict("p1", "a", model="a"), verdict("p1", "a", model="c", params={"probe": "x"})]  # fmt: skip
    bring(store, [*pairs, seeds.dialogue(1), {**pair("p9"), "response_b": {"system": "", "text": "B"}}, *verdicts])
    dataset = datasets.dataset_named(store, "d").id
    assert datasets.item_kinds(store, dataset) == ["pair", "dialogue"] and datasets.item_kinds(store, "x") == []
    assert datasets.dataset_systems(store, dataset) == ["model-y", "x", "y"]
    assert [(row[2], row[4]) for row in datasets.dataset_judges(store, dataset)] == [("b", 2), ("a", 1), ("z", 1)], (
        "judges of a probe saw other items"
    )
