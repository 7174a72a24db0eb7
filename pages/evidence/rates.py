"""The panel Found and missed: what the judge finds of a flag or a category, and what it raises falsely."""

from __future__ import annotations

import streamlit as st

from data.figures import rates as figures
from data.gold import Basis
from data.store import Store
from judges.calibrate import Line
from judges.correction import Corrected
from judges.rates import Answer
from judges.types import Dimension
from pages.evidence.load import Place
from pages.parts import rates, reading, session


@st.cache_data(max_entries=64, show_spinner="Counting what was found and what was missed ...")
def _found(
    _store: Store, at: Place, dimension: Dimension, basis: Basis
) -> tuple[list[Answer], dict[int, Corrected]]:
    return (
        figures.found(_store, at.dataset, at.judge, dimension, basis),
        figures.means(_store, at.dataset, at.judge, dimension, basis),
    )


def panel(at: Place, line: Line, key: str) -> None:
    """Sentences for every answer, the rates with their intervals, and how often people would say so."""
    found, means = _found(session.store(), at.plain, line.dimension, at.basis)
    if not line.shown.cells:
        st.caption("No cell has both gold and a score of this judge yet.")
        return
    reading.beside("What it finds, and what it raises falsely", "rates", "prevalence", key=key)
    rates.told(found, line.dimension)
    rates.table(found, means, key)
    if at.dropped:
        st.caption("Ties are counted in these figures.")
