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


def html_parts(found: Iterable[Finding]) -> list[str]:
    """Findings as parts of a document, in their order."""
    return [_part(one) for one in found]


def _part(one: Finding) -> str:
    if isinstance(one, Sentence):
        if one.kind == "warning":
            return note(one.template, "look", **one.values)
        return para(one.template, "quiet" if one.kind == "quiet" else "", **one.values)
    if isinstance(one, Measures):
        rows = [{"figure": name, "value": value, "meaning": meaning} for name, value, meaning in one.figures]
        return table(rows, list(rows[0]))
    if isinstance(one, Table):
        return _table(one)
    return figure(plot_svg(one), one.caption)


def _table(one: Table) -> str:
    """A table with its numbers in words; a heading stands once where it is the same for columns side by side."""
    plain = Column()
    shapes = {key: one.columns.get(key, plain) for key in (one.rows[0] if one.rows else {})}
    rows = [{key: _cell(value, shapes[key].shape) for key, value in row.items()} for row in one.rows]
    return table(rows, {key: column.title or key for key, column in shapes.items()}, one.caption)


def _cell(value: object, shape: str) -> object:
    """A number in the format of its column; texts are as they are."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return f"{value:,}" if shape in ("", ",") else cell(value, shape)


def plot_svg(one: Plot, width: float = PLOT_WIDTH) -> str:
    """A plot as one SVG text."""
    if isinstance(one, Intervals):
        return svg.interval_plot(one.rows, one.mark, one.marked, one.reach, one.title, width)
    if isinstance(one, Confusion):
        return svg.confusion_matrix(one.counts, one.answers, one.title)
    if isinstance(one, Marginals):
        return svg.bar_plot(one.answers, [("people", one.people), ("judge", one.judge)], one.title, width=width)
    if isinstance(one, LineChart):
        return svg.line_plot(one.series, one.x, one.y, one.mark, one.title, width)
    if isinstance(one, Growth):
        series = [_band(name, steps) for name, steps in (("so far", one.now), ("forecast", one.ahead)) if steps]
        return svg.line_plot(series, "items with gold", "", one.mark, one.title, width)
    stated = [100 * level.stated for level in one.levels]
    ends = [[_percent(getattr(level.accuracy, end)) for level in one.levels] for end in ("point", "low", "high")]
    drawn: list[svg.Series] = [("accuracy", stated, *ends)]  # type: ignore[list-item]
    drawn.append(("perfect calibration", [0.0, 100.0], [0.0, 100.0], None, None))
    return svg.line_plot(drawn, "confidence, %", "accuracy, %", None, one.title, width)


def _band(name: str, steps: Iterable[object]) -> svg.Series:
    known = list(steps)
    columns = [[getattr(step, end) for step in known] for end in ("point", "low", "high")]
    return name, [float(step.items) for step in known], columns[0], columns[1], columns[2]  # type: ignore[attr-defined]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
