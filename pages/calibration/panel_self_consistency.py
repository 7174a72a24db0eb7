"""The panel Self-consistency: how often a judge's samples agree, and what several of them gain."""

from __future__ import annotations

import streamlit as st

from data.calibration.self_consistency import measure_repeats
from data.records import combinations
from judges.stats.calibration import Line
from pages.calibration import self_consistency
from pages.ui import charts, session
from pages.ui.figure_cache import Place


def panel(at: Place, line: Line, key: str) -> None:
    """One sample alone beside all of them, how often they differ, and since when they count together."""
    store = session.store()
    with st.spinner("Comparing every sample with gold ..."):
        found = measure_repeats(store, at.dataset, at.judge, line.dimension, at.basis)
    self_consistency.told(found, combinations.named(store).get(at.judge, ""))
    if found is not None and found.together.cells:
        charts.intervals(self_consistency.rows(found), f"plot:{key}", None)
    if at.dropped:
        st.caption("Ties are counted in these figures.")
