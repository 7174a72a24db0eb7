"""The agreement table of votes: judge and people, people and people, per part of the dataset, with and without ties."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judges.calibrate import Summary
from judges.counted import many
from judges.intervals import Interval
from judges.votes import JUDGE, Agreement
from pages.parts import text
from pages.parts.calibrated import number, span

_SHARE = st.column_config.NumberColumn(width=74, format="percent", help="Share of pairs of votes that are equal.")
_COUNT = st.column_config.NumberColumn(width=64, format="localized", help="Pairs of votes.")


def table(found: Sequence[Agreement], majority: tuple[Summary, Summary]) -> None:
    """Agreement of single votes; then the judge against the majority, with kappa."""
    st.subheader("Votes")
    rows = [
        {
            "between": f"{'judge' if a.one == JUDGE else a.one} and {a.other}",
            "part": a.part or "all",
            **_shares("S1", a.s1),
            **_shares("S2", a.s2),
        }
        for a in found
    ]
    columns = {
        "between": st.column_config.TextColumn(width=130),
        "part": st.column_config.TextColumn(width=64),
        **dict.fromkeys(("S1", "S2"), _SHARE),
        **{f"{name} n": _COUNT for name in ("S1", "S2")},
        **{f"{name} interval": st.column_config.TextColumn(width=104) for name in ("S1", "S2")},
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", width="content", column_config=columns)
    st.caption(
        "How often two votes on one item are equal: S1 counts ties, S2 leaves out every pair of votes with a tie in "
        "it. All votes that hold count, blind or assisted, each by itself; the interval counts "
        "items, as votes on one item are not independent. A steady judge may agree with single people better than "
        "they do with each other; what people reach is still the measure of a good figure."
    )
    for name, one in zip(("S1, ties counted", "S2, ties dropped"), majority, strict=True):
        text.say(
            "Majority of all votes, {name}: agreement **{exact}**, Cohen's kappa **{kappa}** ({ends}), {n}.",
            name=name, exact=number(one.exact), kappa=number(one.interval.point), ends=span(one.interval),
            n=many(one.cells, "item"),
        )  # fmt: skip


def _shares(name: str, interval: Interval) -> dict[str, float | int | str | None]:
    return {name: interval.point, f"{name} n": interval.cells, f"{name} interval": span(interval)}
