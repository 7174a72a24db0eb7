"""What a judge gave on average: choosers and the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from data.calibration.fields import SYSTEM
from data.calibration.means import COLUMNS, READ, Chosen, Table, few_told
from judges.stats.uncertainty import Interval
from pages.ui import text, url_state
from pages.ui.agreement_tables import number, span

_ALL = "all items"


def chosen(fields: Mapping[str, Sequence[str]], judges: Mapping[str, str], judge: str) -> Chosen:
    """By which field, of which items only, and beside which judge; all of it is kept in the address."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=200):
            by = url_state.select("by-field", "Means by", {"": _ALL} | {name: name for name in fields}, default=SYSTEM)
        pairs = {f"{name}={value}": (name, value) for name, values in fields.items() for value in values}
        with st.container(width=240):
            only = url_state.select("only", "Only items of", {"": _ALL} | {key: key for key in pairs})
        others = {"": "no other judge"} | {id_: name for id_, name in judges.items() if id_ != judge}
        with st.container(width=330):
            other = url_state.select("beside", "On the same ratings as", others)
    return Chosen(by, (pairs[only],) if only else (), other)


def table(found: Table, by: str) -> None:
    """A row for every group and dimension, with the columns that are not empty."""
    if found.apart is not None:
        own, other = found.apart
        text.quiet(
            "On the ratings of both judges: {own} of this judge alone and {other} of the other are left out.",
            own=f"{own:,}", other=f"{other:,}",
        )  # fmt: skip
    if found.rows:
        used = [name for name in COLUMNS if any(getattr(row.means, name) is not None for row in found.rows)]
        rows = [
            ({by: row.group or "unnamed"} if by else {})
            | {"dimension": row.dimension.title, "unit": row.unit.replace(":", " ") or row.dimension.sort}
            | {"items": row.means.plain.items, "scores": row.means.plain.cells}
            | {COLUMNS[name]: _told(getattr(row.means, name), name == "trusted") for name in used}
            for row in found.rows
        ]
        shown = {COLUMNS[name]: st.column_config.TextColumn(help=READ.get(name)) for name in used}
        st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=shown)
        st.caption("In brackets the 95% interval by items. For flags: the share of yes.")
    else:
        st.caption("This judge gives no numeric scores or flags here.")
    if few := few_told(found):
        text.quiet("{few}", few=few)


def _told(one: Interval | None, counted: bool) -> str:
    if one is None or one.point is None:
        return "–"
    ends = "" if one.low is None else f" ({span(one)})"
    return f"{number(one.point, '.2f')}{ends}" + (f", n {one.items:,}" if counted else "")
