"""A queue drawn as a table: each draw's place, item, why it is there and its state."""

from __future__ import annotations

import streamlit as st

from data.queue.listing import ListedDraw, QueueListing, State
from data.queue.progress import PersonalProgress
from judges.plural import many
from pages.ui import tables, text

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
HELPS = {
    "Text": "How it begins: its scenario, its first turn, or its task.",
    "Why": "Where a judge's ratings are in doubt, the strongest reasons first.",
    "Mode": "Blind: without the judge's scores, until it is answered.",
    "Probability": "The probability with which an item of its stratum is in this part of the sample (blind, or with "
    "the judge), over all draws so far. Figures are weighted with the items of the stratum over those answered. Empty "
    "while the item may still come to you blind, as it may give away a score.",
    "State": "In audit sample: the item has to be answered in the audit sample first, and the judge's scores stay "
    "hidden until then. Not for you: you have answered it elsewhere, or have seen something that rules out a blind "
    "answer of yours.",
}
WIDTHS = {
    "Item": "clamp(150px, 16vw, 260px)", "#": "n56px", "Judge": "130px", "Mode": "clamp(96px, 9vw, 120px)",
    "Stratum": "clamp(96px, 10vw, 150px)", "Probability": "n100px", "State": "clamp(130px, 12vw, 190px)",
}  # fmt: skip
"""The widths of columns; the others share the rest."""
MAX_SHOWN_REASONS = 3
"""Reasons that stand in the list; the desk has them all."""


def queue_table(listing: QueueListing, stream: str, key: str) -> ListedDraw | None:
    """The rows as a table; the one that was opened, or None."""
    rows = [_row(row, stream) for row in listing.rows]
    dull = {name for name in ("Judge", "Stratum", "Probability") if len({row.get(name, "") for row in rows}) < 2}
    columns = [(name, WIDTHS.get(name, ""), HELPS.get(name, "")) for name in rows[0] if name not in dull]
    shown = [[row[name] for name, *_ in columns] for row in rows]
    ids = [row.item for row in listing.rows]
    clicked = tables.wrapped_table(columns, shown, key, "Items of the queue", ids, chosen=True)
    return None if clicked is None else listing.rows[clicked[0]]


def _row(row: ListedDraw, stream: str) -> dict[str, str]:
    line = {"Item": text.join_lines(row.name, " ~ ".join(row.systems)), "#": f"{row.place:,}"}
    line["Text"] = text.shorten(row.about, 160)
    if stream == "review":
        line |= {"Why": _format_reasons(row.reasons), "Judge": row.judge}
    else:
        chance = "" if row.probability is None else f"{row.probability:.4f}"
        mode = "blind" if row.mode == "blind" else f"with {row.judge or 'the judge'}"
        line |= {"Mode": mode, "Stratum": row.stratum, "Probability": chance}
    return line | {"State": _state(row)}


def _format_reasons(reasons: tuple[str, ...]) -> str:
    more = f"and {len(reasons) - MAX_SHOWN_REASONS:,} more" if reasons[MAX_SHOWN_REASONS:] else ""
    return " · ".join(filter(None, [*reasons[:MAX_SHOWN_REASONS], more]))


def _state(row: ListedDraw) -> str:
    """The state of a draw, in words, with who has it or gets it, and how many people have answered it of several."""
    state = str(row.state)
    if row.state == "reserved":
        state += f" {'by' if row.holders else 'for'} {', '.join(map(text.isolate, row.holders or row.audience))}"
    return text.join_lines(state, f"{row.people} of {row.overlap} people" if row.overlap > 1 else "")


def show_counts(listing: QueueListing, progress: PersonalProgress) -> None:
    """Draw how many items are left for this person, how many are answered (both with the filters), and their pace."""
    overlap = max((row.overlap for row in listing.rows), default=1)
    text.say(
        "**{left}** to label · {answered} of {drawn} answered{full} · you: {today} today, {mine} in all{pace}",
        left=many(listing.left, "item"),
        answered=f"{listing.answered:,}",
        drawn=f"{listing.drawn:,}",
        full=f", {listing.full:,} by all {overlap} people" if overlap > 1 else "",
        today=f"{progress.today:,}",
        mine=f"{progress.total:,}",
        pace=f", {progress.seconds:.0f} s per item" if progress.seconds else "",
    )


def show_empty(stream: str, narrowed: bool, may: bool) -> None:
    """Draw the message in place of a queue without items, and the next step."""
    if narrowed:
        message = "No item of this queue passes the filters. Choose others, or clear them."
    elif stream == "audit":
        message = "No audit sample is drawn yet: items at random, which people answer without seeing the judge. "
        message += "Draw a sample to begin." if may else "A researcher can draw one."
    else:
        message = "The review queue is empty. It holds the items where a judge's ratings are most in doubt. "
        message += "Add items to begin." if may else "A researcher can add items."
    st.info(text.escape(message), icon=":material/inbox:")
