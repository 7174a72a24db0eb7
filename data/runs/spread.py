"""A run spread over several runners, each in a process of its own and anywhere: this process owns store and limits.

Runners get judgments and admissions and report what comes (judges/runners/remote_runner.py). If one of them is lost,
another makes its judgments; only the calls that it had under way may be asked twice.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

from data import log
from data.runs.endpoints import open_client, settle
from data.runs.worker import Event, LiveRun, Source, ask_first
from judges.client.errors import FatalError
from judges.client.limits import Throttle, wait_for
from judges.client.runner import FEWER_CALLS_NOTICE, GRACE_SECONDS, STOPPED_NOTICE, RunNotice
from judges.client.usage import Charge
from judges.plural import many
from judges.protocols.call_plan import CallReply, FinishedJudgment, Slot, Task
from judges.runners.remote_runner import (
    AdmissionRequest,
    CallAnswered,
    CallEnd,
    CallFailed,
    CallTurnedAway,
    EndSignal,
    NewJudgment,
    RunnerEnd,
    RunnerMessage,
    RunnerTerms,
    Work,
)

_POLL_SECONDS, _REPLY_TIMEOUT_SECONDS, _START_TIMEOUT_SECONDS = 0.05, 10.0, 30.0
_MAX_LOSSES_PER_RUNNER = 3
"""So many runners for each that is wanted may be lost in a row, without any report in between."""


class RunnerLost(Exception):
    """A runner's process or machine is gone, or cannot be reached any more; the text says how that showed."""


class Handle(Protocol):
    """A runner from here: its RemoteRunner, whose methods raise RunnerLost when it is gone."""

    async def assign(self, work: list[Work], admitted: list[tuple[int, bool]], signal: EndSignal) -> None:
        """RemoteRunner.assign."""

    async def collect(self) -> list[RunnerMessage]:
        """RemoteRunner.collect."""

    def end(self) -> None:
        """Let its process go, whatever it does."""


StartRunner = Callable[[RunnerTerms], Handle]
"""Starts a new runner, which may take its time to come."""


def spread_over(start: StartRunner, runners: int) -> Source:
    """Return a source that asks an endpoint through `runners` runners, each begun by `start`."""

    async def source(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Event]:
        async with open_client(live.config.endpoint, live.config.model, capabilities) as client:
            async for event in ask_first(live, client):
                yield event
            where = client.where
        work = _Spread(live, capabilities, start, runners, where)
        try:
            async for event in work.stream():
                yield event
        finally:
            await work.close()

    return source


@dataclass
class _Runner:
    """The work that one runner has to do and has in progress."""

    handle: Handle
    work: dict[Slot, tuple[Task, dict[str, CallReply]]] = field(default_factory=dict)
    admitted: dict[int, tuple[AdmissionRequest, bool]] = field(default_factory=dict)
    under_way: list[AdmissionRequest] = field(default_factory=list)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    is_lost: bool = False


class _Spread:
    def __init__(
        self, live: LiveRun, capabilities: dict[str, str], start: StartRunner, runners: int, where: str
    ) -> None:
        config = live.config
        self.live, self.capabilities, self.start_runner, self.config = live, capabilities, start, config
        max_calls = config.endpoint.concurrency
        self._runner_count = max(1, min(runners, max_calls))
        share, rest = divmod(max_calls, self._runner_count)
        self._hands = [share + (n < rest) for n in range(self._runner_count)]
        self._endpoint = settle(config.endpoint).model_copy(update={"base_url": where})
        self._budget = live.budget()
        self._clock = asyncio.get_running_loop().time
        self._ended = asyncio.Event()
        self._throttle = Throttle(config.endpoint, self._budget, self._clock, self._ended)
        self._tasks, self._more = live.remaining.tasks(), True
        self._again: deque[Work] = deque()
        self._runners: list[_Runner] = []
        self._out: deque[Event] = deque()
        self._ready, self._room = asyncio.Event(), asyncio.Event()
        self._max_out = 4 * max_calls + 64
        self._end_signal: EndSignal = ""
        self._fault: Exception | None = None
        self._last: RunNotice | None = None
        self._seeds = self._losses_in_a_row = 0
        self._going: set[asyncio.Task[None]] = set()

    async def stream(self) -> AsyncIterator[Event]:
        """Yield the events of all runners, until there is nothing left to do, or the run ends."""
        tended = [self._begin_task(self._keep_runner_at_work(hands)) for hands in self._hands]
        self._begin_task(self._watch_stop())
        for task in tended:
            task.add_done_callback(lambda _: self._ready.set())
        late: float | None = None
        while True:
            while self._out:
                yield self._out.popleft()
            self._room.set()
            if all(task.done() for task in tended) and not self._out:
                break
            if self._ended.is_set():
                late = late or self._clock() + GRACE_SECONDS + _REPLY_TIMEOUT_SECONDS
                if self._clock() > late:
                    break
            self._ready.clear()
            await wait_for(self._ready, 1.0)
        for runner in self._runners:
            self._close_runner(runner)
        while self._out:
            yield self._out.popleft()
        if self._fault is not None:
            raise self._fault
        if self._last is not None:
            yield self._last

    async def close(self) -> None:
        """End all that is under way."""
        for task in self._going:
            task.cancel()
        await asyncio.gather(*self._going, return_exceptions=True)

    def _begin_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._going.add(task)
        task.add_done_callback(self._going.discard)
        return task

    async def _watch_stop(self) -> None:
        while not self._ended.is_set():
            if self.live.should_stop():
                self._finish(RunNotice("stopped", STOPPED_NOTICE))
            await wait_for(self._ended, _POLL_SECONDS)

    def _finish(self, last: RunNotice | None = None, fault: Exception | None = None) -> None:
        """Begin no more calls. The first reason counts; a fault counts more than a wish."""
        self._fault, self._last = self._fault or fault, self._last or last
        self._end_signal = "stop"
        self._ended.set()
        self._throttle.wake()
        self._wake()

    def _wake(self) -> None:
        for runner in self._runners:
            runner.wake.set()
        self._ready.set()

    def _emit(self, event: Event) -> None:
        self._out.append(event)
        self._ready.set()

    # -- one runner after the other -----------------------------------------------------------------------------------

    async def _keep_runner_at_work(self, hands: int) -> None:
        """Keep a runner at work, and another one in its place where it is lost, until nothing is left to do."""
        try:
            while not self._end_signal:
                runner = _Runner(self.start_runner(self._terms(hands)))
                self._runners.append(runner)
                try:
                    if await self._wait_for_runner(runner):
                        await self._serve(runner, 2 * hands)
                except RunnerLost as lost:
                    self._replace(runner, str(lost))
                finally:
                    self._close_runner(runner)
                    self._runners.remove(runner)
                    runner.handle.end()
                self._close_if_done()
        except Exception as fault:
            self._finish(fault=fault)

    async def _wait_for_runner(self, runner: _Runner) -> bool:
        """Wait until a runner answers; False: by then there is nothing left to do."""
        coming = self._begin_task(runner.handle.assign([], [], ""))
        until = self._clock() + _START_TIMEOUT_SECONDS
        while not (self._end_signal or coming.done()):
            await asyncio.wait({coming}, timeout=_POLL_SECONDS)
            if self._clock() > until:
                until = float("inf")
                self._emit(RunNotice("slower", "Runners wait for a machine with a free processor."))
        if not coming.done():
            coming.cancel()
            return False
        await coming
        return True

    async def _serve(self, runner: _Runner, max_tasks: int) -> None:
        """Give a runner work and hear what it tells, until its last word."""
        tasks = self._begin_task(self._send_work(runner, max_tasks)), self._begin_task(self._receive_messages(runner))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done():
                    await task
            await tasks[1]
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for asking in runner.under_way:  # let in, and not begun before its last word
            self._throttle.release(asking.estimate, 0.0, asking.max_cost, 0.0)
        runner.under_way = []

    def _terms(self, hands: int) -> RunnerTerms:
        config, self._seeds = self.config, self._seeds + 1
        endpoint = self._endpoint.model_copy(update={"concurrency": hands})
        budget = None if self._budget is None else (self._budget.limit, self._budget.price)
        card = config.card
        return RunnerTerms(
            card.spec, card.version, config.model, config.params, endpoint, self.capabilities, self._seeds, budget
        )

    async def _send_work(self, runner: _Runner, max_tasks: int) -> None:
        """Give it work, so much ahead, and what it waits for; ends with the last word."""
        while True:
            runner.wake.clear()
            work, admitted, signal = self._next_work(runner, max_tasks), runner.admitted, self._end_signal
            runner.admitted = {}
            runner.under_way += [asking for asking, may in admitted.values() if may]
            if work or admitted or signal:
                await runner.handle.assign(work, [(number, may) for number, (_, may) in admitted.items()], signal)
            if signal == "stop":
                return
            await runner.wake.wait()

    def _next_work(self, runner: _Runner, max_tasks: int) -> list[Work]:
        """The next judgments for a runner, those first that another one was lost with."""
        share: list[Work] = []
        while len(runner.work) < max_tasks and not self._end_signal:
            if self._again:
                task, had = self._again.popleft()
            else:
                next_task = next(self._tasks, None) if self._more else None
                if next_task is None:
                    self._more = False
                    self._close_if_done()
                    break
                task, had = next_task, self.live.remaining.stored_replies(next_task)
            runner.work[task.slot] = task, dict(had)
            share.append((task, had))
        return share

    def _close_if_done(self) -> None:
        """Say that nothing more comes, once nobody has anything to do."""
        if not (self._end_signal or self._more or self._again or any(runner.work for runner in self._runners)):
            self._end_signal = "close"
            self._wake()

    # -- what they tell -----------------------------------------------------------------------------------------------

    async def _receive_messages(self, runner: _Runner) -> None:
        while True:
            for message in await runner.handle.collect():
                self._losses_in_a_row = 0
                if isinstance(message, RunnerEnd):
                    self.capabilities.update(message.capabilities)
                    if message.fault:
                        fault = RuntimeError if message.is_own_error else FatalError
                        self._finish(fault=fault(message.fault))
                    return
                self._handle_message(runner, message)
            while len(self._out) > self._max_out and not self._ended.is_set():
                self._room.clear()
                await self._room.wait()

    def _handle_message(self, runner: _Runner, message: RunnerMessage) -> None:
        match message:
            case AdmissionRequest():
                self._begin_task(self._admit(runner, message))
            case CallEnd():
                sums = message.estimate, message.max_cost
                open_ = next(request for request in runner.under_way if (request.estimate, request.max_cost) == sums)
                runner.under_way.remove(open_)
                self._throttle.release(message.estimate, message.used, message.max_cost, message.real)
            case CallAnswered():
                self._throttle.record_answer(message.replied)
            case CallFailed():
                if all_ := self._throttle.record_failure(message.why, message.lasting):
                    self._finish(fault=FatalError(all_))
            case CallTurnedAway():
                if self._throttle.record_refusal(self._clock() - message.age, message.floor):
                    self._emit(RunNotice("slower", FEWER_CALLS_NOTICE))
            case NewJudgment():
                task, _ = runner.work.pop(message.slot)
                self._emit(FinishedJudgment(task, message.raw, message.reading))
                runner.wake.set()
                self._close_if_done()
            case CallReply():
                runner.work[message.key, message.part, message.sample][1][message.piece] = message
                self._emit(message)
            case Charge() | RunNotice():
                self._emit(message)

    async def _admit(self, runner: _Runner, asking: AdmissionRequest) -> None:
        try:
            may = await self._throttle.admit(asking.estimate, asking.max_cost)
        except Exception as fault:  # what may be spent could not be stored
            self._finish(fault=fault)
            return
        if not may and not self._ended.is_set():
            self._finish(RunNotice("spent", self._throttle.refusal))
        if runner.is_lost:
            if may:
                self._throttle.release(asking.estimate, 0.0, asking.max_cost, 0.0)
            return
        runner.admitted[asking.number] = asking, may
        runner.wake.set()

    def _replace(self, runner: _Runner, why: str) -> None:
        """Give what a lost runner had to do to others."""
        log.warning("runner_lost", run=self.live.run_id, under_way=len(runner.under_way), judgments=len(runner.work))
        self._losses_in_a_row += 1
        if self._losses_in_a_row >= _MAX_LOSSES_PER_RUNNER * self._runner_count:
            self._finish(
                fault=FatalError(f"{self._losses_in_a_row} runners were lost one after the other, the last: {why}")
            )
        again = many(len(runner.under_way), "call")
        self._emit(RunNotice("slower", f"A runner was lost with {again} under way: another takes its place."))
        self._again.extend(runner.work.values())
        self._wake()

    def _close_runner(self, runner: _Runner) -> None:
        """Settle what a runner will say nothing more of: a call that it may have begun counts at its most."""
        runner.is_lost = True
        for asking, may in runner.admitted.values():
            if may:
                self._throttle.release(asking.estimate, 0.0, asking.max_cost, 0.0)
        for asking in runner.under_way:
            self._throttle.release(asking.estimate, asking.estimate, asking.max_cost, asking.max_cost)
            self._emit(Charge("lost", asking.sent, self.config.params.max_tokens))
        runner.admitted, runner.under_way, runner.work = {}, [], {}
