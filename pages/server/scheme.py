"""The colour scheme of what Streamlit draws outside its app: dialogs, lists, which it leaves to the browser."""

from __future__ import annotations

import streamlit as st


def draw() -> None:
    """Say which theme is on, as frame.css chooses colours by it; the style takes no room on the page."""
    if st.context.theme.type == "dark":
        st.html("<style>:root { color-scheme: dark }</style>")
    else:
        st.html("<style>:root { color-scheme: light }</style>")
