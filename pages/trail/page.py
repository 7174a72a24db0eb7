"""The audit log: who did what when, narrowed by person, dataset, kind, time and words; a row opens what was written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from datetime import datetime, timedelta

import streamlit as st

from data.records import datasets
from data.records.names import display_name
from data.store.ids import to_utc
from data.trail import change_details, trail
from data.trail.trail import TrailEntry
from judges import plural
from judges.render import csv_cells
from pages.ui import choose, session, tables, text, url_state

PAGE_ROWS = 100
"""Changes that are shown at a time."""


def page() -> None:
    """The newest changes that fit; researchers and leads see them."""
    me = session.me("researcher")
    store = session.store()
    st.title("Audit log", anchor=False)
    st.caption("Nothing is overwritten or deleted: every answer, setting, decision and run is a row of its own.")
    names = {d.name: d for d in datasets.all_datasets(store)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        people = {name: display_name(name) for name in trail.acting_people(store)}
        person = url_state.select("who", "Who", {"": "anybody"} | people, width=190)
        dataset = url_state.select("dataset", "Dataset", {"": "any"} | {name: name for name in names}, width=190)
        days = url_state.select("days", "When", _SPANS, width=160)
        chosen = _choose_kinds(trail.KINDS, trail.DEFAULT_KINDS)
        words = url_state.search("words", "Search", 230)
    choose.note_ignored_filter("who", "person", people)
    choose.note_ignored_filter("dataset", "dataset", names)
    narrow = trail.TrailFilter(chosen, person, names[dataset].id if dataset else "", _period_begin(days), words=words)
    turn = session.scratch("trail")
    if turn.get("narrow") != narrow:
        turn.update(narrow=narrow, before=[])
    before = turn["before"]
    entries = trail.trail_entries(store, narrow, before[-1] if before else None, PAGE_ROWS + 1)
    if further := len({entry.seq for entry in entries}) > PAGE_ROWS:
        entries = [entry for entry in entries if entry.seq != entries[-1].seq]
    if not entries:
        st.info("Nothing fits. Choose other kinds, a longer time or other words.", icon=":material/history:")
        return
    key = f"trail:{hash(narrow)}:{len(before)}"
    opened = _open_entry(entries, key)
    appended = trail.appended_rows(store, me.name, opened.seq) if opened else {}
    _draw_entries(entries, key, change_details.describe_rows(store, appended))
    with st.container(horizontal=True):
        if before and st.button("Newer", icon=":material/chevron_left:"):
            before.pop()
            st.rerun()
        if further and st.button("Older", icon=":material/chevron_right:"):
            before.append(entries[-1].seq)
            st.rerun()
        st.space("stretch")
        st.download_button(
            "Download all as CSV", lambda: _as_csv(trail.all_entries(store, narrow)), "audit-log.csv", "text/csv",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip
    text.quiet("{n}. Select a row to see what was stored.", n=count_changes(entries))


_SPANS = {"": "any time", "1": "today", "7": "the last 7 days", "30": "the last 30 days"}
_KINDS = {"labels": "answers", "claims": "reservations", "exposures": "what was shown"}
"""Kinds of changes that are called otherwise here."""


def _choose_kinds(known: Sequence[str], usual: Sequence[str]) -> tuple[str, ...]:
    """The kinds that are wanted, from the address or the chooser; all usual ones where none is chosen."""
    current_kinds = [kind for kind in st.query_params.get("kinds", "").split(",") if kind in known]
    chosen: list[str] = st.multiselect(
        "Kind", known, default=current_kinds, format_func=lambda kind: _KINDS.get(kind, kind), key="trail:kinds",
        placeholder="all but answers and other routine", width=300,
    )  # fmt: skip
    if chosen:
        st.query_params["kinds"] = ",".join(chosen)
    else:
        st.query_params.pop("kinds", None)
    return tuple(chosen) or tuple(usual)


def _period_begin(days: str) -> datetime | None:
    """The moment (UTC) at which so many days, today included, began in the browser's zone; None for any time."""
    if not days:
        return None
    today = datetime.now(text.time_zone()).replace(hour=0, minute=0, second=0, microsecond=0)
    return to_utc(today - timedelta(days=int(days) - 1))


_COLUMNS = (
    ("When", "128px"), ("Who", "132px"), ("Kind", "112px"), ("Dataset", "clamp(124px, 16vw, 260px)"), ("What", ""),
)  # fmt: skip
_CSV_COLUMNS = ("seq", "at", "actor", "kind", "dataset", "what")
"""The fields of a `TrailEntry` as the file names them, whatever the code calls them."""


def _open_entry(entries: Sequence[TrailEntry], key: str) -> TrailEntry | None:
    at = tables.open_row(key, _ids(entries))
    return None if at is None else entries[at]


def _draw_entries(entries: Sequence[TrailEntry], key: str, parts: Sequence[tables.Part]) -> None:
    rows = [
        [text.moment(e.at), display_name(e.actor), _KINDS.get(e.kind, e.kind), e.dataset, e.description]
        for e in entries
    ]
    at = _open_entry(entries, key)
    if at is not None:
        head = f"Revision {at.seq:,}, {at.at:%Y-%m-%d %H:%M:%S} UTC"
        parts = [(f"{head} · {title}", columns, part_rows) for title, columns, part_rows in parts]
    tables.wrapped_table(_COLUMNS, rows, key, "Changes", _ids(entries), parts)


def _ids(entries: Sequence[TrailEntry]) -> list[str]:
    """Return the ids that tell the rows apart: a change has at most one row of each kind."""
    return [f"{entry.seq} {entry.kind}" for entry in entries]


def count_changes(entries: Sequence[TrailEntry]) -> str:
    """Return the number of changes shown, in words; a change that did several things has a row for each."""
    count = len({entry.seq for entry in entries})
    return f"{plural.many(count, 'change')} shown" + (f", in {len(entries):,} rows" if len(entries) > count else "")


def _as_csv(entries: Iterable[TrailEntry]) -> bytes:
    return csv_cells.csv_text(_CSV_COLUMNS, (astuple(entry) for entry in entries)).encode("utf-8-sig")
