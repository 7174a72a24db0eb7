"""The person's own page: who they are here, and what they have labelled."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from data.annotators import annotators
from data.records import logins, tokens
from data.records.access import Person
from data.records.tokens import SCOPES, Token
from data.store.ids import now
from judges.render.findings.findings import Column
from judges.stats.raters.rater_flags import RaterWork
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
        _draw_tokens(me)
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


def _draw_tokens(me: Person) -> None:
    """The person's tokens, and a form for a new one."""
    store, state = session.store(), session.scratch("tokens")
    st.caption(
        "A program asks Assay's API with a token, as you and with no more rights than you have at that moment. Scores "
        "and labels that it reads count as seen by you."
    )
    text.show_secret(state, "This is the token. Copy it now: it is not shown again.")
    own_tokens = [token for token in tokens.list_tokens(store, me.name) if not token.revoked]
    if own_tokens:
        columns = [("Name", ""), ("Begins", "150px"), ("For", ""), ("Holds until", "150px"), ("Last used", "150px")]
        rows, ids = [_token_row(token) for token in own_tokens], [token.id for token in own_tokens]
        clicked = tables.wrapped_table(
            columns, rows, "tokens", "API tokens", ids, actions=[("Revoke",)] * len(own_tokens)
        )
        if clicked:
            tokens.revoke_token(store, me.name, own_tokens[clicked[0]].id)
            st.rerun()
    with st.expander("Make a token", icon=":material/add:"), st.form("token", border=False):
        name = st.text_input("What it is for", max_chars=60)
        scopes = st.multiselect("What it may do", list(SCOPES), default=["read"], format_func=SCOPES.__getitem__)
        days = st.number_input("Days that it holds", 1, tokens.MAX_DAYS, tokens.DEFAULT_DAYS)
        if st.form_submit_button("Make"):
            with text.refusals():
                _, state["secret"] = tokens.new_token(store, me.name, name, scopes, int(days))
                st.rerun()


def _token_row(token: Token) -> list[str]:
    until = text.moment(token.expires) if token.state(now()) == "holds" else "expired"
    used = text.moment(token.used) if token.used else "never"
    return [token.name, token.prefix, ", ".join(token.scopes), until, used]
