"""What the desk had not sent when it was left, or when its tab was closed, is saved from the page that is open now."""

from __future__ import annotations

from datetime import tzinfo

import streamlit as st

from data.records.people import Person
from pages.desk import exchange
from pages.ui import session, text, url_state
from pages.ui.sheet import draw_unsent


@st.fragment
def save_unsent(who: Person, address: str, zone: tzinfo) -> None:
    """Save what this browser still keeps of a person's answers; the page, which has that address, is then drawn anew.

    What is refused stays in the browser until the desk shows it.
    """
    key = f"unsent:{who.name}"
    state = session.scratch(key)

    def save() -> None:
        exchange.save_sent(who, key, state, zone)
        if state["notice"] is None:
            state["again"] = True
            state["never"] = sorted({*state.get("never", []), *(one["key"] for one in state["refused"])})

    with st.container(key="unsent"):
        draw_unsent(
            {
                "person": who.name,
                "saved": [one["key"] for one in state.get("acked", [])],
                "refused": state.get("never", []),
            },
            key=key,
            on_outbox=url_state.callback_of(address, save),
        )
    if state.get("notice"):
        told = "What you answered on the review desk last is not saved yet, and kept in this browser. {why}"
        text.warn(told, why=state["notice"])
    if state.pop("again", False):
        st.rerun()
