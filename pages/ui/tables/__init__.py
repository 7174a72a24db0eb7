"""Tables: Streamlit's own, and one of words whose texts wrap, where Streamlit cuts them.

Rows are given with their columns, a name and what is said of it each; a click on a row may lead on. Of the table of
words a row can be opened, chosen, or have buttons. Its `data` (Python to browser) is words only, set as text.
`open` (browser to Python) is the id of the row that is open, `clicked` what was chosen in this very run:
{row, action}, the row by its id, the action "" for the row itself. By number it would be another row where others have
added or removed some since it was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import streamlit as st

from judges.render import words
from judges.render.findings.findings import Column
from pages.ui import session, sheet, url_state

Rows = Sequence[Sequence[object]] | Sequence[Mapping[str, object]]
Columns = Sequence[str] | Mapping[str, Column | Any]
COMPONENT_FOLDER = Path(__file__).parent
Part = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""A table inside an open row: its title, the names of its columns, its rows."""
_MAX_FORMATTED_CELLS = 20_000  # cells

_component = st.components.v2.component(
    "assay_ledger",
    html='<div class="ledger"></div>',
    css=sheet.join_files(COMPONENT_FOLDER, "ledger.css"),
    js=sheet.join_files(COMPONENT_FOLDER, sheet.ELEMENTS, "ledger.js"),
    isolate_styles=True,
)


def open_row(key: str, ids: Sequence[str]) -> int | None:
    """The number of the row that is open in the table of that key, whose rows have these ids."""
    return _place_of(getattr(session.component_state(key), "open", None), ids)


def _place_of(id_: object, ids: Sequence[str]) -> int | None:
    return list(ids).index(id_) if id_ in ids else None  # type: ignore[arg-type]  # found, so it is a text


def wrapped_table(
    columns: Sequence[tuple[str, ...]], rows: Sequence[Sequence[str]], key: str, label: str, ids: Sequence[str] = (),
    detail: Sequence[Part] | None = None, actions: Sequence[Sequence[str]] = (), chosen: bool = False,
) -> tuple[int, str] | None:  # fmt: skip
    """Draw the rows of a table; gives what was clicked in this run.

    `columns`: title, width in CSS ("n" before it for numbers), and what the column means where that needs saying. Of a
    row's first text the first line names the row, and the others stand below it.

    With `detail` a row opens (None: no row does), which is what it shows; with `chosen` a row is a button of its own;
    `actions` are the buttons of each row. All of these need `ids`, one of each row. `label` is what a screen reader
    calls the table.
    """
    at = open_row(key, ids)
    data = {
        "columns": list(columns), "rows": [list(row) for row in rows], "label": label, "ids": list(ids),
        "open": None if at is None else ids[at],
        "detail": None if detail is None else list(detail), "actions": [list(of) for of in actions], "chosen": chosen,
    }  # fmt: skip
    event: Any = _component(
        key=key, data=data, default={"open": None}, on_open_change=lambda: None, on_clicked_change=lambda: None
    )
    clicked = session.as_dict(event.clicked)
    row, action = _place_of(clicked.get("row"), ids), session.as_text(clicked.get("action"))
    known = row is not None and (action in actions[row] if actions and action else chosen and not action)
    return (row, action) if row is not None and known else None


def table(rows: Rows, columns: Columns, key: str | None = None, max_rows: int = 8, **options: Any) -> Any:
    """Draw rows under their columns; those of more than `max_rows` rows scroll. `options` go to Streamlit.

    Its numbers stay numbers, so that a click on a heading sorts by them; a share is shown in percent. A row is a
    mapping, which may have columns that nothing is said of, or the texts of all columns in their order.
    """
    frame = pd.DataFrame(list(rows), columns=None if rows and isinstance(rows[0], Mapping) else list(columns))
    used_columns = {name: c for name, c in columns.items() if name in frame} if isinstance(columns, Mapping) else {}
    for name, column in used_columns.items():
        if isinstance(column, Column) and column.shape.endswith("%"):
            frame[name] = frame[name].astype("float64") * 100
    is_small = frame.size <= _MAX_FORMATTED_CELLS  # of a large table the writing would take longer than the drawing
    own = {n: c.shape for n, c in used_columns.items() if is_small and _falls_below_0(c, frame[n])}
    words_of: dict[Any, Any] = {n: partial(_figure, shape=own.get(n, "")) for n in map(str, frame)}
    return st.dataframe(
        frame.style.format(words_of, na_rep="–") if own else frame,
        hide_index=True, key=key, placeholder="–", height="content" if len(frame) <= max_rows else 35 * max_rows + 36,
        column_config={name: _column_config(column, name in own) for name, column in used_columns.items()}, **options,
    )  # fmt: skip


def _falls_below_0(column: Column | Any, values: Any) -> bool:
    """Whether a column has figures with a minus, for which Streamlit's formats have a hyphen."""
    figures = isinstance(column, Column) and column.shape.endswith(("f", "g", "%"))
    return figures and pd.api.types.is_numeric_dtype(values) and bool((values < 0).any())


def _figure(value: Any, shape: str) -> str:
    """A figure in words; a share, which is in percent already, with its sign. Anything else as it is."""
    if not shape:
        return str(value)
    return words.number(value, shape.replace("%", "f")) + ("%" if shape.endswith("%") else "")


def _column_config(column: Column | Any, as_text: bool = False) -> Any:
    """A column as Streamlit has it; its own kinds, which can do more, as they are; `as_text` has its words already."""
    if not isinstance(column, Column):
        return column
    shared: dict[str, Any] = {"label": column.title or None, "help": column.help or None, "width": column.width}
    if not column.shape:
        return st.column_config.TextColumn(**shared)
    shape = {",": "localized", "bytes": "bytes"}.get(column.shape) or "%" + column.shape.replace("%", "f%%")
    return st.column_config.NumberColumn(format=None if as_text else shape, **shared)


def drop_empty_columns(rows: Sequence[Mapping[str, Any]], may_lack: Sequence[str]) -> list[dict[str, Any]]:
    """The rows without those of the columns `may_lack` in which nothing stands."""
    empty = {name for name in may_lack if not any(row[name] not in ("", None) for row in rows)}
    return [{name: value for name, value in row.items() if name not in empty} for row in rows]


def table_to_tick(
    rows: Rows, columns: Columns, ids: Sequence[str], key: str, mode: Literal["single-row", "multi-row"],
    max_rows: int = 8,
) -> list[int]:
    """Draw a table in which rows, each of one of `ids`, can be ticked; the numbers of those that are."""
    event = table(rows, columns, _key_of(key, ids), max_rows, on_select="rerun", selection_mode=mode)
    return list(event.selection.rows)


def _key_of(key: str, ids: Sequence[str]) -> str:
    """The key of a table of just these rows: Streamlit knows by number what is ticked or clicked."""
    return f"{key}:{hash(tuple(ids))}"


def item_table(
    rows: Rows, columns: Columns, items: Sequence[str], key: str, dataset: str, max_rows: int = 8, **query: str
) -> None:
    """Draw a table in which each row is about an item of `items`; a click opens it on the desk."""
    event = table(rows, columns, _key_of(key, items), max_rows, on_select="rerun", selection_mode="single-cell")
    row = _row(event, len(items))
    if row is not None:
        url_state.open_page("desk", dataset=dataset, item=items[row], **query)


def clickable_table(
    rows: Rows, columns: Columns, chosen: Callable[[int], None], key: str, max_rows: int = 24,
    essential: Sequence[str] = (),
) -> None:  # fmt: skip
    """Draw a table where `chosen` gets the number of the row that was clicked, before the page is drawn anew.

    `essential` are the columns that fit a narrow window: the others then stand behind a switch.
    """
    more = not essential
    if essential:
        with st.container(horizontal=True, vertical_alignment="center"):
            # At the right end the table's own buttons would cover the switch while the pointer is over the table.
            st.caption("Click a row to see that dimension below.", width="content")
            more = st.toggle("All columns", key=f"all:{key.partition(':')[0]}")
    key = f"{key}:{more}"

    def select() -> None:
        row = _row(session.component_state(key), len(rows))
        if row is not None:
            chosen(row)

    order = None if more else list(essential)
    table(rows, columns, key, max_rows, on_select=select, selection_mode="single-cell", column_order=order)


def _row(event: Any, count: int) -> int | None:
    """The number of the row of the cell that was clicked, where there is such a row."""
    for cell in session.as_list(event.selection.cells):
        if isinstance(cell, (list, tuple)) and cell:
            return session.as_index(cell[0], count)
    return None
