"""The panel Slices: does the judge agree with people equally well on every system, language, length ...?"""

from __future__ import annotations

import streamlit as st

from data.calibration import slices
from data.calibration.slices import Member
from data.gold.gold import Basis
from data.store import Store
from judges.stats.calibration import Line
from judges.stats.slices import Sliced, sliced
from judges.types import Dimension
from pages.calibration import slices as parts
from pages.ui import explanations, session, url_state
from pages.ui.figure_cache import Place


@st.cache_data(max_entries=64, show_spinner="Computing slices ...")
def _sliced(_store: Store, at: Place, dimension: Dimension, basis: Basis, drop: str) -> list[Sliced]:
    found = slices.parted(_store, at.dataset, at.judge, dimension, basis, drop)
    return sliced(found.cells, found.size, dimension.scale.weights, found.cuts, found.gap)


@st.cache_data(max_entries=64, show_spinner="Listing the items ...")
def _members(
    _store: Store, at: Place, who: str, dimension: Dimension, basis: Basis, drop: str, by: str, name: str
) -> list[Member]:
    found = slices.parted(_store, at.dataset, at.judge, dimension, basis, drop)
    return slices.members(_store, who, at.dataset, at.judge, found, by, name)


def panel(at: Place, line: Line, key: str) -> None:
    """Every way of slicing in a sentence; one of them as a chart, whose rows lead to items."""
    store, dimension = session.store(), line.dimension
    drop = dimension.scale.drawn if at.dropped else ""
    found = _sliced(store, at.plain, dimension, at.basis, drop)
    if not found:
        parts.nothing(line.shown.cells)
        return
    parts.told(found)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=260):
            by = url_state.select("by", "Slices by", {one.by: one.by for one in found})
        explanations.how("slices", key=key)
    chosen = next(one for one in found if one.by == by)
    name = parts.chart(chosen, line.shown.interval, f"chart:{key}:{by}")
    if name:
        listed = _members(store, at.plain, session.me().name, dimension, at.basis, drop, by, name)
        parts.listed(
            listed, name, line.shown, f"items:{key}:{by}:{name}",
            lambda item: url_state.open_page("desk", dataset=at.name, item=item),
        )  # fmt: skip
