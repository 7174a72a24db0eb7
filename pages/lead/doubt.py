"""What the gold since an approval says: a plot of then, since and now, and a lead's word that it stays as it is."""

from __future__ import annotations

import streamlit as st

from data import approvals
from data.approvals import Note, Stand
from data.deciding import suspension
from data.deciding.suspension import Figure
from data.people import Person
from data.report.svg import Row
from judges.counted import many
from judges.errors import AssayError
from pages.parts import charts, session, text


def panel(who: Person, stand: Stand, note: Note) -> None:
    """Then and now, where gold came since the approval, and for leads the way to keep what is to be looked at."""
    holds = stand.holds
    if holds is None or holds.decision not in ("approve", "suspend"):
        return
    found = suspension.drawn(session.store(), holds)
    if found:
        asked = holds.policy.threshold
        st.markdown("**The gold since the approval**")
        rows = [_row(figure, asked) for figure in found]
        charts.intervals(rows, f"since:{holds.id}", asked, f"asked then: {asked:.2f}")
        text.quiet("{told}", told=_beside(found))
    if note.kept is not None:
        text.quiet("{who} has looked at it, and keeps it: {why}", who=note.kept[0], why=note.kept[1])
    if note.doubted and who.may("lead"):
        _keep(who, holds)


def _row(figure: Figure, asked: float) -> Row:
    low = figure.what != "at the approval" and figure.kappa is not None and figure.kappa < asked
    items = many(int(figure.items or 0), "item")
    kappa = "undefined" if figure.kappa is None else f"{figure.kappa:.2f}"
    state = "fails" if low else "beside" if figure.what == "at the approval" else "other"
    return Row(figure.what, "", figure.kappa, figure.low, figure.high, None, state, f"{kappa} on {items}")


def _beside(found: list[Figure]) -> str:
    """What else moved, and what the lines are."""
    bias = {figure.what: figure.bias for figure in found}
    then, since = bias.get("at the approval"), bias.get("since then")
    moved = (
        f"Judge minus people, on average: {then:+.2f} steps then, {since:+.2f} in the gold since. "
        if then is not None and since is not None else ""
    )  # fmt: skip
    return (
        f"{moved}The line of the gold since holds however often one looks (95% at each end) where it is 50 items or "
        "more; the others are 95% intervals."
    )


def _keep(who: Person, holds: approvals.Approval) -> None:
    """A form in which a lead says that it stays approved as it is."""
    with st.form(f"keep:{holds.id}", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        reason = st.text_input("Why it stays as it is", max_chars=2_000, placeholder="Why, in a sentence.")
        done = st.form_submit_button("Keep it", icon=":material/task_alt:")
    if not done:
        return
    try:
        approvals.keep(session.store(), who.name, holds, reason)
    except AssayError as error:
        text.refuse(error)
        return
    told = "It stays approved. It comes back here when something else speaks against it."
    session.scratch("approvals")["done"] = told
    st.rerun()
