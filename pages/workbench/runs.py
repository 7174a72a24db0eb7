"""Runs: choose a judge and a dataset, see what it would cost, try it on three items, run it, look back."""

from __future__ import annotations

import streamlit as st

from data import datasets, runs
from data.orders import LIVE, Run
from data.people import Person
from pages.parts import clock, links, ran, session
from pages.workbench import new_run


def page() -> None:
    """One run by its address; or what runs now, a new run, and all runs before."""
    who, store = session.me("researcher"), session.store()
    wanted = st.query_params.get("run", "")
    if wanted:
        _one(who, wanted)
        return
    st.title("Runs")
    found = runs.history(store)
    live = [run for run in found if run.state in LIVE]
    if live:
        _live([run.id for run in live], who)
    known = datasets.all_datasets(store)
    if not known:
        st.info("There is nothing to judge yet.", icon=":material/inbox:")
        links.to("import", "Import items", icon=":material/upload_file:")
        return
    st.subheader("A new run")
    with st.container(border=True):
        new_run.form(who)
    st.subheader("Runs so far")
    if not found:
        st.caption("None yet. The practice endpoint needs no key: it lets you try all of this at once.")
        return
    picked = ran.table(found, clock.zone())
    if len(picked) == 1 and st.button("Open", icon=":material/open_in_full:", type="primary"):
        ran.go(picked[0].id)
    if len(picked) == 2:
        ran.differences(*(runs.judge(store, run.id) for run in picked))


@st.fragment(run_every=1.0)
def _live(ids: list[str], who: Person) -> None:
    """What runs now, second by second; it runs on when nobody looks."""
    store = session.store()
    for run in runs.history(store):
        if run.id in ids:
            _controls(who, run, ran.standing(run, runs.standing(store, run.id)))


def _one(who: Person, wanted: str) -> None:
    """One run in full: how far, what failed and why, its parameters and its prompt."""
    store = session.store()
    run = next((r for r in runs.history(store) if r.id == wanted), None)
    if st.button("All runs", icon=":material/arrow_back:", type="tertiary"):
        st.query_params.pop("run", None)
        st.rerun()
    if run is None:
        st.info("There is no such run in this workspace.", icon=":material/search_off:")
        return
    ran.title(run, clock.zone())
    _live([run.id], who)
    ran.ways(run)
    ran.facts(run, runs.judge(store, run.id))


def _controls(who: Person, run: Run, state: str) -> None:
    """Stop it, or go on with it."""
    with st.container(horizontal=True):
        if state in ("running", "waiting for batch") and st.button(
            "Stop", icon=":material/stop:", key=f"stop:{run.id}"
        ):
            ran.act("Stopping", lambda: runs.stop(session.store(), who.name, run.id))
        resumable = state in ("stopped", "interrupted", "failed")
        if resumable and st.button("Go on", icon=":material/play_arrow:", key=f"resume:{run.id}", type="primary"):
            ran.act("Starting", lambda: runs.resume(session.store(), who.name, run.id))
