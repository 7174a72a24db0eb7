"""The panel Agreement: figures, baselines, table and marginals, n/a and what was not scored."""

from __future__ import annotations

import streamlit as st

from data.figures import concordance
from judges import agreement
from judges.calibrate import Line
from pages.evidence import floor, load
from pages.parts import agreed, floors, links, reading, session


def panel(at: load.Place, line: Line, key: str) -> None:
    """A click on the table lists the items, a click on an item opens the desk."""
    store, shown = session.store(), line.shown
    agreed.figures(line, f"figures:{key}")
    if line.dimension.scale.kind == "interval" and shown.cells:
        beside = concordance.beside(store, at.dataset, at.judge, line.dimension, at.basis)
        if beside is not None:
            agreed.beside(beside, shown, key)
    floors.panel(floor.floors(store, at.plain, at.basis, at.dropped)[line.dimension.sort, line.dimension.name])
    left, right = st.columns([3, 2], gap="large")
    with left:
        reading.beside("Confusion matrix", "table", key=f"table:{key}")
        cell = agreed.table(shown, f"table:{key}")
        if cell is not None:
            people, judge = (shown.codes[n] for n in cell)
            found = load.items_in(store, at.plain, session.me().name, line.dimension, at.basis, people, judge)
            agreed.listed(
                found, shown, cell, f"items:{key}:{cell}", lambda item: links.go("desk", dataset=at.name, item=item)
            )
    with right:
        reading.beside("Distribution of answers", "marginals", "n/a", "AC2", key=f"margins:{key}")
        margins = agreement.marginals(shown.table)
        if margins is not None:
            agreed.spread(shown, *margins, f"margins:{key}")
        agreed.missing(shown, load.unscored(store, at.plain) if shown.unscored else [])
