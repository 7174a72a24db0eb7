"""Findings on a page: the sentences, tables and plots of judges/render/findings, drawn with Streamlit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import streamlit as st

from judges.render.findings.as_html import plot_svg as svg
from judges.render.findings.findings import (
    Confusion,
    Finding,
    Growth,
    Intervals,
    Marginals,
    Measures,
    Plot,
    ReliabilityDiagram,
    Sentence,
    Table,
)
from judges.stats.check_states import COLOURS, STATES
from pages.ui import charts, picture, tables, text

_MAX_SHOWN_ROWS = 10
"""Rows of a table that are shown without scrolling."""
BADGES: dict[str, str] = {
    "": "",
    **{
        state: f":{COLOURS[check_state.role]}-badge[:material/{check_state.icon}: {state}] "
        for state, check_state in STATES.items()
    },
    "passes": ":green-badge[:material/check_circle: passes] ",
    "does not pass": ":orange-badge[:material/person: does not pass] ",
}
"""The results of the approval check, and of the alternative-annotator test, as badges."""
_SAY = {"plain": text.say, "quiet": text.quiet, "warning": text.warn}


def draw(findings: Iterable[Finding], key: str) -> None:
    """Findings below each other; `key` is theirs alone on the page."""
    for number, finding in enumerate(findings):
        if isinstance(finding, Sentence):
            draw_sentence(finding)
        elif isinstance(finding, Measures):
            _measures(finding)
        elif isinstance(finding, Table):
            draw_table(finding, f"{key}:{number}")
        else:
            draw_plot(finding, f"{key}:{number}")
            if finding.caption:
                st.caption(text.escape(finding.caption))


def draw_sentence(sentence: Sentence, badge: str = "") -> None:
    """A sentence, with a badge of ours before it. Its template is ours too, which tests/test_house.py holds."""
    _SAY[sentence.kind](BADGES[badge] + sentence.template, **sentence.values)


def draw_plot(plot: Plot, key: str) -> None:
    """A plot without its caption. Those that can be clicked are drawn by the panels that know what a click leads to."""
    if isinstance(plot, Intervals):
        charts.interval_chart(plot.rows, key, plot.mark, plot.marked, plot.reach)
    elif isinstance(plot, Confusion):
        charts.confusion_chart(plot.counts, plot.answers, key)
    elif isinstance(plot, Marginals):
        charts.marginals_chart(plot.people, plot.judge, plot.answers, key)
    elif isinstance(plot, Growth):
        charts.learning_curve(plot.observed, plot.forecast, key, plot.target, plot.target_name)
    elif isinstance(plot, ReliabilityDiagram):
        charts.reliability_chart(plot.levels, key)
    else:
        picture.draw_picture(
            lambda width: svg(plot, width), key, "plot", "Lines with their bands", (400.0, 600.0, 800.0)
        )


def draw_table(
    table: Table, key: str, max_rows: int = _MAX_SHOWN_ROWS, width: Literal["stretch", "content"] = "stretch"
) -> None:
    """A table with its caption; nothing where it has no rows. One of more than `max_rows` rows scrolls."""
    if not table.rows:
        return
    tables.table(table.rows, table.columns, key, max_rows, width=width)
    if table.caption:
        st.caption(text.escape(table.caption))


def _measures(measures: Measures) -> None:
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        for name, value, tip in measures.figures:
            st.metric(text.escape(name), text.escape(value), help=text.escape(tip), width="content")
