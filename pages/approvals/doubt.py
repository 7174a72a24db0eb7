"""The labels since an approval: a plot of then, since and now, and the reason why a lead has kept the approval."""

from __future__ import annotations

import streamlit as st

from data.approvals import suspension
from data.approvals.approvals import ApprovalNote
from data.approvals.record import ApprovalStatus
from data.approvals.suspension import PeriodFigure
from judges.plural import many
from judges.render.svg import IntervalRow
from pages.ui import charts, session, text


def panel(approval_status: ApprovalStatus, note: ApprovalNote) -> None:
    """Then and now, where labels came since the approval."""
    holds = approval_status.holds
    if holds is None or holds.decision not in ("approve", "suspend"):
        return
    figures = suspension.current_period_figures(session.store(), holds)
    if figures:
        threshold = holds.policy.threshold
        st.markdown("**Labels since the approval**")
        rows = [_row(figure, threshold) for figure in figures]
        charts.interval_chart(rows, f"since:{holds.id}", threshold, f"required: {threshold:.2f}")
        text.quiet("{told}", told=_describe_bias(figures))
    if note.kept is not None:
        text.quiet("{who} reviewed it and kept it approved: {why}", who=note.kept[0], why=note.kept[1])


def _row(figure: PeriodFigure, threshold: float) -> IntervalRow:
    low = figure.what != "at the approval" and figure.kappa is not None and figure.kappa < threshold
    items = many(int(figure.items or 0), "item")
    kappa = "undefined" if figure.kappa is None else f"{figure.kappa:z.2f}"
    state = "fails" if low else "beside" if figure.what == "at the approval" else "other"
    return IntervalRow(figure.what, "", figure.kappa, figure.low, figure.high, None, state, f"{kappa} on {items}")


def _describe_bias(figures: list[PeriodFigure]) -> str:
    """Return sentences on how bias moved and what the lines are."""
    bias = {figure.what: figure.bias for figure in figures}
    then, since = bias.get("at the approval"), bias.get("labels since")
    moved = (
        f"Bias (judge - people): {then:+.2f} at the approval, {since:+.2f} in labels since. "
        if then is not None and since is not None else ""
    )  # fmt: skip
    return (
        f"{moved}Lines: 95% intervals; that of labels since, from 50 items on, is valid at any number of looks (95% at "
        "each end)."
    )
