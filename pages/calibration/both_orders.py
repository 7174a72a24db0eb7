"""The panel Both orders: whether the judge says the same of a pair when the places of its responses are swapped."""

from __future__ import annotations

import streamlit as st

from data.calibration.both_orders import positions
from data.store import Store
from judges.render.svg import IntervalRow
from judges.render.words import cell
from judges.stats.position import PositionalAgreement, explain
from judges.stats.uncertainty import Interval
from pages.ui import charts, session, text
from pages.ui.figure_cache import Place


@st.cache_data(max_entries=64, show_spinner="Comparing the two orders ...")
def _found(_store: Store, at: Place) -> PositionalAgreement | None:
    return positions(_store, at.dataset, at.judge)


@st.fragment
def panel(at: Place) -> None:
    """Sentences, the two shares with their intervals, and verdicts by order; nothing without pairs in both orders."""
    found = _found(session.store(), at.plain)
    if found is None:
        return
    st.subheader("Position bias", anchor=False)
    head, *rest = explain(found)
    text.say("**{head}** {rest}", head=head, rest=" ".join(rest))
    rows = [_row("same verdict", found.same), _row("first position wins", found.first)]
    charts.intervals(rows, f"position:{at.dataset}:{at.judge}", mark=0.5)
    with st.expander("Verdicts by order"):
        names = [word.upper() if word in ("a", "b") else word for word in found.answers]
        table = [
            {"as A/B": name, **{f"{other} as B/A": int(n) for other, n in zip(names, counts, strict=True)}}
            for name, counts in zip(names, found.table, strict=True)
        ]
        st.dataframe(table, hide_index=True, height="content", width="content")
    st.caption(
        "A and B are the item's own responses in both orders. Each pair counts once per sample; intervals are by "
        "pair. Without position bias the verdict stays the same and the first position wins 50% of the verdicts with "
        "a winner. A verdict that changes counts as a tie."
    )


def _row(name: str, one: Interval) -> IntervalRow:
    on = f"{cell(one.point, '.1%')} of {one.cells:,}"
    return IntervalRow(name, "", one.point, one.low, one.high, None, "other", on)
