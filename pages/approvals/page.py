"""Approvals: each dimension of each judge with its evidence, and the decision on record whether it is published."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import streamlit as st

from data.approvals import approvals, case, record, suspension
from data.approvals.actions import ACTIONS, APPROVAL_STATES, Action
from data.approvals.approvals import ApprovalNote
from data.approvals.case import Case
from data.approvals.record import ApprovalStatus
from data.approvals.suspension import PeriodFigure
from data.records.access import Person
from data.store.errors import NotFound
from judges.plural import many
from judges.render.svg import IntervalRow
from judges.render.words import number
from pages.approvals import policy, rows
from pages.ui import charts, choose, session, text, url_state


def page() -> None:
    """The dimensions of a dataset by judge, what may be decided first; the one that the address names is open."""
    me, store = session.me(), session.store()
    st.title("Approvals", anchor=False)
    _, dataset = choose.dataset_bar(store)
    if dataset is None:
        return
    judges, names = choose.judges(store, dataset, ", so there is nothing to approve.")
    if not judges:
        return
    text.synthetic(dataset)
    with st.spinner("Comparing the judges with the labels ..."):
        waits = approvals.find_open_decisions(store, dataset.id)
    rows.draw_decision_counts(waits)
    if not me.may("lead"):
        text.quiet("Leads decide. Below is what they decided, when, and why.")
    text.tell_outcome(session.scratch("approvals"))
    for judge in judges:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.header(text.escape(names[judge.id]), anchor=False)
            text.practice(judge.model)
        try:
            _judge(me, case.cases(store, dataset.id, judge.id))
        except NotFound as error:
            text.refuse(error)
    policy.panel(me, dataset)


def _judge(me: Person, cases: list[Case]) -> None:
    """The dimensions of a judge, by where they stand; those that may not be published yet are folded away."""
    store, opened = session.store(), st.query_params.get("case", "")
    decided = record.approval_statuses(store)
    statuses = {c.key: decided.get(c.key, record.ApprovalStatus()) for c in cases}
    notes = {key: approvals.approval_note(store, status) for key, status in statuses.items()}
    where = {c.key: rows.status(c, statuses[c.key], notes[c.key]) for c in cases}
    later = [c for c in cases if where[c.key] == "not yet"]
    for status in APPROVAL_STATES:
        for candidate in cases:
            if where[candidate.key] == status != "not yet":
                _row(me, candidate, statuses[candidate.key], notes[candidate.key], opened)
    if not later:
        return
    inside = any(c.address == opened for c in later)
    label = f"{many(len(later), 'dimension')} not ready to approve: what is missing"
    with st.expander(text.escape(label), expanded=inside, icon=":material/hourglass_empty:"):
        for candidate in later:
            _row(me, candidate, statuses[candidate.key], notes[candidate.key], opened)


def _row(
    me: Person, candidate: Case, approval_status: record.ApprovalStatus, note: approvals.ApprovalNote, opened: str
) -> None:
    is_open, top = candidate.address == opened, case.kappa_between_people(session.store(), candidate)
    forget_seen = session.scratch(_SEEN_PLACE).clear
    with st.container(border=is_open):
        rows.draw_dimension_row(candidate, approval_status, note, top, is_open, forget_seen)
        if is_open:
            _detail(me, candidate, approval_status, note)


def _detail(me: Person, candidate: Case, approval_status: record.ApprovalStatus, note: approvals.ApprovalNote) -> None:
    store = session.store()
    then = approvals.kappa_at_decision(store, approval_status.in_force) if approval_status.in_force else None
    rows.draw_verdict(candidate, approval_status.in_force, then, me.may("lead"))
    _draw_labels_since(approval_status, note)
    rows.draw_context(candidate, case.case_context(store, candidate))
    with st.expander("All evidence", icon=":material/fact_check:"):
        st.caption("A decision keeps a copy of all of this.")
        rows.draw_evidence(case.case_facts(store, candidate))
    if me.may("lead"):
        _draw_decision_form(me, candidate, approval_status, note)
    past = record.decision_history(store, *candidate.key)
    rows.draw_history(past, {a.id: record.frozen_evidence(store, a.id) for a in past})
    with st.container(horizontal=True):
        place = {"dataset": candidate.dataset.name, "judge": candidate.judge.id}
        url_state.link("calibration", dimension=candidate.result.key, **place)
        url_state.link("audits", **place)
        if approval_status.approved:
            url_state.link("dashboard", dimension=candidate.result.key, **place)
        elif candidate.objections:
            url_state.link("queue", "Label more", dataset=candidate.dataset.name, stream="audit")


def _draw_labels_since(approval_status: record.ApprovalStatus, note: approvals.ApprovalNote) -> None:
    in_force = approval_status.in_force
    if in_force is None or in_force.decision not in ("approve", "suspend"):
        return
    figures = suspension.current_period_figures(session.store(), in_force)
    if figures:
        threshold = in_force.requirements.policy.threshold
        st.markdown("**Labels since the approval**")
        rows = [_interval_row(figure, threshold) for figure in figures]
        charts.interval_chart(rows, f"since:{in_force.id}", threshold, f"required: {threshold:.2f}")
        text.quiet("{told}", told=_describe_bias(figures))
    if note.confirmation is not None:
        text.quiet("{who} reviewed it and kept it approved: {why}", who=note.confirmation[0], why=note.confirmation[1])


def _interval_row(figure: PeriodFigure, threshold: float) -> IntervalRow:
    low = figure.period != "at the approval" and figure.kappa is not None and figure.kappa < threshold
    items = many(int(figure.items or 0), "item")
    state = "fails" if low else "beside" if figure.period == "at the approval" else "other"
    remark = f"{number(figure.kappa, '.2f')} on {items}"
    return IntervalRow(figure.period, "", figure.kappa, figure.low, figure.high, None, state, remark)


def _describe_bias(figures: list[PeriodFigure]) -> str:
    bias = {figure.period: figure.bias for figure in figures}
    then, since = bias.get("at the approval"), bias.get("labels since")
    moved = (
        f"Bias (judge - people): {number(then, '+.2f')} at the approval, {number(since, '+.2f')} in labels since. "
        if then is not None and since is not None else ""
    )  # fmt: skip
    return (
        f"{moved}Lines: 95% intervals; that of labels since, from 50 items on, is valid at any number of looks (95% at "
        "each end)."
    )


_SEEN_PLACE = "seen"
"""The name under which a tab keeps a mark of what was there when a dimension was opened."""
_KEEP_BUTTON = "Keep approved", ":material/task_alt:"


def _draw_decision_form(me: Person, candidate: Case, approval_status: ApprovalStatus, note: ApprovalNote) -> None:
    """The reason and the buttons.

    The decision is on the figures shown when the dimension was opened: a rerun must not submit unseen figures.
    """
    key, store = _key(candidate, approval_status), session.store()
    seen = case.seen_mark(store, candidate)
    choices: list[str] = ["keep"] if note.doubted else []
    against = note.review.finding.reasons if note.review else ()
    refusals = approvals.grant_refusals(store, me.name, candidate, approval_status)
    choices += [decision for decision, refusal in refusals.items() if not refusal]
    choices.append("suspend" if approval_status.approved is not None else "decline")
    shown = session.scratch(_SEEN_PLACE).setdefault(key, seen)
    if shown != seen:
        st.warning(
            "Something changed since you opened this. The figures above are the current ones.", icon=":material/update:"
        )
        st.button("I have reviewed it", key=f"look:{key}", on_click=_note_seen, args=(key, seen))
        choices = [choice for choice in choices if not (choice in ACTIONS and ACTIONS[choice].grants)]
    if candidate.requirements.four_eyes and not candidate.objections:
        text.quiet(
            "{why}", why=refusals["approve"] or "Two leads are required (policy): one proposes, another approves."
        )
    st.text_area(
        "Reason", key=f"why:{key}", height=68, max_chars=2000, placeholder="In a sentence, kept with the decision."
    )
    with st.container(horizontal=True):
        for place, decision in enumerate(choices):
            known = ACTIONS.get(decision)  # type: ignore[call-overload]
            label, icon = (known.label, f":material/{known.icon}:") if known else _KEEP_BUTTON
            st.button(
                text.escape(label), icon=icon, key=f"{decision}:{key}", on_click=_decide,
                args=(me.name, candidate, approval_status, decision, shown, against),
                type="primary" if not place and known and known.grants else "secondary",
            )  # fmt: skip


def _key(case: Case, approval_status: ApprovalStatus) -> str:
    """A key for what is written about a dimension until something is decided on it."""
    return ":".join([*case.key, last.id if (last := approval_status.proposed or approval_status.in_force) else ""])


def _note_seen(key: str, seen: str) -> None:
    session.scratch(_SEEN_PLACE)[key] = seen


def _decide(
    actor: str, case: Case, approval_status: ApprovalStatus, decision: Action | Literal["keep"], seen: str,
    against: Collection[str],
) -> None:
    state = session.scratch("approvals")
    reason = str(session.component_state(f"why:{_key(case, approval_status)}") or "")
    state.clear()
    with text.keep_refusal(state):
        if decision != "keep":
            done = approvals.record_decision(session.store(), actor, *case.key, decision, reason, seen)
            state["said"] = f"{case.result.title} is {done.done}."
        elif approval_status.in_force is not None:
            suspension.keep_approved(session.store(), actor, approval_status.in_force, reason, against)
            state["said"] = f"{case.result.title} stays approved. It is listed again when other evidence comes."
