"""The panel Agreement: figures, baselines, table and marginals, n/a and what was not scored."""

from __future__ import annotations

import streamlit as st

from data.calibration import concordance
from judges.stats import agreement
from judges.stats.calibration import Line
from pages.calibration import baselines, panel_baselines
from pages.ui import agreement as ui_agreement
from pages.ui import explanations, figure_cache, session, url_state


def panel(at: figure_cache.Place, line: Line, key: str) -> None:
    """A click on the table lists the items, a click on an item opens the desk."""
    store, shown = session.store(), line.shown
    ui_agreement.figures(line, f"figures:{key}")
    if line.dimension.scale.kind == "interval" and shown.cells:
        beside = concordance.beside(store, at.dataset, at.judge, line.dimension, at.basis)
        if beside is not None:
            ui_agreement.beside(beside, shown, key)
    baselines.panel(
        panel_baselines.floors(store, at.plain, at.basis, at.dropped)[line.dimension.sort, line.dimension.name]
    )
    left, right = st.columns([3, 2], gap="large")
    with left:
        explanations.beside("Confusion matrix", "table", key=f"table:{key}")
        cell = ui_agreement.table(shown, f"table:{key}")
        if cell is not None:
            people, judge = (shown.codes[n] for n in cell)
            found = figure_cache.items_in(store, at.plain, session.me().name, line.dimension, at.basis, people, judge)
            ui_agreement.listed(
                found, shown, cell, f"items:{key}:{cell}",
                lambda item: url_state.open_page("desk", dataset=at.name, item=item),
            )
    with right:
        explanations.beside("Distribution of answers", "marginals", "n/a", "AC2", key=f"margins:{key}")
        margins = agreement.marginals(shown.table)
        if margins is not None:
            ui_agreement.spread(shown, *margins, f"margins:{key}")
        ui_agreement.missing(shown, figure_cache.unscored(store, at.plain) if shown.unscored else [])
