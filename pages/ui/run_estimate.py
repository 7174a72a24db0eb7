"""The estimate of a run, in words: shown before a run on its page, and before a probe of an audit."""

from __future__ import annotations

import streamlit as st

from judges.client.budget import dollars
from judges.client.estimate import Estimate
from judges.plural import many
from pages.ui import text


def show_estimate(estimate: Estimate) -> None:
    """Draw the estimate of a run, and how it was made."""
    if not estimate.judgments:
        st.info(
            "Nothing is left to ask: this judge has been asked about all of these items. To ask the unscored ones "
            "again, open its run below.",
            icon=":material/check:",
        )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            text.say(
                "**{calls}** for {judgments} of {items}: about {tin} tokens in and {tout} out, {cost}{most}.",
                calls=many(estimate.calls, "call"), judgments=many(estimate.judgments, "judgment"),
                items=many(estimate.items, "item"), tin=f"{estimate.tokens_in:,}", tout=f"{estimate.tokens_out:,}",
                cost=cost_words(estimate.cost),
                most=f"; at the very most {cost_words(estimate.max_cost)}" if estimate.max_cost else "",
            )  # fmt: skip
        with st.popover("How this is estimated", type="tertiary", icon=":material/info:"):
            for note in estimate.notes:
                text.quiet("{note}", note=note)
    if estimate.long:
        text.warn("{long}", long=estimate.long)


def cost_words(cost: float | None) -> str:
    """US dollars, or that there is nothing to pay, or that the price is not known."""
    if not cost:
        return "price not known" if cost is None else "no cost"
    return dollars(cost)


def spent_words(cost: float, estimated: bool) -> str:
    """US dollars that were spent, with "about" before an amount that is an estimate."""
    return f"{'about ' if estimated and cost else ''}{dollars(cost)}"
