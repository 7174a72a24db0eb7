"""Working time: how much of it lies between two moments, and when so much of it will have passed. Local time."""

from __future__ import annotations

from datetime import datetime, time, timedelta

BEGIN_HOUR, END_HOUR = 9, 17
"""The hours between which people work, Monday to Friday."""
HOURS_PER_DAY = END_HOUR - BEGIN_HOUR
"""Hours of a working day."""
_MAX_DAYS_AHEAD = 10_000
"""Working days that are looked ahead."""


def working_hours(since: datetime, until: datetime) -> float:
    """The hours of working time between two moments; 0 where the second is not later."""
    until = max(since, until)
    weeks = (until - since).days // 7
    hours, day = weeks * 5.0 * HOURS_PER_DAY, since + timedelta(weeks=weeks)
    while day < until:
        begin, end, following = _day(day)
        if day.weekday() < 5:
            hours += max((min(end, until) - max(begin, day)).total_seconds(), 0.0) / 3600
        day = following
    return hours


def after_working_hours(since: datetime, hours: float) -> datetime | None:
    """The moment when so many hours of working time have passed; None where that is farther than anybody plans."""
    if hours > _MAX_DAYS_AHEAD * HOURS_PER_DAY:
        return None
    day = since + timedelta(weeks=max(int(hours // (5 * HOURS_PER_DAY)) - 1, 0))
    left = hours - working_hours(since, day)
    while True:
        begin, _, following = _day(day)
        day_hours = working_hours(day, following)
        if day_hours >= left and day.weekday() < 5:
            return max(begin, day) + timedelta(hours=left)
        left, day = left - day_hours, following


def _day(moment: datetime) -> tuple[datetime, datetime, datetime]:
    """Return the begin and the end of work on the day of a moment, and the next midnight."""
    midnight = datetime.combine(moment.date(), time.min)
    return midnight + timedelta(hours=BEGIN_HOUR), midnight + timedelta(hours=END_HOUR), midnight + timedelta(days=1)
