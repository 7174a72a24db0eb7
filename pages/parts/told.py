"""The trail as a table, and what one change wrote."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, fields
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import pandas as pd
import streamlit as st

from data.export import files
from data.trail import Entry
from pages.parts import clock, text
from pages.parts.rows import clicked

SPANS = {"": "any time", "1": "today", "7": "the last 7 days", "30": "the last 30 days"}
KINDS = {
    "decisions": "decisions",
    "adjudications": "adjudications",
    "settings": "rules",
    "people": "people",
    "imports": "imports",
    "exports": "exports",
    "runs": "runs",
    "cards": "cards",
    "queues": "queues",
    "labels": "answers",
    "claims": "claims",
    "exposures": "what was shown",
    "replies": "replies",
}


def kinds(known: Sequence[str], usual: Sequence[str]) -> tuple[str, ...]:
    """The kinds that are wanted, from the address or the chooser; all usual ones where none is chosen."""
    there = [kind for kind in st.query_params.get("kinds", "").split(",") if kind in known]
    chosen: list[str] = st.multiselect(
        "What", known, default=there, format_func=lambda kind: KINDS.get(kind, kind), key="trail:kinds",
        placeholder="all but answers, claims, what was shown, and replies",
    )  # fmt: skip
    if chosen:
        st.query_params["kinds"] = ",".join(chosen)
    else:
        st.query_params.pop("kinds", None)
    return tuple(chosen) or tuple(usual)


def since(days: str, zone: tzinfo) -> datetime | None:
    """The moment (UTC) from which on so many days, today's included, are counted in a zone; None for any time."""
    if not days:
        return None
    today = datetime.now(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return (today - timedelta(days=int(days) - 1)).astimezone(UTC).replace(tzinfo=None)


def table(entries: Sequence[Entry], zone: tzinfo, key: str) -> Entry | None:
    """The changes, a row each; the one that is clicked."""
    frame = pd.DataFrame(
        {
            "when": [clock.at(e.at, zone) for e in entries],
            "who": [e.actor for e in entries],
            "kind": [KINDS.get(e.kind, e.kind) for e in entries],
            "dataset": [e.dataset for e in entries],
            "what": [e.what for e in entries],
        }
    )
    return clicked(
        frame, entries, key,
        height="content" if len(frame) <= 14 else 520,
        column_config={
            "when": st.column_config.TextColumn(width=105),
            "who": st.column_config.TextColumn(width=115),
            "kind": st.column_config.TextColumn(width=95),
            "dataset": st.column_config.TextColumn(width=135),
            "what": st.column_config.TextColumn(width=420),
        },
    )  # fmt: skip


def rows(entry: Entry, appended: Mapping[str, tuple[Sequence[str], Sequence[tuple[Any, ...]]]]) -> None:
    """What a change appended, table by table."""
    text.say("**Change {seq}**, {at} UTC, by {who}, wrote:", seq=f"{entry.seq:,}", at=entry.at, who=entry.actor)
    for name, (columns, found) in appended.items():
        text.quiet("{name}", name=name.replace("_", " "))
        frame = pd.DataFrame([["" if v is None or v != v else str(v) for v in row] for row in found], columns=columns)
        st.dataframe(frame.drop(columns="seq"), hide_index=True, height="content" if len(frame) <= 6 else 240)


def download(every: Callable[[], Iterable[Entry]]) -> None:
    """All changes that fit as CSV, made when it is asked for."""

    def made() -> bytes:
        out = io.StringIO()
        files.sheet(out, [field.name for field in fields(Entry)], (astuple(entry) for entry in every()))
        return out.getvalue().encode("utf-8-sig")

    st.download_button(
        "All of these as CSV", made, "trail.csv", "text/csv", icon=":material/download:", on_click="ignore"
    )
