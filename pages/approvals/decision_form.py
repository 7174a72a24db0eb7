"""The form in which a lead decides on a dimension: a reason, and the decisions that the current state allows."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import streamlit as st

from data.approvals import approvals, case, suspension
from data.approvals.actions import ACTIONS, Action
from data.approvals.approvals import ApprovalNote
from data.approvals.case import Case
from data.approvals.record import ApprovalStatus
from data.records.access import Person
from pages.ui import session, text

SEEN_PLACE = "seen"
"""The name under which a tab keeps a mark of what was there when a dimension was opened."""
_KEEP_BUTTON = "Keep approved", ":material/task_alt:"


def draw_decision_form(me: Person, candidate: Case, approval_status: ApprovalStatus, note: ApprovalNote) -> None:
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
    shown = session.scratch(SEEN_PLACE).setdefault(key, seen)
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
    session.scratch(SEEN_PLACE)[key] = seen


def _decide(
    actor: str, case: Case, approval_status: ApprovalStatus, decision: Action | Literal["keep"], seen: str,
    against: Collection[str],
) -> None:
    """Record the decision; the outcome is shown on top of the page."""
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
