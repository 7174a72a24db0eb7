"""The ring around what has the keyboard's focus in Streamlit's own bar, which draws none that can be seen."""

from __future__ import annotations

import streamlit as st

_LINKS = ", ".join(f"[data-testid=stTopNav{name}]:focus-visible" for name in ("Link", "Section", "DropdownLink"))
_STYLE = f"<style>{_LINKS} {{ outline: 2px solid #2f6feb !important; outline-offset: -2px }}</style>"


def draw() -> None:
    """Give the bar's links a ring, at least 4:1 on both themes; the style takes no room on the page."""
    st.html(_STYLE)
