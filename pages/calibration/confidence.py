"""Confidence: does the judge agree with people more often where its confidence is high?"""

from __future__ import annotations

import streamlit as st

from data.reports.statistics import CONFIDENCE
from judges.plural import many
from judges.render.findings import confidence as confidence_findings
from judges.stats.calibration import DimensionResult
from pages.calibration.selection import CalibrationSelection, load
from pages.ui import explanations, findings, text, url_state


def panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """A sentence, agreement by level of confidence, and how well confidence ranks."""
    by_source, scored = load(CONFIDENCE, selection, line)
    if not by_source:
        _explain_no_confidence(scored)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = confidence_findings.sources({source: n for source, (_, n) in by_source.items()})
        source = url_state.select("source", "Confidence from", names, width=360)
        explanations.help_button("confidence", "reliability", "ranking", key=key)
    figures, cells = by_source[source]
    findings.draw(confidence_findings.sentences(figures, source, cells, scored), key)
    explanations.explain_equality(line.dimension.scale)
    left, right = st.columns([3, 4], gap="large", vertical_alignment="center")
    with left:
        findings.draw_plot(confidence_findings.plot(figures), f"chart:{key}:{source}")
    with right:
        table = confidence_findings.table(figures, line.dimension.scale.has_order)
        findings.draw_table(table, f"levels:{key}:{source}")


def _explain_no_confidence(scored: int) -> None:
    """No score has a confidence."""
    text.quiet(
        "No confidence: none of the {cells} of people and judge has one. Run the judge with log-probabilities or "
        "several samples, or use a card whose reply states a confidence; this panel then shows how well it is "
        "calibrated.",
        cells=many(scored, "rating"),
    )
