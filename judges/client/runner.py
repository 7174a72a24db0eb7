"""A run: a judge asked about many items at a time, within its limits, until it is done, stopped or refused."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from judges.card import Card
from judges.client import retries, usage
from judges.client.budget import Budget, cost
from judges.client.capabilities import Capabilities
from judges.client.client import Client, ClientReply
from judges.client.errors import CallError, FatalError, ParameterRefused, TransientError
from judges.client.limits import CallLimiter, Throttle, wait_for
from judges.client.usage import Charge
from judges.errors import AssayError, BadCard
from judges.params import Params
from judges.protocols import call_plan
from judges.protocols.call_plan import CallReply, ChatRequest, FinishedJudgment, Mode, Task
from judges.reading.reading import json_objects
from judges.types import Reading, UnscoredReason

GRACE_SECONDS = 5.0
"""Seconds that calls under way get when a run is stopped; what is not answered by then leaves no row."""
STOPPED_NOTICE = "The run was stopped before all was asked."
FEWER_CALLS_NOTICE = "The endpoint refused calls or left them waiting: fewer calls are made at a time."
_LONG_PAUSE_SECONDS = 30.0
"""A pause of this many seconds is reported, because nothing seems to happen during it."""
_STOP_POLL_SECONDS, _MAX_REFITS = 0.05, 8


@dataclass(frozen=True, slots=True)
class RunNotice:
    """A message about the run itself. `stopped` and `spent`: it ended before everything was asked."""

    sort: Literal["manner", "slower", "stopped", "spent"]
    text: str


RunEvent = CallReply | FinishedJudgment | Charge | RunNotice
"""The events of a run."""


@dataclass(eq=False)
class Run:
    """A judge that is asked for every task: `stream` gives each answer as it comes, and each judgment once complete.

    Tasks are taken one at a time as there is room for them, and at most `endpoint.concurrency` are under way; the order
    of what comes is not that of the tasks. `stored(task)` gives the answers that a task already has, by piece: they are
    not asked for again, unless they failed (api_error). A call that failed after all its tries is a CallReply that is
    unscored (api_error) with the true reason; its judgment asks for no further pieces and is unscored, too. A Charge
    is a call that may have cost something and brought no CallReply.

    The first call goes alone, to learn how the model must be asked. `stop`, a function that may live in another thread,
    ends the run: no call is begun, those under way get `grace` seconds. `budget` ends it before its limit could be
    passed. In both cases the last event is a RunNotice. `seed` draws the jitter of the pauses between tries. With a
    `salt` (judges.protocols.messages.nonce) the messages of each call can be made again. A `limiter` lets calls in
    where several runs share the limits of the endpoint and the budget, which then only prices what this one asks.
    """

    card: Card
    params: Params
    client: Client
    tasks: Iterable[Task] | AsyncIterator[Task]
    stored: Callable[[Task], Mapping[str, CallReply] | None] | None = None
    stop: Callable[[], bool] | None = None
    budget: Budget | None = None
    seed: int = 0
    grace: float = GRACE_SECONDS
    salt: str | None = None
    limiter: CallLimiter | None = None

    def __post_init__(self) -> None:
        self.endpoint, self.model = self.client.endpoint, self.client.model
        self._tasks = self.tasks if isinstance(self.tasks, AsyncIterator) else iter(self.tasks)
        self._chance = Random(self.seed)
        self._clock = asyncio.get_running_loop().time
        self._ended = asyncio.Event()
        self._limiter = self.limiter or Throttle(self.endpoint, self.budget, self._clock, self._ended)
        self._counts = bool(self.endpoint.tokens_per_minute or self.budget or self.limiter)
        self._mean_out = min(self.params.max_tokens, 400.0)
        self._out: deque[RunEvent] = deque()
        self._ready, self._room = asyncio.Event(), asyncio.Event()
        self._trial = not self.client.remembers_model()
        self._tried = asyncio.Event()
        self._reported: set[str] = set()
        self._quiet_until = float("-inf")
        self._former_capabilities: Capabilities | None = None
        self._prose = 0
        self._fault: BaseException | None = None
        self._last: RunNotice | None = None
        self._workers: list[asyncio.Task[None]] = []
        self._busy, self._max_out = self.endpoint.concurrency, 4 * self.endpoint.concurrency + 64

    # -- the stream ---------------------------------------------------------------------------------------------------

    async def stream(self) -> AsyncIterator[RunEvent]:
        """The events of all workers, until the workers are done or nobody takes them any more.

        Raises FatalError, after what was under way, when nothing more can be asked; AssayError for a card without
        prompts.
        """
        card = self.card
        if not card.prompts:
            raise AssayError(
                f"The card {card.name} has no prompt: its judgments can be imported, but it cannot be run."
            )
        if not self._trial:
            self._tried.set()
        self._workers = [asyncio.create_task(self._work(number)) for number in range(self.endpoint.concurrency)]
        for worker in self._workers:
            worker.add_done_callback(self._worker_done)
        watch = asyncio.create_task(self._watch_for_stop())
        try:
            while True:
                while self._out:
                    yield self._out.popleft()
                self._room.set()
                if self._busy == 0 and not self._out:
                    break
                self._ready.clear()
                await self._ready.wait()
            if self._fault is not None:
                raise self._fault
            if self._last is not None:
                yield self._last
        finally:
            for task in (*self._workers, watch):
                task.cancel()
            await asyncio.gather(*self._workers, watch, return_exceptions=True)

    def _worker_done(self, _: asyncio.Task[None]) -> None:
        self._busy -= 1
        self._ready.set()

    async def _watch_for_stop(self) -> None:
        """Watch for the request to stop; once the run is ending, give the calls under way their grace period."""
        while not self._ended.is_set():
            if self.stop is None:
                await self._ended.wait()
            elif self._may_begin_calls():
                await wait_for(self._ended, _STOP_POLL_SECONDS)
        await asyncio.wait(self._workers, timeout=self.grace)
        for worker in self._workers:
            worker.cancel()

    def _end(self, note: RunNotice | None = None, fault: BaseException | None = None) -> None:
        """Begin no more calls. The first reason counts, but a fault replaces a request to stop."""
        if self._fault is None:
            self._fault = fault
        if self._last is None:
            self._last = note
        for event in (self._ended, self._room, self._tried):
            event.set()
        self._limiter.wake()

    def _may_begin_calls(self) -> bool:
        """Whether calls may still be begun."""
        if self.stop is not None and not self._ended.is_set() and self.stop():
            self._end(RunNotice("stopped", STOPPED_NOTICE))
        return not self._ended.is_set()

    def _emit(self, run_event: RunEvent) -> None:
        self._out.append(run_event)
        self._ready.set()

    # -- one judgment after the other ---------------------------------------------------------------------------------

    async def _work(self, number: int) -> None:
        """A worker: take task after task, until there is none or the run ends."""
        try:
            if number:
                await self._tried.wait()
            while not self._ended.is_set():
                while len(self._out) > self._max_out and not self._ended.is_set():
                    self._room.clear()
                    await self._room.wait()
                tasks = self._tasks
                task = await anext(tasks, None) if isinstance(tasks, AsyncIterator) else next(tasks, None)
                if task is None:
                    self._tried.set()
                    return
                await self._judge(task)
        except Exception as fault:
            self._end(fault=fault)

    async def _judge(self, task: Task) -> None:
        """Ask for the pieces of one judgment, and give it; nothing more is given once the run ends between them."""
        card, params = self.card, self.params
        stored_replies = {} if self.stored is None else dict(self.stored(task) or {})
        answers = {piece: answer for piece, answer in stored_replies.items() if answer.unscored != "api_error"}
        try:
            while left := call_plan.remaining_pieces(card, params, task, answers):
                answer = await self._answer(task, left[0], answers)
                if answer is None:
                    return
                self._emit(answer)
                answers[left[0]] = answer
            self._emit(call_plan.fuse(card, params, task, answers))
        except (FatalError, BadCard):  # a card whose own code fails cannot judge the next item either
            raise
        except AssayError as error:  # an item that this judge cannot be asked about
            self._emit(FinishedJudgment(task, "", Reading(unscored="incomplete", why=str(error))))

    async def _answer(self, task: Task, piece: str, before: Mapping[str, CallReply]) -> CallReply | None:
        """The answer to one piece after its tries; None where the run ends first. Raises FatalError."""
        tried = refits = 0
        request: ChatRequest | None = None
        mode: Mode = "text"
        while True:
            now_mode = self.client.capabilities.mode
            if request is None or now_mode != mode:
                mode = now_mode
                request = call_plan.build_request(self.card, self.params, task, piece, before, mode, self.salt)
            tokens_in = usage.tokens_sent(request, mode) if self._counts else 0
            most = 0.0 if self.budget is None else self.budget.highest_cost(tokens_in, self.params.max_tokens)
            estimate = tokens_in + self._mean_out
            if not self._may_begin_calls() or not await self._limiter.admit(estimate, most, tokens_in):
                if not self._ended.is_set():
                    self._end(RunNotice("spent", self._limiter.refusal))
                return None
            began, real, used = self._clock(), most, estimate
            floor, charged = 0.0, True
            bill: tuple[int, int, bool] | None = None
            try:
                answer = await self.client.answer(self.params, request, mode)
                seconds = self._clock() - began
                bill = usage.tokens_billed(answer, request, mode, self.params.max_tokens)
                used = float(bill[0] + bill[1])
                self._mean_out += (bill[1] - self._mean_out) / 20
                if self.budget is not None:
                    real = cost(self.budget.price, bill[0], bill[1])
                self._limiter.record_answer(True)
                tried += 1
                if self._trial and self._in_prose(request, answer):
                    continue
                charged = False  # the answer tells itself what it cost
                if self._trial:
                    self.client.remember_model()
                    self._end_trial()
                return CallReply(
                    *task.slot, piece, answer.raw, answer.unscored, answer.why, answer.mode, answer.model,
                    bill[0], bill[1], tried, seconds, answer.logprobs, bill[2],
                )  # fmt: skip
            except FatalError:
                real, used, charged = 0.0, 0.0, False
                raise
            except ParameterRefused as fit:
                real, used, charged = 0.0, 0.0, False
                refits += 1
                if fit.why and fit.why not in self._reported:
                    self._reported.add(fit.why)
                    self._emit(RunNotice("manner", f"{fit.why}."))
                if refits > _MAX_REFITS:
                    raise FatalError(f"The endpoint accepted no form of request for {self.model}: {fit.why}.") from None
                continue
            except CallError as fact:
                real, charged = 0.0, False
                self._limiter.record_answer(False)
                return self._make_failed_reply(task, piece, mode, tried + 1, began, fact.unscored, fact.why)
            except TransientError as fault:
                charged = fault.charged
                real = most if charged else 0.0
                tried += 1
                floor = retries.requested_pause(fault.headers, retries.server_time(fault.headers))
                crowded = fault.sort in ("rate", "timeout") or fault.status == 503
                if crowded and self._limiter.record_refusal(began, floor):
                    self._emit(RunNotice("slower", FEWER_CALLS_NOTICE))
                delay = retries.retry_pause(tried, self.endpoint.tries, self._chance, floor)
                if delay is not None and floor >= _LONG_PAUSE_SECONDS and self._clock() >= self._quiet_until:
                    self._quiet_until = self._clock() + delay
                    self._emit(RunNotice("slower", retries.describe_pause(floor)))
                why = fault.why
            finally:
                self._limiter.release(estimate, used, most, real)
                if charged:  # also a call that was dropped: it was asked, so it may have to be paid for in full
                    at_most = (tokens_in or usage.tokens_sent(request, mode), self.params.max_tokens, True)
                    self._emit(Charge("try", *(bill or at_most)))
            if delay is None:
                ways = f"{why}, after {tried} tries" if tried > 1 else why
                return self._make_failed_reply(task, piece, mode, tried, began, "api_error", ways, streak=True)
            await wait_for(self._ended, delay)
            if self._ended.is_set():
                return None

    def _make_failed_reply(
        self, task: Task, piece: str, mode: Mode, tried: int, began: float, unscored: UnscoredReason, why: str,
        streak: bool = False,
    ) -> CallReply:  # fmt: skip
        """The reply for a call that failed for good. Too many such calls in a row end the run with a FatalError."""
        if self._trial:
            self._end_trial()
        if unscored == "api_error" and (all_ := self._limiter.record_failure(why, streak)):
            self._end(fault=FatalError(all_))
        seconds = self._clock() - began
        return CallReply(*task.slot, piece, "", unscored, why, mode, self.model, tries=tried, seconds=seconds)

    # -- the first call -----------------------------------------------------------------------------------------------

    def _end_trial(self) -> None:
        self._trial = False
        self._tried.set()

    def _in_prose(self, request: ChatRequest, reply: ClientReply) -> bool:
        """Whether to repeat the first call, because the endpoint seems to accept the schema but ignore it.

        After prose instead of JSON twice, the shape of the reply is described in words from then on. If the answer is
        still prose, the model is the cause, so the capabilities are restored.
        """
        if request.schema is None or reply.unscored or json_objects(reply.raw):
            return False
        capabilities = self.client.capabilities
        self._prose += 1
        if capabilities.mode != "text":
            if self._prose == 2:
                self._former_capabilities = capabilities
                self.client.set_capabilities(replace(capabilities, mode="text"))
                text = f"{self.model} answered without JSON: the prompt now describes the reply in words."
                self._emit(RunNotice("manner", text))
            return self._prose <= 2
        if self._former_capabilities is not None:
            self.client.set_capabilities(self._former_capabilities)
        self._end_trial()
        return False
