"""The panel Precision and recall: of a flag, or of each category against the rest."""

from __future__ import annotations

import streamlit as st

from data.calibration import rates as figures
from data.gold.gold import Basis
from data.store import Store
from judges.stats.calibration import Line
from judges.stats.ppi import Corrected
from judges.stats.rates import Answer
from judges.types import Dimension
from pages.calibration import rates
from pages.ui import explanations, session, text
from pages.ui.figure_cache import Place


@st.cache_data(max_entries=64, show_spinner="Computing precision and recall ...")
def _found(_store: Store, at: Place, dimension: Dimension, basis: Basis) -> tuple[list[Answer], dict[int, Corrected]]:
    return (
        figures.answer_rates(_store, at.dataset, at.judge, dimension, basis),
        figures.corrected_means(_store, at.dataset, at.judge, dimension, basis),
    )


def panel(at: Place, line: Line, key: str) -> None:
    """Sentences for every answer, the rates with their intervals, and how often people would say so."""
    found, means = _found(session.store(), at.plain, line.dimension, at.basis)
    if not line.shown.cells:
        st.caption(text.NO_RATINGS)
        return
    explanations.beside("Recall, precision and false positives", "rates", "prevalence", key=key)
    rates.told(found, line.dimension)
    rates.table(found, means, key)
    if at.dropped:
        st.caption("Ties are counted in these figures.")
