"""Who is here, and what their browser tab remembers between reruns. The only home of st.session_state.

What a component has sent is read here too, in the shape that it is agreed on: the browser is anybody's, and may send
any JSON. What has another shape is left out; what it was meant for then says in a sentence what it lacks, or is not
done.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from data.records import people
from data.records.names import why_reserved
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
        found = people.find_person(store(), name)
    except NotFound:
        return None
    if not found.active or why_reserved(found.name, known=True):
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


LONGEST, MOST = 200, 200
"""Letters of a name or an id, and things of one sort in one message; what lies beyond comes with the next one."""


def outbox(key: str) -> dict[str, Any]:
    """What the component with that key has sent last."""
    return as_dict(getattr(component_state(key), "outbox", None))


def as_dict(value: Any) -> dict[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list, its first members; an empty one for anything else."""
    return value[:MOST] if isinstance(value, list) else []


def as_text(value: Any, longest: int = LONGEST) -> str:
    """A text that can be stored and asked for; "" for anything else."""
    if not isinstance(value, str) or len(value) > longest or "\0" in value:
        return ""
    return value if value.encode("utf-8", "replace").decode() == value else ""


def as_number(value: Any) -> float | None:
    """A number that can be an answer or a place; None for anything else."""
    sound = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e9
    return float(value) if sound else None


def as_index(value: Any, count: int) -> int | None:
    """A number from 0 to below `count`; None for anything else."""
    found = as_number(value)
    return int(found) if found is not None and found == int(found) and 0 <= found < count else None
