"""The overview: what there is to label, the progress of each dataset, recent activity, and your own days."""

from __future__ import annotations

import streamlit as st

from data.approvals import approvals
from data.queue import progress, queue
from data.records import datasets, people
from data.records.access import Person
from data.trail import activity
from data.workspace import bootstrap
from pages.overview import sections
from pages.ui import session, text, url_state
from pages.ui.choose import STREAMS

MAX_SHOWN_QUEUES = 6
"""Queues that are shown at once; more are folded away."""


def page() -> None:
    """Draw what there is to label for this person, or the first steps in an empty workspace."""
    me, store, zone = session.me(), session.store(), text.time_zone()
    known = datasets.all_datasets(store)
    st.title("Overview", anchor=False)
    if not known:
        _first_steps(me)
        return
    own, done = progress.personal_progress(store, me.name, zone=zone), progress.dataset_progress(store)
    desks = {
        (d.id, s): progress.desk_progress(store, me.name, d.id, s, queue.QueueFilters(), zone)
        for d in known for s in STREAMS
    }  # fmt: skip
    left, right = st.columns([2, 1], gap="large")
    with left:
        st.header("To label", anchor=False)
        rows = [
            (d, s, desks[d.id, s].waiting, desks[d.id, s].own.seconds or own.seconds) for d in known for s in STREAMS
        ]
        _draw_queues([row for row in rows if row[2]])
        for dataset in known:
            sections.draw_notes(dataset)
            sections.draw_adjudication(dataset, me)
        st.header("Datasets", anchor=False)
        for dataset in known:
            queues = {s: desks[dataset.id, s].queue for s in STREAMS}
            no_progress = progress.DatasetProgress(0, 0, 0, 0)
            scored = datasets.dataset_judges(store, dataset.id)
            sections.draw_dataset_progress(dataset, done.get(dataset.id, no_progress), queues, scored)
    with right:
        decide = st.container()
        st.header("You", anchor=False)
        sections.draw_own_progress(own, list(progress.saves_per_day(store, me.name, zone).values()))
        st.header("Recent activity", anchor=False)
        sections.draw_recent_activity(activity.recent_activity(store), zone)
    if me.may("lead"):
        with decide, st.spinner("Looking at the approvals ..."):  # last, as it may take a while
            judges = {judge.id: judge.model for d in known for judge in datasets.dataset_judges(store, d.id)}
            sections.draw_approvals(approvals.find_open_decisions(store), {d.id: d.name for d in known}, judges)


def _draw_queues(rows: list[tuple[datasets.Dataset, queue.Stream, int, float | None]]) -> None:
    """The queues with something for this person; the first is where the one accent points."""
    if not rows:
        st.markdown("There is nothing for you to label now. A researcher can add items on the page Queues.")
    for number, row in enumerate(rows[:MAX_SHOWN_QUEUES]):
        sections.draw_waiting_queue(*row, first=not number)
    if rows[MAX_SHOWN_QUEUES:]:
        with st.expander(f"{len(rows) - MAX_SHOWN_QUEUES:d} more queues"):
            for row in rows[MAX_SHOWN_QUEUES:]:
                sections.draw_waiting_queue(*row, first=False)


def _first_steps(me: Person) -> None:
    """An empty workspace: what to do first, and who can."""
    st.markdown("This workspace is empty. Three steps lead to the first figure on how well a judge agrees with people.")
    with st.container(border=True):
        st.markdown("**1 · Import** dialogues, long-form pairs or single responses, with the scores of judges.")
        url_state.link("import", "Import a file")
        st.markdown("**2 · Draw an audit sample**: items at random, to be answered without seeing the judge.")
        url_state.link("queue")
        st.markdown("**3 · Label** on the review desk, by key. Every answer counts as a label as soon as it is saved.")
        url_state.link("desk")
    if not me.may("researcher"):
        others = [p.name for p in people.all_people(session.store()) if p.may("researcher")]
        names = ", ".join(others[:5]) or "a researcher"
        text.say("You are an annotator: the first two steps are for a researcher. Ask {names}.", names=names)
        return
    with st.container(border=True):
        st.markdown("**Or look around first.** The sample is generated, and marked as synthetic wherever it shows.")
        if st.button("Load the synthetic sample", icon=":material/science:"):
            with text.refusals(), st.spinner("Importing the sample and filling its queues ..."):
                bootstrap.install_samples(session.store(), me.name)
                st.rerun()
