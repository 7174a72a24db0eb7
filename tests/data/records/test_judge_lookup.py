"""The judges of a dataset as people name them: the one that is meant, or what there is to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from data.records.datasets import dataset_named
from data.records.judge_lookup import distinct_judge_names, judge_differences, lookup_judge, lookup_judges
from data.store import Store
from data.store.errors import BadInput, NotFound
from tests.data.imports import bring, pair, verdict, workspace


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = workspace(tmp_path)
    yield opened
    opened.close()


def test_judges_of_one_model_are_told_apart_by_their_parameters(store: Store) -> None:
    """Only the first sign is between name and value: the others are part of the value."""
    bring(store, [pair("p1"), *(verdict("p1", "a", model="m", params={"stop": stop}) for stop in ("a=b=c", "d"))])
    judges = lookup_judges(store, dataset_named(store, "d"), "")
    names = distinct_judge_names(judges)
    assert sorted(names.values()) == [f"plain_pairwise · m · stop {stop}" for stop in ("a=b=c", "d")]
    assert judge_differences(store, names) == {judge.id: f"stop {judge.params['stop']}" for judge in judges}
    assert judge_differences(store, [judges[0].id]) == {judges[0].id: ""}


def test_the_judge_that_is_meant_is_found_or_told_with_the_others(store: Store) -> None:
    bring(store, [pair("p1"), verdict("p1", "a", model="one"),
                  *(verdict("p1", "a", model="two", params={"temperature": t}) for t in (0, 1))])  # fmt: skip
    dataset = dataset_named(store, "d")
    every = lookup_judges(store, dataset, "")
    assert sorted(judge.model for judge in every) == ["one", "two", "two"]
    single = lookup_judge(store, dataset, "one")
    assert single.model == "one" and lookup_judges(store, dataset, "one", {single.id}) == [single]
    pattern = r"^2 judges of 'd' fit, and differ in temperature 0 / 1\. Name one with --judge: 'two temperature=0' \("
    with pytest.raises(BadInput, match=pattern):
        lookup_judge(store, dataset, "two")
    with pytest.raises(NotFound, match=r"^No judge of 'd' is called 'three'\. There are: plain_pairwise · ") as no:
        lookup_judge(store, dataset, "three")
    assert all(judge.id in str(no.value) for judge in every)
    for among in ({"another"}, set[str]()):
        with pytest.raises(NotFound, match="No judge has scored 'd' yet"):
            lookup_judges(store, dataset, "one", among)
