"""The panel Sample size: kappa by the number of items with gold, and how many more are needed."""

from __future__ import annotations

import streamlit as st

from data.approvals import policy
from data.reports.statistics import SAMPLE_SIZE
from judges.plural import many
from judges.render.findings import sample_size as said
from judges.render.words import span
from judges.stats.approval_check import Policy
from judges.stats.calibration import DimensionResult
from judges.stats.planner import extrapolate_interval, more_items_for_threshold, more_items_for_width
from judges.stats.uncertainty import Interval
from pages.calibration.place import CalibrationPlace, load
from pages.ui import explanations, findings, session, text


def panel(at: CalibrationPlace, line: DimensionResult, key: str) -> None:
    """The planner's sentences, then the curve with the forecast."""
    store, now = session.store(), line.shown.interval
    approval_policy = policy.requirements(store).policy
    steps = load(SAMPLE_SIZE, at, line)
    if not steps or now.point is None:
        _explain_no_kappa(now)
        return
    left, right = st.columns([1, 4], vertical_alignment="center", gap="medium")
    with left:
        half = _asked_width(key)
    needed = line.decision.needed if line.gated else None
    needed = needed or approval_policy.schedule.boundary(1 - approval_policy.level, now.items)
    width, bound = more_items_for_width(now, half), more_items_for_threshold(now, approval_policy.threshold, needed)
    with right:
        _draw_plan(now, half, width, bound, approval_policy, line)
    explanations.heading_with_help("Kappa by sample size", "curve", "planner", key=key)
    further = max(width[1] if width else 0, bound[1] if bound else 0)
    forecast = extrapolate_interval(now, now.items + min(further, 4 * now.items))
    findings.draw(said.growth(steps, forecast, approval_policy), f"curve:{key}")


def _explain_no_kappa(now: Interval) -> None:
    """There is no kappa to follow yet."""
    text.quiet(
        "No kappa yet: {items} with reference labels (gold) and a score, on which kappa is undefined. Label more "
        "random items.",
        items=many(now.items, "item"),
    )


def _asked_width(key: str) -> float:
    """The half width of the interval that the person wants."""
    return float(
        st.number_input(
            "Interval no wider than ±", min_value=0.02, max_value=0.5, value=0.1, step=0.01, format="%.2f",
            key=f"half:{key}", help="Half of the width of the 95% interval.",
        )
    )  # fmt: skip


def _draw_plan(
    now: Interval,
    half: float,
    width: tuple[int, int] | None,
    bound: tuple[int, int] | None,
    approval_policy: Policy,
    line: DimensionResult,
) -> None:
    """What further items would do: for the width, and for the lower bound that the approval check requires."""
    what = "blind item" if line.gated else "item"
    if width is None:
        text.say("The number of items for an interval of ±{half} cannot be estimated yet.", half=f"{half:.2f}")
    elif width == (0, 0):
        text.say(
            "The interval is no wider than ±{half} already: {span} from {items}.",
            half=f"{half:.2f}", span=span(now), items=many(now.items, "item"),
        )  # fmt: skip
    else:
        text.say(
            "About **{low} to {high}** until the interval is no wider than ±{half}; now it is {span} from {items}.",
            low=f"{width[0]:,}", high=many(width[1], f"more {what}"), half=f"{half:.2f}", span=span(now),
            items=many(now.items, "item"),
        )  # fmt: skip
    threshold = f"{approval_policy.threshold:.2f}"
    if bound == (0, 0):
        text.say("The lower bound is at the required {threshold} or above.", threshold=threshold)
    elif bound is not None:
        text.say(
            "About **{low} to {high}** until the lower bound is at {threshold}, if the true kappa is as estimated "
            "(80% range).",
            low=f"{bound[0]:,}", high=many(bound[1], f"more {what}"), threshold=threshold,
        )  # fmt: skip
    elif (now.point or 0.0) < approval_policy.threshold:
        text.say("Kappa itself is below {threshold}, so more labels alone will not help.", threshold=threshold)
    else:
        text.say("Kappa is at the required {threshold}: more labels are unlikely to decide it.", threshold=threshold)
