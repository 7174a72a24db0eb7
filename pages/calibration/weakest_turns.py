"""The judge's weakest turns beside people's."""

from __future__ import annotations

import streamlit as st

from data.calibration import weakest_turns as figures
from judges.stats.weakest_turns import told
from pages.ui import session, text
from pages.ui.figure_cache import Place


def panel(at: Place) -> None:
    """A sentence for each dimension whose answer is a turn; nothing where there is none, or no gold."""
    found = figures.compare_weakest_turns(session.store(), at.dataset, at.judge, at.basis)
    for d, one in found.items():
        with st.container(border=True):
            text.say("**{name}**: {sentences}", name=d.title.capitalize(), sentences=" ".join(told(one)))
