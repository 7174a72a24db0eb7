"""The form in which a lead decides on a dimension: a reason, and the decisions that may follow what holds."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from data.approvals import approvals, case
from data.approvals.approvals import Decision, Note, Stand
from data.approvals.case import Case
from data.records.people import Person
from judges.errors import AssayError
from pages.ui import approval_rows, session, text

SEEN = "seen"
"""Where a tab keeps what was there when a dimension was opened."""
LABELS: dict[str, tuple[str, str]] = {
    "keep": ("Keep approved", ":material/task_alt:"),
    "approve": ("Approve", ":material/verified:"),
    "propose": ("Propose", ":material/group:"),
    "decline": ("Decline", ":material/cancel:"),
    "suspend": ("Suspend", ":material/pause_circle:"),
}


def form(who: Person, one: Case, stand: Stand, note: Note) -> None:
    """The reason and the buttons.

    What was shown when the dimension was opened is decided on: a rerun must not submit figures nobody has looked at.
    """
    key, store = _key(one, stand), session.store()
    seen = case.seen(store, one)
    choices: list[str] = ["keep"] if note.doubted else []
    choices += _choices(who, one, stand, case.print_of(store, one))
    shown = session.scratch(SEEN).setdefault(key, seen)
    if shown != seen:
        st.warning(
            "Something changed since you opened this. The figures above are the current ones.", icon=":material/update:"
        )
        st.button("I have reviewed it", key=f"look:{key}", on_click=_look, args=(key, seen))
        choices = [decision for decision in choices if decision not in ("approve", "propose")]
    if one.asked.four_eyes and not one.against:
        mine = stand.proposed is not None and stand.proposed.person == who.name
        st.caption(
            "You have proposed it. Another lead has to approve." if mine
            else "Two leads are required (policy): one proposes, another approves."
        )  # fmt: skip
    st.text_area(
        "Reason", key=f"why:{key}", height=68, max_chars=2000, placeholder="In a sentence, kept with the decision."
    )
    with st.container(horizontal=True):
        for place, decision in enumerate(choices):
            label, icon = LABELS[decision]
            st.button(
                text.plain(label), icon=icon, key=f"{decision}:{key}", on_click=_decide,
                args=(who.name, one, stand, decision, shown),
                type="secondary" if place or decision not in ("approve", "propose") else "primary",
            )  # fmt: skip


def _key(one: Case, stand: Stand) -> str:
    """A key for what is written about a dimension until something is decided on it."""
    return ":".join([*one.key, last.id if (last := stand.proposed or stand.holds) else ""])


def _choices(who: Person, one: Case, stand: Stand, mark: str) -> list[Decision]:
    """What may follow: nothing that would be refused in any case."""
    held = stand.holds if stand.holds is not None and stand.holds.decision == "approve" else None
    same = held is not None and (held.print, held.asked) == (mark, one.asked)
    found: list[Decision] = []
    if not one.against and not same:
        proposed = stand.proposed
        fresh = proposed is not None and (proposed.print, proposed.asked) == (mark, one.asked)
        mine = proposed is not None and proposed.person == who.name
        if not one.asked.four_eyes or (fresh and not mine):
            found.append("approve")
        if not fresh:
            found.append("propose")
    return [*found, "suspend" if held is not None else "decline"]


def _look(key: str, seen: str) -> None:
    session.scratch(SEEN)[key] = seen


def _decide(who: str, one: Case, stand: Stand, decision: Decision | Literal["keep"], seen: str) -> None:
    """Put it on record; what came of it is shown on top of the page."""
    kept, reason = session.scratch("approvals"), str(session.component_state(f"why:{_key(one, stand)}") or "")
    kept.clear()
    try:
        if decision == "keep":
            if stand.holds is not None:
                approvals.keep(session.store(), who, stand.holds, reason)
                title = approval_rows.title(one)
                kept["done"] = f"{title} stays approved. It is listed again when other evidence comes."
            return
        done = approvals.decide(session.store(), who, *one.key, decision, reason, seen)
    except AssayError as error:
        kept["refused"] = error
        return
    kept["done"] = f"{approval_rows.title(one)} is {approvals.DONE[done.decision]}."


def outcome() -> None:
    """What the last click came to, once."""
    kept = session.scratch("approvals")
    if "refused" in kept:
        text.refuse(kept.pop("refused"))
    if "done" in kept:
        st.success(text.plain(kept.pop("done")), icon=":material/check:")
