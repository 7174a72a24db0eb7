"""The mark of a judge that is no language model, wherever such a judge shows."""

from __future__ import annotations

import streamlit as st

from judges.client.endpoint import is_practice


def judge(model: str) -> None:
    """The mark of a practice judge; nothing for others."""
    if is_practice(model):
        st.badge(
            "practice, not a language model", icon=":material/science:", color="orange",
            help="Its scores come from simple rules. They let you try Assay, and say nothing about any language model.",
        )  # fmt: skip
