"""Tables whose rows can be clicked: any cell of a row means the row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

from pages.ui import messages, session

T = TypeVar("T")


def clicked_row(frame: Any, of: Sequence[T], key: str, **options: Any) -> T | None:
    """Draw a table with a row for each of `of`, in that order; the one that was clicked. `options` go to Streamlit."""
    event: Any = st.dataframe(
        frame, hide_index=True, key=key, on_select="rerun", selection_mode="single-cell", **options
    )  # fmt: skip
    row = _row(event, len(of))
    return None if row is None else of[row]


def clickable_table(frame: Any, chosen: Callable[[int], None], key: str, **options: Any) -> None:
    """The same, where `chosen` gets the number of the row before the page is drawn anew."""

    def select() -> None:
        row = _row(session.component_state(key), len(frame))
        if row is not None:
            chosen(row)

    st.dataframe(frame, hide_index=True, key=key, on_select=select, selection_mode="single-cell", **options)


def _row(event: Any, count: int) -> int | None:
    """The number of the row of the cell that was clicked, where there is such a row."""
    for cell in messages.as_list(event.selection.cells):
        if isinstance(cell, (list, tuple)) and cell:
            return messages.as_index(cell[0], count)
    return None
