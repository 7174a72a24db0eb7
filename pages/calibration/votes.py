"""Votes on pairs: how often the judge agrees with single people, and how often people agree with each other."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.approvals import check_results
from data.calibration import votes
from data.store import Store
from judges.plural import many
from judges.render.findings.findings import Column
from judges.render.words import cell, span
from judges.stats.calibration import Summary
from judges.stats.uncertainty import Interval
from judges.stats.votes import JUDGE, VoteAgreement
from judges.types import Dimension
from pages.calibration.selection import CalibrationSelection
from pages.ui import session, tables, text


@text.fragment
def panel(selection: CalibrationSelection, dimension: Dimension) -> None:
    """The agreement table, where people of named teams have voted."""
    store = session.store()
    agreements = votes.team_agreement(store, selection.dataset, selection.judge, dimension)
    if agreements:
        _table(agreements, _majority(store, selection, dimension))


TIES = ("ties counted", "ties dropped")
"""The two ways in which MT-Bench counts ties; its paper calls them S1 and S2."""
_SHARE = Column(".1%", "% agreement: share of pairs of votes that are equal.", width=96)
_COLUMNS = {
    "between": Column(width=130),
    "part": Column(width=64),
    **dict.fromkeys(TIES, _SHARE),
    **{f"{name} n": Column(",", "Pairs of votes.", "votes", 58) for name in TIES},
    **{f"{name} interval": Column("", "", "95% interval", 118) for name in TIES},
}


def _table(agreements: Sequence[VoteAgreement], majority: tuple[Summary, Summary]) -> None:
    """Agreement of single votes; then the judge against the majority, with kappa."""
    st.header("Votes", anchor=False)
    rows = [
        {
            "between": f"{'judge' if a.one == JUDGE else a.one} and {a.other}",
            "part": a.part or "all",
            **_shares(TIES[0], a.s1),
            **_shares(TIES[1], a.s2),
        }
        for a in agreements
    ]
    tables.table(rows, _COLUMNS, max_rows=len(rows), width="content")
    st.caption(
        "% agreement of two votes on one item. Ties counted: a tie is an answer (setup 1 of the MT-Bench paper); ties "
        "dropped: pairs of votes with a tie are left out (setup 2). All current votes are used, blind and assisted. "
        "Intervals are by items. Agreement between people is the ceiling to compare with; a consistent judge may agree "
        "with single people more than they do with each other."
    )
    for name, summary in zip(TIES, majority, strict=True):
        text.say(
            "Judge and majority vote, {name}: agreement **{exact}**, Cohen's kappa **{kappa}** ({ends}), {n}.",
            name=name, exact=cell(summary.exact, ".1%"), kappa=cell(summary.interval.point),
            ends=span(summary.interval), n=many(summary.cells, "item"),
        )  # fmt: skip


def _shares(name: str, interval: Interval) -> dict[str, float | int | str | None]:
    return {name: interval.point, f"{name} n": interval.cells, f"{name} interval": span(interval, ".1%")}


def _majority(store: Store, selection: CalibrationSelection, dimension: Dimension) -> tuple[Summary, Summary]:
    """The judge held against the majority of all votes, with ties counted and dropped."""
    variants = [
        check_results.summaries(store, selection.dataset, selection.judge, "all", dropped) for dropped in (False, True)
    ]
    with_ties, without_ties = (next(s for s in summaries if s.dimension == dimension) for summaries in variants)
    return with_ties, without_ties
