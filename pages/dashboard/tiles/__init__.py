"""A tile of the dashboard as a component: one approved dimension, a row for each system under test.

`data` (Python to browser) is words and places only, see `tile_data`. `clicked` (browser to Python): {system,
answer}, the number of a row and of an answer (None: n/a), whose items somebody wants to see. `opened`: true, to see
what is behind the tile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from data.dashboard.dashboard import Tile
from pages.dashboard.tiles import tile_data
from pages.ui import session, sheet

COMPONENT_FOLDER = Path(__file__).parent

_component = st.components.v2.component(
    "assay_tile",
    html='<section class="tile"></section>',
    css=sheet.join_files(COMPONENT_FOLDER, "tiles.css"),
    js=sheet.join_files(COMPONENT_FOLDER, sheet.ELEMENTS, "tiles.js"),
    isolate_styles=True,
)


@dataclass(frozen=True)
class TileRequest:
    """A person's request: to open what is behind a tile, or the items behind a share: (system, answer; None is n/a)."""

    details: bool = False
    items: tuple[str, int | None] | None = None


def draw_tile(
    tile: Tile, runs: Mapping[str, str], badges: Mapping[str, str], key: str, focus: bool = False
) -> TileRequest:
    """Draw a tile; what was asked for in this very run.

    `runs` names the runs that scores came from, `badges` are further marks beside "approved", with what they mean;
    `focus` puts the keyboard on it.
    """
    data = tile_data.tile_data(tile, runs, badges) | {"focus": focus}
    event: Any = _component(key=key, data=data, on_clicked_change=lambda: None, on_opened_change=lambda: None)
    clicked = session.as_dict(event.clicked)
    system = session.as_index(clicked.get("system"), len(tile.systems))
    answer = session.as_index(clicked.get("answer"), len(tile.counted.answers))
    if system is None or (answer is None and clicked.get("answer") is not None):
        return TileRequest(details=event.opened is True)
    return TileRequest(items=(tile.systems[system].name, answer))
