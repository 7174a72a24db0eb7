"""One dimension of a judge in full; a click on its table lists the items, a click on an item opens the desk."""

from __future__ import annotations

import streamlit as st

from data.gold import Basis
from judges import agreement
from judges.baselines import Floors
from judges.calibrate import Line
from pages.evidence import load
from pages.parts import agreed, floors, links, session


@st.fragment
def detail(at: load.Place, line: Line, basis: Basis, dataset: str, key: str, floor: Floors) -> None:
    """State, figures, floors, table and marginals, n/a and what was not scored, blind beside assisted."""
    store, shown, key = session.store(), line.shown, f"{key}:{line.key}"
    agreed.state(line)
    agreed.figures(shown)
    floors.panel(floor)
    left, right = st.columns([3, 2], gap="large")
    with left:
        cell = agreed.table(shown, f"table:{key}")
        if cell is not None:
            people, judge = (shown.codes[n] for n in cell)
            found = load.items_in(store, at, line.dimension, basis, people, judge)
            agreed.listed(
                found, shown, cell, f"items:{key}:{cell}", lambda item: links.go("desk", dataset=dataset, item=item)
            )
    with right:
        margins = agreement.marginals(shown.table)
        if margins is not None:
            agreed.spread(shown, *margins, f"margins:{key}")
        agreed.missing(shown, load.unscored(store, at) if shown.unscored else [])
    agreed.anchored(*load.anchor(store, at, line.dimension), f"anchor:{key}")
