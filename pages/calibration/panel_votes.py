"""Votes on pairs: how often the judge agrees with single people, and how often people agree with each other."""

from __future__ import annotations

import streamlit as st

from data.calibration import votes
from data.store import Store
from judges.stats.votes import VoteAgreement, agreement_table
from judges.types import Dimension
from pages.calibration import votes as calibration_votes
from pages.ui import figure_cache, session


@st.fragment
def panel(at: figure_cache.Place, dimension: Dimension) -> None:
    """The agreement table, where people of named teams have voted."""
    store = session.store()
    found = counted(store, at, dimension)
    if found:
        calibration_votes.table(found, figure_cache.majority(store, at, dimension))


@st.cache_data(max_entries=64, show_spinner=False)
def counted(_store: Store, at: figure_cache.Place, dimension: Dimension) -> list[VoteAgreement]:
    """How often the judge agrees with single votes, and people with each other."""
    scale = dimension.scale
    tie = scale.categories.index(scale.drawn) if scale.drawn else None
    return agreement_table(votes.votes(_store, at.dataset, at.judge, dimension), scale.size, tie)
