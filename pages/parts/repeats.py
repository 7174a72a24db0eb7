"""What asking a judge several times bought, in sentences and a plot."""

from __future__ import annotations

import streamlit as st

from data.report.svg import Row
from judges.counted import many
from judges.figures import repeats
from judges.figures.repeats import Repeats
from pages.parts import text


def told(found: Repeats | None, named: str) -> None:
    """One sample beside all of them, how often they differ, and whether that is too often."""
    if found is None:
        text.quiet(
            "This judge was asked once about everything, so it cannot be told how steady it is. A run with several "
            "samples (temperature above 0) shows how often its answers flip, and what asking again buys."
        )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        text.say("**{named}**: all samples about one thing count as one answer, here and everywhere.", named=named)
        if found.flaky:
            st.badge("flaky", icon=":material/shuffle:", color="red", help="Its samples differ too often; see below.")
    for sentence in repeats.told(found):
        text.say("{sentence}", sentence=sentence)
    if not found.together.cells:
        st.caption("No cell has both gold and a score of this judge yet: agreement stands here once people label.")


def rows(found: Repeats) -> list[Row]:
    """Kappa of all samples as one answer, and of each alone."""
    whole = found.together
    first = Row("all as one", many(found.samples, "sample"), whole.point, whole.low, whole.high, whole.lower_bound)
    alone = [Row("alone", f"sample {n}", kappa, None, None) for n, kappa in enumerate(found.singles, 1)]
    return [first, *alone]
