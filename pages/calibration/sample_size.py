"""The panel Sample size: kappa by the number of items with gold, and how many more are needed."""

from __future__ import annotations

import streamlit as st

from data.approvals import policy
from data.reports.statistics import SAMPLE_SIZE
from judges.plural import many
from judges.render.findings import sample_size as sample_size_findings
from judges.stats.calibration import DimensionResult
from judges.stats.sample_size import extrapolate_interval, more_items_for_threshold, more_items_for_width
from judges.stats.uncertainty import Interval
from pages.calibration.selection import CalibrationSelection, load
from pages.ui import explanations, findings, session, text


def panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """The planner's sentences, then the curve with the forecast."""
    store, now = session.store(), line.shown.interval
    approval_policy = policy.requirements(store).policy
    steps = load(SAMPLE_SIZE, selection, line)
    if not steps or now.point is None:
        _explain_no_kappa(now)
        return
    left, right = st.columns([1, 4], vertical_alignment="center", gap="medium")
    with left:
        half = st.number_input(
            "Interval no wider than ±", min_value=0.02, max_value=0.5, value=0.1, step=0.01, format="%.2f",
            key=f"half:{key}", help="Half of the width of the 95% interval.",
        )  # fmt: skip
    needed = line.check.needed if line.gated else None
    needed = needed or approval_policy.schedule.boundary(1 - approval_policy.level, now.items)
    width, bound = more_items_for_width(now, half), more_items_for_threshold(now, approval_policy.threshold, needed)
    with right:
        noun = "blind item" if line.gated else "item"
        findings.draw(sample_size_findings.plan(now, half, width, bound, approval_policy, noun), f"plan:{key}")
    explanations.heading_with_help("Kappa by sample size", "curve", "planner", key=key)
    further = max(width[1] if width else 0, bound[1] if bound else 0)
    forecast = extrapolate_interval(now, now.items + min(further, 4 * now.items))
    findings.draw(sample_size_findings.growth(steps, forecast, approval_policy), f"curve:{key}")


def _explain_no_kappa(now: Interval) -> None:
    """There is no kappa to follow yet."""
    text.quiet(
        "No kappa yet: {items} with reference labels (gold) and a score, on which kappa is undefined. Label more "
        "random items.",
        items=many(now.items, "item"),
    )
