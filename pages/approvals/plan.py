"""The times at which a dataset is decided on: any time, or looks that a lead fixes before the first label."""

from __future__ import annotations

from math import inf

import streamlit as st

from data.approvals import plans, policy
from data.records.access import Person
from data.records.datasets import Dataset
from judges.stats.sequential import LookPlan
from pages.ui import session, text


def panel(me: Person, dataset: Dataset) -> None:
    """Draw the rule that holds for the dataset and, as long as no label counts yet, the form for leads."""
    store, gate = session.store(), policy.requirements(session.store()).policy
    plan = plans.look_plan(store, dataset.id)
    if not gate.lower_bound:
        return
    st.header("When this dataset is decided on", anchor=False)
    free = gate.schedule.boundary(1 - gate.level, gate.first)
    if plan is None:
        text.say(
            "At any time. The bound is valid at any number of looks: it lies {z} standard errors below kappa, where "
            "{one} would do for a single look.",
            z=f"{free:.2f}", one=f"{LookPlan((gate.first,)).boundary(1 - gate.level, gate.first):.2f}",
        )  # fmt: skip
    else:
        text.say(
            "At **{sizes}** labelled items of each dimension only (plan on record). The lower bound lies {z} standard "
            "errors below kappa; without the plan it would be {free}.",
            sizes=look_words(plan), z=f"{plan.boundary(1 - gate.level, plan.first):.2f}", free=f"{free:.2f}",
        )  # fmt: skip
        late = gate.begins(plan)
        if late == inf:
            text.warn(
                "The policy now requires {n} items, more than the last look of this plan: nothing can be approved on "
                "it. Change the policy, or use another dataset.",
                n=f"{gate.first:,}",
            )  # fmt: skip
        elif late > plan.first:
            text.warn(
                "The policy now requires {n} items: looks of this plan before {late} items decide nothing.",
                n=f"{gate.first:,}", late=f"{int(late):,}",
            )  # fmt: skip
    if plans.has_counted_labels(store, dataset.id):
        text.quiet("This cannot be changed any more: a plan has to be fixed before the first label that counts.")
    elif me.may("lead"):
        with st.expander("Change the plan" if plan else "Plan the looks", icon=":material/event_available:"):
            _form(me, dataset, plan)


def look_words(plan: LookPlan) -> str:
    """The looks of a plan in words: 100, 200 and 400."""
    *most, last = [f"{n:,}" for n in plan.sizes]
    return f"{', '.join(most)} and {last}" if most else last


def _form(me: Person, dataset: Dataset, plan: LookPlan | None) -> None:
    text.quiet(
        "Up to five numbers of items. A decision is made at each of them only, on the items labelled first. Draw as "
        "many items as the next look needs, not all at once: drawn items without a label count as unanswered."
    )
    with st.form("plan", border=False):
        now = " ".join(map(str, plan.sizes)) if plan else ""
        sizes = st.text_input("Looks, in items", now, placeholder="150 300 600")
        with st.container(horizontal=True):
            save = st.form_submit_button("Save the plan", type="primary")
            back = plan is not None and st.form_submit_button("Remove the plan")
    if save or back:
        with text.refusals():
            plans.set_look_plan(session.store(), me.name, dataset.id, [] if back else plans.parse_sizes(sizes))
            st.rerun()
