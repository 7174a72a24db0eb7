"""People: who works here, in which role, and who is only known from imports."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from data import people
from data.people import Member, Person, Role
from pages.lead import proposals
from pages.parts import clock, session, text

MAY = {
    "annotator": "Labels.",
    "researcher": "Labels, imports, draws samples, fills queues and runs judges.",
    "lead": "All of that, decides which dimensions reach the dashboard, and says who may do what.",
}


def page() -> None:
    """Everybody sees the list; leads change it."""
    who, store = session.me(), session.store()
    lead = who.may("lead")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.title("People")
        st.space("stretch")
        if lead and st.button("Add a person", type="primary", icon=":material/person_add:"):
            _add(who)
    st.caption(
        "Names are taken on trust: nobody is asked for a password, and Assay answers only here, on 127.0.0.1. "
        "Every change is recorded with the name that made it."
    )
    proposals.panel(who)
    members = people.members(store)
    kept = session.scratch("people")
    event = st.dataframe(
        _frame(members), hide_index=True, height="content" if len(members) <= 15 else 560,
        key=f"people:{kept.get('n', 0)}", on_select="rerun" if lead else "ignore", selection_mode="single-cell",
    )  # fmt: skip
    if lead:
        st.caption("Click on somebody to change their role, or to let them go.")
        if event.selection.cells:
            kept["n"] = kept.get("n", 0) + 1
            _change(who, members[event.selection.cells[0][0]].person)
    imported = people.imported(store)
    if imported:
        st.subheader("Known from imports")
        st.caption(
            "Their labels were imported; they have not worked here, and nobody can enter under such a name. Who has "
            "the name of somebody here in a file stands as “name (file)”."
        )
        frame = pd.DataFrame(imported, columns=["Name", "Team", "Labels"])
        st.dataframe(frame if frame["Team"].any() else frame.drop(columns="Team"), hide_index=True, height="content")


def _frame(members: list[Member]) -> pd.DataFrame:
    zone = clock.zone()
    return pd.DataFrame(
        {
            "Name": [m.person.name for m in members],
            "Role": [m.person.role if m.person.active else f"left ({m.person.role})" for m in members],
            "Items answered": [m.items for m in members],
            "Last change": [clock.at(m.last, zone) if m.last else "–" for m in members],
        }
    )


@st.dialog("Add a person")
def _add(who: Person) -> None:
    """A new name with a role."""
    with st.form("add", border=False):
        name = st.text_input("Name", max_chars=60, placeholder="as it is to stand beside their labels")
        role = _role("annotator", "add:role")
        if st.form_submit_button("Add", type="primary"):
            proposals.put(who, name, role, True)


@st.dialog("Change a person")
def _change(who: Person, person: Person) -> None:
    """Another role, or no longer here."""
    text.say("**{name}**, {role}", name=person.name, role=person.role if person.active else "left")
    role = _role(person.role, f"role:{person.name}")
    with st.container(horizontal=True):
        if st.button("Save", type="primary", disabled=person.active and role == person.role):
            proposals.put(who, person.name, role, True)
        if person.active and st.button("Let go", icon=":material/person_off:"):
            proposals.put(who, person.name, person.role, False)


def _role(now: Role, key: str) -> Role:
    """A role, with what it may do."""
    role: Role = st.segmented_control("Role", ["annotator", "researcher", "lead"], default=now, key=key, required=True)
    st.caption(MAY[role])
    return role
