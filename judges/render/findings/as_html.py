"""Findings as parts of an HTML document, and plots as SVG texts."""

from __future__ import annotations

from collections.abc import Iterable

from judges.render import svg
from judges.render.drawing import PLOT_WIDTH
from judges.render.findings.findings import (
    Column,
    Confusion,
    Finding,
    Growth,
    Intervals,
    LineChart,
    Marginals,
    Measures,
    Plot,
    Sentence,
    Table,
)
from judges.render.html import figure, note, para, table
from judges.render.words import cell


def html_parts(findings: Iterable[Finding]) -> list[str]:
    """Findings as parts of a document, in their order."""
    return [_part(finding) for finding in findings]


def _part(finding: Finding) -> str:
    if isinstance(finding, Sentence):
        if finding.kind == "warning":
            return note(finding.template, "look", **finding.values)
        return para(finding.template, "quiet" if finding.kind == "quiet" else "", **finding.values)
    if isinstance(finding, Measures):
        rows = [{"figure": name, "value": value, "meaning": meaning} for name, value, meaning in finding.figures]
        return table(rows, list(rows[0]))
    if isinstance(finding, Table):
        return _table(finding)
    return figure(plot_svg(finding), finding.caption)


def _table(finding: Table) -> str:
    """A table with its numbers in words."""
    plain = Column()
    shapes = {key: finding.columns.get(key, plain) for key in (finding.rows[0] if finding.rows else {})}
    rows = [{key: _cell(value, shapes[key].shape) for key, value in row.items()} for row in finding.rows]
    return table(rows, {key: column.title or key for key, column in shapes.items()}, finding.caption)


def _cell(value: object, shape: str) -> object:
    """A number in the format of its column; texts are as they are."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return f"{value:,}" if shape in ("", ",") else cell(value, shape)


def plot_svg(plot: Plot, width: float = PLOT_WIDTH) -> str:
    """A plot as one SVG text."""
    if isinstance(plot, Intervals):
        return svg.interval_plot(plot.rows, plot.mark, plot.marked, plot.reach, plot.title, width)
    if isinstance(plot, Confusion):
        return svg.confusion_matrix(plot.counts, plot.answers, plot.title)
    if isinstance(plot, Marginals):
        return svg.bar_plot(plot.answers, [("people", plot.people), ("judge", plot.judge)], plot.title, width=width)
    if isinstance(plot, LineChart):
        return svg.line_plot(plot.series, plot.x, plot.y, plot.mark, plot.title, width)
    if isinstance(plot, Growth):
        named = (("so far", plot.observed), ("forecast", plot.forecast))
        series = [_band(name, steps) for name, steps in named if steps]
        return svg.line_plot(series, "items with gold", "", plot.target, plot.title, width)
    stated = [100 * level.stated for level in plot.levels]
    ends = [
        [None if (share := getattr(level.accuracy, end)) is None else 100 * share for level in plot.levels]
        for end in ("point", "low", "high")
    ]
    drawn: list[svg.Series] = [("accuracy", stated, *ends)]  # type: ignore[list-item]
    drawn.append(("perfect calibration", [0.0, 100.0], [0.0, 100.0], None, None))
    return svg.line_plot(drawn, "confidence, %", "accuracy, %", None, plot.title, width)


def _band(name: str, steps: Iterable[object]) -> svg.Series:
    known = list(steps)
    columns = [[getattr(step, end) for step in known] for end in ("point", "low", "high")]
    return name, [float(step.items) for step in known], columns[0], columns[1], columns[2]  # type: ignore[attr-defined]
