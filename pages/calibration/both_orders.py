"""Both orders: whether the judge says the same of a pair when the places of its responses are swapped."""

from __future__ import annotations

import streamlit as st

from data.calibration.both_orders import load_positional_agreement
from judges.render.findings import both_orders as both_orders_findings
from pages.calibration.selection import CalibrationSelection
from pages.ui import findings, session, text


@text.fragment
def panel(selection: CalibrationSelection) -> None:
    """Sentences, the two shares with their intervals, and verdicts by order; nothing without pairs in both orders."""
    key = f"position:{selection.dataset}:{selection.judge}"
    agreement = load_positional_agreement(session.store(), selection.dataset, selection.judge)
    if agreement is None:
        return
    st.header("Position bias", anchor=False)
    findings.draw([*both_orders_findings.sentences(agreement), both_orders_findings.plot(agreement)], key)
    with st.expander("Verdicts by order"):
        findings.draw_table(both_orders_findings.table(agreement), f"{key}:verdicts")
    findings.draw([both_orders_findings.counting_note()], key)
