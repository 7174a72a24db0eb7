"""Rate limits of the server: a burst as large as people need, and then a steady rate.

Requests of programs are processed one after the other, in the processor time that people leave.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from data import metrics
from judges.errors import AssayError

T = TypeVar("T")


class TooFast(AssayError):
    """Requests under a person's name come faster than people work."""


class Limit(NamedTuple):
    """A burst, and a rate per second after it; a burst of 0 means no limit."""

    name: str
    burst: float
    a_second: float


SAVES = Limit("saves", 2_000, 60)
"""Answers of one person, and one for each message: a person who holds the key down gives 19 a second."""
SIGN_INS = Limit("sign_ins", 300, 10)
"""Sign-ins over the whole server: a class of 200 may come at one moment."""
SIGN_IN_REQUESTS = Limit("sign_in_requests", 600, 10)
"""Requests of one address to the addresses for signing in, of which a sign-in takes two: the class may share one."""
_MAX_CLIENTS = 10_000
_RECENT_SECONDS, _MAX_PAUSE_SECONDS = 10.0, 2.0
"""Seconds after an answer in which people are at work, and that programs wait at most after one request."""


class Buckets:
    """The rest of a limit for each client. Clients quiet for long are forgotten: they have all of it again."""

    def __init__(self, limit: Limit, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit, self._clock = limit, clock
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, actor: str, cost: float = 1) -> float:
        """Take an amount and give 0.0; or take nothing and give the seconds until there is enough."""
        burst, rate = self.limit.burst, self.limit.a_second
        cost = min(cost, burst)
        with self._lock:
            now = self._clock()
            had, at = self._left.pop(actor, (burst, now))
            left = min(burst, had + (now - at) * rate)
            enough = left >= cost
            self._left[actor] = (left - cost if enough else left), now
            while len(self._left) > _MAX_CLIENTS:
                self._left.popitem(last=False)
        if not enough:
            metrics.increment("held_back_total", what=self.limit.name)
        return 0.0 if enough else (cost - left) / rate


class ProgramThrottle:
    """One request of a program after the other; while people answer, as much time between two as the first one took.

    Threads of Python run one at a time, so each that computes makes every answer of a person wait, and three make it
    wait three times as long.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._answered, self._free = -math.inf, -math.inf

    def note_answer(self) -> None:
        """Note that a person is at work."""
        self._answered = self._clock()

    def take(self, work: Callable[[], T]) -> T:
        """Run the request, after the pause due for the previous one. Call it from one thread."""
        if (rest := self._free - self._clock()) > 0:
            self._sleep(rest)
        began = self._clock()
        try:
            return work()
        finally:
            ended = self._clock()
            at_work = ended - self._answered < _RECENT_SECONDS
            self._free = ended + min(ended - began, _MAX_PAUSE_SECONDS) if at_work else ended


programs = ProgramThrottle()
_saves, _sign_ins, sign_in_requests = Buckets(SAVES), Buckets(SIGN_INS), Buckets(SIGN_IN_REQUESTS)


def check_saves(person: str, answers: int) -> None:
    """Count answers of a person. Raises TooFast; then they stay in the browser, which sends them again."""
    programs.note_answer()
    if wait := _saves.wait(person, answers + 1):
        raise TooFast(
            f"More answers came under the name {person} than one person can give, so these are not saved yet. They are "
            f"kept in this browser and saved in {max(round(wait), 1)} s. If that is not you, tell a lead."
        )


def check_sign_in() -> None:
    """Count an attempt to sign in. Raises TooFast."""
    if wait := _sign_ins.wait("all"):
        raise TooFast(f"Too many people sign in at this moment. Try again in {max(round(wait), 1)} s.")
