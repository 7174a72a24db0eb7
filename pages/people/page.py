"""People: who works here, in which role, and who is only known from imports."""

from __future__ import annotations

import streamlit as st

from data.records import invitations, leads, logins, people
from data.records.access import Person, Role
from data.records.names import display_name
from data.records.people import MemberActivity
from pages.server import provider
from pages.ui import session, tables, text

ROLE_DESCRIPTIONS = {
    "annotator": "Labels items, and reads all figures.",
    "researcher": "Also imports, draws samples, adds items to queues, adjudicates, runs judges and exports.",
    "lead": "Also approves what the dashboard shows, sets the policy, manages people and makes backups.",
}


def page() -> None:
    """Everybody sees the list; leads change it."""
    me, store = session.me(), session.store()
    lead = me.may("lead")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.title("People", anchor=False)
        st.space("stretch")
        if lead and provider.is_set():
            if st.button("Invite somebody", type="primary", icon=":material/mail:"):
                _invite(me)
        elif lead and st.button("Add a person", type="primary", icon=":material/person_add:"):
            _add(me)
    session.explain_name_trust()
    st.caption("Every change is recorded with the name of whoever made it.")
    _show_proposals(me)
    members = people.members(store)
    rows, names = [_row(member) for member in members], [member.person.name for member in members]
    clicked = tables.wrapped_table(_COLUMNS, rows, "people", "People", names, chosen=lead)
    if lead:
        st.caption("Select a name to change the role, or to deactivate or reactivate the person.")
        if clicked:
            _change(me, members[clicked[0]].person)
        if provider.is_set():
            _show_accounts()
    with st.expander("What each role may do", icon=":material/key:"):
        for role, meaning in ROLE_DESCRIPTIONS.items():
            text.say("**{role}**: {told}", role=role, told=meaning)
    imported = people.imported_annotators(store)
    if imported:
        st.header("Known from imports", anchor=False)
        st.caption(
            "Annotators whose labels were imported. They have not worked here, and nobody can enter under such a name. "
            "An annotator in a file with the name of somebody here is listed as “name (file)”."
        )
        rows = [[name, team, f"{labels:,}"] for name, team, labels in imported]
        columns = (("Name", ""), ("Team", "220px"), ("Labels", "n130px"))
        tables.wrapped_table(columns, rows, "imported", "Known from imports")


_COLUMNS = (
    ("Name", ""), ("Role", "170px"), ("Status", "110px"), ("Items answered", "n130px"), ("Last active", "130px"),
)  # fmt: skip


def _row(member: MemberActivity) -> list[str]:
    person, last = member.person, text.moment(member.last) if member.last else "–"
    return [person.name, person.role, "active" if person.active else "inactive", f"{member.items:,}", last]


@text.dialog("Add a person")
def _add(me: Person) -> None:
    with st.form("add", border=False):
        name = st.text_input("Name", max_chars=60, placeholder="as shown beside their labels")
        role = _role("annotator", "add:role")
        if st.form_submit_button("Add", type="primary"):
            _set_person(me, name, role, True)


@text.dialog("Invite somebody")
def _invite(me: Person) -> None:
    """An address with a role; the name is what the provider says."""
    with st.form("invite", border=False):
        email = st.text_input("E-mail address", max_chars=254, placeholder="as the sign-in provider knows it")
        role = _role("annotator", "invite:role")
        days = st.number_input("Days that the invitation is open", 1, 365, invitations.DAYS)
        if st.form_submit_button("Invite", type="primary"):
            _open_invitation(me, email, role, days=int(days))


@text.dialog("Change a person")
def _change(me: Person, person: Person) -> None:
    text.say("**{name}**, {role}{inactive}", name=person.name, role=person.role,
             inactive="" if person.active else ", inactive")  # fmt: skip
    role = _role(person.role, f"role:{person.name}")
    st.caption(
        "Deactivated, nobody can enter under the name. Labels and decisions stay and count. Items reserved for the "
        "person are open to others at once; on the page Assignments they can be given to somebody."
        if person.active
        else "Reactivated, the person can enter again. Their labels and decisions were kept."
    )
    with st.container(horizontal=True):
        if st.button("Save" if person.active else "Reactivate", type="primary",
                     disabled=person.active and role == person.role):  # fmt: skip
            _set_person(me, person.name, role, True)
        if person.active and st.button("Deactivate", icon=":material/person_off:"):
            _set_person(me, person.name, person.role, False)
    if person.active and provider.is_set():
        _draw_account(me, person)


def _role(now: Role, key: str) -> Role:
    role: Role = st.segmented_control("Role", ["annotator", "researcher", "lead"], default=now, key=key, required=True)
    st.caption(ROLE_DESCRIPTIONS[role])
    return role


def _show_proposals(me: Person) -> None:
    """Draw the outcome of the last change, and the proposals on who leads that wait for another lead."""
    store = session.store()
    text.tell_outcome(session.scratch("people"), ":material/group:")
    proposals = leads.pending_lead_changes(store)
    if proposals and leads.lacks_independent_leads(leads.lead_history(store)):
        st.warning(text.escape(leads.NO_INDEPENDENT_LEADS), icon=":material/group:")
    for proposal in proposals:
        change = f"{proposal.person} as {proposal.role}" if proposal.active else f"to deactivate {proposal.person}"
        key = f"{proposal.person}:{proposal.at}"  # a press counts for the proposal that stood there
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            text.say(
                ":blue-badge[:material/group: proposed] **{by}** proposed **{what}**, {at}. A second lead must agree.",
                by=proposal.by, what=change, at=text.moment(proposal.at),
            )  # fmt: skip
            if not me.may("lead"):
                continue
            st.space("stretch")
            agree = proposal.by != me.name and st.button("Agree", icon=":material/check:", key=f"agree:{key}")
            if agree:
                # It is stored as a role.
                _set_person(me, proposal.person, proposal.role, proposal.active)  # type: ignore[arg-type]
            elif st.button("Withdraw", icon=":material/undo:", key=f"back:{key}"):
                people.withdraw_lead_proposal(store, me.name, proposal.person)
                st.rerun()


def _set_person(me: Person, name: str, role: Role, active: bool) -> None:
    """Change a person, or propose it; what came of it is shown when the page is drawn anew."""
    with text.refusals():
        done = people.set_person(session.store(), me.name, name, role, active)
        if (done.role, done.active) != (role, active):
            session.scratch("people")["said"] = "Proposed: who leads changes once a second lead agrees."
        st.rerun()


_ACCOUNTS = (("Account", ""), ("Person", "200px"), ("Role by group", "130px"), ("Last sign-in", "130px"))
_INVITATION_COLUMNS = (("E-mail or account", ""), ("As", "200px"), ("Invited by", "150px"), ("Until", "110px"))


def _show_accounts() -> None:
    me, store = session.me("lead"), session.store()
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
             text.moment(account.last) if account.last else "–"]
            for account in accounts
        ]  # fmt: skip
        tables.wrapped_table(_ACCOUNTS, rows, "accounts", "Accounts")


def _open_invitation(me: Person, email: str, role: Role, person: str = "", days: int = invitations.DAYS) -> None:
    with text.refusals():
        entry = invitations.invite(session.store(), me.name, email, role, person, days)
        session.scratch("people")["said"] = f"{entry.email} can sign in until {entry.expires:%Y-%m-%d}. Let them know."
        st.rerun()


def _draw_account(me: Person, person: Person) -> None:
    """Of somebody here: an account to sign in with, and the end of all their sign-ins."""
    with st.form("link", border=False):
        email = st.text_input("Let an account sign in as this person", max_chars=254, placeholder="its e-mail address")
        if st.form_submit_button("Invite", icon=":material/link:"):
            _open_invitation(me, email, person.role, person.name)
    if st.button("Sign out everywhere", icon=":material/logout:"):
        with text.refusals():
            logins.sign_out_everywhere(session.store(), me.name, person.name)
            session.scratch("people")["said"] = f"{person.name} is signed out everywhere."
            st.rerun()
