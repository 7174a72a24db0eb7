"""Mean scores of the judge, which say nothing of its agreement with people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from data.calibration import means as figures
from data.calibration import score_sums
from data.calibration.item_fields import SYSTEM
from data.calibration.means import MeansChoice, MeansTable, explain_few_scores
from data.calibration.score_sums import Mean
from data.store.errors import BadInput
from judges.render.findings import means as means_findings
from judges.render.findings.findings import COUNT, Column
from pages.calibration.selection import CalibrationSelection
from pages.ui import findings, session, tables, text, url_state


@text.fragment
def panel(selection: CalibrationSelection, judges: Mapping[str, str], opened: bool = False) -> None:
    """Means by any field of the items, and beside another judge on the same cells."""
    store = session.store()
    if not figures.has_means(store, selection.judge):
        return
    fields = figures.group_fields(store, selection.dataset)
    with st.expander("Mean scores", expanded=opened, icon=":material/functions:"):
        st.caption("The judge's own scores, not corrected. How far they agree with people is shown above.")
        chosen = _choose_means(fields, judges, selection.judge)
        try:
            _table(figures.means_table(store, selection.dataset, selection.judge, chosen), chosen.by)
        except BadInput as error:
            text.quiet("{why} Means by system:", why=str(error))
            _by_system(score_sums.score_means(store, selection.dataset, selection.judge))


_ALL = "all items"


def _choose_means(fields: Mapping[str, Sequence[str]], judges: Mapping[str, str], judge: str) -> MeansChoice:
    """By which field, of which items only, and beside which judge; all of it is kept in the address."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = url_state.select("by-field", "Means by", {"": _ALL} | {name: name for name in fields}, SYSTEM, 200)
        pairs = {f"{name}={value}": (name, value) for name, values in fields.items() for value in values}
        only = url_state.select("only", "Only items of", {"": _ALL} | {key: key for key in pairs}, width=240)
        others = {"": "no other judge"} | {id_: name for id_, name in judges.items() if id_ != judge}
        other = url_state.select("beside", "On the same ratings as", others, width=330)
    return MeansChoice(by, (pairs[only],) if only else (), other)


def _by_system(means: list[Mean]) -> None:
    """Draw the judge's mean score for each system; "all" is over all its rows."""
    rows = [
        (m.system or "unnamed", m.dimension.replace("_", " "), m.unit.replace(":", " ") or "all", m.cells, m.mean)
        for m in means
    ]
    texts = dict.fromkeys(("system", "dimension", "unit"), Column())
    tables.table(rows, texts | {"scores": COUNT, "mean": Column(".4f")}, max_rows=10)


def _table(table: MeansTable, by: str) -> None:
    """A row for every group and dimension, with the columns that are not empty."""
    if table.unshared is not None:
        own, other = table.unshared
        text.quiet(
            "On the ratings of both judges: {own} of this judge alone and {other} of the other are left out.",
            own=f"{own:,}", other=f"{other:,}",
        )  # fmt: skip
    if table.rows:
        findings.draw_table(means_findings.table([row.display for row in table.rows], by), "means")
    else:
        st.caption("This judge gives no numeric scores or flags here.")
    if sentence := explain_few_scores(table):
        text.quiet("{few}", few=sentence)
