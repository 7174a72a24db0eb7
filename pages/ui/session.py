"""Who is here, and what their browser tab remembers between reruns. The only home of st.session_state."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data.records import people
from data.records.names import reserved
from data.records.people import Person, Role
from data.store import Store
from data.store.errors import NotAllowed, NotFound

COOKIE = "assay_name"
_store: Store | None = None


def set_store(store: Store | None) -> None:
    """Give the pages the store that the server has opened (None when it closes)."""
    global _store
    _store = store


def store() -> Store:
    """The workspace's store."""
    if _store is None:
        raise NotFound("The store is not open. Start Assay with `make run`.")
    return _store


def scratch(place: str) -> dict[str, Any]:
    """What a page keeps for this tab between reruns: a dictionary of its own."""
    found: dict[str, Any] = st.session_state.setdefault(f"scratch:{place}", {})
    return found


def component_state(key: str) -> Any:
    """The state that a component with that key has sent, or None."""
    return st.session_state.get(key)


def person() -> Person | None:
    """Who is signed in (on trust), from this tab or from the browser's cookie; None when nobody is."""
    from urllib.parse import unquote

    # The cookie is that of the page's first request: once somebody has entered or left in this tab, it says nothing.
    name = st.session_state["person"] if "person" in st.session_state else unquote(st.context.cookies.get(COOKIE, ""))
    if not name:
        return None
    try:
        found = people.person(store(), name)
    except NotFound:
        return None
    if not found.active or reserved(found.name, known=True):
        return None
    st.session_state["person"] = found.name
    return found


def sign_in(name: str) -> None:
    """Sign in as that person in this tab; the cookie for the next one is set by the page."""
    st.session_state["person"] = name
    st.session_state["cookie"] = name


def sign_out() -> None:
    """Sign out."""
    st.session_state["person"] = ""
    st.session_state["cookie"] = ""


def cookie_to_set() -> str | None:
    """The name that the browser is to remember since it changed in this tab ("" = forget it); else None."""
    found: str | None = st.session_state.get("cookie")
    return found


def me(role: Role = "annotator") -> Person:
    """Who is signed in; raises NotAllowed where nobody is, or the role is not enough."""
    found = person()
    if found is None:
        raise NotAllowed("Choose your name first.")
    if not found.may(role):
        raise NotAllowed(f"This page needs the role {role}; you are {found.role}.")
    return found
