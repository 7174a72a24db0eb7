"""Tags of people and their shares: what each may be, and that one word is one tag."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.records import people, tags
from data.records.tags import PersonTags
from data.store import Store
from data.store.errors import BadInput, NotAllowed, NotFound
from tests.data.imports import workspace


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = workspace(tmp_path)
    for name in ("ann", "ben"):
        people.join_workspace(opened, name)
    yield opened
    opened.close()


def test_tags_are_cleaned_sorted_and_one_whatever_their_capitals(store: Store) -> None:
    assert tags.set_tags(store, "lea", "ann", [" law ", "Ja", "law", "x" * 40], 0.5) == PersonTags(
        "ann", ("Ja", "law", "x" * 40), 0.5
    )
    assert tags.set_tags(store, "lea", "ben", ["JA", "two  words"]) == PersonTags("ben", ("Ja", "two words"), 1.0)
    assert tags.all_tags(store) == {
        "ann": PersonTags("ann", ("Ja", "law", "x" * 40), 0.5), "ben": PersonTags("ben", ("Ja", "two words"), 1.0),
    }  # fmt: skip
    before = store.newest()
    tags.set_tags(store, "lea", "ben", ["ja", "two words"])
    tags.set_tags(store, "lea", "lea", [])
    assert store.newest() == before, "nothing is written where nothing is new"
    assert tags.set_tags(store, "lea", "ben", [], 0) == PersonTags("ben", (), 0.0)
    assert tags.set_tags(store, "lea", "ben", [str(n) for n in range(20)], 10).share == 10
    assert tags.read_tags("ann", {}) == PersonTags("ann")


@pytest.mark.parametrize(("names", "share", "says"), [
    (["x" * 41], 1, f"{'x' * 41!r} cannot be a tag: 1 to 40 letters without | and invisible ones."),
    ([" "], 1, "' ' cannot be a tag: 1 to 40 letters without | and invisible ones."),
    (["a|b"], 1, "'a|b' cannot be a tag: 1 to 40 letters without | and invisible ones."),
    (["a\u200bb"], 1, "'a\\u200bb' cannot be a tag: 1 to 40 letters without | and invisible ones."),
    ([str(n) for n in range(21)], 1, "ann would have 21 tags: at most 20 are allowed."),
    (["a"], -0.1, "The share is -0.1: it must be 0 (nothing for now) to 10; 1 is as usual."),
    (["a"], 10.1, "The share is 10.1: it must be 0 (nothing for now) to 10; 1 is as usual."),
])  # fmt: skip
def test_what_no_tag_or_share_can_be_is_refused(store: Store, names: list[str], share: float, says: str) -> None:
    with pytest.raises(BadInput) as refused:
        tags.set_tags(store, "lea", "ann", names, share)
    assert str(refused.value) == says and tags.all_tags(store) == {}


def test_tags_are_given_by_leads_to_people_who_are_here(store: Store) -> None:
    cases: tuple[tuple[str, str, Any], ...] = (("ann", "ben", NotAllowed), ("lea", "nobody", NotFound))
    for actor, name, error in cases:
        with pytest.raises(error):
            tags.set_tags(store, actor, name, ["a"])


def test_work_goes_to_a_person_or_to_whoever_has_a_tag() -> None:
    assert tags.is_tag(tags.assignee("ja")) and not tags.is_tag("ja")
    assert [tags.describe_assignee(assignee) for assignee in (tags.assignee("ja"), "ann")] == [
        "anyone with the tag ja", "ann"
    ]  # fmt: skip
