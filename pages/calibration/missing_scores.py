"""Missing scores: how every figure changes with the way in which missing scores count."""

from __future__ import annotations

import streamlit as st

from data.calibration.missingness import measure_missingness
from judges.render.findings import other_metrics as other_metrics_findings
from judges.stats import missingness
from judges.stats.calibration import DimensionResult
from judges.types import Dimension
from pages.calibration.selection import CalibrationSelection
from pages.ui import explanations, findings, session, url_state


def panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """The figures where what the judge could not answer is left out, or counts as an answer."""
    store, d = session.store(), line.dimension
    explanations.heading_with_help("Where the judge gave no usable value", "missing", key=f"missing:{key}")
    answer = _answer(d)
    with st.spinner("Computing each treatment of missing scores ..."):
        figures = measure_missingness(
            store, selection.dataset, selection.judge, d, selection.basis, (answer,), selection.dropped
        )
    findings.draw(other_metrics_findings.missing_values(figures), f"counted:{key}")
    st.caption("A choice here changes this table only.")


def _answer(d: Dimension) -> str:
    """Return the answer that a missing one counts as, besides the usual choices. The address keeps it."""
    middle = missingness.usual_choices(d.scale)[3:]
    options = {answer: answer for answer in d.scale.answers or middle}
    return url_state.select("missing", "Count missing as", options, middle[0] if middle else "", 230)
