"""The baselines of each dimension: the kappa of rules that do not read the text, and whether the judge beats them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from data.calibration import baselines, calibration
from data.gold.gold import Basis
from data.store import Store
from judges.render.findings import baselines as said
from judges.stats.baselines import Floors
from judges.stats.calibration import Line
from pages.ui.figure_cache import Place


@st.cache_data(max_entries=64, show_spinner="Computing baselines ...")
def floors(_store: Store, at: Place, basis: Basis, dropped: bool) -> dict[tuple[str, str], Floors]:
    """The baselines of all dimensions of the judge's card, by (unit sort, name)."""
    return baselines.measured(_store, at.dataset, at.judge, calibration.dimensions(_store, at.judge), basis, dropped)


def marks(lines: Sequence[Line], found: Mapping[tuple[str, str], Floors]) -> list[str]:
    """Whether the judge beats the baselines in each dimension, for the table of dimensions."""
    return [said.MARKS[found[line.dimension.sort, line.dimension.name].standing] for line in lines]
