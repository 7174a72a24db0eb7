"""How much gold is enough: the planner's sentences and the curve of kappa over items."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judges.calibrate import Line
from judges.counted import many
from judges.gate import Policy
from judges.intervals import Interval
from pages.parts import charts, text
from pages.parts.calibrated import span


def nothing(now: Interval) -> None:
    """There is no kappa to follow yet."""
    text.quiet(
        "There is no kappa to follow yet: {items} with gold and a score, and kappa is undefined on them. More "
        "random items are needed.",
        items=many(now.items, "item"),
    )


def asked_width(key: str) -> float:
    """The half width that the person asks of the interval."""
    return float(
        st.number_input(
            "Interval no wider than ±", min_value=0.02, max_value=0.5, value=0.1, step=0.01, format="%.2f",
            key=f"half:{key}", help="Half of the 95% interval's width: .10 means kappa give or take .10.",
        )
    )  # fmt: skip


def planned(
    now: Interval, half: float, width: tuple[int, int] | None, bound: tuple[int, int] | None, asked: Policy, line: Line
) -> None:
    """What further items would do: for the width, and for the lower bound as the approval check asks for it."""
    what = "blind item" if line.gated else "item"
    if width is None:
        text.say("How many items an interval of ±{half} needs cannot be told yet.", half=f"{half:.2f}")
    elif width == (0, 0):
        text.say(
            "An interval of ±{half} is reached: it is {span} on {items}.",
            half=f"{half:.2f}", span=span(now), items=many(now.items, "item"),
        )  # fmt: skip
    else:
        text.say(
            "Likely **{low} to {high}** until the interval is no wider than ±{half}; now it is {span} on {items}.",
            low=f"{width[0]:,}", high=many(width[1], f"more {what}"), half=f"{half:.2f}", span=span(now),
            items=many(now.items, "item"),
        )  # fmt: skip
    threshold = f"{asked.threshold:.2f}"
    if bound == (0, 0):
        text.say("The lower bound reaches the {threshold} that is asked.", threshold=threshold)
    elif bound is not None:
        text.say(
            "Likely **{low} to {high}** until the lower bound reaches {threshold}, if kappa is what it seems: one "
            "collection in five needs fewer, one in five more.",
            low=f"{bound[0]:,}", high=many(bound[1], f"more {what}"), threshold=threshold,
        )  # fmt: skip
    elif (now.point or 0.0) < asked.threshold:
        text.say("Kappa itself does not lie above {threshold}, so more labels alone will not do.", threshold=threshold)
    else:
        text.say("Kappa is at the threshold of {threshold}: more labels will not settle it.", threshold=threshold)


def chart(steps: Sequence[Interval], ahead: Sequence[Interval], asked: Policy, key: str) -> None:
    """Kappa on the first n items with its band, what is to be expected, and the threshold."""
    charts.growth(steps, ahead, key, asked.threshold, f"asked: {asked.threshold:.2f}")
    first, last = steps[0], steps[-1]
    if first.point is not None and last.point is not None and len(steps) > 2:
        late = [s for s in steps if s.point is not None and s.items >= last.items / 2]
        drift = max(abs((s.point or 0.0) - last.point) for s in late)
        text.quiet(
            "Over the second half of the items kappa stayed within {drift} of {now}. Band: 95% interval by items, "
            "linearised at each size; shaded to the right: what to expect.",
            drift=f"{drift:.2f}", now=f"{last.point:.2f}",
        )  # fmt: skip
