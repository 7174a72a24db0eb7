"""A new run: what it is to be, its estimate, a dry run on three items, and the start."""

from __future__ import annotations

import streamlit as st

from data import runs
from data.people import Person
from judges.errors import AssayError
from pages.parts import ordering, ran, session, text


def form(who: Person) -> None:
    """What the run is to be, its estimate, a dry run, the start."""
    store = session.store()
    order = ordering.chosen(store)
    if order is None:
        return
    try:
        found = runs.estimate(store, order)
    except AssayError as error:
        text.refuse(error)
        return
    ran.requirements(found.requirements, order.card)
    ran.estimate(found)
    kept = session.scratch("runs:dry")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Dry run of three items", icon=":material/visibility:"):
            kept.clear()
            ran.act("Asking", lambda: kept.update(order=order, shown=runs.dry_run(store, who.name, order)))
        start = st.button("Start", type="primary", icon=":material/play_arrow:", disabled=not found.judgments)
        batch = st.toggle(
            "as a batch", help="The endpoint's Batch API: cheaper, and done within a day.", key="runs:batch"
        )
    if start:
        started: dict[str, str] = {}
        ran.act(
            "Starting", lambda: started.update(id=runs.start(store, who.name, ran.as_batch(order) if batch else order))
        )
        if started:
            ran.go(started["id"])
    if kept.get("shown") is not None and kept.get("order") == order:
        ran.shown(kept["shown"], order.card)
