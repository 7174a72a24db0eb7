"""A runner in another process: it gets judgments to make, and reports every result to the owner of the run.

It begins no call without its owner's admission, so limits and budget are shared, and nothing more is asked once the
owner is gone. It keeps nothing: a result that the owner did not receive counts as never asked.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from judges.authoring.custom import from_spec
from judges.cards import cards
from judges.client.budget import Budget, Price
from judges.client.client import Client
from judges.client.endpoint import Endpoint
from judges.client.errors import FatalError
from judges.client.limits import wait_for
from judges.client.runner import Run, RunEvent, RunNotice
from judges.client.usage import Charge
from judges.errors import AssayError
from judges.params import Params
from judges.protocols.call_plan import CallReply, FinishedJudgment, Slot, Task
from judges.types import Reading

Work = tuple[Task, Mapping[str, CallReply]]
"""A judgment to make, and the replies that it has already, by piece."""
_WAIT_SECONDS, _GATHER_SECONDS = 1.0, 0.005


@dataclass(frozen=True, slots=True)
class RunnerTerms:
    """The first message to every runner of a run. It never contains a key: that is in the runner's own environment.

    `spec` and `version` are the card's; `endpoint` has the concurrency of this runner, `capabilities` how models are
    asked. The owner has already checked that the endpoint may be asked, and with which key. `seed` draws the jitter
    between tries, `budget` prices calls: (spending limit, price).
    """

    spec: Mapping[str, Any]
    version: str
    model: str
    params: Params
    endpoint: Endpoint
    capabilities: Mapping[str, str]
    seed: int = 0
    budget: tuple[float, Price] | None = None


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A call asks for admission, under a number of its own: see CallLimiter.admit."""

    number: int
    estimate: float
    max_cost: float
    sent: int


@dataclass(frozen=True, slots=True)
class CallEnd:
    """A call that was admitted with (estimate, max_cost) has ended: see CallLimiter.release."""

    estimate: float
    used: float
    max_cost: float
    real: float


@dataclass(frozen=True, slots=True)
class CallAnswered:
    """The endpoint answered a call: see CallLimiter.record_answer."""

    replied: bool


@dataclass(frozen=True, slots=True)
class CallFailed:
    """A call has failed for good: see CallLimiter.record_failure."""

    why: str
    lasting: bool


@dataclass(frozen=True, slots=True)
class CallTurnedAway:
    """The endpoint turned away a call that began `age` seconds ago; it may be retried in `floor` seconds."""

    age: float
    floor: float


@dataclass(frozen=True, slots=True)
class NewJudgment:
    """A judgment was made. Its item is known to the owner, so it is not sent back."""

    slot: Slot
    raw: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class RunnerEnd:
    """The last message: why nothing more can be asked ("": all work is done), and how models must be asked.

    `is_own_error`: the reason is one of Assay's own errors.
    """

    fault: str
    is_own_error: bool
    capabilities: Mapping[str, str]


CallMessage = AdmissionRequest | CallEnd | CallAnswered | CallFailed | CallTurnedAway
RunnerMessage = CallReply | Charge | RunNotice | NewJudgment | CallMessage | RunnerEnd
EndSignal = Literal["", "close", "stop"]
"""A further message of an owner: no more work will come; or begin no more calls."""


class RemoteRunner:
    """One runner. Call `assign` (work and admissions) and `collect` (its messages) repeatedly and concurrently."""

    def __init__(self, terms: RunnerTerms) -> None:
        self._terms = terms
        self._tasks, self._stored_replies = _Tasks(), dict[Slot, Mapping[str, CallReply]]()
        self._run_messages, self._call_messages = list[RunnerMessage](), list[RunnerMessage]()
        self._news, self._stop = asyncio.Event(), asyncio.Event()
        self._limiter = _RemoteLimiter(self)
        self._work: asyncio.Task[None] | None = None

    async def assign(self, work: Sequence[Work], admitted: Sequence[tuple[int, bool]], signal: EndSignal) -> None:
        """Receive judgments to make, admissions or refusals of calls, and an end signal."""
        for task, stored in work:
            self._stored_replies[task.slot] = stored
            self._tasks.put(task)
        if signal:
            self._tasks.put(None)
        if signal == "stop":
            self._stop.set()
            self._limiter.close()
        for number, may in admitted:
            self._limiter.answer(number, may)
        if self._work is None:
            self._work = asyncio.create_task(self._run())

    async def collect(self) -> list[RunnerMessage]:
        """The messages since the last call; waits a while for the first one, and briefly for further ones."""
        if not (self._run_messages or self._call_messages):
            self._news.clear()
            await wait_for(self._news, _WAIT_SECONDS)
        await asyncio.sleep(_GATHER_SECONDS)
        # A call is released when its reply enters the runner's stream. Both messages must go together: an owner
        # that hears only that the call has ended would assume that it was never made.
        ready = len(self._call_messages)
        await asyncio.sleep(0)
        if self._run_messages and isinstance(self._run_messages[-1], RunnerEnd):
            ready = len(self._call_messages)
        messages = self._call_messages[:ready] + self._run_messages
        self._run_messages, self._call_messages = [], self._call_messages[ready:]
        return messages

    def queue_message(self, message: RunnerMessage, about_call: bool = False) -> None:
        """Keep a message for the next `collect`."""
        (self._call_messages if about_call else self._run_messages).append(message)
        self._news.set()

    async def _run(self) -> None:
        capabilities, fault, own = dict(self._terms.capabilities), "", False
        try:
            async for event in self._run_tasks(capabilities):
                if isinstance(event, FinishedJudgment):
                    self.queue_message(NewJudgment(event.task.slot, event.raw, event.reading))
                elif not (isinstance(event, RunNotice) and event.sort in ("stopped", "spent")):  # the owner's to say
                    self.queue_message(event)
        except AssayError as error:
            fault = str(error)
        except Exception as error:
            fault, own = type(error).__name__, True
        self.queue_message(RunnerEnd(fault, own, capabilities))

    async def _run_tasks(self, capabilities: dict[str, str]) -> AsyncIterator[RunEvent]:
        """The events of the runner's run."""
        terms = self._terms
        card = from_spec(terms.spec, cards())
        if card.version != terms.version:
            raise FatalError(
                f"The card {card.name} differs where this runner is: it has another version of Assay, or another "
                "folder judges/cards/. Make them the same, and resume the run."
            )
        budget = None if terms.budget is None else Budget(*terms.budget)
        async with Client(terms.endpoint, terms.model, capabilities) as client:
            work = Run(
                card, terms.params, client, self._tasks, stored=self._take_stored, stop=self._stop.is_set,
                budget=budget, seed=terms.seed, limiter=self._limiter,
            )  # fmt: skip
            async for event in work.stream():
                yield event

    def _take_stored(self, task: Task) -> Mapping[str, CallReply]:
        return self._stored_replies.pop(task.slot)


class _Tasks:
    """A queue of the given judgments; None marks its end. Several consumers may wait for the next one."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Task | None] = asyncio.Queue()

    def put(self, task: Task | None) -> None:
        self._queue.put_nowait(task)

    def __aiter__(self) -> AsyncIterator[Task]:
        return self

    async def __anext__(self) -> Task:
        task = await self._queue.get()
        if task is None:
            self.put(None)
            raise StopAsyncIteration
        return task


class _RemoteLimiter:
    """The owner's Throttle, as seen by a runner in another process."""

    refusal = ""

    def __init__(self, runner: RemoteRunner) -> None:
        self._send, self._numbers = partial(runner.queue_message, about_call=True), itertools.count()
        self._waiting: dict[int, tuple[asyncio.Future[bool], float, float]] = {}
        self._closed = False

    async def admit(self, token_estimate: float, max_cost: float, sent: int) -> bool:
        if self._closed:
            return False
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        number = next(self._numbers)
        self._waiting[number] = answer, token_estimate, max_cost
        self._send(AdmissionRequest(number, token_estimate, max_cost, sent))
        return await answer

    def answer(self, number: int, may: bool) -> None:
        waiting, token_estimate, max_cost = self._waiting.pop(number)
        if not waiting.done():
            waiting.set_result(may)
        elif may:  # who asked does not wait any more
            self.release(token_estimate, 0.0, max_cost, 0.0)

    def close(self) -> None:
        """Admit no more calls."""
        self._closed = True
        for waiting, _, _ in self._waiting.values():
            if not waiting.done():
                waiting.set_result(False)

    def release(self, token_estimate: float, used: float, max_cost: float, real: float) -> None:
        self._send(CallEnd(token_estimate, used, max_cost, real))

    def record_answer(self, replied: bool) -> None:
        self._send(CallAnswered(replied))

    def record_failure(self, why: str, lasting: bool) -> str:
        self._send(CallFailed(why, lasting))
        return ""  # the owner's to say, who hears of all runners

    def record_refusal(self, began: float, floor: float) -> bool:
        self._send(CallTurnedAway(asyncio.get_running_loop().time() - began, floor))
        return False

    def wake(self) -> None:
        pass
