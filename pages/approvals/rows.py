"""Approvals as people see them: a row for each dimension with what was decided, one of them open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from data.approvals.actions import APPROVAL_STATES, ApprovalState
from data.approvals.approvals import ApprovalNote, OpenDecisions
from data.approvals.case import Case, CaseContext
from data.approvals.record import Approval, ApprovalStatus, Fact, fact_title
from data.records.names import APPROVAL_ACTOR, display_name
from judges.audits import all_audits
from judges.plural import many
from judges.render.findings.findings import Column
from judges.render.words import cell, number, people_agreement, span
from judges.stats.check_states import STATES, may_be_approved
from judges.stats.raters.human_ceiling import HumanCeiling
from judges.stats.uncertainty import Interval
from pages.ui import gold, tables, text, url_state


def status(case: Case, approval_status: ApprovalStatus, note: ApprovalNote) -> ApprovalState:
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


def draw_decision_counts(pending: OpenDecisions) -> None:
    """Draw in one sentence how many dimensions there are to decide on."""
    if pending:
        text.say("**To decide:** {told}.", told="; ".join(f"{n:,} {state}" for n, state in pending.counts if n))
    else:
        st.markdown("**Nothing to decide.**")


def draw_dimension_row(
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
            badge = APPROVAL_STATES[status(case, approval_status, note)]
            st.badge(text.escape(badge.word), icon=f":material/{badge.icon}:", color=badge.colour)
        with st.container(gap=None):
            url_state.fold_button(case.result.title, "case", case.address, opened, also)
            text.quiet("{sentence}", sentence=state_sentence(case, approval_status, note))
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


def state_sentence(case: Case, approval_status: ApprovalStatus, note: ApprovalNote) -> str:
    """The state of a dimension, in a sentence."""
    in_force, where = approval_status.in_force, status(case, approval_status, note)
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
        "It meets the policy. A lead decides whether it is published." if where == "open" else obstacle_sentence(case)
    )


def met_policy_sentence(case: Case, verdict: str) -> str:
    """Return a sentence on the figures of a dimension that meets the policy."""
    interval, policy, low = case.result.gate.interval, case.requirements.policy, case.result.check.bound
    bound = f", and so is its lower bound, {number(low, '.2f')}" if policy.lower_bound and low is not None else ""
    return f"{verdict}: kappa {cell(interval.point, '.2f')} is at least the required {policy.threshold:.2f}{bound}."


def obstacle_sentence(case: Case) -> str:
    """Return the reason why a dimension may not be published, in a sentence."""
    check = case.result.check
    if may_be_approved(check.state):
        return " ".join(case.objections)
    return f"{STATES[check.state].reason} {check.still_needed}".strip()


def draw_verdict(case: Case, in_force: Approval | None, then: float | None, lead: bool) -> None:
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
        text.say(
            "Kappa was **{then}** at the decision, and is **{now}** now.",
            then=number(then, ".2f"),
            now=number(interval.point, ".2f"),
        )


def draw_context(case: Case, context: CaseContext) -> None:
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


def draw_evidence(facts: Sequence[Fact]) -> None:
    """The frozen figures, or the present figures that a decision would freeze."""
    columns = {"evidence": Column(width=250), "figure": Column(".4g", width=90), "details": Column(width="large")}
    tables.table([(fact_title(name), figure, details) for name, figure, details in facts], columns)


def draw_history(approvals: Sequence[Approval], facts: Mapping[str, Sequence[Fact]]) -> None:
    """Every decision on a dimension, the newest first, each with the evidence that it was made on."""
    if not approvals:
        return
    st.markdown("**Decisions on record**")
    for approval in approvals:
        figures = {name: figure for name, figure, _ in facts[approval.id]}
        text.say(
            "**{who}** {done} it, {at}: {reason}", who=display_name(approval.person), done=approval.done,
            at=text.moment(approval.at), reason=approval.reason,
        )  # fmt: skip
        kappa, items = figures.get("kappa"), figures.get("items")
        bound = figures.get("checked bound", figures.get("kappa, lower bound"))  # before looks, that of a single one
        then = f"kappa {cell(kappa, '.2f')}, lower bound {cell(bound, '.2f')}, {many(items or 0, 'item')}"
        with st.expander(
            text.escape(
                f"Evidence at that time: {approval.state}, {then} · fingerprint {approval.fingerprint or 'none'}"
            )
        ):
            draw_evidence(facts[approval.id])
