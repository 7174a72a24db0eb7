"""Both orders: whether the judge says the same of a pair when the places of its responses are swapped."""

from __future__ import annotations

import streamlit as st

from data.calibration.both_orders import positions
from data.store import Store
from judges.render.findings import both_orders as said
from judges.stats.position import Position
from pages.ui import findings, session
from pages.ui.figure_cache import Place


@st.cache_data(max_entries=64, show_spinner="Comparing the two orders ...")
def _found(_store: Store, at: Place) -> Position | None:
    return positions(_store, at.dataset, at.judge)


@st.fragment
def panel(at: Place) -> None:
    """Sentences, the two shares with their intervals, and verdicts by order; nothing without pairs in both orders."""
    found, key = _found(session.store(), at.plain), f"position:{at.dataset}:{at.judge}"
    if found is None:
        return
    st.subheader("Position bias", anchor=False)
    findings.draw([*said.sentences(found), said.plot(found)], key)
    with st.expander("Verdicts by order"):
        findings.table(said.table(found), f"{key}:verdicts")
    findings.draw([said.reading()], key)
