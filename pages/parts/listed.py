"""A queue drawn as a table: each draw's place, item, why it is there and where it stands."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from data.listing import Listing, Row, State
from pages.parts.rows import clicked

STATES: dict[State, str] = {
    "open to you": "Open to you",
    "held by you": "Held by you",
    "held": "Held by others",
    "answered by you": "Answered by you",
    "answered": "Answered by others",
    "skipped by you": "Skipped by you",
    "audit first": "Audit first",
    "known to you": "Known to you",
}
HELP = (
    "The chance with which an item of its stratum is in this part of the sample (blind, or with the judge), over all "
    "draws so far. Figures are weighted with the items of the stratum over those answered: 1 over it "
    "where all are."
)
STATE = (
    "Audit first: the item waits for its answers in the audit sample, and what the judge said stays hidden. "
    "Known to you: you were shown what a judge or other people say of it, so the audit sample does not ask you."
)
COLUMNS = {
    "#": st.column_config.NumberColumn(width=40, help="The place in the whole queue."),
    "Item": st.column_config.TextColumn(width=130),
    "System": st.column_config.TextColumn(width=110),
    "Judge": st.column_config.TextColumn(width=90),
    "Why": st.column_config.TextColumn(width=330),
    "Stratum": st.column_config.TextColumn(width=110),
    "Shown": st.column_config.TextColumn(width=110, help="Blind: without the judge's scores, until it is answered."),
    "Probability": st.column_config.NumberColumn(width=90, format="%.4f", help=HELP),
    "State": st.column_config.TextColumn(width=110, help=STATE),
    "People": st.column_config.TextColumn(width=60, help="How many have answered it, of how many it asks for."),
}


def table(found: Listing, stream: str, key: str) -> Row | None:
    """The rows as a table; the one that was clicked, or None."""
    rows = []
    for row in found.rows:
        line = {"#": row.place, "Item": row.name, "State": _state(row)}
        if stream == "review":
            line |= {"Why": " · ".join(row.reasons), "Judge": row.judge}
        else:
            shown = "blind" if row.mode == "blind" else f"with {row.judge or 'the judge'}"
            line |= {"Shown": shown, "Probability": row.probability, "Stratum": row.stratum}
        rows.append({**line, "System": " ~ ".join(row.systems), "People": f"{row.people} of {row.overlap}"})
    frame = pd.DataFrame(rows)
    if stream == "audit" and all(row.stratum == " ~ ".join(row.systems) for row in found.rows):
        frame = frame.drop(columns="Stratum")
    shown = {name: COLUMNS[name] for name in frame.columns}
    return clicked(frame, found.rows, key, height="content", column_config=shown)


def _state(row: Row) -> str:
    """Where a draw stands, in words, with the names of those who hold it."""
    if row.state == "held":
        return f"held by {', '.join(row.holders)}"
    return row.state
