"""Recall, precision and false positive rate of a flag, or of every category against the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from judges.render.svg import Row
from judges.render.words import cell, span
from judges.stats import rates
from judges.stats.ppi import Corrected
from judges.stats.rates import Answer
from judges.stats.uncertainty import MIN_CLUSTERS, Interval
from judges.types import Dimension
from pages.ui import charts, text

_SAID = 4
"""Of more answers there is only the table."""


def told(found: Sequence[Answer], dimension: Dimension) -> None:
    """Recall, false positive rate and precision of each answer, in sentences."""
    for answer in found[:_SAID] if len(found) <= _SAID else ():
        head, *rest = rates.told(answer, dimension)
        text.say("**{head}** {rest}", head=head, rest=" ".join(rest))
    if found and found[0].rates.people.items < MIN_CLUSTERS:
        text.quiet("Fewer than {n} items: no conclusion.", n=MIN_CLUSTERS)


def table(found: Sequence[Answer], means: Mapping[int, Corrected], key: str) -> None:
    """The rates of every answer with their intervals; of a flag as a plot too."""
    if len(found) == 1:
        one = found[0].rates
        shown = [
            _row("recall", one.found), _row("false positive rate", one.raised, "beside"), _row("precision", one.right),
        ]  # fmt: skip
        charts.intervals(shown, f"rates:{key}", mark=None)
    rows = [
        {
            "answer": a.rates.answer,
            "people": _percent(a.rates.people),
            "judge": _percent(a.rates.judge),
            "recall": _percent(a.rates.found),
            "of recall": span(a.rates.found, ".0%", "–"),
            "precision": _percent(a.rates.right),
            "of precision": span(a.rates.right, ".0%", "–"),
            "fpr": _percent(a.rates.raised),
            "of fpr": span(a.rates.raised, ".0%", "–"),
            "corrected": span(a.prevalence.interval, ".1%", "–"),
        }
        | ({"dashboard": span(m.interval, ".1%", "–")} if (m := means.get(a.rates.place)) else {})
        for a in found
    ]
    st.dataframe(rows, hide_index=True, column_config=_COLUMNS, height="content" if len(rows) <= 10 else 380)
    st.caption(text.plain(f"{rates.READ} {rates.PPI}" if means else rates.READ))


def _row(name: str, one: Interval, state: str = "other") -> Row:
    on = f"{cell(one.point, '.0%')} of {one.cells:,} ratings" if one.cells else "no such ratings"
    return Row(name, "", one.point, one.low, one.high, None, state, on)


def _percent(one: Interval) -> float | None:
    return None if one.point is None else 100 * one.point


def _share(name: str, tip: str) -> ColumnConfig:
    return st.column_config.NumberColumn(name, format="%.0f%%", help=tip)


_ENDS = st.column_config.TextColumn("95% interval", help="By items (clustered).")
_COLUMNS = {
    "answer": st.column_config.TextColumn(width="small"),
    "people": _share("people", "Prevalence: how often people give this answer."),
    "judge": _share("judge", "How often the judge gives it, in the same ratings."),
    "recall": _share("recall", "True positive rate, sensitivity: of the ratings where people give this answer."),
    "of recall": _ENDS,
    "precision": _share("precision", "Positive predictive value: of the ratings where the judge gives this answer."),
    "of precision": _ENDS,
    "fpr": _share("FPR", "False positive rate, 1 - specificity: of the ratings where people give another answer."),
    "of fpr": _ENDS,
    "corrected": st.column_config.TextColumn(
        help="Corrected prevalence (Rogan and Gladen) over all that the judge judged."
    ),
    "dashboard": st.column_config.TextColumn("PPI++", help="Corrected prevalence as the dashboard shows it (PPI++)."),
}
