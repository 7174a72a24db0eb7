"""The panel Binary threshold: a score from a threshold on is "yes", with precision, recall and kappa of that."""

from __future__ import annotations

import streamlit as st

from data.calibration import concordance
from data.gold.gold import Basis
from data.store import Store
from judges.stats.calibration import Line
from judges.stats.threshold import Flagged, Step, thresholds
from judges.types import Dimension
from pages.calibration import threshold
from pages.ui import explanations, session, text, url_state
from pages.ui.figure_cache import Place


@st.cache_data(max_entries=64, show_spinner="Trying every threshold ...")
def _curve(_store: Store, at: Place, dimension: Dimension, basis: Basis) -> list[Step]:
    return concordance.flags(_store, at.dataset, at.judge, dimension, basis)


@st.cache_data(max_entries=64, show_spinner=False)
def _one(_store: Store, at: Place, dimension: Dimension, basis: Basis, value: float) -> Flagged:
    return concordance.flagged(_store, at.dataset, at.judge, dimension, basis, value)


def panel(at: Place, line: Line, key: str) -> None:
    """A choice of threshold, its figures with intervals, and the figures over all thresholds."""
    if not line.shown.cells:
        st.caption(text.NO_RATINGS)
        return
    store, dimension = session.store(), line.dimension
    there = {f"{value:g}": value for value in thresholds(dimension.scale)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=220):
            named = {name: f"{dimension.scale.say(value)} or more" for name, value in there.items()}
            chosen = url_state.select("from", "Positive from", named, default=list(named)[len(named) // 2])
        explanations.how("threshold", key=key)
    threshold.figures(_one(store, at.plain, dimension, at.basis, there[chosen]), dimension, f"flag:{key}")
    threshold.chart(_curve(store, at.plain, dimension, at.basis), f"flags:{key}")
