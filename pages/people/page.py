"""People: who works here, in which role, and who is only known from imports."""

from __future__ import annotations

import streamlit as st

from data.records import invitations, leads, people
from data.records.access import Person, Role
from data.records.people import MemberActivity
from pages.people import accounts
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
            accounts.show_accounts()
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
    person, last = member.person, text.moment(member.last, text.time_zone()) if member.last else "–"
    return [person.name, person.role, "active" if person.active else "inactive", f"{member.items:,}", last]


@text.dialog("Add a person")
def _add(me: Person) -> None:
    """A new name with a role."""
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
            accounts.invite(me, email, role, days=int(days))


@text.dialog("Change a person")
def _change(me: Person, person: Person) -> None:
    """Another role; inactive, or active again."""
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
        accounts.account_section(me, person)


def _role(now: Role, key: str) -> Role:
    """A role, with what it may do."""
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
                by=proposal.by, what=change, at=text.moment(proposal.at, text.time_zone()),
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
