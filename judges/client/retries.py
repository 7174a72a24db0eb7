"""The retries of a call that failed temporarily: backoff with jitter, and the pause that the endpoint asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz
from random import Random

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.5, 60.0
"""Seconds: the bound of the first pause, which doubles with every try, and the bound of any pause of our own."""
MAX_REQUESTED_PAUSE_SECONDS = 600.0
"""Seconds that an endpoint may ask us to wait; one that asks for more is asked again after this."""
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def retry_pause(tried: int, tries: int, chance: Random, floor: float = 0.0) -> float | None:
    """Seconds until the next try after `tried` failed ones (from 1), or None: `tries` are used up.

        floor + U(0, min(60, 0.5 * 2^(tried - 1)))

    Full jitter: U is uniform and drawn from `chance`, so that calls that failed together are not retried together.
    `floor` is the pause that the endpoint asked for (`requested_pause`); no retry comes earlier. Source: Brooker,
    "Exponential backoff and jitter", 2015.
    """
    if tried >= tries:
        return None
    # The exponent is bounded: 2.0 ** 5000 is no number.
    return min(floor, MAX_REQUESTED_PAUSE_SECONDS) + chance.uniform(
        0.0, min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(tried - 1, 30))
    )


def describe_pause(floor: float) -> str:
    """The message about a pause of `floor` seconds that an endpoint asks for: its length, and how long it is kept."""
    clause = f"The endpoint asks for a pause of {_minutes(floor)}"
    if floor <= MAX_REQUESTED_PAUSE_SECONDS:
        return f"{clause}: calls that it refused wait that long."
    return f"{clause}: calls that it refused are tried again after {_minutes(MAX_REQUESTED_PAUSE_SECONDS)}."


def _minutes(seconds: float) -> str:
    """Seconds, or minutes from two on, in words."""
    return f"{seconds:,.0f} seconds" if seconds < 120 else f"{seconds / 60:,.0f} minutes"


def requested_pause(headers: Mapping[str, str], now: float) -> float:
    """Seconds that a refusal asks us to wait, 0.0 if it does not ask; `now` is in seconds since 1970, UTC.

    `headers` have lower-case names. `retry-after-ms` and `retry-after` (seconds, or an HTTP date) say it outright;
    without them, `x-ratelimit-reset-requests` and `-tokens` ("1s", "6m0s", "120ms") count where the matching
    `x-ratelimit-remaining-...` is 0. A value that cannot be read gives 0.0.
    """
    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000.0
    retry_after = headers.get("retry-after", "").strip()
    if retry_after:
        if (seconds := _number(retry_after)) is not None:
            return seconds
        date = _http_date(retry_after)
        return 0.0 if date is None else max(date - now, 0.0)
    waits = [0.0]
    for sort in ("requests", "tokens"):
        if _number(headers.get(f"x-ratelimit-remaining-{sort}", "")) == 0:
            waits.append(_duration(headers.get(f"x-ratelimit-reset-{sort}", "")))
    return max(waits)


def server_time(headers: Mapping[str, str]) -> float:
    """The endpoint's own time, for a date in `retry-after`; far in the future if it gives none."""
    date = _http_date(headers.get("date", ""))
    return float("inf") if date is None else date


def _number(text: str) -> float | None:
    """A plain number that is not negative."""
    return float(text) if re.fullmatch(r"\s*\d{1,12}(\.\d{1,9})?\s*", text, re.ASCII) else None


def _http_date(text: str) -> float | None:
    """An HTTP date in seconds since 1970; None where it is none."""
    try:
        parts = parsedate_tz(text)
        return float(mktime_tz(parts)) if parts else None
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def _duration(text: str) -> float:
    """ "6m0s" in seconds; a bare number counts as seconds; 0.0 where it is neither."""
    plain = _number(text)
    if plain is not None:
        return plain
    text = text.strip()
    if not re.fullmatch(rf"({_DURATION_PART.pattern})+", text, re.ASCII):
        return 0.0
    return sum(float(amount) * _UNIT_SECONDS[unit] for amount, unit in _DURATION_PART.findall(text))
