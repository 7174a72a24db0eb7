"""Budgets per minute, the number of calls under way, and money."""

import asyncio
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.client.budget import Budget, cost
from judges.client.endpoint import Endpoint
from judges.client.limits import MAX_CONSECUTIVE_FAILURES, Bucket, ConcurrencyWindow, Throttle


def take_times(bucket, amounts, now=0.0):
    """When each amount was taken, by someone who waits as told."""
    times = []
    for amount in amounts:
        while (wait := bucket.wait(amount, now)) > 0:
            now += wait
        bucket.take(amount, now)
        times.append(now)
    return times


def test_thirty_a_minute_are_one_every_two_seconds():
    assert take_times(Bucket(30), [1] * 4) == pytest.approx([0, 2, 4, 6])


def test_six_hundred_a_minute_by_hand():
    # capacity 10, rate (600 - 10) / 60 = 9.8333 a second: ten at once, the eleventh after 1 / 9.8333 s
    times = take_times(Bucket(600), [1] * 11)
    assert times[:10] == [0.0] * 10
    assert times[10] == pytest.approx(60 / 590)


@given(st.integers(1, 5000), st.integers(0, 1000))
def test_no_minute_sees_more_than_its_budget(per_minute, start):
    times = take_times(Bucket(per_minute, start), [1] * min(3 * per_minute, 400), start)
    for first, begin in enumerate(times):
        assert sum(begin <= t < begin + 60 - 1e-6 for t in times[first:]) <= per_minute


def test_a_large_amount_goes_through_and_is_waited_for():
    bucket = Bucket(600)  # tokens: capacity 10, 59/6 a second
    assert bucket.wait(500, 0) == 0
    bucket.take(500, 0)
    assert bucket.wait(10, 0) == pytest.approx((10 + 490) / (590 / 60))
    bucket.settle(500, 100)  # it was an estimate
    assert bucket.wait(10, 0) == pytest.approx((10 + 90) / (590 / 60))


def test_no_limit_is_never_waited_for():
    bucket = Bucket(0)
    bucket.take(1e9, 0)
    assert bucket.wait(1e9, 0) == 0


def test_window_is_cut_once_for_calls_that_were_under_way_together():
    window = ConcurrencyWindow(100)
    for _ in range(30):
        window.record_refusal(began=1.0, now=2.0)
    assert (window.size, window.cuts) == (70, 1)
    window.record_refusal(began=3.0, now=4.0)
    assert (window.size, window.cuts) == (49, 2)


def test_window_grows_back_by_a_twentieth_a_round_and_never_above():
    window = ConcurrencyWindow(100)
    window.record_refusal(1.0, 2.0)
    for _ in range(70):  # a window's worth
        window.record_success()
    assert 74 <= window.size <= 75
    for _ in range(5000):
        window.record_success()
    assert window.size == 100


def test_window_never_closes():
    window = ConcurrencyWindow(4)
    for n in range(100):
        window.record_refusal(began=n + 0.5, now=n + 0.6)
    assert window.size == 1 and window.crowded
    for _ in range(20):
        window.record_success()
    assert not window.crowded


def test_cost_by_hand():
    assert cost((2.5, 10.0), 1_000, 100) == pytest.approx(0.0025 + 0.001)


def test_budget_counts_what_is_under_way():
    budget = Budget(1.0, (1.0, 2.0))
    most = budget.highest_cost(200_000, 100_000)  # .2 + .2
    assert most == pytest.approx(0.4)
    assert [budget.take(most) for _ in range(3)] == [True, True, False]
    budget.settle(most, 0.1)
    assert budget.spent == pytest.approx(0.1) and budget.open == pytest.approx(0.4)
    assert budget.take(most)  # .1 + .4 + .4
    assert not budget.take(most)


def test_a_budget_is_proven_by_the_first_call_that_costs_something():
    budget = Budget(1.0, (1.0, 2.0))
    proven = [budget.proven]
    for real in (0.0, 0.1, 0.0):
        assert budget.take(0.2)
        budget.settle(0.2, real)
        proven.append(budget.proven)
    assert proven == [False, False, True, True]


def test_calls_under_way_are_assumed_to_cost_as_much_more_as_the_worst_so_far():
    budget = Budget(1.0, (1.0, 2.0))
    assert budget.take(0.2)
    budget.settle(0.2, 0.3)
    assert (budget.overrun_factor, budget.spent) == (pytest.approx(1.5), 0.3)
    assert [budget.take(0.2) for _ in range(3)] == [True, True, False]  # .3 + .3 + .3, and no room for .3 more


def test_lasting_failures_end_a_run_and_others_only_until_a_first_reply():
    def count_to_the_end(lasting, replied):
        throttle = Throttle(Endpoint(), None, lambda: 0.0, asyncio.Event())
        throttle.record_answer(replied)
        return sum(not throttle.record_failure("no", lasting) for _ in range(2 * MAX_CONSECUTIVE_FAILURES))

    before_the_last = MAX_CONSECUTIVE_FAILURES - 1
    cases = {case: count_to_the_end(*case) for case in product((True, False), repeat=2)}
    assert cases == {
        (True, True): before_the_last, (True, False): before_the_last, (False, False): before_the_last,
        (False, True): 2 * MAX_CONSECUTIVE_FAILURES,
    }  # fmt: skip


def test_each_call_takes_one_request_of_the_minute():
    async def count_admitted():
        ended = asyncio.Event()
        throttle = Throttle(Endpoint(concurrency=40, requests_per_minute=600), None, lambda: 0.0, ended)
        calls = [asyncio.create_task(throttle.admit(1, 0.0)) for _ in range(12)]
        for _ in range(100):
            await asyncio.sleep(0)
        admitted = sum(call.done() for call in calls)
        ended.set()
        assert sum(await asyncio.gather(*calls)) == admitted
        return admitted

    assert asyncio.run(count_admitted()) == 10, "a sixtieth of the minute's 600 at once, and no time has passed"
