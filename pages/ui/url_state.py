"""A choice that is kept in the address, so that a link leads to the same view."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.ui import session, text


def one(name: str, title: str, options: Mapping[str, str], default: str = "") -> str:
    """One of the options (value -> words): what was chosen, else what the address says, else the default or first."""
    values, key = list(options), _key(name)
    now = next(
        (v for v in (session.component_state(key), st.query_params.get(name), default) if v in options), values[0]
    )
    chosen: str = st.selectbox(
        text.plain(title), values, index=values.index(now), format_func=lambda value: options[value], key=key,
        on_change=_address, args=(name, key),
    )  # fmt: skip
    return chosen


def words(name: str, title: str) -> str:
    """Words to search for: what was typed, else what the address says."""
    key = _key(name)
    now = session.component_state(key)
    typed = st.text_input(
        text.plain(title), st.query_params.get(name, "") if now is None else now, max_chars=200, key=key,
        icon=":material/search:", on_change=_address, args=(name, key),
    )  # fmt: skip
    return typed or ""


def tab(name: str, title: str, options: Mapping[str, str], default: str = "") -> str:
    """The same as buttons that take as many lines as they need, for panels of which one is shown."""
    values, key = list(options), _key(name)
    now = next(
        (v for v in (session.component_state(key), st.query_params.get(name), default) if v in options), values[0]
    )
    chosen: str | None = st.segmented_control(
        text.plain(title), values, default=now, format_func=lambda value: text.plain(options[value]), key=key,
        on_change=_address, args=(name, key), label_visibility="collapsed", required=True,
        wrap=True,
    )  # fmt: skip
    return chosen or now


def put(name: str, value: str) -> None:
    """Choose for the person, as when they click on a row; the chooser, drawn anew, follows. For callbacks."""
    st.query_params[name] = value
    kept = session.scratch("picked")
    kept[name] = kept.get(name, 0) + 1


def _key(name: str) -> str:
    return f"picked:{name}:{session.scratch('picked').get(name, 0)}"


def _address(name: str, key: str) -> None:
    st.query_params[name] = session.component_state(key)
