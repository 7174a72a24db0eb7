"""Cells that wait for somebody who adjudicates: what becomes of them in the figures, and both figures."""

from __future__ import annotations

import streamlit as st

from data.approvals import check_results
from data.gold.gold import Basis
from data.records import settings
from data.records.settings import Waiting
from data.store import Store
from judges.stats.calibration import Summary
from pages.calibration import disputes
from pages.ui import figure_cache, session


def choice(at: figure_cache.Place, basis: Basis | None, dropped: bool) -> Waiting:
    """What becomes of them on the page: as chosen where there are some, else as the dataset's gold rule has it."""
    store = session.store()
    rule = settings.gold_rule(store, at.dataset).waiting
    return disputes.choice(rule) if basis is not None and both(store, at, basis, dropped) else rule


def panel(at: figure_cache.Place, basis: Basis, dropped: bool, dataset: str) -> None:
    """Both figures of every dimension that has such cells."""
    store = session.store()
    disputes.beside(both(store, at, basis, dropped), settings.gold_rule(store, at.dataset).waiting, dataset)


@st.cache_data(max_entries=64, show_spinner=False)
def both(_store: Store, at: figure_cache.Place, basis: Basis, dropped: bool) -> list[tuple[Summary, Summary]]:
    """The dimensions in which cells wait, with and without those cells."""
    return check_results.with_and_without_waiting(_store, at.dataset, at.judge, basis, dropped)
