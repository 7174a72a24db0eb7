"""Changes of who leads, where two leads are required: what waits for the second, and what came of a change."""

from __future__ import annotations

import streamlit as st

from data.records import leads, people
from data.records.people import Person, Role
from pages.ui import session, text


def show_proposals(me: Person) -> None:
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
                set_person(me, proposal.person, proposal.role, proposal.active)  # type: ignore[arg-type]
            elif st.button("Withdraw", icon=":material/undo:", key=f"back:{key}"):
                people.withdraw_lead_proposal(store, me.name, proposal.person)
                st.rerun()


def set_person(me: Person, name: str, role: Role, active: bool) -> None:
    """Change a person, or propose it; what came of it is shown when the page is drawn anew."""
    with text.refusals():
        done = people.set_person(session.store(), me.name, name, role, active)
        if (done.role, done.active) != (role, active):
            session.scratch("people")["said"] = "Proposed: who leads changes once a second lead agrees."
        st.rerun()
