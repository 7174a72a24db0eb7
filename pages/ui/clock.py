"""Moments and spans as people say them, in the time zone of their browser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def time_zone() -> tzinfo:
    """The time zone of the browser; UTC where it does not say, or says something unknown."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def moment(at: datetime, here: tzinfo, today: datetime | None = None) -> str:
    """A moment of the store (UTC) in a zone: 14:03, yesterday 14:03, Mon 14:03, 3 Nov, 3 Nov 2025."""
    local = at.replace(tzinfo=UTC).astimezone(here)
    present = today or datetime.now(here)
    days = (present.date() - local.date()).days
    if days == 0:
        return f"{local:%H:%M}"
    if days == 1:
        return f"yesterday {local:%H:%M}"
    if 0 < days < 7:
        return f"{local:%a %H:%M}"
    return f"{local.day} {local:%b}" + (f" {local.year}" if local.year != present.year else "")


def duration(length: timedelta) -> str:
    """A length of time, roughly: 40 seconds, 12 minutes, 3.5 hours."""
    seconds = length.total_seconds()
    if seconds < 90:
        return f"{max(round(seconds), 1)} seconds"
    if seconds < 5400:
        return f"{round(seconds / 60)} minutes"
    return f"{seconds / 3600:.1f}".removesuffix(".0") + " hours"
