"""When a failed call is tried again: bounds of the backoff, and every way an endpoint has to ask for patience."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.client.retries import (
    MAX_PAUSE_SECONDS,
    MAX_REQUESTED_PAUSE_SECONDS,
    describe_pause,
    requested_pause,
    retry_pause,
)

NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT


def test_backoff_doubles_and_stays_below_its_bound():
    bounds = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    for tried, bound in enumerate(bounds, 1):
        drawn = [retry_pause(tried, 20, Random(seed)) for seed in range(300)]
        assert all(0 <= d <= bound for d in drawn)
        assert max(drawn) > 0.9 * bound and min(drawn) < 0.1 * bound  # full jitter: over the whole range


def test_tries_are_used_up_and_the_seed_decides():
    assert retry_pause(6, 6, Random(1)) is None
    assert retry_pause(1, 1, Random(1)) is None
    assert retry_pause(5, 6, Random(1)) == retry_pause(5, 6, Random(1)) != retry_pause(5, 6, Random(2))


@given(st.integers(1, 10_000), st.floats(0, 1e6), st.integers(0, 99))
def test_nobody_comes_back_before_the_endpoint_said(tried, floor, seed):
    pause = retry_pause(tried, tried + 1, Random(seed), floor)
    assert (
        min(floor, MAX_REQUESTED_PAUSE_SECONDS) <= pause <= min(floor, MAX_REQUESTED_PAUSE_SECONDS) + MAX_PAUSE_SECONDS
    )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "20"}, 0.25),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:57 GMT"}, 20.0),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:17 GMT"}, 0.0),
        ({"retry-after": "soon"}, 0.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "nan"}, 0.0),
        ({"retry-after": "Sun, 99 Nov 99999999 99:99:99 GMT"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms"}, 0.12),
        ({"x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "6m0s"}, 0.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1h2m3s"}, 3723.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "x"}, 0.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9" * 400 + "s"}, float("inf")),
    ],
)
def test_what_the_endpoint_asks_for(headers, seconds):
    assert requested_pause(headers, NOW) == pytest.approx(seconds)


@given(st.text(max_size=60))
def test_no_header_raises(text):
    for name in ("retry-after", "retry-after-ms", "x-ratelimit-reset-tokens"):
        assert requested_pause({name: text, "x-ratelimit-remaining-tokens": "0"}, NOW) >= 0


def test_a_pause_is_told_with_what_is_made_of_it():
    assert (
        describe_pause(45)
        == "The endpoint asks for a pause of 45 seconds: calls that it refused wait that long."
    )
    assert "of 5 minutes: calls that it refused wait that long" in describe_pause(300)
    assert "of 60 minutes: calls that it refused are tried again after 10 minutes" in describe_pause(3600)
