"""Admission of every call of a run: the endpoint's limits and capacity, the pauses it asks for, and the budget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from typing import Protocol

from judges.client.budget import Budget, explain_limit
from judges.client.endpoint import Endpoint
from judges.client.retries import MAX_REQUESTED_PAUSE_SECONDS

MAX_CONSECUTIVE_FAILURES = 20
"""If this many calls in a row fail after all their tries, the run ends, because the rest would fail too."""
_MINUTE_SECONDS = 60.0


class Bucket:
    """A rate limit per minute, on a given clock (seconds, any origin): a token bucket that may go into debt.

    It contains at most the amount of one second (at least 1) and fills so slowly that no 60 seconds see more than
    `per_minute`:

        capacity c = max(1, m / 60),  rate = (m - c) / 60 a second  (m / 60 where m < 60: one at a time)

    An amount above the capacity is admitted when the bucket is full. It leaves a debt, for which later ones wait.
    `per_minute` 0 is no limit.
    """

    def __init__(self, per_minute: float, now: float = 0.0) -> None:
        self._capacity = max(1.0, per_minute / _MINUTE_SECONDS) if per_minute > 0 else inf
        one_at_a_time = 0 < per_minute < _MINUTE_SECONDS
        self._rate = (per_minute if one_at_a_time else max(per_minute - self._capacity, 0.0)) / _MINUTE_SECONDS
        self._level, self._at = self._capacity, now

    def wait(self, amount: float, now: float) -> float:
        """Seconds until the amount may be taken; 0.0 means now."""
        self._fill(now)
        lacking = min(amount, self._capacity) - self._level
        return lacking / self._rate if lacking > 1e-9 else 0.0

    def take(self, amount: float, now: float) -> None:
        """Take an amount; taking it before `wait` is 0 leaves a debt."""
        self._fill(now)
        self._level -= amount

    def settle(self, estimate: float, real: float) -> None:
        """Correct an estimated amount: `estimate` was taken, `real` was used."""
        self._level = min(self._level + estimate - real, self._capacity)

    def _fill(self, now: float) -> None:
        self._level = min(self._level + max(now - self._at, 0.0) * self._rate, self._capacity)
        self._at = max(now, self._at)


class ConcurrencyWindow:
    """The number of calls that may be under way, 1 to `max_calls`: additive increase, multiplicative decrease.

    A call that was turned away or timed out (429, 503, a timeout) cuts the window to 0.7 of its size, but only if it
    began after the last cut: calls that were under way together count as one signal. After as many successful calls as
    its size, the window has grown by `max_calls` / 20 (at least 1). Source: Chiu and Jain 1989.
    """

    def __init__(self, max_calls: int) -> None:
        self._max_calls = max_calls
        self._size = float(max_calls)
        self._step = max(1.0, max_calls / 20)
        self._cut_at = -inf
        self.cuts = 0
        self._turned_away = 0.0

    @property
    def size(self) -> int:
        """The most calls under way."""
        return int(self._size)

    @property
    def crowded(self) -> bool:
        """Whether more than about a quarter of the latest calls were turned away: then all calls should wait."""
        return self._turned_away > 0.25

    def record_success(self) -> None:
        """A call was answered."""
        self._turned_away *= 0.9
        if self._size < self._max_calls:
            self._size = min(self._size + self._step / self._size, float(self._max_calls))

    def record_refusal(self, began: float, now: float) -> None:
        """Record that a call, begun at that time, was turned away now."""
        self._turned_away = 0.9 * self._turned_away + 0.1
        if began > self._cut_at:
            self._size, self._cut_at = max(1.0, self._size * 0.7), now
            self.cuts += 1


async def wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait so many seconds, or until the event if that comes first."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass


class CallLimiter(Protocol):
    """The object that a run asks whether a call may begin: a Throttle, or a proxy for one in another process.

    `refusal` says why the budget admits no more calls.
    """

    refusal: str

    async def admit(self, estimate: float, max_cost: float, sent: int) -> bool:
        """Wait until a call may begin that sends so many tokens, and takes about `estimate`; False if none may.

        It costs at most `max_cost` dollars.
        """

    def release(self, estimate: float, used: float, max_cost: float, real: float) -> None:
        """End a call that was begun with (estimate, max_cost): it used so many tokens, and really cost so much."""

    def record_answer(self, replied: bool) -> None:
        """A call was answered, by a reply or by what is wrong with it."""

    def record_failure(self, why: str, lasting: bool) -> str:
        """A call has failed for good; why the run ends, where so many have. `lasting`: all its tries were used up."""

    def record_refusal(self, began: float, floor: float) -> bool:
        """A call that began then was turned away, to come back in `floor` seconds; True the first time."""

    def wake(self) -> None:
        """Let those who wait see that the run ends."""


class Throttle:
    """A CallLimiter, first come, first served; once `ended` is set it admits no more calls.

    `clock` gives seconds of any origin. If many calls are turned away, all calls wait.
    """

    def __init__(
        self, endpoint: Endpoint, budget: Budget | None, clock: Callable[[], float], ended: asyncio.Event
    ) -> None:
        self._budget, self._clock, self._ended = budget, clock, ended
        self._window = ConcurrencyWindow(endpoint.concurrency)
        self._requests = Bucket(endpoint.requests_per_minute, clock())
        self._tokens = Bucket(endpoint.tokens_per_minute, clock())
        self._line, self._freed = asyncio.Lock(), asyncio.Event()
        self._under_way, self._paused_until = 0, 0.0
        self._replied, self._failures = False, 0
        self.refusal = ""

    async def admit(self, estimate: float, max_cost: float, sent: int = 0) -> bool:
        budget = self._budget
        async with self._line:
            while not self._ended.is_set():
                if self._under_way >= self._window.size:
                    await self._any_freed()
                    continue
                now = self._clock()
                wait = max(self._requests.wait(1, now), self._tokens.wait(estimate, now), self._paused_until - now)
                if wait > 0:
                    await wait_for(self._ended, wait)
                    continue
                if budget is not None:
                    if self._under_way and not (budget.proven and budget.take(max_cost)):
                        await self._any_freed()
                        continue
                    if not self._under_way and not budget.take(max_cost):
                        self.refusal = explain_limit(budget.limit, budget.spent, max_cost * budget.overrun_factor)
                        return False
                    await budget.secure()
                    if self._ended.is_set():
                        budget.settle(max_cost, 0.0)
                        return False
                self._requests.take(1, now)
                self._tokens.take(estimate, now)
                self._under_way += 1
                return True
        return False

    def release(self, estimate: float, used: float, max_cost: float, real: float) -> None:
        self._under_way -= 1
        self._tokens.settle(estimate, used)
        if self._budget is not None:
            self._budget.settle(max_cost, real)
        self._freed.set()

    def record_answer(self, replied: bool) -> None:
        self._window.record_success()
        if replied:
            self._replied, self._failures = True, 0

    def record_failure(self, why: str, lasting: bool) -> str:
        if lasting or not self._replied:
            self._failures += 1
        many = f"{self._failures} calls failed one after the other, the last because: {why}."
        return many if self._failures >= MAX_CONSECUTIVE_FAILURES else ""

    def record_refusal(self, began: float, floor: float) -> bool:
        now, cuts = self._clock(), self._window.cuts
        self._window.record_refusal(began, now)
        if self._window.crowded and floor:
            self._paused_until = max(self._paused_until, now + min(floor, MAX_REQUESTED_PAUSE_SECONDS))
        return cuts == 0 and self._window.cuts == 1

    def wake(self) -> None:
        self._freed.set()

    async def _any_freed(self) -> None:
        self._freed.clear()
        await self._freed.wait()
