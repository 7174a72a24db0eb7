"""The ring around what has the keyboard's focus in Streamlit's own bar and links, which draw none that can be seen."""

from __future__ import annotations

import streamlit as st


def draw() -> None:
    """Give the links a ring, at least 4:1 on both themes; the style takes no room on the page."""
    st.html(
        "<style>:is([data-testid=stTopNavLink], [data-testid=stTopNavSection], [data-testid=stTopNavDropdownLink])"
        ":focus-visible { outline: 2px solid #2f6feb !important; outline-offset: -2px }"
        "[data-testid=stPageLink-NavLink]:focus-visible { outline: 2px solid #2f6feb !important }</style>"
    )
