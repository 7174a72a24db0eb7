"""Slices: does the judge agree with people equally well on every system, language, length ...?"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.calibration import slices
from data.calibration.slices import SliceMember
from data.reports.statistics import SLICES
from judges.plural import many
from judges.render.findings import slices as slices_findings
from judges.stats import bins
from judges.stats.calibration import DimensionResult, Summary
from judges.triage import name_unit
from pages.calibration.selection import CalibrationSelection, load
from pages.ui import charts, explanations, findings, session, tables, text, url_state


def panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """Every way of slicing in a sentence; one of them as a chart, whose rows lead to items."""
    store, dimension = session.store(), line.dimension
    cuts = load(SLICES, selection, line)
    if not cuts:
        text.quiet(
            "Nothing to slice by: {cells} with reference labels (gold) and a score, all of the same system, language, "
            "length, position and metadata. Label other items, or import items with a language or topic in their meta.",
            cells=many(line.shown.cells, "rating"),
        )  # fmt: skip
        return
    findings.draw(slices_findings.tests(cuts), f"tests:{key}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = url_state.select("by", "Slices by", {cut.by: cut.by for cut in cuts}, width=260)
        explanations.help_button("slices", key=key)
    chosen = next(cut for cut in cuts if cut.by == by)
    plot = slices_findings.plot(chosen, line.shown.interval)
    row = charts.interval_chart(plot.rows, f"chart:{key}:{by}", plot.mark, plot.marked, plot.reach, click=True)
    text.quiet(
        "{how} Click a row, or use the arrow keys and Enter, to list its items, largest disagreement first.",
        how=plot.caption,
    )
    if row:
        name = slices_findings.rank_slices(chosen)[row - 1].name
        parted = slices.slice_cells(
            store, selection.dataset, selection.judge, dimension, selection.basis, selection.dropped
        )
        listed = slices.slice_members(store, session.me().name, selection.dataset, selection.judge, parted, by, name)
        _list_ratings(listed, name, line.shown, f"items:{key}:{by}:{name}", selection.name)


def _list_ratings(members: Sequence[SliceMember], name: str, summary: Summary, key: str, dataset: str) -> None:
    """The ratings of a slice; a click opens the item."""
    scale = summary.dimension.scale
    text.say("Ratings of **{name}**, largest disagreement first. Click one to open it on the desk.", name=name)
    people = [scale.format(value) for value in bins.from_codes([m.human for m in members], scale)]
    judge = [scale.format(value) for value in bins.from_codes([m.judge for m in members], scale)]
    rows = [(m.name, name_unit(m.unit), *answers) for m, *answers in zip(members, people, judge, strict=True)]
    tables.item_table(rows, ("item", "unit", "people", "judge"), [m.item for m in members], key, dataset)
