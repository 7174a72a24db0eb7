"""The audit log: who did what when, narrowed by person, dataset, kind, time and words; a row opens what was written."""

from __future__ import annotations

import streamlit as st

from data.records import datasets
from data.records.names import display_name
from data.trail import change_details, trail
from pages.trail import table
from pages.ui import choose, session, text, url_state

PAGE_ROWS = 100
"""Changes that are shown at a time."""


def page() -> None:
    """The newest changes that fit; researchers and leads see them."""
    me = session.me("researcher")
    store, zone = session.store(), text.time_zone()
    st.title("Audit log", anchor=False)
    st.caption("Nothing is overwritten or deleted: every answer, setting, decision and run is a row of its own.")
    names = {d.name: d for d in datasets.all_datasets(store)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        people = {name: display_name(name) for name in trail.acting_people(store)}
        person = url_state.select("who", "Who", {"": "anybody"} | people, width=190)
        dataset = url_state.select("dataset", "Dataset", {"": "any"} | {name: name for name in names}, width=190)
        days = url_state.select("days", "When", table.SPANS, width=160)
        chosen = table.choose_kinds(trail.KINDS, trail.DEFAULT_KINDS)
        words = url_state.search("words", "Search", 230)
    choose.note_ignored_filter("who", "person", people)
    choose.note_ignored_filter("dataset", "dataset", names)
    narrow = trail.TrailFilter(
        chosen, person, names[dataset].id if dataset else "", table.period_begin(days, zone), words=words
    )
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
    opened = table.open_entry(entries, key)
    appended = trail.appended_rows(store, me.name, opened.seq) if opened else {}
    table.trail_table(entries, zone, key, change_details.describe_rows(store, appended))
    with st.container(horizontal=True):
        if before and st.button("Newer", icon=":material/chevron_left:"):
            before.pop()
            st.rerun()
        if further and st.button("Older", icon=":material/chevron_right:"):
            before.append(entries[-1].seq)
            st.rerun()
        st.space("stretch")
        table.download_button(lambda: trail.all_entries(store, narrow))
    text.quiet("{n}. Select a row to see what was stored.", n=table.count_changes(entries))
