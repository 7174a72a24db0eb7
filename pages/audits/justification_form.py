"""The panel that asks whether a justification fits its score: how far it is, and one of them."""

from __future__ import annotations

import streamlit as st

from data.audits.justification_labels import JustificationTally, Justified
from judges.card import Item
from judges.plural import many
from judges.stats.uncertainty import Interval
from judges.triage import describe_unit
from judges.types import Dimension, Pair, Response
from pages.ui import text

ENOUGH = 100
"""Answers that a bar counts towards: at this many, the interval of a share of .10 is about .06 to .17."""


def standing(tally: JustificationTally, share: Interval, limit: float | None) -> None:
    """How many are answered, and the share that does not fit, with its interval."""
    st.markdown("**Does the justification support the score?**")
    goal = min(ENOUGH, tally.cells)
    st.progress(min(tally.answered / goal, 1.0) if goal else 0.0)
    figure = ""
    if share.point is not None and share.low is not None and share.high is not None:
        figure = f"{share.point:.0%} do not support the score ({share.low:.0%} to {share.high:.0%}"
        figure += f"; limit {limit:.0%})." if limit is not None else ")."
    text.quiet(
        "{answered} of {cells} answered, {mine} by you. {figure} A random sample; answers of others are hidden.",
        answered=f"{tally.answered:,}", cells=many(tally.cells, "justification"), mine=f"{tally.mine:,}", figure=figure,
    )  # fmt: skip


def shown(cell: Justified, dimension: Dimension | None, before: bool | None) -> None:
    """One justification beside its score; `before` is what this person said of it, None: nothing yet."""
    title = dimension.title if dimension else cell.dimension
    score = dimension.scale.say(cell.value) if dimension else f"{cell.value:g}" if cell.value is not None else "n/a"
    if dimension and dimension.scale.kind == "ordinal" and cell.value is not None:
        score += f" of {dimension.scale.hi}"
    text.say("{where} **{score}** · {name}", where=f"{describe_unit(cell.unit)}{title}:", score=score, name=cell.name)
    if dimension:
        text.quiet("{definition}", definition=dimension.definition)
    st.code(cell.text, language=None, wrap_lines=True)
    if before is not None:
        text.quiet("Your answer: {said}. A new answer replaces it.", said="it supports it" if before else "it does not")


def whole(item: Item) -> None:
    """The item that a justification is about, as plain text."""
    if isinstance(item, Response):
        parts: dict[str, str | None] = {"Task": item.task, "Output": item.output, "Reference": item.reference}
    elif isinstance(item, Pair):
        parts = {"Input": item.input_text, "Response A": item.response_a.text, "Response B": item.response_b.text}
    else:
        parts = {"Dialogue": "\n\n".join(f"{t.turn} {t.role}: {t.text}" for t in item.turns)}
    for title, body in parts.items():
        if body:
            text.quiet("{title}", title=title)
            st.code(body, language=None, wrap_lines=True, height=260 if len(body) > 600 else "content")


def over(tally: JustificationTally) -> None:
    """Nothing is left to ask."""
    if tally.cells:
        st.caption("You have answered all of them.")
    else:
        st.caption("This judge gives no justifications of its scores.")
