"""Tables whose rows can be clicked: Streamlit's own, and one of words whose texts wrap, where Streamlit cuts them.

Of the second a row can be opened, chosen, or have buttons. Its `data` (Python to browser) is words only, set as text.
`open` (browser to Python) is the number of the row that is open, `clicked` what was chosen in this very run:
{row, action}, the action "" for the row itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from pages.ui import session

T = TypeVar("T")
HERE = Path(__file__).parent
Part = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""A table inside an open row: its title, the names of its columns, its rows."""

_component = st.components.v2.component(
    "assay_ledger",
    html='<div class="ledger"></div>',
    css=(HERE / "ledger.css").read_text(encoding="utf-8"),
    js=(HERE / "ledger.js").read_text(encoding="utf-8"),
    isolate_styles=True,
)


def open_row(key: str, count: int) -> int | None:
    """The number of the row that is open in the table of that key."""
    return session.as_index(getattr(session.component_state(key), "open", None), count)


def wrapped_table(
    columns: Sequence[tuple[str, ...]], rows: Sequence[Sequence[str]], key: str, label: str,
    detail: Sequence[Part] | None = None, actions: Sequence[Sequence[str]] = (), chosen: bool = False,
) -> tuple[int, str] | None:  # fmt: skip
    """Draw the rows of a table; gives what was clicked in this run.

    `columns`: title, width in CSS ("n" before it for numbers), and what the column means where that needs saying. Of a
    row's first text the first line names the row, and the others stand below it.

    With `detail` a row opens (None: no row does), which is what it shows; with `chosen` a row is a button of its own;
    `actions` are the buttons of each row. `label` is what a screen reader calls the table.
    """
    at = open_row(key, len(rows))
    data = {
        "columns": list(columns), "rows": [list(row) for row in rows], "label": label, "open": at,
        "detail": None if detail is None else list(detail), "actions": [list(of) for of in actions], "chosen": chosen,
    }  # fmt: skip
    event: Any = _component(
        key=key, data=data, default={"open": None}, on_open_change=lambda: None, on_clicked_change=lambda: None
    )
    clicked = session.as_dict(event.clicked)
    row, action = session.as_index(clicked.get("row"), len(rows)), session.as_text(clicked.get("action"))
    known = row is not None and (action in actions[row] if actions and action else chosen and not action)
    return (row, action) if row is not None and known else None


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
    for cell in session.as_list(event.selection.cells):
        if isinstance(cell, (list, tuple)) and cell:
            return session.as_index(cell[0], count)
    return None
