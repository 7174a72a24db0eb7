"""Does the justification fit the score? A random sample, one at a time, answered by a key."""

from __future__ import annotations

import streamlit as st

from data.audits import justification_labels
from data.audits.justification_labels import Justified
from data.cards import cards
from data.records import items
from judges.stats.uncertainty import wilson_interval
from pages.audits import justification_form
from pages.ui import session


@st.fragment
def panel(who: str, dataset_id: str, judge: str, limit: float | None) -> None:
    """How far the sample is, the next justification with its score, and the answers."""
    store, kept = session.store(), session.scratch(f"fits:{judge}")
    card = cards.card_of_judge(store, judge)
    asked = [d.name for d in card.dimensions if d.asked]
    tally = justification_labels.count_fits(store, dataset_id, judge, who, asked)
    with st.container(width=720):
        justification_form.standing(tally, wilson_interval(tally.unfit, tally.answered), limit)
        again: tuple[Justified, bool] | None = kept.get("again")
        cell = (
            again[0]
            if again
            else next(
                iter(justification_labels.justifications_ahead(store, dataset_id, judge, who, asked, most=1)), None
            )
        )
        if cell is None:
            justification_form.over(tally)
        else:
            justification_form.shown(cell, card.dimension(cell.dimension, cell.unit), again[1] if again else None)
        with st.container(horizontal=True):
            if cell is not None:
                say = (who, judge, cell)
                st.button("Supports it", icon=":material/check:", shortcut="Y", on_click=_say, args=(*say, True))
                st.button("Does not", icon=":material/close:", shortcut="N", on_click=_say, args=(*say, False))
                with st.popover("The item", icon=":material/article:", type="tertiary"):
                    justification_form.whole(items.load_item(store, cell.item).content)
            if again:
                st.button("Keep my answer", icon=":material/arrow_forward:", on_click=kept.pop, args=("again", None))
            elif tally.mine:
                st.button(
                    "Undo", icon=":material/undo:", shortcut="U", type="tertiary", on_click=_back,
                    args=(who, dataset_id, judge), help="Shows your last answer again; a new one replaces it.",
                )  # fmt: skip


def _say(who: str, judge: str, cell: Justified, fit: bool) -> None:
    """Keep an answer."""
    justification_labels.record_fit(session.store(), who, judge, cell, fit)
    session.scratch(f"fits:{judge}").pop("again", None)


def _back(who: str, dataset_id: str, judge: str) -> None:
    """Show one's last answer again."""
    session.scratch(f"fits:{judge}")["again"] = justification_labels.last_justification(
        session.store(), dataset_id, judge, who
    )
