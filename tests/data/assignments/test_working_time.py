"""Working time: Monday to Friday, nine to five, against a plain count of minutes."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from data.assignments.working_time import after_working_hours, working_hours

MOMENTS = st.datetimes(datetime(2026, 11, 1), datetime(2026, 12, 20)).map(lambda at: at.replace(microsecond=0))


def plainly(since: datetime, until: datetime) -> float:
    """The quarters of an hour that lie in working time."""
    n, at = 0, since
    while at < until:
        n += at.weekday() < 5 and 9 <= at.hour < 17
        at += timedelta(minutes=15)
    return n / 4


@given(MOMENTS, st.integers(0, 40 * 96))
def test_the_hours_between_two_moments(since: datetime, quarters: int) -> None:
    begin = since.replace(minute=0, second=0)
    until = begin + timedelta(minutes=15 * quarters)
    assert abs(working_hours(begin, until) - plainly(begin, until)) < 1e-6
    assert working_hours(until, begin) == 0


@given(MOMENTS, st.floats(0, 500))
def test_a_forecast_is_the_other_way_round(since: datetime, hours: float) -> None:
    end = after_working_hours(since, hours)
    assert end is not None and end >= since
    assert abs(working_hours(since, end) - hours) < 1e-4


def test_a_friday_evening_goes_on_with_monday_and_what_nobody_plans_has_no_end() -> None:
    friday = datetime(2026, 11, 20, 16)
    assert working_hours(friday, datetime(2026, 11, 23, 10)) == 2
    assert after_working_hours(friday, 2) == datetime(2026, 11, 23, 10)
    assert after_working_hours(friday, 1e9) is None
    most = 10_000 * 8  # hours of the working days that are looked ahead
    assert after_working_hours(friday, most) is not None and after_working_hours(friday, most + 1) is None


def test_what_ends_with_a_working_day_has_passed_then_and_not_on_the_next_morning() -> None:
    saturday = datetime(2026, 11, 21, 12)
    assert after_working_hours(saturday, 40) == datetime(2026, 11, 27, 17)
    assert after_working_hours(saturday, 0) == datetime(2026, 11, 23, 9), "nobody works before"
