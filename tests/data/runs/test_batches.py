"""Runs through the Batch API: rounds, what a batch did not bring, restarts, and how they end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.records import datasets
from data.runs import batches, runs, worker
from data.runs.run_order import RunOrder
from data.store import Store
from data.store.errors import StoreFailed
from judges.cards import card
from judges.client import batch_files
from judges.client.endpoint import Endpoint
from judges.protocols.call_plan import Task, pieces
from judges.types import ITEM
from tests import seeds
from tests.practice_server import practice

CARD = card("multi_turn_dialogue")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Five short dialogues and one of 12 assistant turns, which takes several windows."""
    made = [*(seeds.dialogue(n) for n in range(1, 6)), seeds.dialogue(6, turns=12)]
    opened = seeds.workspace(tmp_path / "a.duckdb", made)
    yield opened
    runs.close(opened)
    opened.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "POLL", 0.02)


def order(store: Store, url: str, **changes: Any) -> RunOrder:
    endpoint = Endpoint(base_url=url, tries=1)
    found = datasets.dataset_named(store, "demo").id
    return replace(RunOrder(found, CARD, "practice-constant", CARD.defaults, endpoint, batch=True), **changes)


def calls(store: Store) -> int:
    """How many calls the six judgments take."""
    rows = store.rows("select id, content from item")
    return sum(len(pieces(CARD, CARD.defaults, Task(key, ITEM.validate_json(text)))) for key, text in rows)


def test_lines_come_back_as_what_they_were_whatever_stands_between_them() -> None:
    item = ITEM.validate_python(seeds.dialogue(1))
    task = Task("00ff00ff00ff00ff00ff", item, "turn:3", 2)
    asked = batch_files.batch_line(
        task, "order:ab chapter:1/2", {"model": "m", "messages": [{"role": "user", "content": "\ud800é"}]}
    )
    assert asked.endswith(b"\n") and asked.count(b"\n") == 1 and b"/v1/chat/completions" in asked
    name = batch_files.custom_id(task, "order:ab chapter:1/2")
    assert len(name) <= 64
    came = {"custom_id": name, "response": {"status_code": 200, "body": {"a": 1}}, "error": None}
    expired = {"custom_id": name, "response": None, "error": {"code": "batch_expired", "message": "m"}}
    strange = ["not a line", '{"custom_id": "of somebody else", "response": {}}', "[]", ""]
    lines = "\n".join([json.dumps(came), *strange, json.dumps(expired)])
    good, missed = batch_files.read_results(lines.encode())
    assert (good.key, good.part, good.sample, good.piece) == (task.key, "turn:3", 2, "order:ab chapter:1/2")
    assert (good.status, good.body, missed.missed) == (200, b'{"a": 1}', "batch_expired")
    with pytest.raises(ValueError, match="name"):
        batch_files.custom_id(replace(task, key="a|b"), "")


def test_a_batch_run_goes_through_its_rounds(store: Store) -> None:
    with practice(batch_seconds=0.05) as server:
        run_id = runs.start(store, "lea", order(store, server.url, price=(1.0, 2.0)))
        end = runs.wait(store, run_id)
        assert (end.state, end.done, end.scored, end.calls) == ("finished", 6, 6, calls(store))
        assert server.log.asked == calls(store) > 6
    states = [str(r[0]) for r in store.rows("select state from batch_now order by seq")]
    assert states == ["collected"] * (calls(store) - 5), "the windows of a dialogue are asked one after the other"
    assert store.rows("select count(*), count(distinct item_id) from judgment") == [(6, 6)]
    batched = "select milliseconds, count(*) from reply where milliseconds = 0 group by 1"
    assert store.rows(batched) == [(0, calls(store) - 1)], "of all but the first nobody knows how long they took"
    tokens = store.rows("select sum(tokens_in * 1.0 + tokens_out * 2.0) / 1000000 from reply")[0][0]
    assert end.cost == pytest.approx(tokens)


def test_a_batch_that_expires_is_kept_as_far_as_it_came_and_the_rest_is_asked_again(store: Store) -> None:
    with practice(batch_seconds=0.05, batch_ends="expired") as server:
        run_id = runs.start(store, "lea", order(store, server.url))
        end = runs.wait(store, run_id)
        # Half of each batch is carried out, of a batch with one call none: three of those in a row end the run.
        assert end.state == "failed" and "brought nothing" in end.why
        assert 0 < end.done < 6 and server.log.asked == end.calls
    with practice(batch_seconds=0.05) as better:
        again = runs.start(store, "lea", order(store, better.url))
        end = runs.wait(store, again)
        assert end.state == "finished" and server.log.asked + better.log.asked == calls(store)
    assert store.rows("select count(*), count(distinct item_id) from judgment where unscored = ''") == [(6, 6)]
    details = store.rows("select detail from batch_event where state = 'collected' order by seq")
    assert json.loads(details[0][0]) == {"brought": 2, "missed": 3}, "of the first five calls"


def test_a_batch_that_is_refused_says_why_and_the_run_can_go_on(store: Store) -> None:
    with practice(batch_seconds=0.02, batch_ends="failed") as server:
        run_id = runs.start(store, "lea", order(store, server.url))
        end = runs.wait(store, run_id)
        assert end.state == "failed" and "This batch was told to fail" in end.why
        assert end.done == 1, "the first judgment is asked directly"
        port = int(server.url.split(":")[-1].split("/")[0])
    with practice(batch_seconds=0.02, port=port):
        runs.resume(store, "lea", run_id)
        end = runs.wait(store, run_id)
        assert (end.state, end.done, end.scored) == ("finished", 6, 6)


def test_calls_that_fail_twice_are_unscored_with_the_reason_and_others_are_asked_again(store: Store) -> None:
    with practice("500=1", batch_seconds=0.02) as server:
        # The direct first call fails as the others do; a manner that is known skips it.
        known = {f"{server.url} practice-constant": "json_schema"}
        store.tx("lea", "test", lambda tx: worker.remember_modes(tx, known))
        run_id = runs.start(store, "lea", order(store, server.url))
        end = runs.wait(store, run_id)
        assert (end.state, end.done, end.unscored) == ("finished", 6, {"api_error": 6})
        assert any("500" in problem for problem in end.problems) and server.log.asked == 12


def test_a_restart_collects_what_was_handed_in_before(store: Store) -> None:
    with practice(batch_seconds=0.3) as server:
        run_id = runs.start(store, "lea", order(store, server.url), patient=False)
        end = runs.wait(store, run_id)
        assert end.state == "waiting for batch" and end.done == 1
        with pytest.raises(Exception, match="already"):
            runs.start(store, "lea", order(store, server.url), patient=False)
        # Nothing of it is in this process any more, and the row that names the batch may be missing, too.
        runs.follow_all_batches(store)
        end = runs.wait(store, run_id)
        assert (end.state, end.done, end.calls) == ("finished", 6, calls(store))
        assert server.log.asked == calls(store)


def test_a_batch_whose_row_is_missing_is_found_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ends between handing a batch in and writing that down."""
    with practice(batch_seconds=0.05) as server:
        real = batches._Batches._record
        monkeypatch.setattr(batches._Batches, "_record", lambda self, ident, state, detail: _gone())
        run_id = runs.start(store, "lea", order(store, server.url))
        assert runs.wait(store, run_id).state == "failed"
        monkeypatch.setattr(batches._Batches, "_record", real)
        runs.resume(store, "lea", run_id)
        end = runs.wait(store, run_id)
        assert (end.state, end.done) == ("finished", 6) and server.log.asked == calls(store)


def _gone() -> None:
    raise StoreFailed("Nothing was saved.")


def test_a_stopped_batch_is_cancelled_and_what_it_brought_is_collected_on_a_resume(store: Store) -> None:
    with practice(batch_seconds=30.0) as server:
        run_id = runs.start(store, "lea", order(store, server.url), patient=False)
        assert runs.wait(store, run_id).state == "waiting for batch"
        runs.stop(store, "lea", run_id)
        end = runs.wait(store, run_id)
        assert end.state == "stopped" and "Resume" in end.why


def test_a_batch_that_the_endpoint_knows_no_more_is_handed_in_again_on_a_resume(store: Store) -> None:
    with practice(batch_seconds=30.0) as server:
        run_id = runs.start(store, "lea", order(store, server.url), patient=False)
        assert runs.wait(store, run_id).state == "waiting for batch"
        port = int(server.url.split(":")[-1].split("/")[0])
    with practice(batch_seconds=0.02, port=port):
        runs.follow_all_batches(store)
        end = runs.wait(store, run_id)
        assert end.state == "failed" and "does not know the batch" in end.why
        [(count, most)] = store.rows("select calls, tokens_out from charge where sort = 'lost'")
        assert count > 0 and most == count * CARD.defaults.max_tokens, "whoever may have paid, paid at most that"
        runs.resume(store, "lea", run_id)
        end = runs.wait(store, run_id)
        assert (end.state, end.done, end.scored) == ("finished", 6, 6)


def test_the_spending_limit_bounds_what_is_handed_in(store: Store) -> None:
    with practice(batch_seconds=0.02) as server:
        dear = order(store, server.url, price=(0.0, 1000.0), spending_limit=2.5)
        end = runs.wait(store, runs.start(store, "lea", dear))
        assert end.state == "stopped" and "spending limit" in end.why
        assert end.cost is not None and 0 < end.cost <= 2.5 and 0 < end.done < 6
