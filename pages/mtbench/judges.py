"""The part Judges compared: two judges on the same answers, without any human label."""

from __future__ import annotations

from typing import Literal

import numpy as np
import streamlit as st

from data.mtbench import figures
from data.mtbench.figures import By
from data.records.exposure import NOTE
from judges.mtbench.comparison import RatingComparison, question_gaps
from judges.render.findings import mtbench_judges
from pages.mtbench.selection import MAX_SHOWN_ROWS, BenchSelection
from pages.ui import charts, choose, findings, session, tables, text, url_state

BREAKDOWN_NAMES: dict[By | Literal["question"], str] = {"turn": "Turn", "category": "Category", "model": "Model"}


def panel(selection: BenchSelection) -> None:
    """Both judges chosen, then how far they agree, on which parts, and where they differ most."""
    if len(selection.raters) < 2:
        st.info(
            "Two judges are needed that rated the same answers. Run another judge (another model, prompt or protocol), "
            "or import its judgments into this dataset.",
            icon=":material/compare:",
        )
        with st.container(horizontal=True):
            url_state.link("runs", "Run another judge", dataset=selection.dataset.name)
            url_state.link("import", "Import judgments")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        judge = choose.judge(selection.raters, width=360)
        others = {other: name for other, name in selection.raters.items() if other != judge}
        other = url_state.select("with", "Compared with", others, width=360)
    with st.spinner("Comparing the judges ..."):
        comparison = figures.compared_judges(session.store(), selection.dataset.id, selection.rules.parse, judge, other)
    key = f"{selection.key}:{judge}:{other}"
    findings.draw(mtbench_judges.judges_summary(comparison, selection.names), f"said:{key}")
    if not comparison.overall.cells:
        return
    left, right = st.columns([2, 3], gap="large")
    with left:
        charts.bubble_chart(mtbench_judges.bubbles(comparison, selection.names), f"scatter:{key}")
        st.caption("The larger a circle, the more turns have these two ratings. On the dashed line they are equal.")
    with right:
        rows = mtbench_judges.figure_rows(comparison)
        tables.wrapped_table(mtbench_judges.COLUMNS, rows, f"figures:{key}", "Agreement of the two judges")
    _parts(selection, comparison, key)
    _ranks(selection, judge, other, key)
    _largest(selection, judge, other, key)


def _parts(selection: BenchSelection, comparison: RatingComparison, key: str) -> None:
    st.header("By part", anchor=False)
    names = selection.names[comparison.one], selection.names[comparison.other]
    # With a single model, a question is one answer; the judges' ratings of it are only for people who may see them.
    ways = BREAKDOWN_NAMES | ({"question": "Question"} if len(np.unique(comparison.shared.one.model)) > 1 else {})
    with st.container(horizontal=True, vertical_alignment="center"):
        by = url_state.tabs("by", "By", ways)
        intervals = by != "question" and st.toggle("With 95% intervals", key=f"part intervals:{selection.key}")
    if by == "question":
        shown = mtbench_judges.question_table(question_gaps(comparison.shared), names)
    else:
        cut = figures.agreement_by(
            session.store(), selection.dataset.id, selection.rules.parse, comparison.one, comparison.other, by
        )
        shown = mtbench_judges.part_table(by, cut, names, intervals)
    findings.draw_table(shown, f"parts:{key}:{by}:{intervals}", MAX_SHOWN_ROWS)


def _ranks(selection: BenchSelection, judge: str, other: str, key: str) -> None:
    ranks = figures.rank_changes(session.store(), selection.dataset.id, selection.rules.parse, judge, other)
    if len(ranks.models) < 2:
        return
    names = selection.names[judge], selection.names[other]
    st.header("Ranks of models", anchor=False)
    findings.draw(mtbench_judges.flips(ranks, names), f"flips:{key}")
    shown = mtbench_judges.rank_table(ranks, names)
    findings.draw_table(shown, f"ranks:{key}", MAX_SHOWN_ROWS)


def _largest(selection: BenchSelection, judge: str, other: str, key: str) -> None:
    st.header("Largest disagreements", anchor=False)
    largest = figures.largest_disagreements(
        session.store(), session.me().name, selection.dataset.id, selection.rules.parse, judge, other
    )
    if not largest:
        text.quiet("None that you can be shown. {note}", note=NOTE)
        return
    text.quiet("Click one to open the answer on the desk. {note}", note=NOTE)
    shown = mtbench_judges.largest(
        [difference for difference, _ in largest], (selection.names[judge], selection.names[other])
    )
    items = [item for _, item in largest]
    tables.item_table(shown.rows, shown.columns, items, f"largest:{key}", selection.dataset.name, len(items))
