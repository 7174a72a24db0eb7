"""What asking a judge several times bought, in sentences and a plot."""

from __future__ import annotations

import streamlit as st

from judges.plural import many
from judges.render.svg import IntervalRow
from judges.stats import self_consistency
from judges.stats.self_consistency import SelfConsistency
from pages.ui import text


def told(found: SelfConsistency | None, named: str) -> None:
    """One sample beside all of them, how often they differ, and whether that is too often."""
    if found is None:
        text.quiet(
            "This judge has one sample of each rating, so its self-consistency is not tested. Run it with several "
            "samples and a temperature above 0 to measure how often its answers change, and what more samples gain."
        )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        text.say(
            "**{named}**: the samples of one rating are combined into one answer, here and everywhere.", named=named
        )
        if found.flaky:
            st.badge("flaky", icon=":material/shuffle:", color="red", help="Its samples disagree too often; see below.")
    for sentence in self_consistency.explain(found):
        text.say("{sentence}", sentence=sentence)
    if not found.together.cells:
        st.caption(text.NO_RATINGS)


def rows(found: SelfConsistency) -> list[IntervalRow]:
    """Kappa of all samples as one answer, and of each alone."""
    whole = found.together
    first = IntervalRow(
        "combined", many(found.samples, "sample"), whole.point, whole.low, whole.high, whole.lower_bound
    )
    alone = [IntervalRow("single", f"sample {n}", kappa, None, None) for n, kappa in enumerate(found.singles, 1)]
    return [first, *alone]
