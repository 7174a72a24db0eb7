"""What the board has sent is done in the order in which it was decided."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from data.adjudication import adjudication
from data.gold.disputes import LabelledCell
from data.records import datasets
from data.records.access import find_person
from data.store import Store
from data.store.errors import StoreFailed
from pages.adjudication import page
from pages.ui import session
from tests.pages.adjudication.test_adjudication import prepare


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    opened = prepare(tmp_path / "a.duckdb")
    monkeypatch.setattr(session, "store", lambda: opened)
    yield opened
    opened.close()


def waiting(store: Store) -> list[LabelledCell]:
    return adjudication.adjudication_work(store, "lea", datasets.dataset_named(store, "demo").id).own


def send(monkeypatch: pytest.MonkeyPatch, state: dict[str, Any], **outbox: Any) -> None:
    """One message of lea's board."""
    monkeypatch.setattr(session, "component_state", lambda _: SimpleNamespace(outbox=outbox))
    page.save_sent(find_person(session.store(), "lea"), "board", state)


def act_on(cell: LabelledCell, key: str) -> dict[str, Any]:
    place = {"item": cell.item, "unit": cell.unit, "dimension": cell.dimension, "token": cell.token}
    return {"key": key, "action": "decide", **place, "v": 3, "reason": "read again"}


def test_what_was_decided_before_the_judge_was_asked_for_did_not_see_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = waiting(store)
    state: dict[str, Any] = {}
    send(monkeypatch, state, acts=[act_on(first, "decision-1")], reveal=second.item)
    send(monkeypatch, state, acts=[act_on(first, "decision-1"), act_on(second, "decision-2")], reveal=None)
    assert [act["key"] for act in state["acked"]] == ["decision-1", "decision-2"]
    assert [sorted(act["names"]) for act in state["acked"]] == [["ann", "ben"]] * 2
    assert state["notice"] is None and "refused" not in state and not waiting(store)
    stored = store.rows("select id, saw_judge from adjudication order by seq")
    assert stored == [("decision-1", False), ("decision-2", True)]
    send(monkeypatch, state, acts=[], reveal=first.item)
    assert "No cell of this item waits" in state["notice"]


def test_the_board_is_told_which_item_it_had_in_hand_as_its_items_were_chosen(store: Store) -> None:
    item = waiting(store)[1].item
    lea, demo = find_person(store, "lea"), datasets.dataset_named(store, "demo")
    assert [page._load_board(lea, demo, now)["now"] for now in ("", item)] == ["", item]


def test_an_item_of_which_one_rating_was_decided_and_then_the_judge_asked_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = waiting(store)
    state: dict[str, Any] = {}
    send(monkeypatch, state, acts=[{**act_on(first, "decision-1"), "v": 9}], reveal=first.item)
    assert [act["key"] for act in state["refused"]] == ["decision-1"] and state["notice"] is None
    send(monkeypatch, state, acts=[act_on(first, "decision-2")], reveal=None)
    assert store.rows("select saw_judge from adjudication") == [(True,)]


def test_where_the_store_fails_nothing_is_refused_and_what_follows_waits(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = waiting(store)
    state: dict[str, Any] = {}
    acts = [act_on(first, "decision-1"), act_on(second, "decision-2")]
    with monkeypatch.context() as patch:

        def fail(*_: Any) -> None:
            raise StoreFailed("Nothing was saved: the disk is full.")

        patch.setattr(adjudication, "adjudicate", fail)
        send(patch, state, acts=acts, reveal=second.item)
        assert state == {"notice": "Nothing was saved: the disk is full."}
    send(monkeypatch, state, acts=acts, reveal=None)
    assert [act["key"] for act in state["acked"]] == ["decision-1", "decision-2"] and state["notice"] is None
    assert store.rows("select distinct saw_judge from adjudication") == [(False,)]
