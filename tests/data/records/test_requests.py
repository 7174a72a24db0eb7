"""Requests with a key of their own: done once, whatever is asked again, at one time or after a crash."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from data.records import people, requests
from data.records.requests import KeyInUse, answer_once
from data.records.values import get_setting, put_setting
from data.store import Store, open_store
from data.store.errors import BadInput


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    people.join_workspace(opened, "lea")
    yield opened
    opened.close()


def add_one(store: Store) -> int:
    """A change that is not the same when it is done twice."""
    def work(tx: Any) -> int:
        n = int(get_setting(tx, "test", "n", 0)) + 1
        put_setting(tx, "test", "n", n)
        return n

    return store.tx("lea", "count", work)


def ask(store: Store, key: str, request: str = "a", one_change: bool = True) -> tuple[dict[str, Any], bool]:
    return answer_once(store, "lea", key, request, lambda: add_one(store), lambda n: {"n": n}, one_change)


@pytest.mark.parametrize("one_change", [True, False])
def test_the_same_key_and_request_is_answered_again_and_not_done_again(store: Store, one_change: bool) -> None:
    assert ask(store, "k", one_change=one_change) == ({"n": 1}, False)
    assert ask(store, "k", one_change=one_change) == ({"n": 1}, True)
    assert ask(store, "other", one_change=one_change) == ({"n": 2}, False)
    with pytest.raises(KeyInUse) as no:
        ask(store, "k", "b")
    assert not no.value.wait and str(no.value).startswith("This idempotency key was used for another request. ")
    assert answer_once(store, "ann", "k", "b", lambda: 7, lambda n: {"n": n}, False) == ({"n": 7}, False), "by person"
    assert ask(store, "") == ({"n": 3}, False) and ask(store, "") == ({"n": 4}, False), "without a key every time"


def test_many_at_one_time_do_it_once(store: Store) -> None:
    outcomes: list[Any] = []

    def ask_once() -> None:
        try:
            outcomes.append(ask(store, "k"))
        except KeyInUse as error:
            outcomes.append(error.wait)

    threads = [threading.Thread(target=ask_once) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 20 and get_setting(store, "test", "n", 0) == 1
    assert outcomes.count(({"n": 1}, False)) == 1 and all(
        outcome in (True, ({"n": 1}, True), ({"n": 1}, False)) for outcome in outcomes
    )


def test_the_answer_is_in_the_very_change_so_that_a_crash_parts_them_never(store: Store) -> None:
    class Crash(BaseException):
        pass

    def crashing() -> int:
        add_one(store)
        raise Crash

    with pytest.raises(Crash):
        answer_once(store, "lea", "k", "a", crashing, lambda n: {"n": n}, one_change=True)
    assert ask(store, "k") == ({"n": 1}, True)
    seqs = store.rows("select r.seq, s.seq from api_request r, setting s where r.state = 'done' and s.name = 'n'")
    assert len(seqs) == 1 and seqs[0][0] == seqs[0][1]


def test_one_that_was_cut_off_may_be_begun_again_after_a_while(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    class Crash(BaseException):
        pass

    def crashing() -> int:
        raise Crash

    with pytest.raises(Crash):
        answer_once(store, "lea", "k", "a", crashing, lambda n: {"n": n}, one_change=False)
    with pytest.raises(KeyInUse) as no:
        ask(store, "k")
    assert no.value.wait and str(no.value).startswith("The request with this idempotency key is still under way. ")
    [(started_at,)] = store.rows("select made_at from api_request")
    monkeypatch.setattr(requests, "now", lambda: started_at + requests.LEASE - timedelta(microseconds=1))
    with pytest.raises(KeyInUse):
        ask(store, "k")
    monkeypatch.setattr(requests, "now", lambda: started_at + requests.LEASE)
    assert ask(store, "k") == ({"n": 1}, False)


def test_a_refused_request_leaves_its_key_free_and_nothing_new_is_an_answer_too(store: Store) -> None:
    def refusing() -> int:
        raise BadInput("No.")

    with pytest.raises(BadInput, match=r"No\."):
        answer_once(store, "lea", "k", "a", refusing, lambda n: {"n": n}, one_change=True)
    assert ask(store, "k", "b") == ({"n": 1}, False)
    for again in (False, True):
        assert answer_once(store, "lea", "none", "a", lambda: 0, lambda n: {"n": n}, True) == ({"n": 0}, again)
    for key in ("a" * 201, "ä", "a\nb", "\0"):
        with pytest.raises(BadInput):
            ask(store, key)
    assert ask(store, "a" * 200) == ({"n": 2}, False)
    for again in (False, True):
        assert answer_once(store, "lea", "empty", "a", lambda: 0, lambda n: {}, True) == ({}, again)
