"""A queue drawn as a table: each draw's place, item, why it is there and where it stands."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from data.listing import Listing, Row, State
from data.progress import Personal
from judges.counted import many
from pages.parts import text
from pages.parts.rows import clicked

STATES: dict[State, str] = {
    "to label": "To label",
    "reserved by you": "Reserved by you",
    "reserved": "Reserved by others",
    "answered by you": "Answered by you",
    "answered": "Answered by others",
    "skipped by you": "Skipped by you",
    "in audit sample": "In audit sample",
    "not for you": "Not for you",
}
HELP = (
    "The probability with which an item of its stratum is in this part of the sample (blind, or with the judge), over "
    "all draws so far. Figures are weighted with the items of the stratum over those answered. Empty while the item "
    "may still come to you blind, as it may give away a score."
)
STATE = (
    "In audit sample: the item has to be answered in the audit sample first, and what the judge said stays hidden till "
    "then. Not for you: you have answered it elsewhere, or were shown what keeps a blind answer of yours from counting."
)
HEIGHT = 64
"""Of a row, for up to three lines of text."""
COLUMNS = {
    "#": st.column_config.NumberColumn(width=44, help="The place in the whole queue."),
    "Item": st.column_config.TextColumn(width=110, help="Its name, and the system under test where it is not hidden."),
    "Text": st.column_config.TextColumn(width=250, help="How it begins: its scenario, its first turn, or its task."),
    "Why": st.column_config.TextColumn(width=250, help="Where a judge's ratings are in doubt, the strongest first."),
    "Judge": st.column_config.TextColumn(width=90),
    "Stratum": st.column_config.TextColumn(width=110),
    "Mode": st.column_config.TextColumn(width=120, help="Blind: without the judge's scores, until it is answered."),
    "Probability": st.column_config.NumberColumn(width=90, format="%.4f", help=HELP),
    "State": st.column_config.TextColumn(width=120, help=STATE),
}
MOST = 3
"""Reasons that stand in the list; the desk has them all."""


def table(found: Listing, stream: str, key: str) -> Row | None:
    """The rows as a table; the one that was clicked, or None."""
    rows = []
    for row in found.rows:
        line = {"#": row.place, "Item": _lines(row.name, " ~ ".join(row.systems)), "Text": text.short(row.about, 160)}
        if stream == "review":
            line |= {"Why": _why(row.reasons), "Judge": row.judge}
        else:
            mode = "blind" if row.mode == "blind" else f"with {row.judge or 'the judge'}"
            line |= {"Mode": mode, "Probability": row.probability, "Stratum": row.stratum}
        rows.append(line | {"State": _state(row)})
    frame = pd.DataFrame(rows)
    dull = {name for name in ("Judge", "Stratum") if name in frame and frame[name].nunique() < 2}
    if "Probability" in frame and frame["Probability"].isna().all():
        dull.add("Probability")
    frame = frame.drop(columns=[*dull])
    shown = {name: COLUMNS[name] for name in frame.columns}
    return clicked(frame, found.rows, key, height="content", row_height=HEIGHT, column_config=shown)


def _lines(*parts: str) -> str:
    return "\n".join(filter(None, parts))


def _why(reasons: tuple[str, ...]) -> str:
    more = f"and {len(reasons) - MOST:,} more" if reasons[MOST:] else ""
    return " · ".join(filter(None, [*reasons[:MOST], more]))


def _state(row: Row) -> str:
    """Where a draw stands, in words, with who has reserved it and how many people have answered it of several."""
    state = f"reserved by {', '.join(row.holders)}" if row.state == "reserved" else row.state
    return _lines(state, f"{row.people} of {row.overlap} people" if row.overlap > 1 else "")


def head(found: Listing, mine: Personal) -> None:
    """How many items are left for this person, how many are done of those that pass the filters, and their pace."""
    overlap = max((row.overlap for row in found.rows), default=1)
    text.say(
        "**{left}** to label · {answered} of {drawn} answered{full} · you: {today} today, {mine} in all{pace}",
        left=many(found.left, "item"),
        answered=f"{found.answered:,}",
        drawn=f"{found.drawn:,}",
        full=f", {found.full:,} by all {overlap} people" if overlap > 1 else "",
        today=f"{mine.today:,}",
        mine=f"{mine.total:,}",
        pace=f", {mine.seconds:.0f} s per item" if mine.seconds else "",
    )


def empty(stream: str, narrowed: bool, may: bool) -> None:
    """What stands in place of a queue without items, and what to do next."""
    if narrowed:
        said = "No item of this queue passes the filters. Choose others, or clear them."
    elif stream == "audit":
        said = "No audit sample is drawn yet: items at random, which people answer without seeing the judge. "
        said += "Draw a sample to begin." if may else "A researcher can draw one."
    else:
        said = "The review queue is empty. It holds the items where a judge's ratings are most in doubt. "
        said += "Add items to begin." if may else "A researcher can add items."
    st.info(text.plain(said), icon=":material/inbox:")
