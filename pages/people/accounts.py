"""Accounts of the sign-in provider on the page People: invitations, and who is known by which account; for leads."""

from __future__ import annotations

import streamlit as st

from data.records import invitations, logins
from data.records.access import Person, Role
from data.records.invitations import DAYS
from data.records.names import display_name
from pages.ui import session, tables, text

_ACCOUNTS = (("Account", ""), ("Person", "200px"), ("Role by group", "130px"), ("Last sign-in", "130px"))
_INVITATION_COLUMNS = (("E-mail or account", ""), ("As", "200px"), ("Invited by", "150px"), ("Until", "110px"))


def show_accounts() -> None:
    """The invitations that are open, and the accounts of people here with their last sign-in."""
    store, zone = session.store(), text.time_zone()
    me = session.me("lead")
    waits = invitations.open_invitations(store)
    if waits:
        st.header("Invitations", anchor=False)
        rows = [
            [invitation.whom, f"{invitation.person} ({invitation.role})" if invitation.person else invitation.role,
             display_name(invitation.inviter), f"{invitation.expires:%Y-%m-%d}"]
            for invitation in waits
        ]  # fmt: skip
        ids, acts = [invitation.id for invitation in waits], [("Withdraw",)] * len(waits)
        clicked = tables.wrapped_table(_INVITATION_COLUMNS, rows, "invitations", "Invitations", ids, actions=acts)
        if clicked:
            with text.refusals():
                invitations.withdraw_invitation(store, me.name, waits[clicked[0]].id)
                st.rerun()
    accounts = logins.person_accounts(store)
    if accounts:
        st.header("Accounts", anchor=False)
        st.caption("Who signs in as whom. A name here is what the provider said at the first sign-in.")
        rows = [
            [account.email or account.issuer, account.person, account.granted or "–",
             text.moment(account.last, zone) if account.last else "–"]
            for account in accounts
        ]  # fmt: skip
        tables.wrapped_table(_ACCOUNTS, rows, "accounts", "Accounts")


def invite(me: Person, email: str, role: Role, person: str = "", days: int = DAYS) -> None:
    """Open an invitation, and draw the page anew."""
    with text.refusals():
        entry = invitations.invite(session.store(), me.name, email, role, person, days)
        session.scratch("people")["said"] = f"{entry.email} can sign in until {entry.expires:%Y-%m-%d}. Let them know."
        st.rerun()


def account_section(me: Person, person: Person) -> None:
    """Of somebody here: an account to sign in with, and the end of all their sign-ins."""
    with st.form("link", border=False):
        email = st.text_input("Let an account sign in as this person", max_chars=254, placeholder="its e-mail address")
        if st.form_submit_button("Invite", icon=":material/link:"):
            invite(me, email, person.role, person.name)
    if st.button("Sign out everywhere", icon=":material/logout:"):
        with text.refusals():
            logins.sign_out_everywhere(session.store(), me.name, person.name)
            session.scratch("people")["said"] = f"{person.name} is signed out everywhere."
            st.rerun()
