"""True and false positive rates in sentences, a plot and a table: of a flag, or of every category against the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from data.report.svg import Row
from data.report.words import cell, span
from judges import rates
from judges.correction import Corrected
from judges.rates import Answer
from judges.types import Dimension
from judges.uncertainty import MIN_CLUSTERS, Interval
from pages.parts import charts, text

_SAID = 4
"""Of more answers only the table tells."""


def told(found: Sequence[Answer], dimension: Dimension) -> None:
    """What the judge finds of each answer, as for kappa in a sentence."""
    for answer in found[:_SAID] if len(found) <= _SAID else ():
        head, *rest = rates.told(answer, dimension)
        text.say("**{head}** {rest}", head=head, rest=" ".join(rest))
    if found and found[0].rates.people.items < MIN_CLUSTERS:
        text.quiet("Fewer than {n} items: nothing may be concluded.", n=MIN_CLUSTERS)


def table(found: Sequence[Answer], means: Mapping[int, Corrected], key: str) -> None:
    """The rates of every answer with their intervals; of a flag as a plot too."""
    if len(found) == 1:
        one = found[0].rates
        shown = [_row("finds", one.found), _row("raises falsely", one.raised, "beside"), _row("is right", one.right)]
        charts.intervals(shown, f"rates:{key}", mark=None)
    rows = [
        {
            "answer": a.rates.answer,
            "people": _percent(a.rates.people),
            "judge": _percent(a.rates.judge),
            "found": _percent(a.rates.found),
            "of found": span(a.rates.found, ".0%", "–"),
            "right": _percent(a.rates.right),
            "of right": span(a.rates.right, ".0%", "–"),
            "raised": _percent(a.rates.raised),
            "of raised": span(a.rates.raised, ".0%", "–"),
            "put right": span(a.prevalence.interval, ".1%", "–"),
        }
        | ({"dashboard": span(m.interval, ".1%", "–")} if (m := means.get(a.rates.place)) else {})
        for a in found
    ]
    st.dataframe(rows, hide_index=True, column_config=_COLUMNS, height="content" if len(rows) <= 10 else 380)
    st.caption(text.plain(f"{rates.READ} {rates.PPI}" if means else rates.READ))


def _row(name: str, one: Interval, state: str = "other") -> Row:
    on = f"{cell(one.point, '.0%')} of {one.cells:,} cells" if one.cells else "no such cell"
    return Row(name, "", one.point, one.low, one.high, None, state, on)


def _percent(one: Interval) -> float | None:
    return None if one.point is None else 100 * one.point


def _share(name: str, told: str) -> object:
    return st.column_config.NumberColumn(name, format="%.0f%%", help=told)


_ENDS = st.column_config.TextColumn("95% interval", help="By items, which are drawn whole.")
_COLUMNS = {
    "answer": st.column_config.TextColumn(width="small"),
    "people": _share("people", "How often people give this answer, in the cells with gold."),
    "judge": _share("judge", "How often the judge gives it in the same cells."),
    "found": _share("found", "True positive rate, sensitivity, recall: of what people call so."),
    "of found": _ENDS,
    "right": _share("right", "Precision: of what the judge calls so, what people do."),
    "of right": _ENDS,
    "raised": _share("raised falsely", "False positive rate, 1 - specificity: of what people do not call so."),
    "of raised": _ENDS,
    "put right": st.column_config.TextColumn(help="How often people would say so over all that the judge judged."),
    "dashboard": st.column_config.TextColumn("PPI++", help="The same by the mean that a dashboard shows."),
}
