"""Admission of every call of a run: the endpoint's limits, the pauses it asks for, and the budget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from judges.client.budget import Budget, explain_limit
from judges.client.endpoint import Endpoint
from judges.client.limits import Bucket, ConcurrencyWindow
from judges.client.retries import LONGEST


async def wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait so long, but no longer than until the event."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass


class Throttle:
    """First come, first served: `admit` waits until a call may begin, `leave` ends it. `ended` lets nobody in.

    `clock` gives seconds of any origin. `refusal` says why the budget let nobody in any more.
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
        self.refusal = ""

    async def admit(self, held: float, most: float) -> bool:
        """Begin a call of about so many tokens that costs at most so much; False: the run ends, or its money has."""
        async with self._line:
            while not self._ended.is_set():
                if self._under_way >= self._window.size:
                    await self._any_freed()
                    continue
                now = self._clock()
                wait = max(self._requests.wait(1, now), self._tokens.wait(held, now), self._paused_until - now)
                if wait > 0:
                    await wait_for(self._ended, wait)
                    continue
                if self._budget is not None and self._under_way and not self._budget.proven:
                    await self._any_freed()
                    continue
                if self._budget is not None and not self._budget.take(most):
                    if self._under_way:
                        await self._any_freed()
                        continue
                    self.refusal = explain_limit(self._budget.limit, self._budget.spent, most * self._budget.times)
                    return False
                if self._budget is not None:
                    await self._budget.secure()
                    if self._ended.is_set():
                        self._budget.settle(most, 0.0)
                        return False
                self._requests.take(1, now)
                self._tokens.take(held, now)
                self._under_way += 1
                return True
        return False

    def leave(self, held: float, used: float, most: float, real: float) -> None:
        """End a call that was begun with (held, most): it used so many tokens, and really cost so much."""
        self._under_way -= 1
        self._tokens.settle(held, used)
        if self._budget is not None:
            self._budget.settle(most, real)
        self._freed.set()

    def good(self) -> None:
        """A call was answered."""
        self._window.good()

    def bad(self, began: float, floor: float) -> bool:
        """A call that began then was turned away, to come back in `floor` seconds; True the first time.

        Where many are turned away, the wait holds for all.
        """
        now, cuts = self._clock(), self._window.cuts
        self._window.bad(began, now)
        if self._window.crowded and floor:
            self._paused_until = max(self._paused_until, now + min(floor, LONGEST))
        return cuts == 0 and self._window.cuts == 1

    def wake(self) -> None:
        """Let those who wait see that the run ends."""
        self._freed.set()

    async def _any_freed(self) -> None:
        self._freed.clear()
        await self._freed.wait()
