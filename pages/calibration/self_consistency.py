"""Self-consistency: how often a judge's samples agree, and what several of them gain."""

from __future__ import annotations

import streamlit as st

from data.calibration.self_consistency import repeated
from data.records import combinations
from judges.render.findings import self_consistency as said
from judges.stats.calibration import Line
from pages.ui import findings, session, text
from pages.ui.figure_cache import Place


def panel(at: Place, line: Line, key: str) -> None:
    """One sample alone beside all of them, how often they differ, and since when they count together."""
    store = session.store()
    with st.spinner("Comparing every sample with gold ..."):
        found = repeated(store, at.dataset, at.judge, line.dimension, at.basis)
    if found is None:
        text.quiet(
            "This judge has one sample of each rating, so its self-consistency is not tested. Run it with several "
            "samples and a temperature above 0 to measure how often its answers change, and what more samples gain."
        )
        return
    if found.flaky:
        st.badge("flaky", icon=":material/shuffle:", color="red", help="Its samples disagree too often; see below.")
    findings.draw(said.findings(found, combinations.named(store).get(at.judge, "")), f"plot:{key}")
    if not found.together.cells:
        st.caption(text.NO_RATINGS)
    if at.dropped:
        st.caption("Ties are counted in these figures.")
