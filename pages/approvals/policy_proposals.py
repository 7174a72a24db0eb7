"""A less strict policy, if two leads are required: proposals for the second lead, and the outcome of a change."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from data.approvals import policy
from data.approvals.policy import Requirements
from data.records.people import Person
from data.store.ids import content_id
from pages.ui import session, text


def change_policy(actor: str, new_requirements: Requirements, reason: str) -> None:
    """Change the policy, or propose it; what came of it is shown when the page is drawn anew. Raises AssayError."""
    done = policy.set_requirements(session.store(), actor, new_requirements, reason)
    session.scratch("policy").pop("shown", None)
    session.scratch("policy")["said"] = (
        "Changed. Nothing was approved or suspended by it." if done
        else "Proposed. It is less strict, so it takes effect when a second, independent lead agrees."
    )  # fmt: skip


def draw_proposal(me: Person, explain: Callable[[Requirements], list[str]]) -> None:
    """Draw the outcome of the last change, and the proposal of a looser policy, to which another lead may agree."""
    text.tell_outcome(session.scratch("policy"))
    proposal = policy.proposed_requirements(session.store())
    if proposal is None:
        return
    new_requirements, reason, person = proposal
    key = content_id(policy.to_stored(new_requirements), reason, person)  # a press counts for what stood there
    with st.container(border=True):
        text.say(
            ":blue-badge[:material/group: proposed] **{person}** proposed a less strict policy: {reason}",
            person=person, reason=reason,
        )  # fmt: skip
        now, then = explain(policy.requirements(session.store())), explain(new_requirements)
        text.quiet("Now: {lines}", lines=" ".join(line for line in now if line not in then))
        text.say("Proposed: {lines}", lines=" ".join(line for line in then if line not in now))
        if not me.may("lead"):
            return
        with st.container(horizontal=True):
            agrees = me.name != person and st.button("Agree", icon=":material/check:", key=f"agree:{key}")
            ends = st.button("Withdraw", icon=":material/undo:", key=f"back:{key}")
    with text.refusals():
        if agrees:
            change_policy(me.name, new_requirements, f"Agreed with {person}: {reason}"[:2_000])
            st.rerun()
        if ends:
            store = session.store()
            policy.set_requirements(store, me.name, policy.requirements(store), "Withdrew the proposal.")
            session.scratch("policy")["said"] = "Withdrawn. The policy is as before."
            st.rerun()
