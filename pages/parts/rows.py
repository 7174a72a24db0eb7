"""Tables whose rows can be clicked: any cell of a row stands for the row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

from pages.parts import session

T = TypeVar("T")


def clicked(frame: Any, of: Sequence[T], key: str, **options: Any) -> T | None:
    """Draw a table with a row for each of `of`, in that order; the one that was clicked. `options` go to Streamlit."""
    event: Any = st.dataframe(
        frame, hide_index=True, key=key, on_select="rerun", selection_mode="single-cell", **options
    )  # fmt: skip
    return of[event.selection.cells[0][0]] if event.selection.cells else None


def clickable(frame: Any, chosen: Callable[[int], None], key: str, **options: Any) -> None:
    """The same, where `chosen` gets the number of the row before the page is drawn anew."""

    def select() -> None:
        cells = session.component_state(key).selection.cells
        if cells:
            chosen(cells[0][0])

    st.dataframe(frame, hide_index=True, key=key, on_select=select, selection_mode="single-cell", **options)
