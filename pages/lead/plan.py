"""When a dataset is looked at: at any time, or as a plan says that a lead puts on record before the first label."""

from __future__ import annotations

import streamlit as st

from data.datasets import Dataset
from data.deciding import plans, policy
from data.people import Person
from judges.errors import AssayError
from judges.looks import Plan
from pages.parts import session, text


def panel(who: Person, dataset: Dataset) -> None:
    """What holds for the dataset, and for leads the form, as long as no label counts yet."""
    store, gate = session.store(), policy.asked(session.store()).policy
    plan, begun = plans.plan(store, dataset.id), plans.begun(store, dataset.id)
    if not gate.lower_bound:
        return
    st.subheader("When this dataset is looked at", anchor=False)
    free = gate.schedule.boundary(1 - gate.level, gate.first)
    if plan is None:
        text.say(
            "At any time: whoever looks after every label makes no more errors for it, as the lower bound lies {z} "
            "standard errors below kappa instead of {one}.",
            z=f"{free:.2f}", one=f"{Plan((gate.first,)).boundary(1 - gate.level, gate.first):.2f}",
        )  # fmt: skip
    else:
        text.say(
            "At **{sizes}** labelled items of each dimension, and only then: a plan on record. The lower bound lies "
            "{z} standard errors below kappa; without the plan it would be {free}.",
            sizes=told(plan), z=f"{plan.boundary(1 - gate.level, plan.first):.2f}", free=f"{free:.2f}",
        )  # fmt: skip
    if begun:
        text.quiet("Labels that count are there, so this stays as it is: a plan has to come before the first of them.")
    elif who.may("lead"):
        with st.expander("Change the plan" if plan else "Plan the looks", icon=":material/event_available:"):
            _form(who, dataset, plan)


def told(plan: Plan) -> str:
    """The looks of a plan in words: 100, 200 and 400."""
    *most, last = [f"{n:,}" for n in plan.sizes]
    return f"{', '.join(most)} and {last}" if most else last


def _form(who: Person, dataset: Dataset, plan: Plan | None) -> None:
    text.quiet(
        "Up to five numbers of items. The decision is made on just these, in the order in which they were labelled; "
        "what stands between two looks decides nothing. Draw as many items as the next look needs, and not all at "
        "once: what is drawn and not answered counts as unanswered."
    )
    with st.form("plan", border=False):
        now = " ".join(map(str, plan.sizes)) if plan else ""
        given = st.text_input("Look at items", now, placeholder="150 300 600")
        with st.container(horizontal=True):
            put = st.form_submit_button("Put it on record", type="primary")
            back = plan is not None and st.form_submit_button("Take it back")
    if not (put or back):
        return
    try:
        plans.set_plan(session.store(), who.name, dataset.id, [] if back else plans.written(given))
    except AssayError as error:
        text.refuse(error)
        return
    st.rerun()
