"""What a run would take, in words: shown before a run on its page, and before a probe of an audit."""

from __future__ import annotations

import streamlit as st

from judges.client.estimate import Estimate
from judges.plural import many
from pages.ui import text


def show_estimate(found: Estimate) -> None:
    """What a run would take, and how that is estimated."""
    if not found.judgments:
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
                calls=many(found.calls, "call"), judgments=many(found.judgments, "judgment"),
                items=many(found.items, "item"), tin=f"{found.tokens_in:,}", tout=f"{found.tokens_out:,}",
                cost=cost_words(found.cost), most=f"; at the very most {cost_words(found.most)}" if found.most else "",
            )  # fmt: skip
        with st.popover("How this is estimated", type="tertiary", icon=":material/info:"):
            for note in found.notes:
                text.quiet("{note}", note=note)
    if found.long:
        text.warn("{long}", long=found.long)


def cost_words(cost: float | None) -> str:
    """US dollars, or that there is nothing to pay, or that the price is not known."""
    if not cost:
        return "price not known" if cost is None else "no cost"
    return f"${cost:,.2f}" if cost >= 0.1 else f"${cost:.4f}"
