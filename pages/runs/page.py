"""Runs: choose a judge and a dataset, see the cost, try it on three items, run it, and see earlier runs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from data.records import datasets
from data.records.access import Person
from data.runs import charges, runs
from data.runs.run_config import LIVE, RunProgress, RunSummary
from pages.runs import new_run, protocol_run, views
from pages.ui import session, text, url_state

FORMS = {"judge": "A judge over a dataset", "protocol": "A protocol of MT-Bench"}


def page() -> None:
    """One run by its address; or what runs now, a new run, and all runs before."""
    me, store = session.me("researcher"), session.store()
    run_id = st.query_params.get("run", "")
    if run_id:
        _draw_run(me, run_id)
        return
    st.title("Runs", anchor=False)
    all_runs = runs.list_runs(store)
    live = [run for run in all_runs if run.state in LIVE]
    if live:
        _draw_live_runs([run.id for run in live], me)
    st.header("New run", anchor=False)
    with st.container(border=True):
        if url_state.tabs("form", "What is run", FORMS) == "protocol":
            protocol_run.protocol_form(me)
        elif datasets.all_datasets(store):
            new_run.new_run_form(me)
        else:
            st.info("There is nothing to judge yet.", icon=":material/inbox:")
            url_state.link("import", "Import items")
    st.header("All runs", anchor=False)
    if not all_runs:
        st.caption("None yet. The practice endpoint needs no key: try a run with it.")
        return
    picked = views.run_table(all_runs, runs.count_run_judgments(store))
    views.show_trial_costs(*charges.trial_costs(store))
    if len(picked) == 1:
        if picked[0].state not in LIVE:
            _draw_run_progress(me, picked[0])
        if st.button("Open this run", icon=":material/open_in_full:"):
            views.open_run(picked[0].id)
    if len(picked) == 2:
        views.show_differences(*(runs.run_judge(store, run.id) for run in picked))


def _draw_live_runs(ids: list[str], me: Person) -> None:
    """Draw the live runs each second. Runs go on without viewers. When one has ended, the whole page is drawn anew."""
    text.fragment(_refresh_runs, run_every=1.0)(ids, me)


def _refresh_runs(ids: list[str], me: Person) -> None:
    shown_runs = [run for run in runs.list_runs(session.store()) if run.id in ids]
    if any(run.state not in LIVE for run in shown_runs):
        st.rerun()
    for run in shown_runs:
        _draw_run_progress(me, run)


def _draw_run_progress(me: Person, run: RunSummary) -> None:
    views.draw_progress(run, runs.run_progress(session.store(), run.id), partial(_controls, me, run))


def _draw_run(me: Person, run_id: str) -> None:
    store = session.store()
    run = next((r for r in runs.list_runs(store) if r.id == run_id), None)
    if st.button("All runs", icon=":material/arrow_back:", type="tertiary"):
        st.query_params.pop("run", None)
        st.rerun()
    if run is None:
        st.info("There is no such run in this workspace.", icon=":material/search_off:")
        return
    views.show_title(run)
    if run.state in LIVE:
        _draw_live_runs([run.id], me)
    else:
        _draw_run_progress(me, run)
    views.show_links(run)
    views.show_judge(run, runs.run_judge(store, run.id))


def _controls(me: Person, run: RunSummary, now: RunProgress) -> None:
    """Stop it, go on with it, or ask again what could not be used."""
    store, left = session.store(), sum(now.unscored.values())
    if now.state in ("running", "waiting for batch") and st.button(
        "Stop", icon=":material/stop:", key=f"stop:{run.id}"
    ):
        with text.refusals(), st.spinner("Stopping"):
            runs.stop(store, me.name, run.id)
    if now.state in ("stopped", "interrupted", "failed"):
        again, limit = views.resume_form(run, now)
        if again:
            with text.refusals():
                with st.spinner("Starting"):
                    protocol_run.resume(me, run.id, limit)
                st.rerun()
    if now.state == "finished":
        protocol_run.continue_button(me, run.id)
    if now.state == "finished" and left:
        label = f"Ask the {left:,} unscored again" if left > 1 else "Ask the unscored one again"
        if st.button(text.escape(label), icon=":material/replay:", key=f"again:{run.id}"):
            with text.refusals():
                with st.spinner("Starting"):
                    run_id = runs.start(store, me.name, replace(runs.config_of(store, run.id), only_unscored=True))
                views.open_run(run_id)
