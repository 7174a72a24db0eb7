"""The baselines of each dimension, computed once as pages/ui/figure_cache.py does."""

from __future__ import annotations

import streamlit as st

from data.calibration import baselines, calibration
from data.gold.gold import Basis
from data.store import Store
from judges.stats.baselines import Floors
from pages.ui.figure_cache import Place


@st.cache_data(max_entries=64, show_spinner="Computing baselines ...")
def floors(_store: Store, at: Place, basis: Basis, dropped: bool) -> dict[tuple[str, str], Floors]:
    """The baselines of all dimensions of the judge's card, by (unit sort, name)."""
    return baselines.measure_baselines(
        _store, at.dataset, at.judge, calibration.compared_dimensions(_store, at.judge), basis, dropped
    )
