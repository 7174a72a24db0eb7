"""The panels Other metrics and Missing scores: further metrics, and how they change with what is missing."""

from __future__ import annotations

import streamlit as st

from data.calibration import missingness as lacking
from data.calibration import other_metrics as figures
from judges.stats.calibration import Line
from pages.calibration import other_metrics
from pages.ui import explanations, session, text
from pages.ui.figure_cache import Place


def panel(at: Place, line: Line, key: str) -> None:
    """Accuracy, AC, correlations and the rest, with intervals."""
    store, d = session.store(), line.dimension
    if not line.shown.cells:
        st.caption(text.NO_RATINGS)
        return
    explanations.beside("Other metrics, from the same ratings", "others", "AC2", key=f"others:{key}")
    with st.spinner("Computing correlations ..."):
        other_metrics.table(
            figures.measure_other_metrics(store, at.dataset, at.judge, d, at.basis, d.scale.drawn if at.dropped else "")
        )


def missing(at: Place, line: Line, key: str) -> None:
    """The figures where what the judge could not answer is left out, or counts as an answer."""
    store, d = session.store(), line.dimension
    explanations.beside("Where the judge gave no usable value", "missing", key=f"missing:{key}")
    answer = other_metrics.answer(d)
    drop = d.scale.drawn if at.dropped else ""
    with st.spinner("Computing each treatment of missing scores ..."):
        other_metrics.counted(lacking.measure_missingness(store, at.dataset, at.judge, d, at.basis, (answer,), drop))
