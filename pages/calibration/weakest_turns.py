"""The judge's weakest turns beside people's."""

from __future__ import annotations

import streamlit as st

from data.calibration import weakest_turns
from judges.render.findings import weakest_turns as said
from pages.calibration.place import Place
from pages.ui import findings, session


def panel(at: Place) -> None:
    """A sentence for each dimension whose answer is a turn; nothing where there is none, or no gold."""
    found = weakest_turns.compare_weakest_turns(session.store(), at.dataset, at.judge, at.basis)
    if found:
        with st.container(border=True):
            findings.draw(said.findings(found), "weakest")
