"""A run spread over several runners: the same judgments as in one process, limits that all share, and runners lost.

Runners stand in this process here, and are lost by not answering any more; tests/data/runs/test_ray_cluster.py has them
on machines of a cluster.
"""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from data.runs import endpoints, runs, spread, worker
from data.runs.run_config import RunConfig, RunProgress
from data.runs.spread import RunnerLost, spread_over
from data.store import Store
from data.store.errors import NotAllowed
from data.workspace.verify import verify
from judges.client.endpoint import Endpoint
from judges.client.errors import FatalError
from judges.client.limits import MAX_CONSECUTIVE_FAILURES
from judges.client.runner import STOPPED_NOTICE, RunNotice
from judges.runners.remote_runner import (
    AdmissionRequest,
    CallEnd,
    EndSignal,
    RemoteRunner,
    RunnerEnd,
    RunnerMessage,
    RunnerTerms,
    Work,
)
from tests import seeds
from tests.data.runs.test_charges import PRICE
from tests.data.runs.test_charges import config as priced
from tests.data.runs.test_runs import CARD, GOOD, config
from tests.judges.cli.test_run import serve_in_thread
from tests.judges.endpoint import Say
from tests.practice_server import Running, practice

ITEMS = 40


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Forty dialogues that nobody has judged."""
    opened = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(n) for n in range(1, ITEMS + 1)])
    yield opened
    runs.close(opened)
    opened.close()


class Runner:
    """A runner in this process, to which everything goes as it would go to another one.

    `gone`: it is lost, as it is by itself once it would have told so much.
    """

    def __init__(self, terms: RunnerTerms, lives: float = float("inf")) -> None:
        self.real, self.gone, self.told = RemoteRunner(pickle.loads(pickle.dumps(terms))), False, 0
        self.lives = lives
        self.hands = terms.endpoint.concurrency

    async def assign(self, work: list[Work], admitted: list[tuple[int, bool]], signal: EndSignal) -> None:
        self._check()
        await self.real.assign(*pickle.loads(pickle.dumps((work, admitted, signal))))

    async def collect(self) -> list[RunnerMessage]:
        messages = await self.real.collect()
        self.told += len(messages)
        self.gone = self.gone or self.told > self.lives
        self._check()
        copies: list[RunnerMessage] = pickle.loads(pickle.dumps(messages))
        return copies

    def _check(self) -> None:
        if self.gone:
            raise RunnerLost("it was killed")

    def end(self) -> None:
        if self.real._work is not None:
            self.real._work.cancel()


class LocalPlace:
    """Starts runners in this process; the first runners may live for so much that they tell, each."""

    def __init__(self, *lives: int) -> None:
        self.runners: list[Runner] = []
        self.lives = list(lives)

    def start(self, terms: RunnerTerms) -> Runner:
        self.runners.append(Runner(terms, self.lives.pop(0) if self.lives else float("inf")))
        return self.runners[-1]


def run_to_end(store: Store, run_config: RunConfig, place: LocalPlace, runners: int = 2) -> RunProgress:
    return runs.wait(store, runs.start(store, "lea", run_config, engine=spread_over(place.start, runners)))


def judgments(store: Store) -> list[tuple[Any, ...]]:
    """All that a judge said, without who asked."""
    return store.rows(
        "select i.name, m.part, m.sample, m.raw, m.unscored from judgment m join item i on i.id = m.item_id order by 1"
    )


def spread_config(store: Store, server: Running, **endpoint: Any) -> RunConfig:
    run_config = config(store, server.url)
    return replace(
        run_config, endpoint=run_config.endpoint.model_copy(update={"concurrency": 8, "tries": 3} | endpoint)
    )


def test_several_runners_judge_as_one_process_does(store: Store, tmp_path: Path) -> None:
    place = LocalPlace()
    with practice(latency_ms=20) as server:
        end = run_to_end(store, spread_config(store, server), place, 3)
        assert (end.state, end.done, end.scored, end.calls) == ("finished", ITEMS, ITEMS, ITEMS)
        assert [c.asked for c in server.log.calls.values()] == [1] * ITEMS
        assert server.log.widest <= 8 and [runner.hands for runner in place.runners] == [3, 3, 2]
        assert all(runner.told for runner in place.runners), "one of them had nothing to do"
        other = seeds.workspace(tmp_path / "b.duckdb", [seeds.dialogue(n) for n in range(1, ITEMS + 1)])
        runs.wait(other, runs.start(other, "lea", spread_config(other, server)))
        assert judgments(store) == judgments(other)
        other.close()
    assert verify(store) == []


@pytest.mark.slow
def test_tries_of_all_runners_that_may_have_to_be_paid_for_are_charged(store: Store) -> None:
    """The first body of each is broken, which is counted at its most; the second one is an answer."""

    def say(body: dict[str, Any], nth: int) -> Say:
        return Say(GOOD[0]) if nth else Say(body=b'{"choices": [')

    with serve_in_thread(say) as endpoint:
        run_config = config(store, endpoint.url)
        run_config = replace(
            run_config,
            price=PRICE,
            endpoint=run_config.endpoint.model_copy(update={"concurrency": 4, "tries": 3}),
        )
        endpoint.models = {"data": [{"id": run_config.model}]}
        end = run_to_end(store, run_config, LocalPlace())
    assert end.state == "finished" and end.scored == ITEMS and end.estimated
    assert len(endpoint.bodies) == 2 * ITEMS
    assert store.rows("select sum(calls), min(estimated) from charge where sort = 'try'") == [(ITEMS, True)]


def test_runners_ask_what_a_list_lets_with_the_key_that_it_has(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    place = LocalPlace()
    monkeypatch.setattr(endpoints, "_listed", None)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-of-the-usual-endpoint")
    with practice() as server:
        monkeypatch.setenv("ASSAY_ENDPOINTS", f"{server.url} CANARY")
        endpoints.read_environment(team=True)
        assert run_to_end(store, spread_config(store, server, key_variable="OPENAI_API_KEY"), place).state == "finished"
        assert {runner.real._terms.endpoint.key_variable for runner in place.runners} == {"CANARY"}
        monkeypatch.setenv("ASSAY_ENDPOINTS", "")
        endpoints.read_environment(team=True)
        with pytest.raises(NotAllowed, match="not one of the endpoints"):
            run_to_end(store, replace(spread_config(store, server), model="practice-strict"), place)


def test_a_lost_runner_costs_no_more_than_what_it_had_under_way(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    place = LocalPlace(20, 45)
    with practice(latency_ms=30) as server:
        end = run_to_end(store, replace(spread_config(store, server), price=PRICE), place)
        lost_hands = [runner.hands for runner in place.runners if runner.gone]
        assert len(lost_hands) == 2 and len(place.runners) == 4
        assert (end.state, end.done, end.scored) == ("finished", ITEMS, ITEMS)
        paid: dict[str, int] = dict(store.rows("select sort, sum(calls) from charge group by sort"))
        # Each call is paid for: those that brought a reply, and the others as lost, at their most.
        twice = server.log.asked - ITEMS - int(paid.get("try", 0))
        assert 0 <= twice <= paid["lost"] <= sum(lost_hands), paid
    assert [record.msg for record in caplog.records].count("runner_lost") == 2
    for table in ("reply", "judgment"):
        assert store.rows(f"select item_id from {table} group by item_id having count(*) > 1") == []
    assert verify(store) == []


def test_runners_that_wait_for_a_machine_are_told_once_each(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    notices: list[str] = []

    def notice(sort: Any, text: str) -> spread.RunNotice:
        notices.append(text)
        return RunNotice(sort, text)

    class LateRunner(Runner):
        async def assign(self, work: list[Work], admitted: list[tuple[int, bool]], signal: EndSignal) -> None:
            await asyncio.sleep(0 if self.came else 20 * spread._POLL_SECONDS)
            self.came = True
            await super().assign(work, admitted, signal)

        came = False

    class Busy(LocalPlace):
        def start(self, terms: RunnerTerms) -> Runner:
            self.runners.append(LateRunner(terms))
            return self.runners[-1]

    monkeypatch.setattr(spread, "_POLL_SECONDS", 0.001)
    monkeypatch.setattr(spread, "RunNotice", notice)
    monkeypatch.setattr(spread, "_START_TIMEOUT_SECONDS", -1.0)
    with practice() as server:
        assert run_to_end(store, replace(spread_config(store, server), most=2), Busy()).state == "finished"
    assert notices == ["Runners wait for a machine with a free processor."] * 2


def test_runners_that_cannot_be_kept_end_the_run(store: Store) -> None:
    class Gone(LocalPlace):
        def start(self, terms: RunnerTerms) -> Runner:
            runner = super().start(terms)
            runner.gone = True
            return runner

    with practice() as server:
        end = run_to_end(store, spread_config(store, server), Gone(), 2)
    assert end.state == "failed" and "6 runners were lost one after the other, the last: it was killed" in end.why


def test_a_runner_that_takes_no_more_work_is_replaced_although_it_is_not_heard_to_be_gone(store: Store) -> None:
    class Mute(Runner):
        async def assign(self, work: list[Work], admitted: list[tuple[int, bool]], signal: EndSignal) -> None:
            if work:
                raise RunnerLost("it hung up")
            await super().assign(work, admitted, signal)

        async def collect(self) -> list[RunnerMessage]:
            return await asyncio.Event().wait()  # type: ignore[return-value]

    class Silent(LocalPlace):
        def start(self, terms: RunnerTerms) -> Runner:
            self.runners.append(Mute(terms) if not self.runners else Runner(terms))
            return self.runners[-1]

    place = Silent()
    with practice() as server:
        end = run_to_end(store, replace(spread_config(store, server), most=3), place, 1)
    assert (end.state, end.done, len(place.runners)) == ("finished", 3, 2)


def test_a_runner_that_says_no_last_word_does_not_keep_a_stopped_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Deaf(Runner):
        async def assign(self, work: list[Work], admitted: list[tuple[int, bool]], signal: EndSignal) -> None:
            self.stopped = self.stopped or signal == "stop"
            await super().assign(work, admitted, signal)

        async def collect(self) -> list[RunnerMessage]:
            messages = await super().collect()
            if self.stopped:
                await asyncio.Event().wait()
            return messages

        def end(self) -> None:
            self.ended = True
            super().end()

        stopped = ended = False

    class Stuck(LocalPlace):
        def start(self, terms: RunnerTerms) -> Runner:
            self.runners.append(Deaf(terms))
            return self.runners[-1]

    monkeypatch.setattr(spread, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(spread, "_REPLY_TIMEOUT_SECONDS", 0.1)
    place = Stuck()
    with practice(latency_ms=300) as server:
        known = {f"{server.url} practice-constant": "json_schema"}
        store.tx("lea", "test", lambda tx: worker.remember_capabilities(tx, known))
        run_config = replace(spread_config(store, server), price=PRICE)
        run_id = runs.start(store, "lea", run_config, engine=spread_over(place.start, 2))
        end = until(store, run_id, lambda: len(place.runners) == 2 and all(runner.told for runner in place.runners))
    assert (end.state, end.why, end.open) == ("stopped", "lea stopped it. Resume it to go on where it was.", 0.0)
    assert [runner.ended for runner in place.runners] == [True, True]
    lost_rows = store.rows("select calls, tokens_out from charge where sort = 'lost'")
    assert lost_rows and all(out == calls * CARD.defaults.max_tokens for calls, out in lost_rows), "each at its most"


def test_runners_of_a_stopped_run_have_so_long_for_their_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes on with each wait, as no runner says anything."""
    moment, stopped = 0.0, list[float]()

    class Dumb:
        async def assign(self, work: list[Work], admitted: list[tuple[int, bool]], signal: EndSignal) -> None:
            if signal:
                await asyncio.Event().wait()

        async def collect(self) -> list[RunnerMessage]:
            return await asyncio.Event().wait()  # type: ignore[return-value]

        def end(self) -> None:
            """It does not hear that either."""

    async def wait(event: asyncio.Event, seconds: float) -> None:
        nonlocal moment
        moment += seconds
        assert moment < 100, "it waits for ever"
        await asyncio.sleep(0)

    def is_stopped() -> bool:
        stopped.append(moment)
        return len(stopped) > 9

    async def judging() -> list[Any]:
        endpoint = Endpoint(base_url="http://127.0.0.1/v1", concurrency=1)
        live: Any = SimpleNamespace(
            config=SimpleNamespace(endpoint=endpoint), budget=lambda: None, should_stop=is_stopped, run_id="r",
            remaining=SimpleNamespace(tasks=lambda: iter([])),
        )  # fmt: skip
        work = spread._Spread(live, {}, lambda _: Dumb(), 1, "http://127.0.0.1/v1")
        work._clock = lambda: moment
        events = [event async for event in work.stream()]
        await work.close()
        return events

    monkeypatch.setattr(spread, "wait_for", wait)
    monkeypatch.setattr(spread._Spread, "_terms", lambda *_: None)
    monkeypatch.setattr(spread._Spread, "_next_work", lambda *_: [])
    assert asyncio.run(judging()) == [RunNotice("stopped", STOPPED_NOTICE)]
    allowance = spread.GRACE_SECONDS + spread._REPLY_TIMEOUT_SECONDS
    assert stopped[-1] + allowance < moment < stopped[-1] + allowance + 2.5


def test_of_a_runner_that_has_not_begun_when_all_is_done_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Coming:
        async def assign(self, work: list[Work], admitted: list[tuple[int, bool]], signal: EndSignal) -> None:
            await asyncio.sleep(0.05)

    async def waiting(word: str) -> bool:
        endpoint = Endpoint(base_url="http://127.0.0.1/v1", concurrency=1)
        left = SimpleNamespace(tasks=lambda: iter([]))
        config = SimpleNamespace(endpoint=endpoint)
        live: Any = SimpleNamespace(config=config, budget=lambda: None, run_id="r", remaining=left)
        work = spread._Spread(live, {}, lambda _: Coming(), 1, "http://127.0.0.1/v1")
        work._end_signal = word  # type: ignore[assignment]
        return await work._wait_for_runner(spread._Runner(Coming()))  # type: ignore[arg-type]

    monkeypatch.setattr(spread, "_POLL_SECONDS", 0.001)
    assert [asyncio.run(waiting(word)) for word in ("", "stop")] == [True, False]


class Scripted:
    """A runner that tells what a test has it say, None being that it is lost; `let_in` are the calls it may make."""

    def __init__(self) -> None:
        self.said, self.let_in, self.taken = asyncio.Queue[RunnerMessage | None](), list[int](), 0

    def say(self, *messages: RunnerMessage | None) -> None:
        for message in messages:
            self.said.put_nowait(message)

    async def assign(self, work: list[Work], admitted: list[tuple[int, bool]], signal: EndSignal) -> None:
        self.let_in += [number for number, may in admitted if may]

    async def collect(self) -> list[RunnerMessage]:
        message = await self.said.get()
        self.taken += 1
        if message is None:
            raise RunnerLost("it was killed")
        return [message]

    def end(self) -> None:
        """It is over."""


async def settle() -> None:
    """Let all that can go on do so."""
    for _ in range(500):
        await asyncio.sleep(0)


def spread_of(
    monkeypatch: pytest.MonkeyPatch, runners: int, started: list[Scripted]
) -> tuple[spread._Spread, AsyncIterator[Any]]:
    """So many runners that may make as many calls at once together, given no judgments, and what comes of them."""
    monkeypatch.setattr(spread._Spread, "_terms", lambda *_: None)
    monkeypatch.setattr(spread._Spread, "_next_work", lambda *_: [])
    endpoint = Endpoint(base_url="http://127.0.0.1/v1", concurrency=runners)
    live: Any = SimpleNamespace(
        config=SimpleNamespace(endpoint=endpoint), budget=lambda: None, stopped=lambda: False, run_id="r",
        remaining=SimpleNamespace(tasks=lambda: iter([])),
    )  # fmt: skip

    def start(_: Any) -> Scripted:
        started.append(Scripted())
        return started[-1]

    work = spread._Spread(live, {}, start, runners, endpoint.base_url or "")  # type: ignore[arg-type]
    return work, work.stream()


def test_runners_are_heard_no_faster_than_what_they_tell_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    notices = [RunNotice("slower", str(n)) for n in range(200)]

    async def judging() -> list[Any]:
        started: list[Scripted] = []
        work, stream = spread_of(monkeypatch, 1, started)
        coming = asyncio.ensure_future(anext(stream))
        await settle()
        started[0].say(*notices)
        events = [await coming]
        await settle()
        # 4 for the one call and 64 more may wait, and one shows that they do
        assert started[0].taken == 4 + 64 + 1
        while len(events) < len(notices):
            events.append(await anext(stream))
            await settle()
        assert len(started) == 1
        await work.close()
        return events

    assert asyncio.run(judging()) == notices


def test_calls_of_runners_that_are_lost_or_end_make_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that waited to be let in, and those that were and had not begun: they used nothing."""
    left: list[tuple[float, ...]] = []
    release = spread.Throttle.release

    def record_release(limiter: spread.Throttle, *usage: float) -> None:
        left.append(usage)
        release(limiter, *usage)

    monkeypatch.setattr(spread.Throttle, "release", record_release)

    async def judging() -> None:
        started: list[Scripted] = []
        work, stream = spread_of(monkeypatch, 2, started)
        coming = asyncio.ensure_future(anext(stream))
        await settle()
        first, second = started
        first.say(AdmissionRequest(1, 10.0, 5.0, 0), AdmissionRequest(2, 10.0, 5.0, 0))
        await settle()
        second.say(AdmissionRequest(1, 10.0, 5.0, 0))
        await settle()
        assert (first.let_in, second.let_in) == ([1, 2], [])
        second.say(None)
        await settle()
        first.say(CallEnd(10.0, 10.0, 5.0, 1.0))  # the lost one's turn comes, and nobody takes it
        await settle()
        first.say(AdmissionRequest(3, 10.0, 5.0, 0))
        await settle()
        assert (first.let_in, second.let_in, len(started)) == ([1, 2, 3], [], 3)
        first.say(RunnerEnd("", is_own_error=False, capabilities={}))
        await settle()
        assert len(started) == 4
        started[3].say(AdmissionRequest(1, 10.0, 5.0, 0), AdmissionRequest(2, 10.0, 5.0, 0))
        await settle()
        assert started[3].let_in == [1, 2]
        unused = (10.0, 0.0, 5.0, 0.0)
        assert left == [(10.0, 10.0, 5.0, 1.0), unused, unused, unused]
        coming.cancel()
        await work.close()

    asyncio.run(judging())


@pytest.mark.parametrize(("own", "fault"), [(True, RuntimeError), (False, FatalError)])
def test_a_runner_that_ends_with_a_reason_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, own: bool, fault: type[Exception]
) -> None:
    async def judging() -> None:
        started: list[Scripted] = []
        work, stream = spread_of(monkeypatch, 1, started)
        coming = asyncio.ensure_future(anext(stream))
        await settle()
        started[0].say(RunnerEnd("It cannot be.", is_own_error=own, capabilities={}))
        with pytest.raises(fault, match="It cannot be"):
            await asyncio.wait_for(coming, 30)
        await work.close()

    asyncio.run(judging())


def test_calls_that_fail_one_after_the_other_are_counted_over_all_runners(store: Store) -> None:
    with practice("500=1.0") as server:
        end = run_to_end(store, spread_config(store, server, tries=1), LocalPlace(), 4)
        most = 2 + MAX_CONSECUTIVE_FAILURES + 8
        assert server.log.asked <= most, "the check, the first call, and at most what was under way"
    assert end.state == "failed" and f"{MAX_CONSECUTIVE_FAILURES} calls failed one after the other" in end.why


def test_a_stop_reaches_all_runners_and_a_resume_asks_only_the_rest(store: Store) -> None:
    with practice(latency_ms=30) as server:
        run_id = runs.start(store, "lea", spread_config(store, server), engine=spread_over(LocalPlace().start, 2))
        while not runs.run_progress(store, run_id).done:
            time.sleep(0.01)
        runs.stop(store, "lea", run_id)
        end = runs.wait(store, run_id)
        assert end.state == "stopped" and 0 < end.done < ITEMS and end.open == 0.0
        calls = server.log.asked
        assert calls == end.calls, "calls under way were given their time"
        runs.resume(store, "lea", run_id)  # in one process: where calls are made is no part of a run
        assert runs.wait(store, run_id).done == ITEMS and server.log.asked == ITEMS


def until(store: Store, run_id: str, holds: Callable[[], bool]) -> RunProgress:
    """Stop a run once something holds; how it ended."""
    while not holds():
        assert runs.run_progress(store, run_id).state == "running"
        time.sleep(0.01)
    runs.stop(store, "lea", run_id)
    return runs.wait(store, run_id)


def test_all_runners_share_the_requests_a_minute(store: Store) -> None:
    place = LocalPlace()
    with practice() as server:
        run_config = spread_config(store, server, requests_per_minute=2)
        run_id = runs.start(store, "lea", run_config, engine=spread_over(place.start, 4))
        end = until(store, run_id, lambda: len(place.runners) == 4 and all(runner.told for runner in place.runners))
        assert end.done == server.log.asked <= 2, "the first one from here, and one of all runners"


def test_a_wait_that_one_runner_is_told_holds_for_all(store: Store) -> None:
    with practice("429=1:600") as server:
        known = {f"{server.url} practice-constant": "json_schema"}
        store.tx("lea", "test", lambda tx: worker.remember_capabilities(tx, known))
        run_config = spread_config(store, server, tries=1)
        run_id = runs.start(store, "lea", run_config, engine=spread_over(LocalPlace().start, 4))
        end = until(store, run_id, lambda: bool(runs.run_progress(store, run_id).problems))
        assert end.scored == 0 and 3 <= server.log.asked <= 8 + 2


@pytest.mark.parametrize("reports_usage", [True, False], ids=["usage", "no usage"])
def test_all_runners_share_the_spending_limit_over_starts(store: Store, reports_usage: bool) -> None:
    usage = {"prompt_tokens": 2000, "completion_tokens": 400} if reports_usage else None
    call_cost = (2000 * PRICE[0] + 400 * PRICE[1]) / 1e6
    choice = {"finish_reason": "stop", "message": {"content": GOOD[0]}}
    with serve_in_thread(lambda body, nth: Say(body={"model": "m", "choices": [choice], "usage": usage})) as endpoint:
        run_config = priced(store, endpoint.url)
        end = run_to_end(store, run_config, LocalPlace(), 4)
        assert end.state == "stopped" and "spending limit" in end.why and end.cost is not None
        assert 0 < end.cost <= run_config.spending_limit and end.open == 0.0
        calls = len(endpoint.bodies)
        assert not reports_usage or calls * call_cost <= run_config.spending_limit
        (listed,) = runs.list_runs(store)
        runs.resume(store, "lea", listed.id, engine=spread_over(LocalPlace().start, 4))
        assert runs.wait(store, listed.id).state == "stopped" and len(endpoint.bodies) == calls
