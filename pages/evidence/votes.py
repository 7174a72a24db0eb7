"""Votes on pairs: how often the judge agrees with single people, and how often people agree with each other."""

from __future__ import annotations

import streamlit as st

from judges.types import Dimension
from pages.evidence import load
from pages.parts import session, voted


@st.fragment
def panel(at: load.Place, dimension: Dimension) -> None:
    """The agreement table, where people of named teams have voted."""
    store = session.store()
    found = load.voted(store, at, dimension)
    if found:
        voted.table(found, load.majority(store, at, dimension))
