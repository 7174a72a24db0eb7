"""One dimension of a judge: what may be concluded, and panels that look into it. Only the chosen one computes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

import streamlit as st

from data.approvals import approvals, policy
from data.approvals.approvals import ApprovalNote
from data.approvals.record import ApprovalStatus, case_address
from data.records.names import display_name
from data.reports.statistics import STATISTICS
from judges.render.findings import agreement as agreement_findings
from judges.render.findings.findings import quiet
from judges.stats.calibration import DimensionResult
from pages.calibration import (
    agreement,
    anchoring,
    auto_accept,
    confidence,
    human_ceiling,
    missing_scores,
    sample_size,
    self_consistency,
    slices,
    threshold,
)
from pages.calibration.selection import CalibrationSelection, load
from pages.ui import explanations, findings, gold, session, text, url_state

Panel = Callable[[CalibrationSelection, DimensionResult, str], None]
PANELS: dict[str, Panel] = {
    "agreement": agreement.panel,
    "missing": missing_scores.panel,
    "slices": slices.panel,
    "size": sample_size.panel,
    "people": human_ceiling.panel,
    "flag": threshold.panel,
    "confidence": confidence.panel,
    "selective": auto_accept.panel,
    "samples": self_consistency.panel,
    "blind": anchoring.panel,
}
"""Panels of statistics of which something can be chosen or clicked; the others are drawn as they are."""


@text.fragment
def draw_dimension(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """The state and what it means, then the chosen panel."""
    key = f"{key}:{line.key}"
    conclusion, why = agreement_findings.check_result(line)
    findings.draw_sentence(conclusion, line.check.state)
    findings.draw([why], key)
    basis = policy.approval_basis(session.store(), selection.dataset)
    gold.draw_unanswered(
        selection.dataset, selection.name, selection.judge, line.dimension, basis, line.check.reason, key
    )
    judged_dimension = selection.dataset, selection.judge, line.dimension.sort, line.dimension.name
    approval_status = approvals.find_status(session.store(), judged_dimension)
    note, case = approvals.approval_note(session.store(), approval_status), case_address(judged_dimension)
    _draw_decision(approval_status, note, text.time_zone(), selection.name, case, line.check.state == "meets policy")
    with st.container(horizontal=True, vertical_alignment="center"):
        panel_titles = {name: statistic.title for name, statistic in STATISTICS.items() if statistic.applies(line)}
        chosen = url_state.tabs("panel", "Look into", panel_titles)
        explanations.help_button("gate", "units", key=f"gate:{key}")
    PANELS.get(chosen, _panel)(selection, line, f"{key}:{chosen}")
    if selection.dropped and not STATISTICS[chosen].can_drop_ties:
        st.caption("Ties are counted in these figures.")


def _panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """A statistic without choices: its explanation and its findings."""
    statistic = STATISTICS[key.rpartition(":")[2]]
    if not line.shown.cells:
        st.caption(text.NO_RATINGS)
        return
    explanations.heading_with_help(statistic.title, *statistic.explanations, key=key)
    own_findings = statistic.findings(
        load(statistic, selection, line), line, policy.requirements(session.store()).policy
    )
    findings.draw(own_findings or [quiet("Nothing to show here.")], key)


def _draw_decision(
    approval_status: ApprovalStatus, note: ApprovalNote, zone: tzinfo, dataset: str, case: str, eligible: bool
) -> None:
    """Draw in one line what was decided on a dimension so far, and the way to the page where it is decided."""
    approval = approval_status.proposed or approval_status.in_force
    doubt = note.review.why if note.review is not None and note.doubted else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        if approval is not None:
            text.quiet(
                "**{who}** {done} it, {at}: {reason}", who=display_name(approval.person), done=approval.done,
                at=text.moment(approval.at, zone), reason=text.shorten(approval.reason, 110),
            )  # fmt: skip
        elif eligible:
            st.caption("It meets the policy, and is not decided: a lead may approve it.")
        label = "Its approval" if approval else "Decide" if eligible else "Approvals"
        url_state.link("approvals", label, dataset=dataset, case=case)
        if approval is not None and approval.decision == "approve":
            url_state.link("dashboard", "On the dashboard", dataset=dataset, judge=approval.judge)
    for icon, remark in (("history", note.older), ("visibility", doubt)):
        if remark:
            text.quiet(":orange[:material/{icon}:] {told}", icon=icon, told=remark)
