"""The panels Other metrics and Missing scores: further metrics, and how they change with what is missing."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from data.calibration import missingness as lacking
from data.calibration import other_metrics as figures
from judges.render.words import cell, span
from judges.stats import missingness
from judges.stats.calibration import Line
from judges.stats.missingness import Counted, Missing
from judges.stats.other_metrics import Others
from judges.types import Dimension
from pages.ui import explanations, session, text, url_state
from pages.ui.figure_cache import Place


def panel(at: Place, line: Line, key: str) -> None:
    """Accuracy, AC, correlations and the rest, with intervals."""
    store, d = session.store(), line.dimension
    if not line.shown.cells:
        st.caption(text.NO_RATINGS)
        return
    explanations.beside("Other metrics, from the same ratings", "others", "AC2", key=f"others:{key}")
    with st.spinner("Computing correlations ..."):
        _table(figures.others(store, at.dataset, at.judge, d, at.basis, d.scale.drawn if at.dropped else ""))


def missing(at: Place, line: Line, key: str) -> None:
    """The figures where what the judge could not answer is left out, or counts as an answer."""
    store, d = session.store(), line.dimension
    explanations.beside("Where the judge gave no usable value", "missing", key=f"missing:{key}")
    answer = _answer(d)
    drop = d.scale.drawn if at.dropped else ""
    with st.spinner("Computing each treatment of missing scores ..."):
        _counted(lacking.missing(store, at.dataset, at.judge, d, at.basis, (answer,), drop))


def _table(found: Others) -> None:
    """Every figure with its interval and what it says."""
    rows = [
        {
            "figure": name,
            "value": cell(one.point),
            "95% interval": span(one),
            "meaning": meaning,
        }
        for name, one, meaning in found.rows
    ]
    st.dataframe(
        pd.DataFrame(rows), hide_index=True, height="content",
        column_config={
            "figure": st.column_config.TextColumn(width=150),
            "value": st.column_config.TextColumn(width=70),
            "95% interval": st.column_config.TextColumn(width=110),
        },
    )  # fmt: skip


def _answer(d: Dimension) -> str:
    """What a missing answer counts as beside the usual choices; it stands in the address."""
    options = {word: word for word in d.scale.answers} or {choice: choice for choice in missingness.usual(d.scale)[3:]}
    middle = missingness.usual(d.scale)[3:]
    with st.container(width=230):
        return url_state.one("missing", "Count missing as", options, default=middle[0] if middle else "")


def _counted(found: Missing) -> None:
    """The figures under each choice side by side."""
    text.say("{sentence}", sentence=missingness.told(found))
    st.dataframe(pd.DataFrame(_rows(found.counted)), hide_index=True, height="content", placeholder="–")
    text.quiet("{check} A choice here changes this table only.", check=missingness.GATE)


def _rows(each: Sequence[Counted]) -> list[dict[str, object]]:
    rows = []
    for one in each:
        row: dict[str, object] = {"missing": missingness.said(one.choice)}
        if one.summary is None:
            rows.append(row | {"95% interval": one.why})
            continue
        kappa, figures = one.summary.interval, one.accuracy
        row |= {
            "ratings": one.summary.cells, "kappa": cell(kappa.point), "95% interval": span(kappa),
            "% agreement": cell(figures.exact, ".2%"),
        }  # fmt: skip
        if one.summary.mean_difference is not None:
            row["bias"] = cell(one.summary.mean_difference, "+.2f")
        if one.summary.dimension.scale.weights is None:
            row |= {
                "macro precision": cell(figures.precision, ".2%"), "macro recall": cell(figures.recall, ".2%"),
                "macro F1": cell(figures.f1, ".2%"),
            }  # fmt: skip
        rows.append(row)
    return rows
