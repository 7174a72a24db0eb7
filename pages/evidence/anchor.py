"""The panel Blind and assisted: do people follow the judge when they see it?"""

from __future__ import annotations

import streamlit as st

from data.figures import arms
from data.figures.arms import Arms
from data.store import Store
from judges.calibrate import Line
from judges.types import Dimension
from pages.evidence import load
from pages.parts import agreed, reading, session


@st.cache_data(max_entries=64, show_spinner="Putting blind beside assisted ...")
def _arms(_store: Store, at: load.Place, dimension: Dimension) -> Arms:
    return arms.arms(_store, at.dataset, at.judge, dimension)


def panel(at: load.Place, line: Line, key: str) -> None:
    """Kappa in both arms and the difference; equal answers and seconds; what was changed after a reveal."""
    store = session.store()
    reading.beside("Do people follow the judge where they see it?", "anchoring", key=key)
    agreed.anchored(*load.anchor(store, at.plain, line.dimension), f"anchor:{key}")
    agreed.arms(_arms(store, at.plain, line.dimension), f"arms:{key}")
