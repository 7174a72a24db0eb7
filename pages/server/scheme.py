"""Styles of every page that Python alone knows: the theme that is on, and the version at its foot."""

from __future__ import annotations

import streamlit as st

from pages.server import first_html


def draw() -> None:
    """Say which theme is on, as frame.css chooses colours by it; the style takes no room on the page."""
    if st.context.theme.type == "dark":
        st.html("<style>:root { color-scheme: dark }</style>")
    else:
        st.html("<style>:root { color-scheme: light }</style>")


def sign() -> None:
    """Say the version at the foot of the page, which takes no room on it."""
    st.html(first_html.FOOT)
