"""A new run: what it is to be, its estimate, a dry run on three items, and the start."""

from __future__ import annotations

import streamlit as st

from data.records.people import Person
from data.runs import runs
from judges.errors import AssayError
from pages.runs import run_form, run_views
from pages.ui import session, text


def form(who: Person) -> None:
    """What the run is to be, its estimate, a dry run, the start."""
    store = session.store()
    order = run_form.chosen(store)
    if order is None:
        return
    try:
        found = runs.estimate(store, order)
    except AssayError as error:
        text.refuse(error)
        return
    run_views.requirements(found.requirements, order.card)
    run_views.estimate(found)
    kept = session.scratch("runs:dry")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Dry run of three items", icon=":material/visibility:"):
            kept.clear()
            run_views.act("Asking", lambda: kept.update(order=order, shown=runs.dry_run(store, who.name, order)))
        start = st.button("Start", type="primary", icon=":material/play_arrow:", disabled=not found.judgments)
        batch = st.toggle(
            "as a batch", help="The endpoint's Batch API: cheaper, and done within a day.", key="runs:batch"
        )
    if start:
        started: dict[str, str] = {}
        run_views.act(
            "Starting",
            lambda: started.update(id=runs.start(store, who.name, run_views.as_batch(order) if batch else order)),
        )
        if started:
            run_views.go(started["id"])
    if kept.get("shown") is not None and kept.get("order") == order:
        run_views.shown(kept["shown"], order.card)
