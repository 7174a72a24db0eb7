"""Whatever JSON a browser sends as the state of a component: a sentence, or nothing, and never an error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.desk import desk
from data.queue import queue
from data.queue.queue import QueueFilters
from data.records import datasets
from data.records.access import find_person
from data.store import Store, open_store
from judges.errors import AssayError
from pages.adjudication import page as adjudication_page
from pages.desk import page as desk_page
from pages.ui import session, tables
from tests import seeds

TEXT = st.text(max_size=8) | st.sampled_from(["\ud800", "\0", "x" * 300, "save", "decide", "withdraw", "01234567"])
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.just(10**400) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
FIELDS = "key person action item claim judge version values notes of unit dimension v reason token reveal".split()
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "answers": JUNK | st.lists(st.dictionaries(st.sampled_from(FIELDS), JUNK), max_size=3),
        "acts": JUNK | st.lists(st.dictionaries(st.sampled_from(FIELDS), JUNK), max_size=3),
        "have": JUNK | st.lists(JUNK),
        "want": JUNK | st.dictionaries(st.sampled_from(["item", "reveal"]), JUNK),
        "reveal": JUNK,
        "nonce": JUNK,
    },
)
SHAPES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("received")
    seeds.dialogues(folder / "a.duckdb", 3)
    opened = open_store(f"duckdb:///{folder / 'a.duckdb'}")
    yield opened
    opened.close()


def sends(monkeypatch: pytest.MonkeyPatch, store: Store, state: Any) -> None:
    monkeypatch.setattr(session, "component_state", lambda _: state)
    monkeypatch.setattr(session, "store", lambda: store)


@SHAPES
@given(outbox=MESSAGES | JUNK)
def test_the_desk_takes_any_outbox(store: Store, monkeypatch: pytest.MonkeyPatch, outbox: Any) -> None:
    sends(monkeypatch, store, SimpleNamespace(outbox=outbox))
    ann, place = find_person(store, "ann"), datasets.dataset_named(store, "demo").id
    state: dict[str, Any] = {}
    desk_page.save_sent(ann, "desk", state)
    assert not state["acked"] and all(refusal["why"] for refusal in state["refused"]) and not state["notice"]
    sent = desk_page.read_message("desk")
    assert len(queue.claim_items(store, "ann", place, "review", QueueFilters(), sent["have"], 8)) == 3
    if sent["want"]:
        with pytest.raises(AssayError):
            desk.open_item(store, "ann", sent["want"]["item"])


@SHAPES
@given(outbox=MESSAGES | JUNK)
def test_the_board_takes_any_outbox(store: Store, monkeypatch: pytest.MonkeyPatch, outbox: Any) -> None:
    sends(monkeypatch, store, SimpleNamespace(outbox=outbox))
    lea, state = find_person(store, "lea"), dict[str, Any]()
    adjudication_page.save_sent(lea, "board", state)
    assert not state.get("acked") and all(refusal["why"] for refusal in state.get("refused", []))


@SHAPES
@given(value=JUNK)
def test_a_place_is_one_that_there_is(value: Any) -> None:
    index = session.as_index(value, 5)
    assert index is None or index in range(5)
    chosen = SimpleNamespace(selection=SimpleNamespace(cells=value))
    assert tables._row(chosen, 5) in (None, *range(5))


def test_a_component_that_has_sent_nothing_yet(monkeypatch: pytest.MonkeyPatch, store: Store) -> None:
    for state in (None, SimpleNamespace(), SimpleNamespace(outbox=None), {}):
        sends(monkeypatch, store, state)
        assert desk_page.read_message("desk") == {"came": False, "answers": [], "have": [], "want": None}
