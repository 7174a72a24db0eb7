"""Tokens with which a program acts for a person: create, show once, revoke."""

from __future__ import annotations

import streamlit as st

from data.records import tokens
from data.records.people import Person
from data.records.tokens import SCOPES, Token
from data.store.ids import now
from pages.ui import session, tables, text


def draw_tokens(me: Person) -> None:
    """The person's tokens, and a form for a new one."""
    store, kept = session.store(), session.scratch("tokens")
    st.caption(
        "A program asks Assay's API with a token, as you and with no more rights than you have at that moment. Scores "
        "and labels that it reads count as seen by you."
    )
    text.show_secret(kept, "This is the token. Copy it now: it is not shown again.")
    own_tokens = [token for token in tokens.list_tokens(store, me.name) if not token.revoked]
    if own_tokens:
        columns = [("Name", ""), ("Begins", "150px"), ("For", ""), ("Holds until", "150px"), ("Last used", "150px")]
        clicked = tables.wrapped_table(
            columns, [_row(token) for token in own_tokens], "tokens", "API tokens", [token.id for token in own_tokens],
            actions=[("Revoke",)] * len(own_tokens),
        )  # fmt: skip
        if clicked:
            tokens.revoke_token(store, me.name, own_tokens[clicked[0]].id)
            st.rerun()
    with st.expander("Make a token", icon=":material/add:"), st.form("token", border=False):
        name = st.text_input("What it is for", max_chars=60)
        scopes = st.multiselect("What it may do", list(SCOPES), default=["read"], format_func=SCOPES.__getitem__)
        days = st.number_input("Days that it holds", 1, tokens.MAX_DAYS, tokens.DEFAULT_DAYS)
        if st.form_submit_button("Make"):
            with text.refusals():
                _, kept["secret"] = tokens.new_token(store, me.name, name, scopes, int(days))
                st.rerun()


def _row(token: Token) -> list[str]:
    zone = text.time_zone()
    until = text.moment(token.expires, zone) if token.state(now()) == "holds" else "expired"
    return [
        token.name,
        token.prefix,
        ", ".join(token.scopes),
        until,
        text.moment(token.used, zone) if token.used else "never",
    ]
