"""The needs of an audit: a probe run of the judge, a second judge, or answers of people, and the way to each."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from data.audits.evidence import Scope
from data.records.access import Person
from data.records.datasets import Dataset
from data.runs import runs
from judges.plural import many
from pages.ui import run_estimate, session, text, url_state

PROBES = {
    "scenario_swapped": "Every dialogue is judged once more, with the scenario of another one.",
    "reference_removed": "Every output is judged once more, without its reference answer.",
    "injected_order": "Every item is judged once more, with an instruction to the judge planted in the judged text.",
    "both orders": "Every pair is judged with A first and with B first. This makes a separate judge: open that "
    "judge's audits afterwards.",
}


def panel(me: Person, dataset: Dataset, judge: str, probe: str, done: int) -> None:
    """Draw what a probe does, its progress and, for those who may run judges, its estimate and its start."""
    text.say("**Probe run.** {what}", what=PROBES[probe])
    if done:
        text.quiet("{n} to it so far.", n=many(done, "reply", "replies"))
    if not me.may("researcher"):
        st.caption("A researcher or lead can run it.")
        return
    store = session.store()
    before = next((run for run in runs.list_runs(store, dataset.id) if run.judge == judge), None)
    if before is None:
        st.caption("This judge's replies were imported: give its endpoint in the form of a run.")
        parameters = {} if probe == "both orders" else {"probe": probe}
        url_state.link("runs", "Run it", icon=":material/play_arrow:", dataset=dataset.name, **parameters)
        return
    with text.refusals():
        previous = runs.config_of(store, before.id)
        change = {"orders": "both"} if probe == "both orders" else {"probe": probe}
        config = replace(previous, params=previous.params.model_copy(update=change), only_unscored=False)
        estimate = runs.estimate(store, config)
        if not estimate.judgments:
            st.caption("It has been run on all of these items.")
            return
        run_estimate.show_estimate(estimate)
        if st.button("Run it", icon=":material/play_arrow:", key=f"probe:{probe}"):
            with st.spinner("Starting ..."):
                run_id = runs.start(store, me.name, config)
            url_state.open_page("runs", run=run_id)


def draw_needs(dataset: str, needs: str, scope: Scope) -> None:
    """Draw what an audit needs of people, or of another judge."""
    if needs == "second judge" and not scope.others:
        st.caption("This needs a second judge: a model of another family with the same card, on the same items.")
        url_state.link("runs", "Run a second judge", icon=":material/play_arrow:", dataset=dataset)
    if needs == "gold" and not scope.gold:
        st.caption("This needs reference labels (gold): labels by people of items that the judge has scored.")
        with st.container(horizontal=True):
            url_state.link("queue", "Draw a sample", dataset=dataset, stream="audit")
            url_state.link("desk", "Label", dataset=dataset, stream="audit")
