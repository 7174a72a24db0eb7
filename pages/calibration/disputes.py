"""Cells that wait for adjudication: how they count in the figures, and the figures with and without them."""

from __future__ import annotations

import streamlit as st

from data.approvals import check_results
from data.records import settings
from data.records.settings import Waiting
from judges.plural import many
from judges.render.findings import disputes as disputes_findings
from judges.stats.calibration import Summary
from pages.calibration.selection import CalibrationSelection
from pages.ui import findings, session, text, url_state

WAITING_NAMES: dict[Waiting, str] = {"counted": "counted, as combined", "out": "left out"}


def choose_waiting(selection: CalibrationSelection) -> Waiting:
    """Return how these cells count on the page: as chosen if there are any, else by the dataset's gold rule."""
    rule = settings.gold_rule(session.store(), selection.dataset).waiting
    if not _summary_pairs(selection):
        return rule
    return url_state.select("waiting", "Not adjudicated", WAITING_NAMES, rule, 230)


def panel(selection: CalibrationSelection) -> None:
    """Kappa and bias with and without those ratings, of every dimension that has some; nothing where none has."""
    pairs = _summary_pairs(selection)
    if not pairs:
        return
    n = sum(counted.people.waiting for counted, _ in pairs)
    with st.expander(text.escape(f"{many(n, 'rating')} to adjudicate"), icon=":material/balance:"):
        rule = settings.gold_rule(session.store(), selection.dataset).waiting
        findings.draw(disputes_findings.findings(pairs, rule == "counted"), "disputes")
        url_state.link("adjudication", "Adjudicate them", dataset=selection.name)


def _summary_pairs(selection: CalibrationSelection) -> list[tuple[Summary, Summary]]:
    return check_results.with_and_without_waiting(
        session.store(), selection.dataset, selection.judge, selection.basis, selection.dropped
    )
