"""The requirements of an approval, in plain words for everybody, and the form in which a lead changes them."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import streamlit as st

from data.approvals import plans, policy, rules
from data.approvals.rules import RULES, FormField, Requirements, Rule
from data.records import leads
from data.records.access import Person
from data.records.datasets import Dataset
from data.store.ids import content_id
from judges.stats.sequential import LookPlan
from judges.stats.uncertainty import MIN_CLUSTERS
from pages.ui import session, text

_NOT_YET = (
    "Two leads required: there are no two independent leads yet, so nothing could be approved, and this could not be "
    f"switched off here. First make a lead on the command line of this machine: {leads.MAKE_LEAD_COMMAND}."
)

_CHANGED_MESSAGE = (
    "The policy was changed since you opened this form, which shows it as it is now. If you pressed Save, nothing was "
    "saved: look at the values, and save them again."
)


def panel(me: Person, dataset: Dataset) -> None:
    """The policy in words, its changes, for leads the form, and when the dataset is looked at."""
    store = session.store()
    requirements = policy.requirements(store)
    st.header("Policy: what an approval requires", anchor=False)
    text.bullets(rules.explain(requirements))
    if requirements.four_eyes and leads.lacks_independent_leads(leads.lead_history(store)):
        st.warning(text.escape(leads.NO_INDEPENDENT_LEADS), icon=":material/group:")
    if past := policy.policy_changes(store):
        with st.expander(text.escape(f"Changed {len(past)} times" if len(past) > 1 else "Changed once")):
            for change in past:
                text.say("**{who}**, {at}: {why}", who=change.person, at=text.moment(change.at), why=change.reason)
                text.quiet("Required from then on: {lines}", lines=" ".join(rules.explain(change.requirements)))
    if me.may("lead"):
        state = session.scratch("policy")
        with st.container():  # a place of its own, so that the form below stays as it is when this goes
            if state.setdefault("shown", requirements) != requirements:
                state["shown"] = requirements
                st.warning(text.escape(_CHANGED_MESSAGE), icon=":material/update:")
        with st.expander("Change the policy", icon=":material/tune:"):
            _form(me, requirements)
    _draw_proposal(me)
    _draw_plan(me, dataset)


def _form(me: Person, requirements: Requirements) -> None:
    st.caption(
        "The policy holds for the whole workspace; changes are in the audit log. A less strict policy approves nothing "
        "by itself. Under a stricter one approvals stay on the dashboard, and are listed above until a lead decides."
    )
    with st.form("policy", border=False):
        values = _fields(requirements)
        if not requirements.four_eyes and leads.lacks_independent_leads(leads.lead_history(session.store())):
            st.caption(text.escape(_NOT_YET))
        reason = st.text_input("Reason", max_chars=2000, placeholder="Why the policy changes, in a sentence.")
        key = f"policy:{requirements}"  # a press counts for the policy that stood there
        if st.form_submit_button("Save the policy", type="primary", key=key):
            with text.refusals():
                check = {name: value for name, value in values.items() if RULES[name].in_check}
                check["min_clusters"] = max(requirements.policy.min_clusters, MIN_CLUSTERS)
                others = {name: value for name, value in values.items() if name not in check}
                new_requirements = replace(requirements, policy=policy.make_policy(**check), **others)
                if new_requirements != requirements:
                    _set_policy(me.name, new_requirements, reason)
                    st.rerun()
                st.info("This is the policy already: nothing was changed.", icon=":material/info:")


def _set_policy(actor: str, new_requirements: Requirements, reason: str) -> None:
    """Change the policy, or propose it; what came of it is shown when the page is drawn anew. Raises AssayError."""
    done = policy.set_requirements(session.store(), actor, new_requirements, reason)
    session.scratch("policy").pop("shown", None)
    session.scratch("policy")["said"] = (
        "Changed. Nothing was approved or suspended by it." if done
        else "Proposed. It is less strict, so it takes effect when a second, independent lead agrees."
    )  # fmt: skip


def _draw_proposal(me: Person) -> None:
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
        now, then = rules.explain(policy.requirements(session.store())), rules.explain(new_requirements)
        text.quiet("Now: {lines}", lines=" ".join(line for line in now if line not in then))
        text.say("Proposed: {lines}", lines=" ".join(line for line in then if line not in now))
        if not me.may("lead"):
            return
        with st.container(horizontal=True):
            agrees = me.name != person and st.button("Agree", icon=":material/check:", key=f"agree:{key}")
            ends = st.button("Withdraw", icon=":material/undo:", key=f"back:{key}")
    with text.refusals():
        if agrees:
            _set_policy(me.name, new_requirements, f"Agreed with {person}: {reason}"[:2_000])
            st.rerun()
        if ends:
            store = session.store()
            policy.set_requirements(store, me.name, policy.requirements(store), "Withdrew the proposal.")
            session.scratch("policy")["said"] = "Withdrawn. The policy is as before."
            st.rerun()


def _fields(requirements: Requirements) -> dict[str, Any]:
    """The fields of the requirements form: what is typed, by the name of the rule."""
    values: dict[str, Any] = {}
    sides = dict(zip(("left", "right"), st.columns(2, gap="large"), strict=True))
    for rule in RULES.values():
        if rule.form is not None:
            with sides[rule.form.side]:
                values[rule.name] = _field(rule, rule.form, requirements)
    return values


def _field(rule: Rule, shown: FormField, requirements: Requirements) -> Any:
    value, off = rule.value(requirements), shown.with_bound and not requirements.policy.lower_bound
    if rule.kind == "flag":
        return st.toggle(text.escape(shown.label), value, help=text.escape(shown.help) or None)
    scale = 100 if shown.percent else 1
    typed = st.number_input(
        text.escape(shown.label), shown.low, shown.high, max(scale * value, shown.low), shown.step,
        "%g" if shown.percent else None, help=text.escape(shown.help) or None, disabled=off,
    )  # fmt: skip
    return round(typed / scale, 6) if shown.percent else typed


def _draw_plan(me: Person, dataset: Dataset) -> None:
    """Draw the rule that holds for the dataset and, as long as no label counts yet, the form for leads."""
    store, gate = session.store(), policy.requirements(session.store()).policy
    plan = plans.look_plan(store, dataset.id)
    if not gate.lower_bound:
        return
    st.header("When this dataset is decided on", anchor=False)
    free = gate.schedule.boundary(1 - gate.level, gate.first)
    if plan is None:
        text.say(
            "At any time. The bound is valid at any number of looks: for one decision it lies {z} standard errors "
            "below kappa, where {one} would do for a single look, and further for each of several on the same labels.",
            z=f"{free:.2f}", one=f"{LookPlan((gate.first,)).boundary(1 - gate.level, gate.first):.2f}",
        )  # fmt: skip
    else:
        text.say(
            "At **{sizes}** labelled items of each dimension only (plan on record). For one decision the lower bound "
            "lies {z} standard errors below kappa; without the plan it would be {free}.",
            sizes=_look_words(plan), z=f"{plan.boundary(1 - gate.level, plan.first):.2f}", free=f"{free:.2f}",
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
            _draw_plan_form(me, dataset, plan)


def _look_words(plan: LookPlan) -> str:
    """The looks of a plan in words: 100, 200 and 400."""
    *most, last = [f"{n:,}" for n in plan.sizes]
    return f"{', '.join(most)} and {last}" if most else last


def _draw_plan_form(me: Person, dataset: Dataset, plan: LookPlan | None) -> None:
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
