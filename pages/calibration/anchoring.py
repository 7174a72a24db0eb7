"""The panel Anchoring: do people agree more with the judge when they see its scores?"""

from __future__ import annotations

import streamlit as st

from data.calibration import anchoring
from data.calibration.anchoring import Arms
from data.store import Store
from judges.stats.calibration import DimensionResult
from judges.types import Dimension
from pages.ui import agreement, explanations, figure_cache, session


@st.cache_data(max_entries=64, show_spinner="Comparing blind with assisted labels ...")
def _arms(_store: Store, at: figure_cache.Place, dimension: Dimension) -> Arms:
    return anchoring.arms(_store, at.dataset, at.judge, dimension)


def panel(at: figure_cache.Place, line: DimensionResult, key: str) -> None:
    """Kappa in both arms and the difference; acceptance and seconds; what was changed after a reveal."""
    store = session.store()
    explanations.beside(
        "Anchoring: do people agree more with the judge where they see its scores?", "anchoring", key=key
    )
    agreement.anchored(*figure_cache.anchor(store, at.plain, line.dimension), f"anchor:{key}")
    agreement.arms(_arms(store, at.plain, line.dimension), f"arms:{key}")
