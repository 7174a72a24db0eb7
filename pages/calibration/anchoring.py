"""The panel Anchoring: do people agree more with the judge when they see its scores?"""

from __future__ import annotations

import streamlit as st

from data.approvals import policy
from data.calibration import anchoring
from data.calibration.anchoring import Arms
from data.reports.statistics import ANCHORING
from judges.plural import many
from judges.render.findings import anchoring as anchoring_findings
from judges.render.findings.findings import COUNT, Column
from judges.stats.calibration import DimensionResult
from pages.calibration.selection import CalibrationSelection, load
from pages.ui import explanations, findings, session, tables, text


def panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """Kappa in both arms and the difference; acceptance and seconds; what was changed after a reveal."""
    store = session.store()
    explanations.heading_with_help(
        "Anchoring: do people agree more with the judge where they see its scores?", "anchoring", key=key
    )
    anchor = load(ANCHORING, selection, line)
    if anchor is not None:
        findings.draw(anchoring_findings.findings(*anchor), f"anchor:{key}")
    basis = policy.approval_basis(store, selection.dataset)
    _draw_arms(anchoring.arms(store, selection.dataset, selection.judge, line.dimension, basis), f"arms:{key}")


def _draw_arms(arms: Arms, key: str) -> None:
    """Both arms side by side: equal answers, changes, seconds; and what was changed after a reveal."""
    both_arms = (arms.blind, arms.assisted)
    if any(arm.labels for arm in both_arms):
        rows = []
        for name, arm in zip(("blind", "assisted"), both_arms, strict=True):
            same = arm.same / arm.labels if arm.labels else None
            pace = arm.seconds[1] if arm.seconds else None
            changed = None if same is None else 1 - same
            rows.append((name, arm.items, arm.labels, same, changed, pace, _format_middle_half(arm.seconds)))
        columns = {
            "labels": Column(), "items": COUNT, "answers": COUNT, "acceptance": Column(".1%"),
            "override": Column(".1%"), "s/item": Column(".0f", "Median seconds per item."),
            "IQR": Column("", "Interquartile range of the seconds per item."),
        }  # fmt: skip
        tables.table(rows, columns, key, width="content")
        st.caption(
            "Assisted: acceptance rate and override rate. Blind: how often people give the judge's answer without "
            "seeing it. Seconds per item: median and IQR, over all questions of the item."
        )
    if arms.changed:
        text.say(
            "After the judge's scores were revealed, people changed {changed}: {same} to the judge's answer, {nearer} "
            "towards it. Revealed labels are in none of these figures.",
            changed=many(arms.changed, "label"), same=f"{arms.to_judge:,}", nearer=f"{arms.nearer:,}",
        )  # fmt: skip
    else:
        st.caption("No label was changed after the judge's scores were revealed.")


def _format_middle_half(seconds: tuple[float, float, float] | None) -> str:
    return "–" if seconds is None else f"{seconds[0]:,.0f} to {seconds[2]:,.0f}"
