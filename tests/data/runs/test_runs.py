"""Runs in a workspace: what is stored as it comes, what is asked again and what is not, and how runs end."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.calibration import calibration
from data.desk import desk
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue, review_signals
from data.records import datasets, people
from data.records.access import Person
from data.records.tables import RunEventRow
from data.runs import runs, terms, worker
from data.runs import writer as runs_writer
from data.runs.endpoints import practice_url
from data.runs.pending import PendingJudgments
from data.runs.run_config import RunConfig
from data.runs.worker import Event, LiveRun
from data.store import Store, Tx
from data.store.errors import BadInput, NotAllowed, NotFound, StoreFailed
from data.store.ids import new_id
from data.workspace.verify import verify
from judges.cards import card
from judges.client.endpoint import Endpoint
from judges.client.prices import price as listed_price
from judges.client.runner import RunNotice
from judges.client.usage import Charge
from judges.params import Params
from judges.protocols.call_plan import CallReply, FinishedJudgment, Task, fuse
from judges.types import Reading
from tests import seeds
from tests.data.imports import bring, pair, source
from tests.practice_server import Running, practice

CARD = card("multi_turn_dialogue")
GOOD = {n: json.dumps(seeds.reply(seeds.dialogue(1), verdict=v)) for n, v in ((0, "excellent"), (1, "good"))}


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with practice() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Twelve dialogues that nobody has judged, a lead, a researcher and an annotator."""
    opened = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(n) for n in range(1, 13)])
    people.set_person(opened, "lea", "rae", "researcher")
    yield opened
    runs.close(opened)
    opened.close()


def config(store: Store, url: str = "http://127.0.0.1:9", **changes: Any) -> RunConfig:
    dataset = datasets.dataset_named(store, "demo")
    run_config = RunConfig(dataset.id, CARD, "practice-constant", CARD.defaults, Endpoint(base_url=url, tries=1))
    return replace(run_config, **changes)


def scripted_source(
    say: Callable[[Task], str | CallReply] = lambda task: GOOD[0], most: int = 10_000, tasks: list[Task] | None = None
) -> Callable[[LiveRun, dict[str, str]], AsyncIterator[Event]]:
    """An endpoint that says what a function says of a task, and lives for so many calls."""

    async def source(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
        for number, task in enumerate(live.remaining.tasks()):
            replies = dict(live.remaining.stored_replies(task))
            if live.should_stop() or number >= most:
                yield RunNotice("stopped", "The run was stopped.")
                return
            if "" not in replies:
                answer = say(task)
                reply = CallReply(task.key, task.part, task.sample, "", answer) if isinstance(answer, str) else answer
                replies[""] = replace(reply, key=task.key, part=task.part, sample=task.sample)
                if tasks is not None:
                    tasks.append(task)
                yield replies[""]
            yield fuse(live.config.card, live.config.params, task, replies)
            await asyncio.sleep(0)

    return source


async def until_stopped(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
    """An endpoint that says nothing until the run is stopped."""
    while not live.should_stop():
        await asyncio.sleep(0.005)
    yield RunNotice("stopped", "Stopped.")


def run_to_end(store: Store, run_config: RunConfig, source: Any) -> str:
    """A run to its end; its id."""
    run_id = runs.start(store, "rae", run_config, source=source)
    runs.wait(store, run_id)
    return run_id


def test_how_quick_a_run_is_by_what_it_stored_of_late(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1_000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    live = LiveRun("rae", "r", PendingJudgments(store, config(store), "j", until=0, seed=0), worker.ask_endpoint)
    assert live.rate() == 0 and live._thread.daemon, "a process ends without waiting for an endpoint"
    live._judged.append((clock[0], 50))
    assert live.rate() == 0, "when it began is not known yet"
    for seconds in (2, 2, 4):
        clock[0] += seconds
        live._judged.append((clock[0], 10))
    assert live.rate() == pytest.approx(30 / 8)
    clock[0] += worker._RATE_WINDOW_SECONDS - 4
    assert live.rate() == pytest.approx(10 / worker._RATE_WINDOW_SECONDS), "what is older does not count"
    clock[0] += worker._RATE_WINDOW_SECONDS
    assert live.rate() == 0


def test_how_long_a_run_still_takes_is_told_while_it_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    async def slow(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
        while not ended.is_set():
            await asyncio.sleep(0.005)
        yield RunNotice("stopped", "Stopped.")

    run_id = run_to_end(store, config(store), scripted_source(most=3))
    monkeypatch.setattr(LiveRun, "rate", lambda live: 2.0)
    runs.resume(store, "rae", run_id, source=slow)
    progress = runs.run_progress(store, run_id)
    assert (progress.state, progress.done, progress.seconds_left) == ("running", 3, (progress.total - 3) / 2)
    runs.stop(store, "lea", run_id)
    progress = runs.run_progress(store, run_id)
    assert (progress.state, progress.seconds_left) == ("stopping", None)
    ended.set()
    assert runs.wait(store, run_id).seconds_left is None


def test_what_slows_a_run_down_is_told_once_while_it_goes_on(store: Store) -> None:
    async def slow_source(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
        for _ in range(2):
            yield RunNotice("slower", "Fewer at a time.")
        while not live.should_stop():
            await asyncio.sleep(0.005)
        yield RunNotice("stopped", "Stopped.")

    run_id = runs.start(store, "rae", config(store), source=slow_source)
    while not (problems := runs.run_progress(store, run_id).problems):
        assert runs.run_progress(store, run_id).state == "running"
    assert problems == ("Fewer at a time.",)
    runs.stop(store, "rae", run_id)
    assert runs.wait(store, run_id).state == "stopped"


def over(store: Store, run_id: str) -> tuple[str, str]:
    """(state, why) of a run that ends here within a quarter of a minute."""
    if (live := worker.live_run(run_id)) is not None:
        live.join(15)
    assert worker.live_run(run_id) is None, "it does not end"
    end = runs.run_progress(store, run_id)
    return end.state, end.why


def test_an_error_that_nobody_foresaw_while_it_is_stored_ends_a_run_that_can_go_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(worker, "_MAX_BUFFERED_EVENTS", 4)
        patch.setattr(runs_writer.JudgmentWriter, "store_events", lambda *_: 1 // 0)
        state, why = over(store, runs.start(store, "rae", config(store), source=scripted_source()))
    assert (state, "an error in Assay (ZeroDivisionError)" in why) == ("failed", True)
    [run] = runs.list_runs(store)
    runs.resume(store, "rae", run.id, source=scripted_source())
    assert over(store, run.id) == ("finished", "")


def test_a_run_that_cannot_read_the_store_as_it_begins_has_failed_and_can_go_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> dict[str, str]:
        raise StoreFailed("The disk is gone.")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "known_capabilities", fail)
        run_id = runs.start(store, "rae", config(store), source=scripted_source())
        assert over(store, run_id) == ("failed", "The disk is gone.")
    runs.resume(store, "rae", run_id, source=scripted_source())
    assert over(store, run_id) == ("finished", "")


def test_a_run_that_waits_and_cannot_store_what_it_learnt_is_interrupted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def waits(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
        capabilities["somewhere m"] = "text"
        yield worker.WaitingForBatch()

    def fail(*_: Any) -> None:
        raise StoreFailed("The disk is gone.")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "record_end", fail)
        assert over(store, runs.start(store, "rae", config(store), source=waits))[0] == "interrupted"


def test_what_is_no_part_of_a_judge_still_counts_for_the_length_of_its_calls(store: Store) -> None:
    assert runs.estimate(store, config(store)).long == ""
    narrow = config(store, params=CARD.defaults.model_copy(update={"context": 300}))
    assert "longer than the 300 tokens" in runs.estimate(store, narrow).long


def failed_reply(task: Task) -> CallReply:
    return CallReply("", "", 0, "", "", "api_error", "the endpoint answered 500, after 2 tries")


def test_a_run_stores_every_reply_and_judgment_of_a_real_endpoint(store: Store, server: Running) -> None:
    run_config = config(store, server.url)
    estimate = runs.estimate(store, run_config)
    assert (estimate.items, estimate.judgments, estimate.calls, estimate.cost) == (12, 12, 12, 0.0)
    judgments = runs.dry_run(store, "rae", run_config, n=2)
    assert (
        len(judgments) == 2 and judgments[0].messages[0]["role"] == "system" and judgments[0].reading.unscored is None
    )
    again = runs.dry_run(store, "rae", replace(run_config, only_unscored=True), n=2)
    assert [judgment.name for judgment in again] == [judgment.name for judgment in judgments], (
        "whatever of them is judged"
    )
    assert [judgment.raw for judgment in judgments] == [
        judgment.answers[0].raw for judgment in judgments
    ] and judgments[0].raw
    for judgment in judgments:
        [(body,)] = store.rows("select content from item where name = $1", [judgment.name])
        assert json.loads(body)["scenario"] in judgment.messages[-1]["content"], "it was asked about this very item"
    assert store.rows("select count(*) from reply") == [(0,)] and runs.list_runs(store) == []
    run_id = runs.start(store, "rae", run_config)
    end = runs.wait(store, run_id)
    assert (end.state, end.done, end.total, end.scored, end.unscored) == ("finished", 12, 12, 12, {})
    assert end.calls == 12 and end.tokens_in > 0 and end.cost == 0.0
    assert store.rows("select count(*), count(distinct item_id), min(run_id) from judgment") == [(12, 12, run_id)]
    assert store.rows("select count(*) from score_now") == [(12 * 14,)]
    notes = store.rows("select m.raw, r.text from remark r join judgment m on m.id = r.judgment_id where r.text <> ''")
    assert len(notes) >= 12 and all(json.dumps(text, ensure_ascii=False)[1:-1] in raw for raw, text in notes)
    raws = "select count(*) from reply r join judgment m on m.item_id = r.item_id where r.raw = m.raw and r.raw <> ''"
    assert store.rows(raws) == [(12,)]
    (listed,) = runs.list_runs(store)
    assert (listed.dataset, listed.by, listed.items) == ("demo", "rae", 12)
    assert (listed.card, listed.version, listed.model) == (CARD.name, CARD.version, "practice-constant")
    assert listed.params == CARD.defaults.identity("dialogue")
    assert (listed.endpoint, listed.tokens) == (server.url, end.tokens_in + end.tokens_out)
    assert runs.count_run_judgments(store) == {run_id: (12, 12)}
    assert datasets.dataset_judges(store, run_config.dataset_id)[0][:5] == (
        listed.judge,
        CARD.name,
        "practice-constant",
        True,
        12,
    )
    assert runs.run_judge(store, run_id).card.version == CARD.version
    assert runs.estimate(store, run_config).judgments == 0
    with pytest.raises(BadInput, match="Nothing is left to ask"):
        runs.start(store, "rae", run_config)


def test_an_endpoint_that_is_faster_than_the_disk_is_held_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was answered and is not stored yet stays a few changes, however slowly the store takes them."""
    monkeypatch.setattr(worker, "MAX_EVENTS_PER_CHANGE", 2)
    monkeypatch.setattr(worker, "_MAX_BUFFERED_EVENTS", 6)
    store_events, stored, ahead = runs_writer.JudgmentWriter.store_events, [0], [0]

    def slowly(self: runs_writer.JudgmentWriter, events: Any, upto: float | None = None) -> int:
        time.sleep(0.05)
        added = store_events(self, events, upto)
        stored[0] += len(events)
        return added

    monkeypatch.setattr(runs_writer.JudgmentWriter, "store_events", slowly)
    inner = scripted_source()

    async def source(run: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
        event_count = 0
        async for event in inner(run, capabilities):
            yield event
            event_count += 1
            ahead[0] = max(ahead[0], event_count - stored[0])

    end = runs.wait(store, runs.start(store, "rae", config(store), source=source))
    assert (end.state, end.scored, stored[0]) == ("finished", 12, 24)  # a reply and a judgment of each
    assert 6 <= ahead[0] + 1 <= 6 + 2, "a backlog, and the change that is being written"


def test_the_preflight_refuses_in_a_sentence_and_stores_nothing(store: Store, server: Running) -> None:
    for run_config, message in (
        (config(store, "http://127.0.0.1:20599"), "cannot be reached"),
        (config(store, server.url, model="practice-nobody"), "practice-nobody"),
        (config(store, server.url, card=card("rubric_open_ended")), "no response"),
        (config(store, server.url, model="gpt-unheard-of", spending_limit=1.0), "price"),
        (replace(config(store, server.url), dataset_id="nowhere"), "no such dataset"),
    ):
        with pytest.raises(Exception, match=message) as refused:
            runs.start(store, "rae", run_config)
        assert len(str(refused.value).splitlines()) == 1
    assert runs.list_runs(store) == []


def test_an_annotator_can_do_nothing_with_runs(store: Store) -> None:
    run_id = run_to_end(store, config(store), scripted_source(most=2))
    for act in (
        lambda: runs.start(store, "ann", config(store)),
        lambda: runs.dry_run(store, "ann", config(store)),
        lambda: runs.stop(store, "ann", run_id),
        lambda: runs.resume(store, "ann", run_id),
    ):
        with pytest.raises(NotAllowed):
            act()
    with pytest.raises(NotFound):
        runs.run_progress(store, "no such run")


def test_a_stopped_run_goes_on_and_asks_nothing_twice(store: Store) -> None:
    tasks: list[Task] = []
    run_id = run_to_end(store, config(store), scripted_source(most=5, tasks=tasks))
    assert runs.run_progress(store, run_id).state == "stopped" and runs.run_progress(store, run_id).done == 5
    runs.resume(store, "rae", run_id, source=scripted_source(tasks=tasks))
    end = runs.wait(store, run_id)
    assert (end.state, end.done, end.calls) == ("finished", 12, 12)
    assert len({t.key for t in tasks}) == len(tasks) == 12
    # Another run of the same judge has nothing to do; another parameter is another judge.
    assert runs.estimate(store, config(store)).judgments == 0
    assert runs.estimate(store, config(store, params=Params(temperature=0.5))).judgments == 12


def test_a_run_is_waited_for_once_more_where_the_wait_was_interrupted(store: Store) -> None:
    """Python took its thread for ended: the store was closed under it, and it showed as interrupted."""
    with practice(latency_ms=700) as slow:
        run_id = runs.start(store, "lea", config(store, slow.url))
        threading.Timer(0.1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            runs.wait(store, run_id)
        runs.close(store)
        assert worker.live_run(run_id) is None
    assert runs.run_progress(store, run_id).state == "stopped"


def test_replies_without_their_judgment_are_not_asked_again(store: Store) -> None:
    """As after a kill between a reply and its judgment: the reply is used, whatever run it came in."""

    async def replies_only(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
        for task in live.remaining.tasks():
            yield CallReply(task.key, "", 0, "", GOOD[0], logprobs=(("4", (("4", -0.1),)),))
        yield RunNotice("stopped", "Stopped.")

    first = run_to_end(store, config(store), replies_only)
    assert runs.run_progress(store, first).done == 0
    tasks: list[Task] = []
    second = run_to_end(store, config(store), scripted_source(tasks=tasks))
    assert tasks == [] and runs.run_progress(store, second).scored == 12
    assert store.rows("select count(*) from reply") == [(12,)]


@pytest.mark.slow
def test_calls_that_failed_are_asked_again_and_a_later_score_takes_their_place(store: Store, tmp_path: Path) -> None:
    dataset = datasets.dataset_named(store, "demo").id
    bad = {"d-0001": failed_reply, "d-0002": lambda task: "no JSON at all", "d-0003": failed_reply}
    names = {str(i): str(n) for i, n in store.rows("select id, name from item")}
    run_id = run_to_end(store, config(store), scripted_source(lambda t: bad.get(names[t.key], lambda t: GOOD[0])(t)))
    end = runs.run_progress(store, run_id)
    assert (end.state, end.scored, dict(end.unscored)) == ("finished", 9, {"api_error": 2, "unreadable": 1})
    assert any("500" in problem for problem in end.problems)
    judge = runs.list_runs(store)[0].judge
    queue.fill_review(store, "lea", dataset, judge)

    def unusable() -> tuple[dict[str, int], int, int]:
        needs = review_signals.find_needs(store, dataset, judge)
        waiting = sum(any(r.kind == "unscored" for r in need.reasons) for need in needs)
        ids = [str(r[0]) for r in store.rows("select id from item order by name")]
        views = [desk.open_item(store, "ann", i) for i in ids]
        remark_count = sum(any("could not be used" in text for *_, text in v.remarks) for v in views)
        return dict(calibration.count_unscored(store, dataset, judge)), waiting, remark_count

    assert unusable() == ({"api_error": 2, "unreadable": 1}, 3, 3)
    # The same judge again: only the calls that failed are asked.
    tasks: list[Task] = []
    run_to_end(store, config(store), scripted_source(tasks=tasks))
    assert sorted(names[t.key] for t in tasks) == ["d-0001", "d-0003"]
    assert unusable() == ({"unreadable": 1}, 1, 1)
    # only_unscored asks what could not be read, too; the same text again stays unscored, and is one judgment more.
    tasks.clear()
    again = run_to_end(
        store, config(store, only_unscored=True), scripted_source(lambda t: "no JSON at all", tasks=tasks)
    )
    assert [names[t.key] for t in tasks] == ["d-0002"] and unusable() == ({"unreadable": 1}, 1, 1)
    assert dict(runs.run_progress(store, again).unscored) == {"unreadable": 1}
    run_to_end(store, config(store, only_unscored=True), scripted_source())
    assert unusable() == ({}, 0, 0) and verify(store) == []
    assert store.rows("select count(*) from score_now where dimension = 'verdict'") == [(12,)]
    with pytest.raises(BadInput, match="Nothing is left"):
        runs.start(store, "rae", config(store, only_unscored=True), source=scripted_source())
    # All of it written out and imported again is all there already, the judgments that were replaced, too.
    known = store.rows("select i.name, m.sample, m.raw from judgment m join item i on i.id = m.item_id")
    params = CARD.defaults.identity("dialogue")
    same = {"card": CARD.name, "model": "practice-constant", "params": params}
    lines = [{"item": name, "raw": raw, **same, **({"sample": n} if n else {})} for name, n, raw in known]
    plan = ImportPlan(dataset="demo", synthetic=True)
    done = import_source(store, "lea", from_path(seeds.lines(tmp_path / "again.jsonl", lines)), plan)
    assert (done.preview.new.judgments, done.preview.known.total) == (0, len(lines))


def test_a_call_that_failed_where_a_reply_was_unreadable_is_asked_and_that_reply_not_read_again(store: Store) -> None:
    run_to_end(store, config(store), scripted_source(lambda t: "no JSON at all"))
    again = run_to_end(store, config(store, only_unscored=True), scripted_source(failed_reply))
    assert dict(runs.run_progress(store, again).unscored) == {"api_error": 12}
    tasks: list[Task] = []
    runs.resume(store, "rae", again, source=scripted_source(tasks=tasks))
    assert runs.wait(store, again).scored == len(tasks) == 12 and verify(store) == []


def test_of_a_judgment_that_failed_in_part_only_newer_replies_than_the_unreadable_one_are_used(store: Store) -> None:
    """Three tries at one judgment of two calls: unreadable, failed in its second call, and then that call alone."""
    run_config = config(store, most=1)
    judge = runs.judge_id_of(run_config)
    [task] = PendingJudgments(store, run_config, judge, store.newest(), runs.SEED).tasks()

    def put(run_id: str, unscored: Any, **raws: str | None) -> None:
        replies = [
            CallReply(*task.slot, piece, raw or "", None if raw else "api_error", "") for piece, raw in raws.items()
        ]
        judgment = FinishedJudgment(task, f"{raws}", Reading(unscored=unscored, why="so"))
        runs_writer.JudgmentWriter(store, "lea", run_id, judge, CARD, None).store_events([*replies, judgment])

    put("one", "unreadable", a="old", b="prose")
    assert runs_writer.stored_replies(store, judge, [task.key]) == {}
    put("two", "api_error", a="new", b=None)
    stored = runs_writer.stored_replies(store, judge, [task.key])
    assert {piece: reply.raw for piece, reply in stored[task.slot].items()} == {"a": "new"}


def test_what_the_newest_change_brought_may_be_asked_again(store: Store, tmp_path: Path) -> None:
    fields = {"card": CARD.name, "model": "practice-constant", "params": CARD.defaults.identity("dialogue")}
    lines = [{"item": f"d-000{n}", "raw": "no JSON at all", **fields} for n in (1, 2)]
    bad = from_path(seeds.lines(tmp_path / "bad.jsonl", lines))
    import_source(store, "lea", bad, ImportPlan("demo", synthetic=True))
    assert store.rows("select max(seq) from judgment") == [(store.newest(),)]
    assert runs.estimate(store, config(store, only_unscored=True)).judgments == 2
    assert runs.estimate(store, config(store)).judgments == 10


def test_a_sample_that_could_be_used_stands_for_one_that_could_not(store: Store) -> None:
    run_config = config(store, params=Params(samples=3, temperature=0.3))
    run_to_end(store, run_config, scripted_source(lambda t: "prose" if t.sample == 0 else GOOD[t.sample - 1]))
    judge = runs.list_runs(store)[0].judge
    assert store.rows("select distinct sample from score_now") == [(1,)]
    assert calibration.count_unscored(store, run_config.dataset_id, judge) == [("unreadable", 12)]
    assert store.rows("select count(*) from unusable_now") == [(0,)]
    spread = store.rows("select dimension, min(agreement) from score_spread where samples = 2 group by 1 order by 1")
    assert dict(spread)["verdict"] == 0.5 and dict(spread)["helpfulness"] == 1.0


def test_a_smaller_run_draws_items_and_a_larger_one_holds_them(store: Store) -> None:
    tasks: list[Task] = []
    first = run_to_end(store, config(store, most=4), scripted_source(tasks=tasks))
    keys = {t.key for t in tasks}
    assert len(keys) == 4 and runs.run_progress(store, first).total == 4
    assert keys != {str(r[0]) for r in store.rows("select id from item order by name limit 4")}
    run_to_end(store, config(store, most=7), scripted_source(tasks=tasks))
    assert len({t.key for t in tasks}) == 7 and len(tasks) == 7


def test_items_that_came_later_belong_to_another_run(store: Store, tmp_path: Path) -> None:
    run_id = run_to_end(store, config(store), scripted_source(most=3))
    import_source(
        store, "lea", from_path(seeds.lines(tmp_path / "more.jsonl", [seeds.dialogue(99)])), ImportPlan(dataset="demo")
    )
    runs.resume(store, "rae", run_id, source=scripted_source())
    assert runs.wait(store, run_id).done == 12
    assert runs.estimate(store, config(store)).judgments == 1


@pytest.mark.parametrize("again", ["start", "resume"])
def test_of_two_who_start_a_judge_at_the_same_moment_one_does(
    store: Store, monkeypatch: pytest.MonkeyPatch, again: str
) -> None:
    first = run_to_end(store, config(store), scripted_source(most=1))
    real, others = terms.token_price, list[str]()

    def meanwhile(of: RunConfig) -> Any:
        """What both look up after they have seen that nobody runs the judge."""
        if not others:
            others.append("")
            others[0] = runs.start(store, "lea", config(store), source=until_stopped)
        return real(of)

    monkeypatch.setattr(terms, "token_price", meanwhile)
    with pytest.raises(BadInput, match="This very judge is running over this dataset already"):
        if again == "start":
            runs.start(store, "rae", config(store), source=until_stopped)
        else:
            runs.resume(store, "rae", first, source=until_stopped)
    assert {run.id for run in runs.list_runs(store)} == {first, *others}
    runs.stop(store, "lea", others[0])
    runs.wait(store, others[0])


def test_one_run_of_a_judge_at_a_time(store: Store) -> None:
    run_id = runs.start(store, "rae", config(store), source=until_stopped)
    assert runs.run_progress(store, run_id).state == "running"
    with pytest.raises(BadInput, match="already"):
        runs.start(store, "lea", config(store), source=until_stopped)
    with pytest.raises(BadInput, match="goes on already"):
        runs.resume(store, "rae", run_id, source=until_stopped)
    pending = PendingJudgments(store, config(store), "j", until=0, seed=0)
    twice = LiveRun("rae", run_id, pending, until_stopped)
    with pytest.raises(BadInput, match="goes on already"):  # as when two look after it at the same moment
        twice.start("run resumed", lambda tx: None)
    runs.stop(store, "lea", run_id)
    end = runs.wait(store, run_id)
    assert end.state == "stopped" and end.why == "lea stopped it. Resume it to go on where it was."


def test_a_shutdown_ends_runs_and_a_run_whose_process_is_gone_is_interrupted(store: Store) -> None:
    run_id = runs.start(store, "rae", config(store), source=until_stopped)
    runs.close(store)
    end = runs.run_progress(store, run_id)
    assert (end.state, end.why) == ("stopped", "Assay was shut down.")
    # A process that is killed leaves the last row as it was.
    store.tx("rae", "test", lambda tx: tx.append([RunEventRow(new_id(), run_id, "started", "")]))
    end = runs.run_progress(store, run_id)
    assert end.state == "interrupted" and "Resume" in end.why and runs.list_runs(store)[0].state == "interrupted"
    runs.resume(store, "rae", run_id, source=scripted_source())
    assert runs.wait(store, run_id).state == "finished"


@pytest.mark.parametrize("where", ["list", "progress"])
def test_a_run_that_ends_while_its_state_is_read_is_not_taken_for_interrupted(
    store: Store, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    run_id = runs.start(store, "rae", config(store), source=until_stopped)
    waiting = worker.runs_waiting

    def end_meanwhile(reader: Store | Tx) -> set[str]:
        """The rows of the run are read by now, and what goes on here is not looked at yet."""
        if (live := worker.live_run(run_id)) is not None and threading.current_thread() is threading.main_thread():
            live.stop("Enough.")
            live.join()
        return waiting(reader)

    monkeypatch.setattr(worker, "runs_waiting", end_meanwhile)
    if where == "list":
        [run] = runs.list_runs(store)
        assert (run.state, run.why) == ("stopped", "Enough.")
    else:
        progress = runs.run_progress(store, run_id)
        assert (progress.state, progress.why) == ("stopped", "Enough.")


def test_a_store_that_takes_nothing_more_ends_the_run_with_its_sentence(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, full = store.write, [False]

    def write(work: Any) -> Any:
        if full[0]:
            raise StoreFailed("Nothing was saved: the disk is full. Check the disk's free space and rights.")
        return real(work)

    monkeypatch.setattr(store, "write", write)

    def say(task: Task) -> str:
        full[0] = True
        return GOOD[0]

    run_id = run_to_end(store, config(store), scripted_source(say))
    end = runs.run_progress(store, run_id)
    assert end.state == "failed" and "disk is full" in end.why and end.done == 0
    with pytest.raises(StoreFailed, match="the disk is full"):
        runs.resume(store, "rae", run_id, source=scripted_source())
    full[0] = False
    runs.resume(store, "rae", run_id, source=scripted_source())
    assert runs.wait(store, run_id).scored == 12


def test_whoever_waits_for_a_run_is_told_of_it_again_and_again(store: Store) -> None:
    states: list[str] = []

    async def slow(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
        until = time.monotonic() + 5
        while len(states) < 3 and time.monotonic() < until:
            await asyncio.sleep(0.005)
        yield RunNotice("stopped", "Stopped.")

    run_id = runs.start(store, "rae", config(store), source=slow)
    end = runs.wait(store, run_id, lambda progress: states.append(progress.state), every=0.01)
    assert end.state == "stopped" and states[:3] == ["running"] * 3


def test_the_spending_limit_ends_a_run_and_holds_over_its_resume(store: Store, server: Running) -> None:
    run_config = config(store, server.url, price=(1.0, 1000.0), spending_limit=3.0)
    endpoint = run_config.endpoint.model_copy(update={"concurrency": 1})
    run_id = runs.start(store, "rae", replace(run_config, endpoint=endpoint))
    end = runs.wait(store, run_id)
    assert end.state == "stopped" and "spending limit" in end.why and 0 < end.done < 12
    assert end.cost is not None and 0 < end.cost <= 3.0
    costs = store.rows("select sum(tokens_in * 1.0 + tokens_out * 1000.0) / 1000000 from reply")[0][0]
    assert end.cost == pytest.approx(costs)
    runs.resume(store, "rae", run_id)
    after = runs.wait(store, run_id)
    assert after.done == end.done and "spending limit" in after.why


def test_the_key_is_nowhere(store: Store, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-4711")
    with practice("500=0.3,refused=0.2,401=0.1", echo_key=True) as noisy:
        run_config = config(store, noisy.url, endpoint=Endpoint(base_url=noisy.url, tries=2, concurrency=2))
        output = ""
        try:
            output += str(runs.dry_run(store, "rae", run_config))
            run_id = runs.start(store, "rae", run_config)
            output += repr(runs.wait(store, run_id)) + repr(runs.list_runs(store))
        except Exception as error:
            output += str(error)
        assert noisy.log.asked > 0
    tables = [
        r[0] for r in store.rows("select table_name from information_schema.tables where table_type = 'BASE TABLE'")
    ]
    contents = "".join(str(store.rows(f"select * from {name}")) for name in tables)
    out = capfd.readouterr()
    assert "canary" not in contents + output + out.out + out.err
    assert "run" in tables and "demo" in contents


def test_an_older_run_is_of_the_same_judge_and_one_inside_asks_where_that_is_now(store: Store) -> None:
    run_id = run_to_end(store, config(store, params=Params(samples=2, combine="")), scripted_source(most=3))
    settings = json.loads(store.rows("select settings from run")[0][0])
    del settings["params"]["combine"]  # as from before there was a choice
    old = json.dumps({**settings, "inside": True})
    row = f"select 'old' as id, dataset_id, judge_id, '{old}' as settings, items, judgments from run"

    def add(tx: Tx) -> None:
        tx.derive("run", "id, dataset_id, judge_id, settings, items, judgments", row)
        tx.append([RunEventRow(new_id(), "old", "started", "")])

    store.tx("rae", "test", add)
    was, now = runs.config_of(store, run_id), runs.config_of(store, "old")
    assert was.endpoint.base_url == "http://127.0.0.1:9" and now.endpoint.base_url == practice_url()
    assert runs.judge_id_of(now) == runs.judge_id_of(was) == runs.run_judge(store, "old").id


def test_what_was_found_out_of_an_endpoint_is_remembered(store: Store) -> None:
    with practice(refuses=frozenset({"json_schema"})) as plain:
        run_config = config(store, plain.url, most=2)
        runs.wait(store, runs.start(store, "rae", run_config))
        refused = sum(plain.log.refused.values())
        runs.wait(store, runs.start(store, "rae", replace(run_config, most=5)))
        assert refused > 0 and sum(plain.log.refused.values()) == refused
    assert store.rows("select count(*) from setting_now where scope = 'endpoints'") == [(1,)]


def test_a_probe_is_a_judge_that_the_usual_lists_leave_out(store: Store, server: Running) -> None:
    run_config = config(store, server.url, most=3)
    runs.wait(store, runs.start(store, "rae", run_config))
    probed = replace(run_config, params=CARD.defaults.model_copy(update={"probe": "injected_order"}))
    runs.wait(store, runs.start(store, "rae", probed))
    usual, probe = runs.list_runs(store)[1].judge, runs.list_runs(store)[0].judge
    assert [j[0] for j in datasets.dataset_judges(store, run_config.dataset_id)] == [usual]
    assert probe != usual


def test_log_probabilities_are_kept_where_a_score_is(store: Store) -> None:
    known = runs_writer.answer_words(CARD)
    tokens = (
        ('{"safety": ', (("x", -0.1), ("y", -3.0))), ("4", (("4", -0.105312), ("5", -2.3))), (", ", ((",", -0.1),)),
        ("blue", (("blue", -0.2),)), ('"good"', (("good", -0.3), ("poor", -1.4))), ("}", ()),
    )  # fmt: skip
    back = runs_writer.expand_logprobs(runs_writer.compact_logprobs(tokens, known))
    assert "".join(t for t, _ in back) == "".join(t for t, _ in tokens)
    assert [(t, a) for t, a in back if a] == [
        ("4", (("4", -0.1053), ("5", -2.3))), ('"good"', (("good", -0.3), ("poor", -1.4))),
    ]  # fmt: skip
    assert runs_writer.compact_logprobs((), known) == "" and runs_writer.expand_logprobs("") == ()


def test_texts_that_no_store_can_hold_become_ones_that_it_can(store: Store) -> None:
    run_id = run_to_end(store, config(store, most=1), scripted_source(lambda t: "a\x00b\ud800c"))
    assert runs.run_progress(store, run_id).unscored == {"unreadable": 1}
    assert store.rows("select raw from reply") == [("a\ufffdb?c",)]


def test_a_place_keeps_a_judgment_that_could_be_used_and_every_try_that_could_not(store: Store) -> None:
    run_config = config(store)
    judge = runs.judge_id_of(run_config)
    tasks = list(PendingJudgments(store, run_config, judge, store.newest(), runs.SEED).tasks())
    api_error = Reading(unscored="api_error", why="gone")

    def put(run_id: str, *entries: FinishedJudgment | CallReply | Charge, up_to: float | None = None) -> int:
        return runs_writer.JudgmentWriter(store, "lea", run_id, judge, CARD, (1.0, 2.0)).store_events(entries, up_to)

    good, failure = FinishedJudgment(tasks[0], GOOD[0], Reading()), FinishedJudgment(tasks[1], "", api_error)
    assert put("one", good, failure) == 2
    other = FinishedJudgment(tasks[2], GOOD[1], Reading())
    assert put("two", FinishedJudgment(tasks[0], GOOD[1], Reading()), failure, other) == 2, "the first place is taken"
    last = FinishedJudgment(tasks[3], "", api_error)
    assert put("two", failure, last, CallReply(tasks[3].key, "", 0, "", "", tokens_in=30, tokens_out=5), up_to=0.5) == 1
    rows = store.rows("select item_id, run_id, unscored from judgment order by seq, unscored desc")
    used, failed, new, late = (task.key for task in tasks[:4])
    assert rows == [
        (failed, "one", "api_error"), (used, "one", ""), (failed, "two", "api_error"), (new, "two", ""),
        (late, "two", "api_error"),
    ]  # fmt: skip
    assert store.rows("select run_id, calls, tokens_in, tokens_out, cost from charge") == [("two", 1, 30, 5, 4e-5)]
    assert store.rows("select run_id, upto from spending_hold") == [("two", 0.5)]
    sure = (("4", (("4", -0.1), ("5", -2.5))),)
    whole = CallReply(tasks[5].key, "", 0, "p", "4", None, "why", "json_schema", "served", 30, 5, 2, 1.5, sure)
    put("two", whole)
    assert runs_writer.stored_replies(store, judge, [tasks[5].key]) == {(tasks[5].key, "", 0): {"p": whole}}


def test_a_judgment_that_somebody_imported_meanwhile_stands(store: Store) -> None:
    """Another import of the same judge while the run goes on: its judgment stays the only one of its place."""
    writer: list[Any] = []

    async def source(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
        tasks = list(live.remaining.tasks())
        other = runs_writer.JudgmentWriter(store, "lea", "", live.remaining.judge_id, CARD, None)
        other.store_events([FinishedJudgment(tasks[0], GOOD[0], Reading())])
        writer.append(tasks[0].key)
        for task in tasks:
            yield fuse(CARD, live.config.params, task, {"": CallReply(task.key, "", 0, "", GOOD[1])})

    run_id = run_to_end(store, config(store), source)
    assert store.rows("select count(*) from judgment") == [(12,)] and runs.run_progress(store, run_id).done == 11


def test_a_role_that_was_taken_away_counts_at_the_start(store: Store) -> None:
    store.tx("lea", "test", lambda tx: people.append_people(tx, [Person("rae", "annotator", True)]))
    with pytest.raises(NotAllowed):
        runs.start(store, "rae", config(store), source=scripted_source())


def test_a_run_counts_with_its_own_price_and_else_with_that_of_the_list() -> None:
    batch = {"batch": True}
    assert terms.counted_price((2.0, (1.0, 3.0)), "gpt-4o", batch) == (2.0, (1.0, 3.0))
    listed = listed_price("gpt-4o", batch=True)
    assert listed and terms.counted_price((2.0, None), "gpt-4o", batch) == (2.0, listed)


def test_newer_items_of_a_run_are_those_of_its_dataset_and_kind_that_came_after_it_was_begun(store: Store) -> None:
    run_id = runs.start(store, "lea", config(store), source=scripted_source())
    runs.wait(store, run_id)
    assert not runs.has_newer_items(store, run_id)
    bring(store, [seeds.dialogue(1)])
    for item, newer in ((pair(), False), (seeds.dialogue(13), True)):
        import_source(store, "lea", source([item]), ImportPlan("demo"))
        assert runs.has_newer_items(store, run_id) is newer
