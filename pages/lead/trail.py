"""The trail: who did what when, narrowed by person, dataset, sort and time; a row opens what the change wrote."""

from __future__ import annotations

import streamlit as st

from data import datasets, trail
from pages.parts import clock, picked, session, told

PAGE = 200
"""Changes that are shown at a time."""


def page() -> None:
    """The newest changes that fit; researchers and leads see them."""
    who = session.me("researcher")
    store, zone = session.store(), clock.zone()
    st.title("Trail")
    st.caption("Nothing is ever overwritten here: every answer, rule, decision and run is a row of its own.")
    names = {d.name: d for d in datasets.all_datasets(store)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=190):
            person = picked.one("who", "Who", {"": "anybody"} | {name: name for name in trail.people(store)})
        with st.container(width=220):
            dataset = picked.one("dataset", "Dataset", {"": "any"} | {name: name for name in names})
        with st.container(width=160):
            days = picked.one("days", "When", told.SPANS)
        with st.container(width=330):
            chosen = told.kinds(trail.KINDS, trail.USUAL)
    narrow = trail.Narrow(chosen, person, names[dataset].id if dataset else "", told.since(days, zone))
    turn = session.scratch("trail")
    if turn.get("narrow") != narrow:
        turn.update(narrow=narrow, before=[])
    before = turn["before"]
    found = trail.entries(store, narrow, before[-1] if before else None, PAGE)
    if not found:
        st.info("Nothing of that sort has happened. Choose other kinds, or a longer time.", icon=":material/history:")
        return
    entry = told.table(found, zone, f"trail:{hash(narrow)}:{len(before)}")
    with st.container(horizontal=True):
        if before and st.button("Newer", icon=":material/chevron_left:"):
            before.pop()
            st.rerun()
        if len({entry.seq for entry in found}) == PAGE and st.button("Older", icon=":material/chevron_right:"):
            before.append(found[-1].seq)
            st.rerun()
        st.space("stretch")
        told.download(lambda: trail.every(store, narrow))
    if entry is None:
        st.caption("Click a row to see what the change wrote.")
    else:
        told.rows(entry, trail.appended(store, who.name, entry.seq))
