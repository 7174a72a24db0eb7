"""The panel Confidence: does the judge agree with people more often where its confidence is high?"""

from __future__ import annotations

import streamlit as st

from data.calibration import confidence as certainty
from data.gold.gold import Basis
from data.store import Store
from judges.stats.calibration import Line
from judges.stats.reliability import Reliability, reliability
from judges.types import Dimension
from pages.calibration import confidence as levels
from pages.ui import explanations, session, url_state
from pages.ui.figure_cache import Place


@st.cache_data(max_entries=64, show_spinner="Computing calibration ...")
def _found(
    _store: Store, at: Place, dimension: Dimension, basis: Basis
) -> tuple[dict[str, tuple[Reliability, int]], int]:
    found = certainty.certain(_store, at.dataset, at.judge, dimension, basis)
    figures = {source: (reliability(cells), len(cells.item)) for source, cells in found.by_source.items()}
    return {source: (one, n) for source, (one, n) in figures.items() if one is not None}, found.scored


def panel(at: Place, line: Line, key: str) -> None:
    """A sentence, agreement by level of confidence, and how well confidence ranks."""
    by_source, scored = _found(session.store(), at.plain, line.dimension, at.basis)
    if not by_source:
        levels.nothing(scored)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=360):
            source = url_state.select("source", "Confidence from", levels.sources(by_source))
        explanations.how("confidence", "reliability", "ranking", key=key)
    found, cells = by_source[source]
    levels.told(found, source, cells, scored)
    explanations.alike(line.dimension.scale)
    if at.dropped:
        st.caption("Ties are counted in these figures.")
    levels.chart(found, bool(line.dimension.scale.weights), f"chart:{key}:{source}")
