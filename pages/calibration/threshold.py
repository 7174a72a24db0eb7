"""Binary threshold: a score from a threshold on is "yes", with precision, recall and kappa of that."""

from __future__ import annotations

import streamlit as st

from data.calibration.threshold import flag_at
from data.reports.statistics import THRESHOLD
from judges.render.findings import threshold as threshold_findings
from judges.stats.calibration import DimensionResult
from judges.stats.threshold import flag_thresholds
from pages.calibration.selection import CalibrationSelection, load
from pages.ui import explanations, findings, session, text, url_state


def panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """A choice of threshold, its figures with intervals, and the figures over all thresholds."""
    if not line.shown.cells:
        st.caption(text.NO_RATINGS)
        return
    store, dimension = session.store(), line.dimension
    value_by_name = {f"{value:g}": value for value in flag_thresholds(dimension.scale)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named = {name: f"{dimension.scale.format(value)} or more" for name, value in value_by_name.items()}
        chosen = url_state.select("from", "Positive from", named, list(named)[len(named) // 2], 220)
        explanations.help_button("threshold", key=key)
    rates = flag_at(store, selection.dataset, selection.judge, dimension, selection.basis, value_by_name[chosen])
    findings.draw(threshold_findings.at_one(rates, dimension), f"flag:{key}")
    findings.draw(threshold_findings.curve(load(THRESHOLD, selection, line)), f"flags:{key}")
