"""Self-consistency: how often a judge's samples agree, and what several of them gain."""

from __future__ import annotations

import streamlit as st

from data.reports.statistics import SELF_CONSISTENCY
from judges.render.findings import self_consistency as self_consistency_findings
from judges.stats.calibration import DimensionResult
from pages.calibration.selection import CalibrationSelection, load
from pages.ui import explanations, findings, text


def panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """One sample alone beside all of them, how often they differ, and since when they count together."""
    consistency, combined = load(SELF_CONSISTENCY, selection, line)
    if consistency is None:
        text.quiet(
            "This judge has one sample of each rating, so its self-consistency is not tested. Run it with several "
            "samples and a temperature above 0 to measure how often its answers change, and what more samples gain."
        )
        return
    if consistency.flaky:
        st.badge("flaky", icon=":material/shuffle:", color="red", help="Its samples disagree too often; see below.")
    findings.draw(self_consistency_findings.findings(consistency, combined), f"plot:{key}")
    explanations.explain_equality(line.dimension.scale)
    if not consistency.together.cells:
        st.caption(text.NO_RATINGS)
