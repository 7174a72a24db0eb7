"""Approvals: each dimension of each judge with its evidence, and the decision on record whether it is published."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal

import streamlit as st

from data.approvals import approvals, case, record, suspension
from data.approvals.actions import ACTIONS, APPROVAL_STATES, Action, ApprovalState
from data.approvals.approvals import ApprovalNote
from data.approvals.case import Case, CaseContext
from data.approvals.record import Approval, ApprovalStatus, Fact, fact_title
from data.approvals.suspension import PeriodFigure
from data.records.access import Person
from data.records.names import APPROVAL_ACTOR, display_name
from data.store.errors import NotFound
from judges.audits import all_audits
from judges.plural import many
from judges.render.findings.findings import Column
from judges.render.svg import IntervalRow
from judges.render.words import cell, number, people_agreement, span
from judges.stats.check_states import STATES, may_be_approved
from judges.stats.raters.human_ceiling import HumanCeiling
from judges.stats.uncertainty import Interval
from pages.approvals import policy
from pages.ui import charts, choose, gold, session, tables, text, url_state


def page() -> None:
    """The dimensions of a dataset by judge, what may be decided first; the one that the address names is open."""
    me, store = session.me(), session.store()
    st.title("Approvals", anchor=False)
    place = choose.judged_dataset(store, ", so there is nothing to approve.")
    if place is None:
        return
    _, dataset, judges, names = place
    text.synthetic(dataset)
    with st.spinner("Comparing the judges with the labels ..."):
        waits = approvals.find_open_decisions(store, dataset.id)
    if waits:
        text.say("**To decide:** {told}.", told="; ".join(f"{n:,} {state}" for n, state in waits.counts if n))
    else:
        st.markdown("**Nothing to decide.**")
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
    statuses = {c.key: decided.get(c.key, ApprovalStatus()) for c in cases}
    notes = {key: approvals.approval_note(store, status) for key, status in statuses.items()}
    where = {c.key: _status(c, statuses[c.key], notes[c.key]) for c in cases}
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


def _row(me: Person, candidate: Case, approval_status: ApprovalStatus, note: ApprovalNote, opened: str) -> None:
    is_open, top = candidate.address == opened, case.kappa_between_people(session.store(), candidate)
    forget_seen = session.scratch(_SEEN_PLACE).clear
    with st.container(border=is_open):
        _draw_dimension_row(candidate, approval_status, note, top, is_open, forget_seen)
        if is_open:
            _detail(me, candidate, approval_status, note)


def _detail(me: Person, candidate: Case, approval_status: ApprovalStatus, note: ApprovalNote) -> None:
    store = session.store()
    then = approvals.kappa_at_decision(store, approval_status.in_force) if approval_status.in_force else None
    _draw_verdict(candidate, approval_status.in_force, then, me.may("lead"))
    _draw_labels_since(approval_status, note)
    _draw_context(candidate, case.case_context(store, candidate))
    with st.expander("All evidence", icon=":material/fact_check:"):
        st.caption("A decision keeps a copy of all of this.")
        _draw_evidence(case.case_facts(store, candidate))
    if me.may("lead"):
        _draw_decision_form(me, candidate, approval_status, note)
    _draw_history(candidate)
    with st.container(horizontal=True):
        place = {"dataset": candidate.dataset.name, "judge": candidate.judge.id}
        url_state.link("calibration", dimension=candidate.result.key, **place)
        url_state.link("audits", **place)
        if approval_status.approved:
            url_state.link("dashboard", dimension=candidate.result.key, **place)
        elif candidate.objections:
            url_state.link("queue", "Label more", dataset=candidate.dataset.name, stream="audit")


def _draw_labels_since(approval_status: ApprovalStatus, note: ApprovalNote) -> None:
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
    seen_marks = session.scratch(_SEEN_PLACE)
    shown = seen_marks.setdefault(key, seen)
    if shown != seen:
        st.warning(
            "Something changed since you opened this. The figures above are the current ones.", icon=":material/update:"
        )
        st.button("I have reviewed it", key=f"look:{key}", on_click=seen_marks.update, args=({key: seen},))
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


def _status(case: Case, approval_status: ApprovalStatus, note: ApprovalNote) -> ApprovalState:
    """Return the state of a dimension's approval."""
    in_force = approval_status.in_force
    if approval_status.proposed is not None:
        return "proposed"
    if approval_status.approved:
        return "doubted" if note.doubted else "older" if note.older else "approved"
    if in_force is not None and in_force.decision == "suspend":
        return "suspended" if in_force.person == APPROVAL_ACTOR else "withdrawn"
    if in_force is not None:
        return "declined"
    return "not yet" if case.objections else "open"


def _draw_dimension_row(
    case: Case, approval_status: ApprovalStatus, note: ApprovalNote, top: Interval | None, opened: bool,
    also: Callable[[], None],
) -> None:  # fmt: skip
    """One dimension in a line: its state, in a sentence, with its figure and that of people among themselves.

    `also` is called when a row is opened or closed.
    """
    interval = case.result.gate.interval
    is_too_small = case.result.check.state == "below minimum sample"
    left, figure = st.columns([76, 24], gap="small")
    with left, st.container(horizontal=True, gap="small"):
        with st.container(width=130):
            badge = APPROVAL_STATES[_status(case, approval_status, note)]
            st.badge(text.escape(badge.word), icon=f":material/{badge.icon}:", color=badge.colour)
        with st.container(gap=None):
            url_state.fold_button(case.result.title, "case", case.address, opened, also)
            text.quiet("{sentence}", sentence=_state_sentence(case, approval_status, note))
    with figure, st.container(gap=None):
        if interval.point is None:
            text.quiet("{n} to compare", n=many(interval.items, "item"))
            return
        (text.quiet if is_too_small else text.say)(  # in grey where nothing may be concluded from it yet
            "kappa **{kappa}** &nbsp;{span}", kappa=cell(interval.point, ".2f"), span=span(interval)
        )
        bound, items = case.result.check.bound, many(interval.items, "item")
        low = "no lower bound yet" if bound is None else f"lower bound {number(bound, '.2f')}"
        text.quiet("{low}, on {items}", low=low, items=items)
        threshold, people = f"{case.requirements.policy.threshold:.2f}", people_agreement(top)
        people_text = "not known" if people == "–" else people
        text.quiet("{asked} required; between people {told}", asked=threshold, told=people_text)


def _state_sentence(case: Case, approval_status: ApprovalStatus, note: ApprovalNote) -> str:
    """The state of a dimension, in a sentence."""
    in_force, where = approval_status.in_force, _status(case, approval_status, note)
    if approval_status.proposed is not None:
        first = approval_status.proposed
        return f"{display_name(first.person)} proposed it, {text.moment(first.at)}: {first.reason}"
    if in_force is not None and where in ("approved", "declined", "withdrawn"):
        person = display_name(in_force.person)
        return f"{person} {in_force.done} it, {text.moment(in_force.at)}: {in_force.reason}"
    if in_force is not None and where == "older":
        return f"{note.older} It stays on the dashboard until a lead decides."
    if where == "doubted" and note.review is not None:
        then = "It is suspended at the next new label." if note.review.suspends else "This does not suspend it."
        return f"{note.review.why} {then} {note.older}".strip()
    if in_force is not None:
        return in_force.reason
    return (
        "It meets the policy. A lead decides whether it is published." if where == "open" else _obstacle_sentence(case)
    )


def met_policy_sentence(case: Case, verdict: str) -> str:
    """Return a sentence on the figures of a dimension that meets the policy."""
    interval, policy, low = case.result.gate.interval, case.requirements.policy, case.result.check.bound
    bound = f", and so is its lower bound, {number(low, '.2f')}" if policy.lower_bound and low is not None else ""
    return f"{verdict}: kappa {cell(interval.point, '.2f')} is at least the required {policy.threshold:.2f}{bound}."


def _obstacle_sentence(case: Case) -> str:
    """Return the reason why a dimension may not be published, in a sentence."""
    check = case.result.check
    if may_be_approved(check.state):
        return " ".join(case.objections)
    return f"{STATES[check.state].reason} {check.still_needed}".strip()


def _draw_verdict(case: Case, in_force: Approval | None, then: float | None, lead: bool) -> None:
    """Draw how an open dimension's figures compare with the policy, and what moved since it was decided."""
    interval = case.result.gate.interval
    if not case.objections:
        stands = in_force is not None and in_force.decision == "approve"
        sentence = "It meets today's policy" if stands else f"{'You' if lead else 'A lead'} may approve it"
        text.say("{may}", may=met_policy_sentence(case, sentence))
    is_suspended = in_force is not None and in_force.decision == "suspend"
    sentence = in_force.reason if in_force is not None and is_suspended else ""
    if is_suspended and not case.objections:
        st.caption("Approving it again counts all labels, those before the suspension and those since.")
    for why in [why for why in case.objections if why not in sentence]:
        st.warning(text.escape(why), icon=":material/block:")
    if case.synthetic:
        st.caption(
            ":orange[:material/science:] Judge or data are synthetic: an approval here says nothing about any language "
            "model. The dashboard is marked accordingly."
        )
    if then is not None and interval.point is not None and abs(then - interval.point) >= 0.005:
        words = "Kappa was **{then}** at the decision, and is **{now}** now."
        text.say(words, then=number(then, ".2f"), now=number(interval.point, ".2f"))


def _draw_context(case: Case, context: CaseContext) -> None:
    """Draw the other facts to weigh about an open dimension."""
    gate, people, notes = case.result.gate, case.result.gate.people, []
    if case.coverage is not None:
        share, ratings = f"{int(1000 * case.coverage + 1e-6) / 10:g}%", many(gate.gold_cells, "rating")
        notes.append(f"The judge answered {share} of {ratings} with reference labels (gold).")
    if gate.gold_cells:
        least = "" if people.fewest == people.most else f"{people.fewest} to "
        notes.append(f"Each rating has {least}{people.most} {'label' if people.most == 1 else 'labels'}.")
    notes.append(_people(context.ceiling))
    if context.waiting:
        wait = "waits" if context.waiting == 1 else "wait"
        notes.append(f"{many(context.waiting, 'rating')} on which people disagree {wait} for adjudication.")
    text.quiet("{notes}", notes=" ".join([*notes, _alarms(context)]))
    gold.draw_unanswered(
        case.dataset.id, case.dataset.name, case.judge.id, case.result.dimension, case.basis,
        " ".join(case.objections), "case",
    )  # fmt: skip
    if context.origin:
        text.quiet("**Labels:** {origin}", origin=context.origin)
    for caution in context.cautions:
        text.quiet(":orange[:material/priority_high:] {caution}", caution=caution)


def _people(top: HumanCeiling | None) -> str:
    if top is None or top.between.point is None:
        return (
            "No item was labelled blind by two people, so agreement between people, the usual upper limit for a judge, "
            "is not known: set people per item to 2 on the Queues page."
        )
    caution = " That is too few items for a conclusion." if top.between.is_too_small else ""
    return (
        f"Agreement between people: kappa {number(top.between.point, '.2f')} ({span(top.between)}), "
        f"from {many(top.cells, 'rating')} of {many(top.items, 'item')} that several labelled.{caution}"
    )


def _alarms(context: CaseContext) -> str:
    if context.alarms is None:
        return "The audits have not been computed since this judge's last replies."
    if not context.alarms:
        return "No audit in alarm."
    return "Audits in alarm: " + ", ".join(all_audits()[name].title for name in context.alarms) + "."


def _draw_evidence(facts: Sequence[Fact]) -> None:
    """The frozen figures, or the present figures that a decision would freeze."""
    columns = {"evidence": Column(width=250), "figure": Column(".4g", width=90), "details": Column(width="large")}
    tables.table([(fact_title(name), figure, details) for name, figure, details in facts], columns)


def _draw_history(case: Case) -> None:
    """Every decision on a dimension, the newest first, each with the evidence that it was made on."""
    decisions = record.decision_history(session.store(), *case.key)
    if decisions:
        st.markdown("**Decisions on record**")
    for approval in decisions:
        facts = record.frozen_evidence(session.store(), approval.id)
        figures = {name: figure for name, figure, _ in facts}
        text.say(
            "**{who}** {done} it, {at}: {reason}", who=display_name(approval.person), done=approval.done,
            at=text.moment(approval.at), reason=approval.reason,
        )  # fmt: skip
        kappa, items = figures.get("kappa"), figures.get("items")
        bound = figures.get("checked bound", figures.get("kappa, lower bound"))  # before looks, that of a single one
        then = f"kappa {cell(kappa, '.2f')}, lower bound {cell(bound, '.2f')}, {many(items or 0, 'item')}"
        title = f"Evidence at that time: {approval.state}, {then} · fingerprint {approval.fingerprint or 'none'}"
        with st.expander(text.escape(title)):
            _draw_evidence(facts)
