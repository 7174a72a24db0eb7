"""A table of items as a component: texts wrap instead of being cut, and a row is opened by mouse or by key.

`data` (Python to browser): {label, columns: [{title, help}], rows: [[text]]}; the second column names the row. `opened`
(browser to Python) is the number of the row that was opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts import messages

HERE = Path(__file__).parent

_component = st.components.v2.component(
    "assay_entries",
    html="<table><thead></thead><tbody></tbody></table>",
    css=(HERE / "entries.css").read_text(encoding="utf-8"),
    js=(HERE / "entries.js").read_text(encoding="utf-8"),
    isolate_styles=True,
)


def entries(rows: Sequence[Mapping[str, str]], helps: Mapping[str, str], label: str, key: str) -> int | None:
    """Draw rows, each with a text for the same columns; the number of the one that was opened in this very run."""
    titles = list(rows[0])
    columns = [{"title": title, "help": helps.get(title, "")} for title in titles]
    data = {"label": label, "columns": columns, "rows": [[row[title] for title in titles] for row in rows]}
    event: Any = _component(key=key, data=data, on_opened_change=lambda: None)
    return messages.place(event.opened, len(rows))
