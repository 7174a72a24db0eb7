"""One's own page: who one is here, and what one has labelled."""

from __future__ import annotations

import streamlit as st

from data import annotators
from pages.label.enter import TRUST
from pages.parts import rated, session, text


def page() -> None:
    """The person's own figures."""
    who = session.me()
    st.title(text.plain(who.name), anchor=False)
    text.say("Your role is **{role}**. Everything that you do is recorded under this name.", role=who.role)
    st.subheader("Your labels", anchor=False)
    rated.own(annotators.own(session.store(), who.name))
    st.caption(TRUST)
