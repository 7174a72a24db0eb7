"""The figures of other papers in a table, and how missing counts."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judges.stats import missingness
from judges.stats.missingness import Counted, Missing
from judges.stats.other_metrics import Others
from judges.types import Dimension
from pages.ui import text, url_state
from pages.ui.agreement_tables import number, span


def table(found: Others) -> None:
    """Every figure with its interval and what it says."""
    rows = [
        {
            "figure": name,
            "value": number(one.point),
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


def answer(d: Dimension) -> str:
    """What a missing answer counts as beside the usual choices; it is kept in the address."""
    options = {word: word for word in d.scale.answers} or {choice: choice for choice in missingness.usual(d.scale)[3:]}
    middle = missingness.usual(d.scale)[3:]
    with st.container(width=230):
        return url_state.select("missing", "Count missing as", options, default=middle[0] if middle else "")


def counted(found: Missing) -> None:
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
            "ratings": one.summary.cells, "kappa": number(kappa.point), "95% interval": span(kappa),
            "% agreement": number(figures.exact, ".2%"),
        }  # fmt: skip
        if one.summary.mean_difference is not None:
            row["bias"] = number(one.summary.mean_difference, "+.2f")
        if one.summary.dimension.scale.weights is None:
            row |= {
                "macro precision": number(figures.precision, ".2%"), "macro recall": number(figures.recall, ".2%"),
                "macro F1": number(figures.f1, ".2%"),
            }  # fmt: skip
        rows.append(row)
    return rows
