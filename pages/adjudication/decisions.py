"""The decisions in force, and the board's message if there is nothing to decide."""

from __future__ import annotations

from datetime import tzinfo

import streamlit as st

from data.adjudication import adjudication
from data.adjudication.adjudication_items import AdjudicatedCell
from data.records.people import Person
from data.records.settings import GoldRule
from data.store.ids import new_id
from judges.plural import many
from judges.render.findings.findings import Column
from pages.ui import session, tables, text


def draw_decisions(cells: list[AdjudicatedCell], me: Person, zone: tzinfo, key: str) -> None:
    """The decisions in force, newest first; people can withdraw their own, leads all of them."""
    if not cells:
        return
    with st.expander(text.escape(f"Decided: {many(len(cells), 'rating')}"), icon=":material/done_all:"):
        rows = [
            (d.name, d.unit, d.dimension.replace("_", " "), d.value, d.labels, d.reason, d.person,
             "not blind labels" if d.saw_judge else "all labels", text.moment(d.at, zone))
            for d in cells
        ]  # fmt: skip
        ticked = tables.table_to_tick(rows, _COLUMNS, [d.id for d in cells], f"{key}:decided", "single-row")
        chosen = cells[ticked[0]] if ticked else None
        with st.container(horizontal=True, vertical_alignment="center"):
            may = chosen is not None and (chosen.person == me.name or me.may("lead"))
            if st.button("Take back", icon=":material/undo:", disabled=not may) and chosen is not None:
                with text.refusals():
                    adjudication.withdraw_adjudication(session.store(), me.name, new_id(), chosen.id)
                    st.rerun(scope="fragment")
            if chosen is None:
                st.caption("Choose a row to take that decision back: then its labels are combined by the rule again.")
            elif not may:
                text.quiet("{person} decided this: they or a lead can take it back.", person=chosen.person)


_COLUMNS = {
    "Item": Column(), "Unit": Column(), "Dimension": Column(), "Decided": Column(width=70), "People said": Column(),
    "Reason": Column(width=300), "By": Column(), "Counts for": Column(), "When": Column(),
}  # fmt: skip


def empty_board(now: GoldRule, others: int) -> dict[str, str]:
    """The board's message if this person has nothing to decide."""
    if others:
        wait = f"{many(others, 'rating')} {'waits' if others == 1 else 'wait'} for somebody else"
        own = f"{wait}: you labelled {'it' if others == 1 else 'them'} yourself."
        return {"title": "Nothing to adjudicate for you", "text": own}
    if now.apart is None:
        message = "In this dataset no disagreement is sent here. A lead can set by how much two people may disagree."
        return {"title": "Nothing is sent to adjudication", "text": message}
    message = "Every disagreement larger than the rule allows has been decided. New labels may bring more."
    return {"title": "Nothing to adjudicate", "text": message}
