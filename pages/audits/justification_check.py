"""Does the justification fit the score? A random sample, one at a time, answered by a key."""

from __future__ import annotations

import streamlit as st

from data.audits import justification_labels
from data.audits.justification_labels import JustificationTally, JustifiedScore
from data.cards import cards
from data.records import items
from judges.card import Item
from judges.plural import many
from judges.stats.uncertainty import Interval
from judges.triage import describe_unit
from judges.types import Dimension, Pair, Response
from pages.ui import session, text

ENOUGH_ANSWERS = 100
"""Answers that a bar counts towards: at this many, the interval of a share of .10 is about .06 to .17."""


@text.fragment
def panel(actor: str, dataset_id: str, judge: str, limit: float | None) -> None:
    """Draw the progress of the sample, the next justification with its score, and the answers."""
    store, state = session.store(), session.scratch(f"fits:{dataset_id}:{judge}")
    card = cards.card_of_judge(store, judge)
    names = [d.name for d in card.dimensions if d.asked]
    tally = justification_labels.count_fits(store, dataset_id, judge, actor, names)
    with st.container(width=720):
        text.tell_outcome(state)
        _draw_tally(tally, justification_labels.unfit_share(store, dataset_id, judge, names), limit)
        again: tuple[JustifiedScore, bool] | None = state.get("again")
        if again:
            cell: JustifiedScore | None = again[0]
        else:
            ahead = justification_labels.justifications_ahead(store, dataset_id, judge, actor, names, limit=1)
            cell = ahead[0] if ahead else None
        if cell is not None:
            _draw_justification(cell, card.dimension(cell.dimension, cell.unit), again[1] if again else None)
        elif tally.cells:
            st.caption("You have answered all of them.")
        else:
            st.caption("This judge gives no justifications of its scores.")
        with st.container(horizontal=True):
            if cell is not None:
                say = (actor, dataset_id, judge, cell)
                st.button(
                    "Supports it", icon=":material/check:", shortcut="Y", on_click=_save_answer, args=(*say, True)
                )
                st.button("Does not", icon=":material/close:", shortcut="N", on_click=_save_answer, args=(*say, False))
                with st.popover("The item", icon=":material/article:", type="tertiary"):
                    _draw_item(items.load_item(store, cell.item).content)
            if again:
                st.button("Keep my answer", icon=":material/arrow_forward:", on_click=state.pop, args=("again", None))
            elif tally.own_answers:
                st.button(
                    "Undo", icon=":material/undo:", shortcut="U", type="tertiary", on_click=_reopen_last_answer,
                    args=(actor, dataset_id, judge), help="Shows your last answer again; a new one replaces it.",
                )  # fmt: skip


def _save_answer(actor: str, dataset_id: str, judge: str, cell: JustifiedScore, fit: bool) -> None:
    state = session.scratch(f"fits:{dataset_id}:{judge}")
    with text.keep_refusal(state):
        justification_labels.record_fit(session.store(), actor, judge, cell, fit)
        state.pop("again", None)


def _reopen_last_answer(actor: str, dataset_id: str, judge: str) -> None:
    state = session.scratch(f"fits:{dataset_id}:{judge}")
    with text.keep_refusal(state):
        state["again"] = justification_labels.last_justification(session.store(), dataset_id, judge, actor)


def _draw_tally(tally: JustificationTally, share: Interval, limit: float | None) -> None:
    st.markdown("**Does the justification support the score?**")
    goal = min(ENOUGH_ANSWERS, tally.cells)
    st.progress(min(tally.answered / goal, 1.0) if goal else 0.0)
    figure = ""
    if share.point is not None and share.low is not None and share.high is not None:
        figure = f"{share.point:.0%} do not support the score ({share.low:.0%} to {share.high:.0%}"
        figure += f"; limit {limit:.0%})." if limit is not None else ")."
    text.quiet(
        "{answered} of {cells} answered, {mine} by you. {figure} A random sample; answers of others are hidden.",
        answered=f"{tally.answered:,}", cells=many(tally.cells, "justification"), mine=f"{tally.own_answers:,}",
        figure=figure,
    )  # fmt: skip


def _draw_justification(cell: JustifiedScore, dimension: Dimension | None, before: bool | None) -> None:
    """One justification beside its score; `before` is what this person said of it, None: nothing yet."""
    title = dimension.title if dimension else cell.dimension
    score = dimension.scale.format(cell.value) if dimension else f"{cell.value:g}" if cell.value is not None else "n/a"
    if dimension and dimension.scale.kind == "ordinal" and cell.value is not None:
        score += f" of {dimension.scale.hi}"
    text.say("{where} **{score}** · {name}", where=f"{describe_unit(cell.unit)}{title}:", score=score, name=cell.name)
    if dimension:
        text.quiet("{definition}", definition=dimension.definition)
    st.code(cell.text, language=None, wrap_lines=True)
    if before is not None:
        text.quiet("Your answer: {said}. A new answer replaces it.", said="it supports it" if before else "it does not")


def _draw_item(item: Item) -> None:
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
