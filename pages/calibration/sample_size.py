"""The sample size: the planner's sentences and the curve of kappa over items."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judges.plural import many
from judges.stats.approval_check import Policy
from judges.stats.calibration import Line
from judges.stats.uncertainty import Interval
from pages.ui import charts, text
from pages.ui.agreement_tables import span


def nothing(now: Interval) -> None:
    """There is no kappa to follow yet."""
    text.quiet(
        "No kappa yet: {items} with reference labels (gold) and a score, on which kappa is undefined. Label more "
        "random items.",
        items=many(now.items, "item"),
    )


def asked_width(key: str) -> float:
    """The half width of the interval that the person wants."""
    return float(
        st.number_input(
            "Interval no wider than ±", min_value=0.02, max_value=0.5, value=0.1, step=0.01, format="%.2f",
            key=f"half:{key}", help="Half of the width of the 95% interval.",
        )
    )  # fmt: skip


def planned(
    now: Interval, half: float, width: tuple[int, int] | None, bound: tuple[int, int] | None, asked: Policy, line: Line
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
    threshold = f"{asked.threshold:.2f}"
    if bound == (0, 0):
        text.say("The lower bound is at the required {threshold} or above.", threshold=threshold)
    elif bound is not None:
        text.say(
            "About **{low} to {high}** until the lower bound is at {threshold}, if the true kappa is as estimated "
            "(80% range).",
            low=f"{bound[0]:,}", high=many(bound[1], f"more {what}"), threshold=threshold,
        )  # fmt: skip
    elif (now.point or 0.0) < asked.threshold:
        text.say("Kappa itself is below {threshold}, so more labels alone will not help.", threshold=threshold)
    else:
        text.say("Kappa is at the required {threshold}: more labels are unlikely to decide it.", threshold=threshold)


def chart(steps: Sequence[Interval], ahead: Sequence[Interval], asked: Policy, key: str) -> None:
    """Kappa on the first n items with its band, the forecast, and the threshold."""
    charts.learning_curve(steps, ahead, key, asked.threshold, f"required: {asked.threshold:.2f}")
    first, last = steps[0], steps[-1]
    if first.point is not None and last.point is not None and len(steps) > 2:
        late = [s for s in steps if s.point is not None and s.items >= last.items / 2]
        drift = max(abs((s.point or 0.0) - last.point) for s in late)
        text.quiet(
            "Over the second half of the items kappa stayed within {drift} of {now}. Band: 95% interval by items "
            "(linearised). Dotted: forecast.",
            drift=f"{drift:.2f}", now=f"{last.point:.2f}",
        )  # fmt: skip
