"""Runs through the Batch API: rounds, what a batch did not bring, restarts, and how they end."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.records import datasets
from data.runs import batches, dry_runs, runs, worker
from data.runs.run_config import RunConfig, RunProgress
from data.store import Store
from data.store.errors import StoreFailed
from judges.cards import card
from judges.client import batch_files
from judges.client.client import Client
from judges.client.endpoint import Endpoint
from judges.client.errors import TransientError
from judges.protocols.call_plan import Task, pieces
from judges.types import ITEM
from tests import seeds
from tests.practice_server import practice

CARD = card("multi_turn_dialogue")
GOOD = json.dumps(seeds.reply(seeds.dialogue(1)))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Five short dialogues and one of 12 assistant turns, which takes several windows."""
    dialogues = [*(seeds.dialogue(n) for n in range(1, 6)), seeds.dialogue(6, turns=12)]
    opened = seeds.workspace(tmp_path / "a.duckdb", dialogues)
    yield opened
    runs.close(opened)
    opened.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "POLL_SECONDS", 0.02)


def config(store: Store, url: str, **changes: Any) -> RunConfig:
    endpoint = Endpoint(base_url=url, tries=1)
    dataset = datasets.dataset_named(store, "demo").id
    return replace(RunConfig(dataset, CARD, "practice-constant", CARD.defaults, endpoint, batch=True), **changes)


def calls(store: Store) -> int:
    """How many calls the six judgments take."""
    rows = store.rows("select id, content from item")
    return sum(len(pieces(CARD, CARD.defaults, Task(key, ITEM.validate_json(text)))) for key, text in rows)


def test_a_shutdown_before_anything_is_handed_in_stops_the_run(store: Store) -> None:
    """There was no batch to wait for, and it showed as interrupted."""
    with practice(latency_ms=300) as slow:
        run_id = runs.start(store, "lea", config(store, slow.url))
        runs.close(store)
    end = runs.run_progress(store, run_id)
    assert (end.state, end.why) == ("stopped", "Assay was shut down.")


def test_lines_come_back_as_what_they_were_whatever_stands_between_them() -> None:
    item = ITEM.validate_python(seeds.dialogue(1))
    task = Task("00ff00ff00ff00ff00ff", item, "turn:3", 2)
    request_line = batch_files.batch_line(
        task, "order:ab chapter:1/2", {"model": "m", "messages": [{"role": "user", "content": "\ud800é"}]}
    )
    assert request_line.endswith(b"\n") and request_line.count(b"\n") == 1 and b"/v1/chat/completions" in request_line
    name = batch_files.custom_id(task, "order:ab chapter:1/2")
    assert len(name) <= 64
    came = {"custom_id": name, "response": {"status_code": 200, "body": {"a": 1}}, "error": None}
    expired = {"custom_id": name, "response": None, "error": {"code": "batch_expired", "message": "m"}}
    strange = ["not a line", '{"custom_id": "of somebody else", "response": {}}', "[]", ""]
    lines = "\n".join([json.dumps(came), *strange, json.dumps(expired)])
    good, missed = batch_files.read_results(lines.encode())
    assert good.place == (task.key, "turn:3", 2, "order:ab chapter:1/2")
    assert (good.status, good.body, missed.missed) == (200, b'{"a": 1}', "batch_expired")
    with pytest.raises(ValueError, match="name"):
        batch_files.custom_id(replace(task, key="a|b"), "")


def test_a_batch_run_goes_through_its_rounds(store: Store) -> None:
    with practice(batch_seconds=0.05) as server:
        run_id = runs.start(store, "lea", config(store, server.url, price=(1.0, 2.0)))
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
        run_id = runs.start(store, "lea", config(store, server.url))
        end = runs.wait(store, run_id)
        # Half of each batch is carried out, of a batch with one call none: three of those in a row end the run.
        assert end.state == "failed" and "brought no replies" in end.why
        assert 0 < end.done < 6 and server.log.asked == end.calls
    with practice(batch_seconds=0.05) as better:
        again = runs.start(store, "lea", config(store, better.url))
        end = runs.wait(store, again)
        assert end.state == "finished" and server.log.asked + better.log.asked == calls(store)
    assert store.rows("select count(*), count(distinct item_id) from judgment where unscored = ''") == [(6, 6)]
    details = store.rows("select detail from batch_event where state = 'collected' order by seq")
    assert json.loads(details[0][0]) == {"brought": 2, "missed": 3}, "of the first five calls"


def test_a_batch_that_is_refused_says_why_and_the_run_can_go_on(store: Store) -> None:
    with practice(batch_seconds=0.02, batch_ends="failed") as server:
        run_id = runs.start(store, "lea", config(store, server.url))
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
        store.tx("lea", "test", lambda tx: worker.remember_capabilities(tx, known))
        run_id = runs.start(store, "lea", config(store, server.url))
        end = runs.wait(store, run_id)
        assert (end.state, end.done, end.unscored) == ("finished", 6, {"api_error": 6})
        assert any("500" in problem for problem in end.problems) and server.log.asked == 12


def test_a_restart_collects_what_was_handed_in_before(store: Store) -> None:
    with practice(batch_seconds=0.3) as server:
        run_id = runs.start(store, "lea", config(store, server.url), patient=False)
        end = runs.wait(store, run_id)
        assert end.state == "waiting for batch" and end.done == 1
        with pytest.raises(Exception, match="already"):
            runs.start(store, "lea", config(store, server.url), patient=False)
        # Nothing of it is in this process any more, and the row that names the batch may be missing, too.
        runs.follow_all_batches(store)
        end = runs.wait(store, run_id)
        assert (end.state, end.done, end.calls) == ("finished", 6, calls(store))
        assert server.log.asked == calls(store)


def test_a_batch_whose_row_is_missing_is_found_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ends between handing a batch in and writing that down."""
    with practice(batch_seconds=0.05) as server:
        real = batches._Batches._record
        monkeypatch.setattr(batches._Batches, "_record", lambda self, ident, state, detail: _fail())
        run_id = runs.start(store, "lea", config(store, server.url))
        assert runs.wait(store, run_id).state == "failed"
        monkeypatch.setattr(batches._Batches, "_record", real)
        runs.resume(store, "lea", run_id)
        end = runs.wait(store, run_id)
        assert (end.state, end.done) == ("finished", 6) and server.log.asked == calls(store)


def _fail() -> None:
    raise StoreFailed("Nothing was saved.")


def test_a_stopped_batch_is_cancelled_and_what_it_brought_is_collected_on_a_resume(store: Store) -> None:
    with practice(batch_seconds=30.0) as server:
        run_id = runs.start(store, "lea", config(store, server.url), patient=False)
        assert runs.wait(store, run_id).state == "waiting for batch"
        runs.stop(store, "lea", run_id)
        end = runs.wait(store, run_id)
        assert end.state == "stopped" and "Resume" in end.why


def test_a_batch_that_the_endpoint_knows_no_more_is_handed_in_again_on_a_resume(store: Store) -> None:
    with practice(batch_seconds=30.0) as server:
        run_id = runs.start(store, "lea", config(store, server.url), patient=False)
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
        dear = config(store, server.url, price=(0.0, 1000.0), spending_limit=2.5)
        end = runs.wait(store, runs.start(store, "lea", dear))
        assert end.state == "stopped" and "spending limit" in end.why
        assert end.cost is not None and 0 < end.cost <= 2.5 and 0 < end.done < 6


# -- a Batch API in this process -------------------------------------------------------------------------------------

URL = "http://127.0.0.1:9"
UNWINDOWED = CARD.defaults.model_copy(update={"window": 0})
Answer = tuple[int, dict[str, Any]] | None
"""Status and body of one call; None: it was not carried out."""
USAGE = {"usage": {"prompt_tokens": 700, "completion_tokens": 90}}


def completion(text: str, **more: Any) -> Answer:
    return 200, {"model": "m", "choices": [{"finish_reason": "stop", "message": {"content": text}}], **more}


class Shop(Client):
    """What is handed in, and how it stands: each look at a batch shows its next state, and at last the results."""

    def __init__(
        self, answer: Callable[[int, int], Answer] = lambda n, nth: completion(GOOD, **USAGE), **fields: Any
    ) -> None:
        known = {f"{URL} practice-constant": "json_schema"}
        super().__init__(Endpoint(base_url=URL, key_variable=""), "practice-constant", known)
        self.of, self.shown = answer, fields
        self.files: list[bytes] = []
        self.jobs: dict[str, dict[str, Any]] = {}
        self.states: dict[str, list[str]] = {}
        self.times: Counter[str] = Counter()
        self.cancelled: list[str] = []
        self.listed = True

    async def models(self) -> list[str]:
        return ["practice-constant"]

    async def upload(self, lines: bytes) -> str:
        self.files.append(lines)
        return f"file {len(self.files)}"

    async def submit(self, file: str, note: dict[str, str]) -> dict[str, Any]:
        ident = file.replace("file", "batch")
        job = {"id": ident, "input_file_id": file, "metadata": note, "output_file_id": f"{ident} out", **self.shown}
        self.states[ident] = list(self.shown.get("states", ["validating", "in_progress", "in_progress", "completed"]))
        self.jobs[ident] = job
        return job

    async def batch(self, ident: str) -> dict[str, Any]:
        states = self.states[ident]
        return {**self.jobs[ident], "status": states.pop(0) if len(states) > 1 else states[0]}

    async def batches(self) -> list[dict[str, Any]]:
        if not self.listed:
            raise TransientError("server", "no such list", status=404)
        return [*self.jobs.values(), {"id": "of somebody", "metadata": None}]

    async def content(self, file: str) -> bytes:
        requests = self.files[int(file.split()[1]) - 1]
        return b"\n".join(json.dumps(self._result(line)).encode() for line in requests.splitlines())

    def _result(self, line: bytes) -> dict[str, Any]:
        called, first = name(line), sorted(map(name, self.files[0].splitlines()))
        nth, self.times[called] = self.times[called], self.times[called] + 1
        came = self.of(first.index(called) if called in first else len(first), nth)
        if came is None:
            return {"custom_id": called, "response": None, "error": {"code": "batch_expired"}}
        return {"custom_id": called, "response": {"status_code": came[0], "body": came[1]}}

    async def cancel(self, ident: str) -> dict[str, Any]:
        self.cancelled.append(ident)
        if ident == "batch 1":
            raise TransientError("server", "not now")
        return {}


@pytest.fixture
def open_shop(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Shop]:
    """Opens a shop that all runs ask from then on."""

    def make_shop(*args: Any, **fields: Any) -> Shop:
        shop = Shop(*args, **fields)
        for module in (batches, dry_runs):
            monkeypatch.setattr(module, "open_client", lambda *_: shop)
        return shop

    return make_shop


def name(line: bytes) -> str:
    return str(json.loads(line)["custom_id"])


def run_to_end(store: Store, patient: bool = True, **changes: Any) -> tuple[str, RunProgress]:
    """A run to its end: its id, and how that was."""
    run_id = runs.start(store, "lea", config(store, URL, **changes), patient=patient)
    return run_id, runs.wait(store, run_id)


def submitted_batches(store: Store, run_id: str) -> list[dict[str, Any]]:
    query = "select detail from batch_event where run_id = $1 and state = 'submitted' order by seq"
    return [json.loads(row[0]) for row in store.rows(query, [run_id])]


def test_a_round_is_files_within_the_bounds_each_as_full_as_it_can_be(
    store: Store, open_shop: Callable[..., Shop], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = open_shop()
    first, end = run_to_end(store, patient=False)
    assert end.state == "waiting for batch" and len(shop.files) == 1
    whole = shop.files[0].splitlines(keepends=True)
    [batch] = submitted_batches(store, first)
    assert len(whole) == 6 and batch == {"file": "file 1", "calls": 6, "tokens": batch["tokens"]}
    runs.stop(store, "lea", first)
    runs.wait(store, first)
    two, sizes = len(whole[0]) + len(whole[1]), list(map(len, whole))
    for limit, bound, together in (
        ("MAX_LINES", 4, [4, 2]), ("MAX_LINES", 1, [1] * 6), ("MAX_BYTES", 1, [1] * 6), ("MAX_BYTES", two, None),
    ):  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(batch_files, limit, bound)
            before = len(shop.files)
            run_id, end = run_to_end(store, patient=False)
            assert end.state == "waiting for batch"
            runs.stop(store, "lea", run_id)
            assert runs.wait(store, run_id).state == "stopped"
        files = [file.splitlines(keepends=True) for file in shop.files[before:]]
        assert [name(line) for file in files for line in file] == [name(line) for line in whole]
        counts = list(map(len, files))
        if together is None:
            assert counts[0] == 2 and all(sum(map(len, file)) <= bound for file in files)
            ends = [sum(counts[:n]) for n in range(1, len(counts))]
            assert all(sum(map(len, files[n])) + sizes[end] > bound for n, end in enumerate(ends))
        else:
            assert counts == together
        parts = submitted_batches(store, run_id)
        assert [part["calls"] for part in parts] == counts
        assert sum(part["tokens"] for part in parts) == batch["tokens"] and min(part["tokens"] for part in parts) > 0
    assert shop.cancelled == list(shop.jobs), "each, although the first could not be"
    assert store.rows("select batch from batch_event group by 1 having count(distinct run_id) > 1") == []


def test_between_two_looks_at_a_batch_there_is_a_pause(
    store: Store, open_shop: Callable[..., Shop], monkeypatch: pytest.MonkeyPatch
) -> None:
    really, paused = batches._Batches._pause, list[bool]()

    async def pause(self: batches._Batches) -> None:
        time = asyncio.get_running_loop().time
        begin = time()
        await really(self)
        paused.append(time() - begin >= batches.POLL_SECONDS)

    monkeypatch.setattr(batches._Batches, "_pause", pause)
    shop = open_shop(states=["validating", *["in_progress"] * 3, "completed"])
    _, end = run_to_end(store)
    assert (end.state, len(shop.files), paused) == ("finished", 1, [True] * 4)


def test_how_a_batch_stands_is_written_down_as_it_changes_and_nothing_of_other_runs(
    store: Store, open_shop: Callable[..., Shop]
) -> None:
    strange = {"id": "elsewhere", "metadata": {"assay_run": "another"}}
    shop = open_shop(request_counts={"total": 6})
    shop.jobs["elsewhere"] = strange
    _, end = run_to_end(store, price=(1.0, 2.0), params=UNWINDOWED)
    assert (end.state, end.scored) == ("finished", 5), end  # the reply is one to fewer turns than one of them has
    rows = store.rows("select batch, state, detail from batch_event where batch = 'batch 1' order by seq")
    counts = '{"counts":{"total":6}}'
    assert [row[1:] for row in rows[1:-1]] == [("validating", counts), ("in_progress", counts)]
    assert (rows[0][1], rows[-1][1:]) == ("submitted", ("collected", '{"brought":6,"missed":0}'))
    assert store.rows("select count(*) from batch_event where batch in ('elsewhere', 'of somebody')") == [(0,)]
    assert end.tokens_in == 700 * end.calls and not end.estimated
    shop.listed = False  # not every endpoint lists its batches
    assert run_to_end(store, params=UNWINDOWED.model_copy(update={"seed": 5}))[1].state == "finished"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "it gave no reason"),
        ({"errors": {"data": None}}, "it gave no reason"),
        ({"errors": {"data": [{"message": "One."}, {"message": "Two"}]}}, "One.; Two"),
        ({"errors": {"data": [{"code": 1}, "Two"]}}, "Two"),
        ({"errors": {"message": "One."}}, "One."),
        ({"errors": ["One.", {"message": "Two"}]}, "One.; Two"),
        ({"errors": "One."}, "One."),
    ],
)
def test_a_batch_that_failed_says_what_it_was_told(
    store: Store, open_shop: Callable[..., Shop], fields: dict[str, Any], why: str
) -> None:
    open_shop(states=["failed"], **fields)
    _, end = run_to_end(store)
    assert (end.state, end.why) == ("failed", f"The endpoint refused the batch: {why}. Fix that, then resume the run.")


def test_each_result_is_an_answer_a_reason_or_asked_again(
    store: Store, open_shop: Callable[..., Shop]
) -> None:
    refusing = {"error": {"message": "Unsupported parameter: 'response_format'.", "param": "response_format"}}
    filtered = {"error": {"message": "Filtered.", "code": "content_filter"}}
    script: dict[int, list[Answer]] = {
        0: [None, completion(GOOD, **USAGE)],
        1: [(500, {"error": {"message": "Broken."}}), completion(GOOD, **USAGE)],
        2: [(400, refusing), completion(GOOD, **USAGE)],
        3: [(400, filtered)],
        4: [completion(GOOD)],
        5: [(500, {"error": {"message": "Broken."}}), (500, {"error": {"message": "Broken."}})],
    }
    shop = open_shop(lambda n, nth: script[n][nth], states=["completed"], error_file_id="")
    run_id, end = run_to_end(store, params=UNWINDOWED)
    assert (end.state, end.scored) == ("finished", 3), end
    assert end.unscored == {"refused": 1, "api_error": 1, "incomplete": 1}
    assert [json.loads(row[0]) for row in store.rows(
        "select detail from batch_event where state = 'collected' order by seq"
    )] == [{"brought": 4, "missed": 2}, {"brought": 4, "missed": 0}]  # fmt: skip
    assert [len(file.splitlines()) for file in shop.files] == [6, 4]
    sent = submitted_batches(store, run_id)[0]
    assert end.estimated and store.rows("select tokens_in from reply where tokens_in not in (0, 700)") == [
        (round(sent["tokens"] / 6),)
    ], "nobody told how many: so many as a call of its batch sends"
    assert any("500: Broken." in problem for problem in end.problems)


def test_a_result_that_is_broken_may_have_to_be_paid_for_each_time(
    store: Store, open_shop: Callable[..., Shop]
) -> None:
    open_shop(lambda n, nth: (200, {"choices": []}) if n == 0 else completion(GOOD, **USAGE), states=["completed"])
    _, end = run_to_end(store, params=UNWINDOWED, price=(0.0, 1.0))
    assert (end.state, end.unscored["api_error"], end.estimated) == ("finished", 1, True), end
    [(count, most)] = store.rows("select sum(calls), sum(tokens_out) from charge where sort = 'try'")
    assert (count, most) == (2, 2 * UNWINDOWED.max_tokens) and end.tokens_out == most + 5 * 90


def test_an_item_that_cannot_be_asked_about_is_unscored_and_the_others_go_on(
    tmp_path: Path, open_shop: Callable[..., Shop]
) -> None:
    bare = [{**seeds.dialogue(n), "scenario": ""} for n in (2, 3)]
    store = seeds.workspace(tmp_path / "b.duckdb", [seeds.dialogue(1), *bare])
    shop = open_shop(states=["completed"])
    _, end = run_to_end(store, params=UNWINDOWED.model_copy(update={"probe": "scenario_swapped"}))
    assert (end.state, end.done, end.unscored) == ("finished", 3, {"incomplete": 1}), end
    assert [len(file.splitlines()) for file in shop.files] == [2], "these can be given the first one's scenario"
    assert any("no other scenario" in problem for problem in end.problems)
    store.close()


def test_a_batch_whose_answer_was_lost_is_not_handed_in_a_second_time(
    store: Store, open_shop: Callable[..., Shop], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = open_shop(states=["completed"])
    really, tries = shop.submit, list[str]()

    async def lose(file: str, note: dict[str, str]) -> dict[str, Any]:
        tries.append(file)
        if len(tries) == 1:
            raise TransientError("server", "not now")
        job = await really(file, note)
        if len(tries) == 2:
            raise TransientError("connection", "the connection broke before the answer was whole", charged=True)
        return job

    monkeypatch.setattr(shop, "submit", lose)
    monkeypatch.setattr(batches, "_RETRY_DELAYS_SECONDS", (0.01, 0.01))
    run_id, end = run_to_end(store, params=UNWINDOWED)
    assert (end.state, end.done, end.calls) == ("finished", 6, 6)
    assert tries == ["file 1"] * 2 and list(shop.jobs) == ["batch 1"]
    assert store.rows("select distinct batch from batch_event where run_id = $1", [run_id]) == [("batch 1",)]


def test_three_batches_in_a_row_that_bring_nothing_end_the_run(store: Store, open_shop: Callable[..., Shop]) -> None:
    def answer(n: int, nth: int) -> Answer:
        return completion(GOOD, **USAGE) if (n, nth) == (0, 2) else None

    shop = open_shop(answer, states=["completed"])
    _, end = run_to_end(store)
    assert (end.state, end.done) == ("failed", 1) and len(shop.files) == 2 + 1 + 3
    assert end.why == "3 batches in a row brought no replies. Resume the run to try again, or without a batch."
