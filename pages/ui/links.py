"""Links between pages, by address, with what the other page is to show."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.ui import session, text


def register_pages(pages: dict[str, Any]) -> None:
    """Say which pages there are for this person in this run; the router does."""
    session.scratch("links")["pages"] = pages


def link(address: str, label: str, icon: str | None = None, **query: str) -> None:
    """A link to another page; nothing where the person has no such page."""
    page = session.scratch("links").get("pages", {}).get(address)
    if page is not None:
        st.page_link(page, label=text.plain(label), icon=icon, query_params={k: v for k, v in query.items() if v})


def open_page(address: str, **query: str) -> None:
    """Go to another page at once."""
    page = session.scratch("links").get("pages", {}).get(address)
    if page is not None:
        st.switch_page(page, query_params={k: v for k, v in query.items() if v})
