"""One's own page: who one is here, and what one has labelled."""

from __future__ import annotations

import streamlit as st

from data.annotators import annotators
from pages.server import access
from pages.ui import annotator_tables, session, text


def page() -> None:
    """The person's own figures."""
    who = session.me()
    st.title(text.plain(who.name), anchor=False)
    text.say("Your role is **{role}**. Everything that you do is recorded under this name.", role=who.role)
    st.subheader("Your labels", anchor=False)
    annotator_tables.own(annotators.own(session.store(), who.name))
    st.caption(text.HERE if access.is_local() else text.ANYWHERE)
