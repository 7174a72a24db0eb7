"""A tile of the dashboard as a component: one approved dimension, a row for each system under test.

`data` (Python to browser) is words and places only, see `compose.tile`. `clicked` (browser to Python): {system,
answer}, the number of a row and of an answer (None: n/a), whose items somebody wants to see.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from data.dashboard import Tile
from pages.parts import messages
from pages.parts.tiles import compose

HERE = Path(__file__).parent

_component = st.components.v2.component(
    "assay_tile",
    html='<section class="tile"></section>',
    css=(HERE / "tiles.css").read_text(encoding="utf-8"),
    js=(HERE / "tiles.js").read_text(encoding="utf-8"),
    isolate_styles=True,
)


def tile(given: Tile, runs: Mapping[str, str], badges: Mapping[str, str], key: str) -> tuple[str, int | None] | None:
    """Draw a tile; (system, answer) of the share that was clicked in this very run, else None.

    `runs` names the runs that scores came from, `badges` are further marks beside "approved", with what they mean.
    """
    event: Any = _component(key=key, data=compose.tile(given, runs, badges), on_clicked_change=lambda: None)
    clicked = messages.table(event.clicked)
    system = messages.place(clicked.get("system"), len(given.systems))
    answer = messages.place(clicked.get("answer"), len(given.asking.answers))
    if system is None or (answer is None and clicked.get("answer") is not None):
        return None
    return given.systems[system].name, answer
