"""Settings: the newest holds, the old ones stay, and values that make no sense are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data.records import people, settings
from data.records.settings import QueueRules
from data.records.values import WORKSPACE, get_setting, put_setting
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    people.join_workspace(store, "lea")
    people.join_workspace(store, "ann")
    return store


def test_the_defaults(store: Store) -> None:
    assert settings.queue_rules(store, "d") == QueueRules(overlap=1, assisted_share=0.2, claim_minutes=30)


def test_the_newest_holds_and_the_old_ones_stay(store: Store) -> None:
    for overlap in (2, 3):
        settings.set_queue_rules(store, "lea", "d", QueueRules(overlap=overlap, assisted_share=0.0, claim_minutes=5))
    assert settings.queue_rules(store, "d") == QueueRules(3, 0.0, 5)
    assert settings.queue_rules(store, "other") == QueueRules()
    assert store.rows("select count(*) from setting") == [(2,)]


def test_what_changes_nothing_is_not_written(store: Store) -> None:
    before = store.newest()
    settings.set_queue_rules(store, "lea", "d", QueueRules())
    assert store.newest() == before


def test_rules_that_a_newer_field_is_missing_from_still_read(store: Store) -> None:
    store.tx("lea", "old", lambda tx: put_setting(tx, "d", "queue", {"overlap": 4}))
    assert settings.queue_rules(store, "d") == QueueRules(overlap=4)
    before = store.newest()
    settings.set_queue_rules(store, "lea", "d", QueueRules(overlap=4))
    assert store.newest() == before, "the same rules"


@pytest.mark.parametrize(
    "bad",
    [
        {"overlap": 0}, {"overlap": 21},
        {"assisted_share": -0.1}, {"assisted_share": 1.0}, {"assisted_share": float("nan")},
        {"claim_minutes": 0}, {"claim_minutes": 1441},
    ],
)  # fmt: skip
def test_senseless_values_are_refused(store: Store, bad: dict[str, Any]) -> None:
    before = store.newest()
    with pytest.raises(BadInput):
        settings.set_queue_rules(store, "lea", "d", QueueRules(**bad))
    assert store.newest() == before


def test_annotators_change_no_rules(store: Store) -> None:
    with pytest.raises(NotAllowed):
        settings.set_queue_rules(store, "ann", "d", QueueRules(overlap=2))


def test_any_value_comes_back_as_it_was(store: Store) -> None:
    for value in (1, 0.5, "返金", None, [1, {"a": True}]):
        store.tx("lea", "try", lambda tx, v=value: put_setting(tx, WORKSPACE, "try", v))  # type: ignore[misc]
        assert get_setting(store, WORKSPACE, "try", "other") == value
    assert get_setting(store, WORKSPACE, "never", "default") == "default"
