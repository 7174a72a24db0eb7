"""The panel Agreement: figures, baselines, table and marginals, n/a and what was not scored."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.calibration import calibration
from data.calibration.calibration import MAX_LISTED_CELLS, ListedCell
from data.records.exposure import NOTE
from data.reports.statistics import AGREEMENT
from judges.plural import many
from judges.render.findings import agreement as agreement_findings
from judges.render.findings import baselines as beaten
from judges.stats.calibration import DimensionResult, Summary
from judges.triage import name_unit
from pages.calibration.selection import CalibrationSelection, load
from pages.ui import charts, explanations, findings, session, tables, text


def panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """A click on the table lists the items, a click on an item opens the desk."""
    store, shown = session.store(), line.shown
    measures, *notes = agreement_findings.kappa_findings(line)
    findings.draw([measures], f"figures:{key}")
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap="small"):
            findings.draw(notes, f"notes:{key}")
        names = ("kappa", "interval", "bound", "exact", "bias", "baseline")
        explanations.help_button(*names, key=f"figures:{key}", values=explanations.example_values(shown))
    floors, replies = load(AGREEMENT, selection, line)
    findings.draw(beaten.findings(floors), f"baselines:{key}")
    left, right = st.columns([3, 2], gap="large")
    with left:
        explanations.heading_with_help("Confusion matrix", "table", key=f"table:{key}")
        cell = _table(shown, f"table:{key}")
        if cell is not None:
            people, judge = (shown.codes[n] for n in cell)
            cells = calibration.list_cells(
                store, session.me().name, selection.dataset, selection.judge, line.dimension, selection.basis,
                people, judge,
            )  # fmt: skip
            _list_cell_items(cells, shown, cell, f"items:{key}:{cell}", selection.name)
    with right:
        explanations.heading_with_help("Distribution of answers", "marginals", "n/a", "AC2", key=f"margins:{key}")
        findings.draw(agreement_findings.spread(shown), f"margins:{key}")
        findings.draw(agreement_findings.omissions(shown, replies if shown.unscored else ()), key)


def _list_cell_items(
    cells: Sequence[ListedCell], summary: Summary, cell: tuple[int, int], key: str, dataset: str
) -> None:
    """The items of a cell of the table; a click opens one."""
    people, judge = (summary.answers[n] for n in cell)
    total = int(summary.counts[cell])
    text.say(
        "People: **{people}**, judge: **{judge}**. {n}. Click one to open it on the desk.",
        people=people, judge=judge,
        n=many(total, "rating") + (f", {len(cells):,} listed" if total > len(cells) else ""),
    )  # fmt: skip
    if total > len(cells):
        text.quiet("At most {most} are listed. {note}", most=MAX_LISTED_CELLS, note=NOTE)
    rows = [(f.name, name_unit(f.unit), f.systems, f.came) for f in cells]
    tables.item_table(rows, ("item", "unit", "system", "gold from"), [f.item for f in cells], key, dataset)


def _table(summary: Summary, key: str) -> tuple[int, int] | None:
    """The table of agreement; the cell that was clicked."""
    if not summary.cells:
        st.caption(text.NO_RATINGS)
        return None
    chosen = charts.confusion_chart(summary.counts, summary.answers, key)
    text.quiet(
        "{how} Click a cell, or move with the arrow keys and press Enter, to list its items.",
        how=agreement_findings.confusion(summary).caption,
    )
    return chosen
