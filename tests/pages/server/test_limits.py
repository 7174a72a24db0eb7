"""Nobody who works is ever held back, and nobody can ask without end."""

from __future__ import annotations

import pytest

from pages.server import limits
from pages.server.limits import SAVES, SIGN_INS, Buckets, ProgramThrottle, TooFast


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_fastest_hand_and_what_waited_for_the_server_pass() -> None:
    clock = Clock()
    buckets = Buckets(SAVES, clock)
    for _ in range(8 * 3600 * 19):  # a key held down for a day of work, an item in each message
        clock.now += 1 / 19
        assert not buckets.wait("ann", 2)
    clock.now += 60
    assert not any(buckets.wait("bob", 201) for _ in range(9)), "1,800 answers that waited in a browser, at once"


def test_a_flood_is_held_back_alone_and_passes_at_the_steady_rate() -> None:
    clock = Clock()
    buckets = Buckets(SAVES, clock)
    passed = sum(not buckets.wait("ann", 201) for _ in range(1_000))
    assert passed == SAVES.burst // 201
    assert buckets.wait("ann", 201) > 0 and not buckets.wait("bob", 201)
    clock.now += buckets.wait("ann", 201) + 1e-6
    assert not buckets.wait("ann", 201), "the time that is said is the time that it takes"
    clock.now += 10_000
    assert sum(not buckets.wait("ann", 201) for _ in range(1_000)) == SAVES.burst // 201, "nothing is saved up"


def test_those_who_ask_under_ever_new_names_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_MAX_CLIENTS", 50)
    buckets = Buckets(SIGN_INS, Clock())
    for n in range(500):
        buckets.wait(str(n))
    assert len(buckets._left) == 50


def test_the_refusal_says_what_becomes_of_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_saves", Buckets(SAVES, Clock()))
    monkeypatch.setattr(limits, "_sign_ins", Buckets(SIGN_INS, Clock()))
    with pytest.raises(TooFast, match=r"under the name ann than .* kept in this browser and saved in \d s"):
        for _ in range(100):
            limits.check_saves("ann", 200)
    with pytest.raises(TooFast, match="Try again in 1 s"):
        for _ in range(1_000):
            limits.check_sign_in()


def test_programs_leave_people_half_of_the_time_while_they_answer_and_take_all_of_it_otherwise() -> None:
    clock, rests = Clock(), list[float]()

    def sleep(seconds: float) -> None:
        rests.append(seconds)
        clock.now += seconds

    def work(seconds: float) -> float:
        clock.now += seconds
        return seconds

    pace = ProgramThrottle(clock, sleep)
    assert [pace.take(lambda: work(0.5)) for _ in range(3)] == [0.5] * 3 and rests == [], "nobody is at work"
    pace.note_answer()
    for _ in range(2):
        pace.take(lambda: work(0.5))
    assert rests == [0.5], "a rest comes before the next request, so that the answer itself goes out at once"
    with pytest.raises(ZeroDivisionError):
        pace.take(lambda: work(0.25) / 0)
    pace.take(lambda: work(8))
    assert rests == [0.5, 0.5, 0.25], "what fails has taken time as well"
    pace.note_answer()
    pace.take(lambda: work(8))
    assert rests[3:] == [], "the last answer was 10.5 s ago as that ended"
    pace.take(lambda: work(0.5))
    assert rests[3:] == [2.0], "never longer than that"
    pace.note_answer()
    pace.take(lambda: work(0.5))
    clock.now += 0.3
    pace.take(lambda: work(0.5))
    assert rests[4:] == [pytest.approx(0.2)], "what nobody asked in meanwhile is part of the rest"


def test_each_answer_of_a_person_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, rests = Clock(), list[float]()
    monkeypatch.setattr(limits, "programs", pace := ProgramThrottle(clock, rests.append))
    limits.check_saves("ann", 1)
    for _ in range(2):
        pace.take(lambda: setattr(clock, "now", clock.now + 1))
    assert rests == [1.0]
