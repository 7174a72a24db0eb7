"""The component for adjudication: the text of an item and people's answers, side by side.

`data` (Python to browser): person, place; `items` in the order of work, the first few; `acked` [{key, at, names}];
`refused` [{key, why}]; `progress` {left}; `empty` {title, text} or None; `notice`.

An item: item, sig (changes whenever anything of it does), name, title, systems, synthetic, head, rows (as the desk's,
without cells), comments [text], saw (the judge was asked for), cells and decided. A cell: unit, dimension, label,
definition, kind, steps [{v, t}], range (as the desk's), said [{by (A, B, ...; in a pair P, Q, ...), v}], notes [{by,
sort, text}], apart (in words), token, before (what was decided before the labels changed, or ""), own (the person
labelled it themself), weak (the labels were given with the judge in view), judges [{name, v, note}]. Names of people
are in no cell that waits.
Decided ones: unit, dimension, label, value, told, said (with names).

`outbox` (browser to Python): {acts, reveal, now (the item in hand, which stays among `items`), nonce}. An act: {key,
action: decide, item, unit, dimension, v, reason, token} or {key, action: withdraw, of}. It is sent again until its key
comes back in `acked` or `refused`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui import sheet

COMPONENT_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "assay_adjudicate",
    html='<div class="sheet adjudicate" tabindex="-1" role="region" aria-label="Adjudication"></div>',
    css=sheet.join_files(sheet.COMPONENT_FOLDER, *sheet.STYLES, COMPONENT_FOLDER / "board.css"),
    js=sheet.bundle_scripts(*sheet.TEXTS, COMPONENT_FOLDER / "board.js", COMPONENT_FOLDER / "moves.js"),
    isolate_styles=True,
)


def draw_board(data: dict[str, Any], *, key: str, on_outbox: Callable[[], None]) -> Any:
    """Mount the board; `on_outbox` runs after a decision, which is in session_state[key].outbox."""
    empty_outbox: dict[str, Any] = {"acts": [], "reveal": None, "now": None, "nonce": 0}
    return _component(key=key, data=data, default={"outbox": empty_outbox}, on_outbox_change=on_outbox)
