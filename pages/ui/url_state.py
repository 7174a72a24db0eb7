"""Choices that are kept in the address, so that a link leads to the same view, and links from page to page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar

import streamlit as st

from pages.ui import session, text

Value = TypeVar("Value", bound=str)


def select(
    name: str, title: str, options: Mapping[Value, str], default: str = "", width: int | Literal["stretch"] = "stretch",
    labelled: bool = True,
) -> Value:  # fmt: skip
    """One of the options (value -> words): what was chosen, else what the address says, else the default or first.

    `width` is in pixels, where the chooser does not take all the room there is; `labelled`: its title is above it.
    """
    values, now, words = list(options), _now(name, options, default), session.scratch("words")
    current = session.scratch("links").get("current")
    place = f"{current.url_path if current else ''}/{name}/{now}"
    if words.setdefault(place, options[now]) != options[now]:
        words[place] = options[now]
        set_choice(name, now)  # Streamlit identifies the choice by its words, and would show another one
    key = _key(name)
    return st.selectbox(
        text.escape(title), values, index=values.index(now), format_func=lambda value: options[value], key=key,
        on_change=_address, args=(name, key), width=width,
        label_visibility="visible" if labelled else "collapsed",
    )  # fmt: skip


def search(name: str, title: str, width: int) -> str:
    """Words to search for: what was typed, else what the address says."""
    key = _key(name)
    now = session.component_state(key)
    typed = st.text_input(
        text.escape(title), st.query_params.get(name, "") if now is None else now, max_chars=200, key=key,
        icon=":material/search:", on_change=_address, args=(name, key), width=width,
    )  # fmt: skip
    return typed or ""


def optional(name: str, title: str, options: Mapping[Value, str]) -> Value | None:
    """One of the options, or none of them, as at first; what was chosen can be cleared."""
    key, now = _key(name), chosen_option(name, options)
    if now is not None and session.component_state(key) is None:
        session.set_component_state(key, now)  # with an `index` instead it could not be cleared
    choice: Value | None = st.selectbox(
        text.escape(title), list(options), index=None, placeholder="any", key=key,
        format_func=lambda value: options[value], on_change=_address, args=(name, key),
    )  # fmt: skip
    return choice


def tabs(name: str, title: str, options: Mapping[Value, str]) -> Value:
    """The same as buttons that take as many lines as they need, for panels of which one is shown."""
    key, now = _key(name), _now(name, options, "")
    choice = st.segmented_control(
        text.escape(title), list(options), default=now, format_func=lambda value: text.escape(options[value]), key=key,
        on_change=_address, args=(name, key), label_visibility="collapsed", required=True,
        wrap=True,
    )  # fmt: skip
    return choice or now


def set_choice(name: str, value: str) -> None:
    """Choose for the person, as when they click on a row; the chooser, drawn anew, follows. For callbacks."""
    st.query_params[name] = value
    state = session.scratch("picked")
    state[name] = state.get(name, 0) + 1


def fold_button(label: str, name: str, value: str, opened: bool, also: Callable[[], None] = lambda: None) -> None:
    """The button of a row that opens what is below it, and closes it again; at most one of a page is open.

    Which is open stands in the address, under `name`; `also` is done when that changes.
    """

    def turn() -> None:
        also()
        st.query_params.pop(name, None)
        if not opened:
            st.query_params[name] = value

    icon = ":material/keyboard_arrow_down:" if opened else ":material/chevron_right:"
    st.button(text.escape(label), icon=icon, key=f"{name}:{value}", type="tertiary", on_click=turn)


def chosen_option(name: str, options: Iterable[Value]) -> Value | None:
    """The option that was chosen, or that the address names; None where that is no option."""
    candidates = (session.component_state(_key(name)), st.query_params.get(name))
    return next((value for candidate in candidates for value in options if value == candidate), None)


def lost_option(name: str, options: Iterable[str]) -> str:
    """The value in the address if it is not one of the options; "" if it is, or if the dataset was changed by hand."""
    named = st.query_params.get(name, "")
    if named in ("", *options):
        return ""
    if session.scratch("links").pop("moved", False):
        st.query_params.pop(name)
        return ""
    return named


def _now(name: str, options: Mapping[Value, str], default: str) -> Value:
    """The option that holds as the page is drawn."""
    choice = chosen_option(name, options)
    return next(
        (value for candidate in (choice, default) for value in options if value == candidate), next(iter(options))
    )


def _key(name: str) -> str:
    return f"picked:{name}:{session.scratch('picked').get(name, 0)}"


def _address(name: str, key: str) -> None:
    value = session.component_state(key)
    if st.query_params.get(name) == value:
        return  # the person chose nothing: Streamlit had forgotten it, as the page was left (see callback_of)
    st.query_params.pop("item", None)  # it was an item of the queue before
    st.query_params.pop(name, None)
    session.scratch("links")["moved"] = name == "dataset"
    if value is not None:
        st.query_params[name] = value


def register_pages(pages: dict[str, Any]) -> None:
    """Say which pages there are for this person in this run; the router does."""
    session.scratch("links")["pages"] = pages


def register_current(page: Any) -> None:
    """Say which page is drawn in this run, and by which address; the router does."""
    session.scratch("links").update(current=page, query=st.query_params.to_dict())


def callback_of(address: str, act: Callable[[], None]) -> Callable[[], None]:
    """The callback of a component that sends by itself, on the page at that address: act, and keep the person's page.

    If a fragment sends something while its page is being left, Streamlit runs it after the new page. The browser then
    clears the new page for a fragment that no longer exists, and the screen is empty. So the page is drawn again.
    """

    def call() -> None:
        act()
        links = session.scratch("links")
        if links["current"].url_path != address:
            st.switch_page(links["current"], query_params=links["query"])

    return call


def link(address: str, label: str = "", icon: str = "", **query: str) -> None:
    """A link to another page, with that page's title and icon unless others are given.

    Nothing where the person has no such page.
    """
    page = session.scratch("links").get("pages", {}).get(address)
    if page is not None:
        query_params = {k: v for k, v in query.items() if v}
        st.page_link(page, label=text.escape(label or page.title), icon=icon or page.icon, query_params=query_params)


def open_page(address: str, **query: str) -> None:
    """Go to another page at once."""
    page = session.scratch("links").get("pages", {}).get(address)
    if page is not None:
        st.switch_page(page, query_params={k: v for k, v in query.items() if v})
