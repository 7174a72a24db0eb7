"""Other metrics and missing scores: further metrics, and how they change with what is missing."""

from __future__ import annotations

import streamlit as st

from data.calibration import missingness as lacking
from data.calibration import other_metrics
from judges.render.findings import other_metrics as said
from judges.stats import missingness
from judges.stats.calibration import Line
from judges.types import Dimension
from pages.ui import explanations, findings, session, text, url_state
from pages.ui.figure_cache import Place


def panel(at: Place, line: Line, key: str) -> None:
    """Accuracy, AC, correlations and the rest, with intervals."""
    store, d = session.store(), line.dimension
    if not line.shown.cells:
        st.caption(text.NO_RATINGS)
        return
    explanations.beside("Other metrics, from the same ratings", "others", "AC2", key=f"others:{key}")
    with st.spinner("Computing correlations ..."):
        drop = d.scale.drawn if at.dropped else ""
        found = other_metrics.others(store, at.dataset, at.judge, d, at.basis, drop)
    findings.draw(said.findings(found, d), f"table:{key}")


def missing(at: Place, line: Line, key: str) -> None:
    """The figures where what the judge could not answer is left out, or counts as an answer."""
    store, d = session.store(), line.dimension
    explanations.beside("Where the judge gave no usable value", "missing", key=f"missing:{key}")
    answer = _answer(d)
    drop = d.scale.drawn if at.dropped else ""
    with st.spinner("Computing each treatment of missing scores ..."):
        found = lacking.missing(store, at.dataset, at.judge, d, at.basis, (answer,), drop)
    findings.draw(said.missing(found), f"counted:{key}")
    st.caption("A choice here changes this table only.")


def _answer(d: Dimension) -> str:
    """What a missing answer counts as beside the usual choices; it stands in the address."""
    options = {word: word for word in d.scale.answers} or {choice: choice for choice in missingness.usual(d.scale)[3:]}
    middle = missingness.usual(d.scale)[3:]
    with st.container(width=230):
        return url_state.one("missing", "Count missing as", options, default=middle[0] if middle else "")
