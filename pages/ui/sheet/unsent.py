"""Save from the open page the answers and decisions that were not sent before their page or tab was closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from data.records.access import Person
from pages.ui import session, text, url_state
from pages.ui.sheet import draw_unsent

Saver = Callable[[Person, str, dict[str, Any]], None]
"""Saves what the component with a key has sent, and keeps in a dictionary what came of it: acked, refused, notice."""


@text.fragment
def save_unsent(me: Person, address: str, savers: Mapping[str, Saver]) -> None:
    """Save what this browser still keeps of a person; the page, which has that address, is then drawn anew.

    `savers`: by the sort of what is kept (answers, acts), of what that page does not send itself. What is refused
    stays in the browser until its own page shows it.
    """
    key = f"unsent:{me.name}"
    state = session.scratch(key)
    states: dict[str, dict[str, Any]] = {sort: state.setdefault(sort, {}) for sort in savers}

    def save() -> None:
        for sort, save_sent in savers.items():
            save_sent(me, key, states[sort])
        refused = [refusal["key"] for outcome in states.values() for refusal in outcome.get("refused", [])]
        state["never"] = sorted({*state.get("never", []), *refused})
        state["again"] = not any(outcome["notice"] for outcome in states.values())

    with st.container(key="unsent"):
        draw_unsent(
            {
                "person": me.name,
                "sorts": list(savers),
                "saved": [ack["key"] for outcome in states.values() for ack in outcome.get("acked", [])],
                "refused": state.get("never", []),
            },
            key=key,
            on_outbox=url_state.callback_of(address, save),
        )
    if why := next((outcome["notice"] for outcome in states.values() if outcome.get("notice")), None):
        message = "Your last answers or decisions are not saved yet. They are kept in this browser. {why}"
        text.warn(message, why=why)
    if state.pop("again", False):
        st.rerun()
