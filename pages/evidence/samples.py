"""The panel Self-consistency: how often a judge's samples agree, and what several of them gain."""

from __future__ import annotations

import streamlit as st

from data import combinations
from data.figures.repeats import repeated
from judges.calibrate import Line
from pages.evidence.load import Place
from pages.parts import charts, repeats, session


def panel(at: Place, line: Line, key: str) -> None:
    """One sample alone beside all of them, how often they differ, and since when they count together."""
    store = session.store()
    with st.spinner("Comparing every sample with gold ..."):
        found = repeated(store, at.dataset, at.judge, line.dimension, at.basis)
    repeats.told(found, combinations.named(store).get(at.judge, ""))
    if found is not None and found.together.cells:
        charts.intervals(repeats.rows(found), f"plot:{key}", None)
    if at.dropped:
        st.caption("Ties are counted in these figures.")
