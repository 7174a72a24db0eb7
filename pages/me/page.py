"""The person's own page: who they are here, and what they have labelled."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from data.annotators import annotators
from data.records import logins
from judges.render.findings.findings import Column
from judges.stats.raters.rater_flags import RaterWork
from pages.me import tokens
from pages.server import provider
from pages.ui import explanations, session, tables, text, url_state


def page() -> None:
    """The person's own figures."""
    me = session.me()
    st.title(text.escape(me.name), anchor=False)
    text.say("Your role is **{role}**. Everything that you do is recorded under this name.", role=me.role)
    st.header("Your labels", anchor=False)
    _draw_own_work(annotators.own_labelling(session.store(), me.name))
    st.header("API tokens", anchor=False)
    with text.refusals():
        tokens.draw_tokens(me)
    if provider.is_set() and st.button("Sign out everywhere", icon=":material/logout:", help="In every browser."):
        with text.refusals():
            logins.sign_out_everywhere(session.store(), me.name, me.name)
            session.sign_out()
    session.explain_name_trust()


def _draw_own_work(rows: Mapping[str, RaterWork]) -> None:
    """Draw one person's work, a row for each dataset. It has no answers of others, because these would anchor them."""
    if not rows:
        st.caption(
            "You have not labelled anything yet. Your counts, acceptance rate and speed are shown here once you do."
        )
        url_state.link("desk", "Open the review desk")
        return
    done = [
        {"dataset": name, "items": work.items, "labels": work.labels, **explanations.work_columns(work)}
        for name, work in rows.items()
    ]
    shown = tables.drop_empty_columns(done, ("acceptance", "not on screen", "s/item"))
    tables.table(shown, explanations.WORK | {"dataset": Column(width=200)})
