"""The person who is signed in, and the state of their browser tab between reruns. The only home of st.session_state.

Messages of components are read here too, in their agreed form, because a browser is untrusted and may send any JSON.
Data of another form is left out; the receiver then says in a sentence what is missing, or does nothing.
"""

from __future__ import annotations

import contextlib
from typing import Any

import streamlit as st
from starlette.requests import Request

from data.records import logins
from data.records.access import Person, Role, Visit, find_login, require
from data.records.logins import Account, read_account
from data.store import Store
from data.store.errors import NotAllowed, NotFound
from pages.server import access, limits, provider

COOKIE = "assay_name"
_store: Store | None = None


def set_store(store: Store | None) -> None:
    """Give the pages the store that the server has opened (None when it closes)."""
    global _store
    _store = store


def whole_store() -> Store:
    """The workspace's store, for the server itself. Raises NotFound while it is not open."""
    if _store is None:
        raise NotFound("The store is not open. Start Assay with `make run`.")
    return _store


def store() -> Visit:
    """The workspace's store, as whoever is signed in may ask it."""
    identity = st.user.to_dict() if provider.is_set() else _name()
    stored_visit = st.session_state.get("visit")
    if stored_visit is None or stored_visit[:2] != (whole_store(), identity):
        if stored_visit is not None:  # what was kept for somebody else is not for whoever is here now
            for key in [key for key in st.session_state if str(key).startswith("scratch:")]:
                del st.session_state[key]
        stored_visit = whole_store(), identity, _visit()
        if stored_visit[2].person:  # nobody may be somebody in a moment
            st.session_state["visit"] = stored_visit
    visit: Visit = stored_visit[2]
    return visit


def _visit() -> Visit:
    if not provider.is_set():
        return Visit(whole_store(), _name())
    account = None
    with contextlib.suppress(NotAllowed):  # the sign-in page says why, and offers another sign-in
        account = _account()
    return _visit_by(account.key if account else "")


def _visit_by(login: str) -> Visit:
    """The visit of whoever came in by a sign-in; of nobody where nobody did."""
    known = find_login(whole_store(), login) if login else None
    return Visit(whole_store(), known.person if known else "", login)


def may_send_files(request: Request) -> bool:
    """Whether the sender of a request has signed in and may import: others could fill the disk."""
    if not provider.is_set():
        return True
    visitor = _visit_by(provider.cookie_login(request)).visitor()
    return visitor is not None and visitor.may("researcher")


def _account() -> Account | None:
    """Return the account that the provider names for the person in this tab; None if nobody has signed in there."""
    claims = st.user.to_dict()
    return read_account(claims) if claims.get("is_logged_in") is True else None


def _name() -> str:
    """The name that was entered (on trust) in this tab, or that the browser's cookie has; "" for none."""
    from urllib.parse import unquote

    # The cookie is from the page's first request: after a sign-in or sign-out in this tab it is out of date.
    name = st.session_state["person"] if "person" in st.session_state else unquote(st.context.cookies.get(COOKIE, ""))
    return str(name)


def scratch(place: str) -> dict[str, Any]:
    """Return the dictionary in which a page keeps its state for this tab between reruns."""
    state: dict[str, Any] = st.session_state.setdefault(f"scratch:{place}", {})
    return state


def component_state(key: str) -> Any:
    """The state that a component with that key has sent, or None."""
    return st.session_state.get(key)


def set_component_state(key: str, value: Any) -> None:
    """Give the component with that key a state, before it is drawn."""
    st.session_state[key] = value


def person() -> Person | None:
    """Return the person who is signed in; None if nobody is."""
    visit = store()
    visitor = visit.visitor()
    if visitor is not None and visit.login is None:
        st.session_state["person"] = visitor.name
    return visitor


def admit_account() -> bool:
    """Let in whoever has just signed in at the provider; False where nobody has. Raises NotAllowed, and says why."""
    account = _account()
    if account is None:
        return False
    limits.check_sign_in()
    name = logins.sign_in(whole_store(), account)
    require(whole_store(), name, "annotator")
    if store().visitor() is None:
        raise NotAllowed("You have signed out, or have been signed in for too long. Sign in again.")
    return True


def sign_in(name: str) -> None:
    """Sign in as that person in this tab; the cookie for the next one is set by the page."""
    st.session_state["person"] = name
    st.session_state["cookie"] = name


def sign_out() -> None:
    """Sign out: by name, or from this sign-in at the provider, whose cookie becomes invalid."""
    visit = store()
    if visit.login is None:
        st.session_state["person"] = ""
        st.session_state["cookie"] = ""
        return
    with contextlib.suppress(NotAllowed):  # it has ended already
        logins.sign_out(visit, visit.person, visit.login)
    st.logout()
    st.stop()  # another run would take back what leads the browser to the provider, if it has not gone out yet


def explain_name_trust() -> None:
    """Say how far names can be relied on here."""
    if provider.is_set():
        st.caption("Names and e-mail addresses come from the sign-in provider, and every visit is checked.")
    elif access.is_local():
        st.caption("Names are not checked: Assay answers only on this computer (127.0.0.1) and asks for no password.")
    else:
        st.caption("Names are not checked and no password is asked: whoever reaches Assay can enter under any name.")


def cookie_to_set() -> str | None:
    """The name that the browser is to remember since it changed in this tab ("" = forget it); else None."""
    name: str | None = st.session_state.get("cookie")
    return name


def me(role: Role = "annotator") -> Person:
    """Return the person who is signed in. Raises NotAllowed if nobody is, or if the role is not enough."""
    visitor = person()
    if visitor is None:
        raise NotAllowed("Sign in first.")
    if not visitor.may(role):
        raise NotAllowed(f"This page needs the role {role}; you are {visitor.role}.")
    return visitor


MAX_TEXT_CHARACTERS, MAX_ENTRIES = 200, 200
"""Letters of a name or an id, and things of one sort in one message; what lies beyond comes with the next one."""


def outbox(key: str) -> dict[str, Any]:
    """Return the last message of the component with that key."""
    return as_dict(getattr(component_state(key), "outbox", None))


def as_dict(value: Any) -> dict[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list, its first members; an empty one for anything else."""
    return value[:MAX_ENTRIES] if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """A text that can be stored and asked for; "" for anything else."""
    if not isinstance(value, str) or len(value) > MAX_TEXT_CHARACTERS or "\0" in value:
        return ""
    return value if value.encode("utf-8", "replace").decode() == value else ""


def as_number(value: Any) -> float | None:
    """A number that can be an answer or a place; None for anything else."""
    sound = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e9
    return float(value) if sound else None


def as_index(value: Any, count: int) -> int | None:
    """A number from 0 to below `count`; None for anything else."""
    number = as_number(value)
    return int(number) if number is not None and number == int(number) and 0 <= number < count else None
