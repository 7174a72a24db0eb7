"""The panel Self-consistency: how often a judge's samples agree, and what several of them gain."""

from __future__ import annotations

import streamlit as st

from data.calibration.self_consistency import repeated
from data.records import combinations
from judges.plural import many
from judges.render.svg import Row
from judges.stats import self_consistency
from judges.stats.calibration import Line
from judges.stats.self_consistency import Repeats
from pages.ui import charts, session, text
from pages.ui.figure_cache import Place


def panel(at: Place, line: Line, key: str) -> None:
    """One sample alone beside all of them, how often they differ, and since when they count together."""
    store = session.store()
    with st.spinner("Comparing every sample with gold ..."):
        found = repeated(store, at.dataset, at.judge, line.dimension, at.basis)
    _told(found, combinations.named(store).get(at.judge, ""))
    if found is not None and found.together.cells:
        charts.intervals(_rows(found), f"plot:{key}", None)
    if at.dropped:
        st.caption("Ties are counted in these figures.")


def _told(found: Repeats | None, named: str) -> None:
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
    for sentence in self_consistency.told(found):
        text.say("{sentence}", sentence=sentence)
    if not found.together.cells:
        st.caption(text.NO_RATINGS)


def _rows(found: Repeats) -> list[Row]:
    """Kappa of all samples as one answer, and of each alone."""
    whole = found.together
    first = Row("combined", many(found.samples, "sample"), whole.point, whole.low, whole.high, whole.lower_bound)
    alone = [Row("single", f"sample {n}", kappa, None, None) for n, kappa in enumerate(found.singles, 1)]
    return [first, *alone]
