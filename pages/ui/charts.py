"""Charts: they take data and a key, draw, and give back what was clicked. The only home of plotly.

What a page shows first is drawn as SVG, as in reports: plotly's library is 4.7 MB, and loading it and
drawing three charts with it took longer than all else on the calibration page. plotly draws what is looked into:
curves, points, grids. Its colours are Streamlit's own placeholders, which the browser replaces by those of the theme.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from data.dashboard.sentences import slice_size
from judges.audits import Plot
from judges.plural import many
from judges.render import svg
from judges.render.drawing import text_width
from judges.render.findings.findings import Bubbles, Radar, WaterfallChart
from judges.render.svg import IntervalRow
from judges.stats.confidence import ReliabilityLevel
from judges.stats.slices import MeanSlice
from judges.stats.uncertainty import Interval
from pages.ui import picture
from pages.ui.text import shorten

ACCENT, JUDGE, AMBER, QUIET = "#000001", "#000002", "#000003", "#000006"
"""Places 1, 2, 3 and 6 of the theme's chartCategoricalColors (.streamlit/config.toml)."""
GROUND, FAINT, INK = "#000038", "#000040", "#000037"
"""The page's ground, a touch off it, and its text."""
_GRID = "#000039"
"""The theme's lines behind a plot."""
_DASHED = {"color": QUIET, "width": 1.5, "dash": "dash"}
"""A line that figures are held against."""
MAX_PLOTTED_POINTS = 2_000
"""Points of a series that are drawn at most."""
_CONFIG = {
    "displayModeBar": "hover", "displaylogo": False, "modeBarButtons": [["toImage"]],
    "scrollZoom": False, "doubleClick": False, "showAxisDragHandles": False,
}  # fmt: skip
"""Nothing but a camera, while the pointer is over a chart."""
_ID = re.compile(r"[0-9a-f-]{20,}")


def interval_chart(
    rows: Sequence[IntervalRow],
    key: str,
    mark: float | None,
    marked: str = "",
    reach: tuple[float, float] = (0.0, 1.0),
    click: bool = False,
) -> int | None:
    """Figures with their intervals, a row each, and a line at `mark`; with `click` the row that was clicked.

    What has no figure has its remark only.
    """
    at = picture.draw_picture(
        lambda width: svg.interval_plot(rows, mark, marked, reach, width=width, click=click), key, _file(key),
        "Figures with their intervals",
    )  # fmt: skip
    return int(at) if at else None


def confusion_chart(
    counts: Any, answers: Sequence[str], key: str, sides: tuple[str, str] = ("people", "judge")
) -> tuple[int, int] | None:
    """A table of agreement; gives the cell that was clicked, or None.

    Rows are people, columns the judge, every count with its share of the row. `counts` is K x K.
    """
    at = picture.draw_picture(
        lambda width: svg.confusion_matrix(counts, answers, sides=sides, click=True, width=width), key, _file(key),
        "Table of agreement", (380.0, 480.0, 560.0, 800.0),
    )  # fmt: skip
    row, _, column = (at or "").partition(",")
    return (int(row), int(column)) if column else None


def marginals_chart(people: Sequence[float], judge: Sequence[float], answers: Sequence[str], key: str) -> None:
    """Draw how often people and judge give each answer (shares), side by side."""
    series = [("people", [float(share) for share in people]), ("judge", [float(share) for share in judge])]
    picture.draw_picture(
        lambda width: svg.bar_plot(answers, series, width=width), key, _file(key), "How often each answer is given",
        (240.0, 320.0, 400.0, 480.0, 600.0),
    )  # fmt: skip


def confusion_grid(shares: Any, tooltips: Sequence[Sequence[str]], names: Sequence[str], key: str) -> None:
    """A share for every two of some names, shaded from none to all, nan blank; `tooltips` is what the pointer says."""
    short = [shorten(name, 16) for name in names]
    named, size = [escape(name) for name in short], max(15, min(38, 720 // len(names)))
    figure = go.Figure()
    figure.add_heatmap(
        z=shares, colorscale=[[0, GROUND], [1, ACCENT]], zmin=0, zmax=1.3, showscale=False, xgap=1, ygap=1,
        customdata=[[escape(cell) for cell in row] for row in tooltips], hoverongaps=False,
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    if size >= 26:
        for i, row in enumerate(shares):
            for j, share in enumerate(row):
                if share == share:
                    label = {"text": f"{share:.0%}", "font": {"color": INK, "size": 11}}
                    figure.add_annotation(x=j, y=i, showarrow=False, **label)
    ticks = {"tickvals": list(range(len(named))), "ticktext": named, "showgrid": False, "zeroline": False}
    figure.update_xaxes(**ticks, side="top", tickangle=-60, tickfont={"size": 12, "color": INK})
    figure.update_yaxes(**ticks, autorange="reversed", tickfont={"size": 12, "color": INK})
    longest = round(max(text_width(name, 12) for name in short))
    margin = {"l": 10, "r": 4 + longest // 2, "t": 30 + longest, "b": 8}  # plotly leaves out a name without room
    _draw(figure, key, len(names) * size + 40 + longest, margin)


def learning_curve(now: Sequence[Interval], ahead: Sequence[Interval], key: str, mark: float, marked: str) -> None:
    """A figure over the number of items that it is from, with its band.

    `ahead` is the forecast with more, `mark` a line to reach.
    """
    figure = go.Figure()
    for steps, colour, name, dash in ((now, ACCENT, "so far", "solid"), (ahead, QUIET, "forecast", "dot")):
        known = [s for s in steps if s.point is not None and s.low is not None and s.high is not None]
        if not known:
            continue
        xs = [s.items for s in known]
        quiet = {"width": 1, "color": colour, "dash": dash}
        figure.add_scatter(
            x=xs, y=[s.high for s in known], mode="lines", line=quiet, hoverinfo="skip", showlegend=False
        )
        figure.add_scatter(
            x=xs, y=[s.low for s in known], mode="lines", line=quiet, fill="tonexty", fillcolor=FAINT,
            hoverinfo="skip", showlegend=False,
        )  # fmt: skip
        figure.add_scatter(
            x=xs, y=[s.point for s in known], name=name, line={"color": colour, "width": 2.5, "dash": dash},
            mode="lines+markers" if dash == "solid" else "lines", marker={"size": 6, "color": colour},
            hovertext=[f"{many(s.items, 'item')}<br>{s.point:.3f} ({s.low:.3f} to {s.high:.3f})" for s in known],
            hoverinfo="text",
        )  # fmt: skip
    figure.add_hline(y=mark, line=_DASHED)
    _note(figure, marked, x=1.008, y=mark, xref="paper", yref="y", xanchor="left", yanchor="middle")
    lows = [s.low for s in [*now, *ahead] if s.low is not None]
    figure.update_yaxes(range=[max(-1.0, min([*lows, 0.0])) - 0.02, 1.02], nticks=6, tickformat=".1f")
    figure.update_xaxes(title={"text": "items with gold", "standoff": 6}, rangemode="tozero")
    figure.update_layout(showlegend=bool(ahead), legend={"x": 0, "y": 1.02, "yanchor": "bottom"})
    _draw(figure, key, 300, margin={"l": 10, "r": 84, "t": 28, "b": 10})


def reliability_chart(levels: Sequence[ReliabilityLevel], key: str) -> None:
    """A reliability diagram: accuracy at each level of confidence, and the line of perfect calibration.

    Upright lines are intervals; the larger a mark, the more ratings it represents.
    """
    figure = go.Figure()
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line=_DASHED, hoverinfo="skip")
    known = [level for level in levels if level.accuracy.point is not None]
    for level in known:
        line = {"color": ACCENT, "width": 2.5}
        figure.add_scatter(
            x=[level.stated] * 2, y=[level.accuracy.low, level.accuracy.high], mode="lines", line=line, hoverinfo="skip"
        )  # fmt: skip
    figure.add_scatter(
        x=[level.stated for level in known], y=[level.accuracy.point for level in known], mode="markers",
        marker={"color": ACCENT, "size": [8 + 16 * level.share**0.5 for level in known], "opacity": 1},
        hovertext=[
            f"confidence {level.stated:.0%}, accuracy {level.accuracy.point:.0%}<br>{many(level.cells, 'rating')} of "
            f"{many(level.accuracy.items, 'item')}"
            for level in known
        ],
        hoverinfo="text",
    )  # fmt: skip
    ticks = {"tickformat": ".0%", "range": [-0.03, 1.03], "dtick": 0.2, "zeroline": False}
    figure.update_xaxes(**ticks, title={"text": "confidence", "standoff": 6})
    figure.update_yaxes(**ticks, title={"text": "accuracy", "standoff": 6})
    _draw(figure, key, 340, margin={"l": 10, "r": 8, "t": 10, "b": 10})


def audit_plot(plot: Plot, key: str) -> None:
    """The picture of what an audit found: bars, points or lines, with its threshold as a dashed line.

    Series differ in colour and in pattern, dash or mark. Of very many points every n-th is drawn; a caption says so.
    """
    figure, every = go.Figure(), 1
    for number, (name, xs, ys) in enumerate(plot.series):
        colour = (ACCENT, JUDGE, AMBER, QUIET)[number % 4]
        hover = "%{x}: %{y:.3~f}" + (" " + escape(name) if name else "") + "<extra></extra>"
        if plot.kind == "bars":
            pattern = {"shape": ("", "/", ".", "x")[number % 4], "fillmode": "overlay", "size": 5, "solidity": 0.25}
            named = [escape(str(x)) for x in xs]
            figure.add_bar(
                x=named,
                y=list(ys),
                name=escape(name),
                hovertemplate=hover,
                marker={"color": colour, "pattern": pattern},
            )
            continue
        step = -(-len(ys) // MAX_PLOTTED_POINTS) if plot.kind == "points" else 1
        every = max(every, step)
        mark = {"color": colour, "symbol": ("circle", "x", "square-open", "diamond-open")[number % 4]}
        line = {"color": colour, "width": 2.5, "dash": ("solid", "dash", "dot", "dashdot")[number % 4]}
        figure.add_scatter(
            x=list(xs)[::step], y=list(ys)[::step], name=escape(name), hovertemplate=hover, line=line,
            mode="markers" if plot.kind == "points" else "lines+markers",
            marker={**mark, "size": 7, "opacity": 0.45 if plot.kind == "points" else 1.0},
        )  # fmt: skip
    if plot.mark is not None:
        figure.add_hline(y=plot.mark, line=_DASHED)
        _note(figure, f"{plot.mark:g}", x=1, y=plot.mark, xref="paper", yref="y", xanchor="right", yanchor="bottom")
    has_legend = len(plot.series) > 1
    figure.update_xaxes(title={"text": escape(plot.x), "standoff": 8}, showgrid=plot.kind != "bars")
    figure.update_yaxes(nticks=6)
    if plot.kind == "bars" and not any(y for _, _, ys in plot.series for y in ys):
        figure.update_yaxes(range=[0, 1])  # all bars are 0: an axis from -1 to 1 would say that there is nothing
    _note(figure, plot.y, x=0, y=1.02, xref="paper", yref="paper", xanchor="left", yanchor="bottom")
    figure.update_layout(
        barmode="group", bargap=0.35, bargroupgap=0.05, showlegend=has_legend,
        legend={"x": 1, "xanchor": "right", "y": 1.02, "yanchor": "bottom"},
    )  # fmt: skip
    _draw(figure, key, 280, margin={"l": 10, "r": 8, "t": 30, "b": 10})
    if every > 1:
        st.caption(f"Every {every:d}th point is drawn; the figures use all of them.")


_SERIES = (ACCENT, JUDGE, AMBER, "#000004", "#000005", QUIET)
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_MARKS = ("circle", "square", "diamond", "cross", "x", "triangle-up")


def radar_chart(radar: Radar, key: str) -> None:
    """Figures of a few things around a centre; series differ in colour, dash and mark."""
    figure, axes = go.Figure(), [escape(name) for name in radar.axes]
    for number, (name, values) in enumerate(radar.series):
        colour, place = _SERIES[number % len(_SERIES)], number % len(_DASHES)
        ring = [*values, *values[:1]]
        figure.add_scatterpolar(
            r=ring, theta=[*axes, *axes[:1]], name=escape(shorten(name, 40)), mode="lines+markers",
            line={"color": colour, "width": 2, "dash": _DASHES[place]}, connectgaps=False,
            marker={"color": colour, "size": 7, "symbol": _MARKS[place]},
            hovertemplate=escape(name) + "<br>%{theta}: %{r:.2f}<extra></extra>",
        )  # fmt: skip
    grid = {"gridcolor": _GRID, "linecolor": _GRID}
    radial = {**grid, "range": list(radar.reach), "nticks": 6, "angle": 90, "tickangle": 90}
    figure.update_layout(
        polar={
            "bgcolor": "rgba(0,0,0,0)",
            "radialaxis": radial | {"tickfont": {"color": INK, "size": 11}, "showline": False},
            "angularaxis": {**grid, "rotation": 90, "direction": "clockwise", "tickfont": {"color": INK, "size": 13}},
        },
        showlegend=True,
        legend={"x": 0, "y": -0.08, "yanchor": "top"},
    )  # fmt: skip
    _draw(figure, key, 440 + 20 * len(radar.series), margin={"l": 84, "r": 84, "t": 34, "b": 10})


def bubble_chart(bubbles: Bubbles, key: str) -> None:
    """Draw the pairs of values as circles whose area grows with their count, and the line on which both are equal."""
    figure, (low, high) = go.Figure(), bubbles.reach
    most = max((n for _, _, n in bubbles.points), default=1)
    figure.add_scatter(x=[low, high], y=[low, high], mode="lines", line=_DASHED, hoverinfo="skip")
    figure.add_scatter(
        x=[x for x, _, _ in bubbles.points], y=[y for _, y, _ in bubbles.points], mode="markers",
        marker={
            "color": ACCENT, "opacity": 0.75, "line": {"width": 0},
            "size": [5 + 23 * (n / most) ** 0.5 for _, _, n in bubbles.points],
        },
        hovertext=[f"{x:g} and {y:g}: {n:,}" for x, y, n in bubbles.points], hoverinfo="text",
    )  # fmt: skip
    ticks = {"range": [low - 0.7, high + 0.7], "dtick": 1, "zeroline": False}
    figure.update_xaxes(**ticks, title={"text": escape(shorten(bubbles.x, 60)), "standoff": 6})
    figure.update_yaxes(**ticks, title={"text": escape(shorten(bubbles.y, 48)), "standoff": 6})
    _draw(figure, key, 440, margin={"l": 10, "r": 8, "t": 10, "b": 10})


def waterfall_chart(chart: WaterfallChart, key: str) -> None:
    """The way from one figure to another, a bar for each step; steps up and down differ in colour and in their sign."""
    figure = go.Figure()
    names = [chart.start[0], *(name for name, _, _ in chart.steps), chart.end[0]]
    levels = [chart.start[1]]
    for _, change, _ in chart.steps:
        levels.append(levels[-1] + change)
    ends = [chart.start[1], *levels[1:], chart.end[1]]
    spread = max(*ends, *levels) - min(*ends, *levels)
    floor = min(*ends, *levels) - max(0.25 * spread, 0.02 * max(abs(end) for end in ends))
    bases = [floor, *levels[:-1], floor]
    heights = [chart.start[1] - floor, *(change for _, change, _ in chart.steps), chart.end[1] - floor]
    labels = [f"{chart.start[1]:{chart.shape}}", *(f"{c:+z{chart.shape}}" for _, c, _ in chart.steps)]
    labels.append(f"{chart.end[1]:{chart.shape}}")
    colours = [QUIET, *(ACCENT if change >= 0 else AMBER for _, change, _ in chart.steps), QUIET]
    wrapped = ["<br>".join(map(escape, wrap(name, 18)[:4])) for name in names]
    figure.add_bar(
        x=list(range(len(names))), y=heights, base=bases, marker={"color": colours, "line": {"width": 0}},
        text=labels, textposition="outside", textfont={"color": INK, "size": 13}, cliponaxis=False, hoverinfo="text",
        hovertext=[escape(chart.start[0]), *(escape(tooltip) for _, _, tooltip in chart.steps), escape(chart.end[0])],
    )  # fmt: skip
    gap = 0.25 if len(names) > 5 else 0.5
    for place, y in enumerate(levels):
        between = {"x0": place + (1 - gap) / 2, "x1": place + (1 + gap) / 2, "y0": y, "y1": y}
        figure.add_shape(type="line", **between, line={"color": QUIET, "width": 1})
    figure.update_xaxes(tickvals=list(range(len(names))), ticktext=wrapped, showgrid=False)
    figure.update_yaxes(range=[floor, max(*ends, *levels) + 0.15 * (spread or 1)], nticks=6)
    figure.update_layout(bargap=gap)
    _draw(figure, key, 380, margin={"l": 10, "r": 8, "t": 24, "b": 10})


@dataclass(frozen=True)
class SlicedMeans:
    """Means by slice as they are to be drawn: of a scale's reach or as shares, under a title that a saved picture has.

    `say` puts an interval in words.
    """

    slices: Sequence[MeanSlice]
    overall: MeanSlice | None
    reach: tuple[float, float]
    share: bool
    title: str
    say: Callable[[Interval | None], str]


def means_by_slice(means: SlicedMeans, key: str) -> None:
    """Means by slice, a row each: corrected (dot) over the judge's own (diamond), with their intervals by items.

    A dashed line is the corrected mean of all, where there is one.
    """
    figure, slices = go.Figure(), means.slices
    _means(figure, means, False, 1 + 26 / (46 * len(slices)))
    point = means.overall.mean.interval.point if means.overall is not None and means.overall.mean is not None else None
    if point is not None:
        figure.add_vline(x=point, line=_DASHED)
        _note(figure, "all, corrected", x=point, y=1, xref="x", yref="paper", yanchor="bottom")
    faint = "<br><span style='font-size:11px;opacity:.75'>{}</span>"
    named = [escape(shorten(s.name, 28)) + faint.format(slice_size(s)) for s in slices]
    figure.update_xaxes(range=_axis_range(means), nticks=8, tickformat=".0%" if means.share else None)
    figure.update_yaxes(
        tickvals=list(range(len(slices))), ticktext=named, range=[len(slices) - 0.4, -0.6],
        showgrid=False, zeroline=False, tickfont={"size": 13, "color": INK}, automargin=True,
    )  # fmt: skip
    _draw(figure, key, 46 * len(slices) + 130, margin={"l": 10, "r": 14, "t": 86, "b": 10})


def means_over_time(means: SlicedMeans, key: str) -> None:
    """Means over time, the oldest first: corrected (dots) and the judge's own (diamonds), with intervals by items."""
    figure, slices = go.Figure(), means.slices
    _means(figure, means, True, 1.03)
    every = -(-len(slices) // 10)
    figure.update_yaxes(range=_axis_range(means), nticks=7, tickformat=".0%" if means.share else None)
    figure.update_xaxes(
        tickvals=list(range(0, len(slices), every)), ticktext=[escape(s.name) for s in slices[::every]],
        range=[-0.5, len(slices) - 0.5], showgrid=False, zeroline=False, automargin=True,
        tickfont={"size": 12, "color": INK},
    )  # fmt: skip
    _draw(figure, key, 390, margin={"l": 10, "r": 14, "t": 70, "b": 10})


def _means(figure: go.Figure, means: SlicedMeans, upright: bool, key: float) -> None:
    """Both means of every slice, along one axis or the other, a little apart so that no interval hides the other.

    `key` is the position of the key, as a share of the plot's height.
    """
    corrected = [None if s.mean is None else s.mean.interval for s in means.slices]
    for name, spans, colour, symbol, dash, wide in (
        ("people would say (corrected), 95% interval", corrected, ACCENT, "circle", "solid", 2.5),
        ("judge (raw), 95% interval", [s.judge for s in means.slices], JUDGE, "diamond-open", "dot", 1.5),
    ):
        offset = (-1 if spans is corrected else 1) * (0.05 if upright else 0.13)
        places = [n + offset for n in range(len(spans))]
        points = [None if i is None else i.point for i in spans]  # a line breaks where there is none
        over, under = zip(*map(_error_lengths, spans), strict=True)
        ends = {"type": "data", "symmetric": False, "array": over, "arrayminus": under, "color": colour, "width": 0}
        ends |= {"thickness": wide}
        axes = {"x": places, "y": points, "error_y": ends} if upright else {"x": points, "y": places, "error_x": ends}
        figure.add_scatter(
            **axes, name=name, mode="lines+markers" if upright else "markers",
            line={"color": colour, "width": 1.75, "dash": dash}, connectgaps=False,
            marker={"color": colour, "size": 9, "symbol": symbol, "line": {"width": 0 if spans is corrected else 2}},
            showlegend=any(point is not None for point in points), hoverinfo="text",
            hovertext=[
                f"{escape(s.name)}<br>{name.partition(',')[0]}: {means.say(i)}<br>{slice_size(s)}"
                for s, i in zip(means.slices, spans, strict=True)
            ],
        )  # fmt: skip
    figure.update_layout(
        title={
            "text": escape(means.title), "x": 0, "xanchor": "left", "y": 1, "yref": "container", "yanchor": "top",
            "font": {"size": 14, "weight": 500}, "pad": {"t": 8},
        },
        showlegend=True,
        legend={"x": 0, "y": key, "yanchor": "bottom", "font": {"size": 13}},
    )  # fmt: skip


def _error_lengths(interval: Interval | None) -> tuple[float, float]:
    """Return the distances from an interval's point up to its high end and down to its low end; 0 if it has none."""
    if interval is None or interval.point is None or interval.low is None or interval.high is None:
        return 0.0, 0.0
    return interval.high - interval.point, interval.point - interval.low


def _axis_range(means: SlicedMeans) -> list[float]:
    """The part of a scale that the figures are in: never less than a quarter of it, as small gaps would look large."""
    intervals = [i for s in means.slices for i in (s.judge, s.mean and s.mean.interval) if i]
    ends = [v for i in intervals for v in (i.low, i.point, i.high) if v is not None] or list(means.reach)
    low, high, size = min(ends), max(ends), means.reach[1] - means.reach[0]
    spare, edge = max(0.04 * size, (size / 4 - (high - low)) / 2), 0.02 * size
    return [max(means.reach[0] - edge, low - spare), min(means.reach[1] + edge, high + spare)]


def _note(figure: go.Figure, words: str, **place: Any) -> None:
    """A few words of ours or of the data on a figure, beside a line or an axis."""
    words = f"<span style='opacity:.8'>{escape(words)}</span>"
    figure.add_annotation(text=words, showarrow=False, font={"color": INK}, **place)


def _draw(figure: go.Figure, key: str, height: int, margin: dict[str, int]) -> None:
    """Put a figure on the page, quiet, with a camera that saves it.

    Its ground is the page's, so that a saved picture can be read anywhere.
    """
    figure.update_layout(
        margin=margin, height=height, paper_bgcolor=GROUND, plot_bgcolor="rgba(0,0,0,0)", dragmode=False,
        font={"size": 13}, modebar={"color": QUIET, "activecolor": INK, "bgcolor": "rgba(0,0,0,0)"},
        legend={"orientation": "h", "title": {"text": ""}, "font": {"color": INK}},
        showlegend=bool(figure.layout.showlegend),
    )  # fmt: skip
    for axes in (figure.update_xaxes, figure.update_yaxes):  # the theme's own grey is too faint to read
        axes(fixedrange=True, tickfont={"color": INK}, title_font={"color": INK})
    config = _CONFIG | {"toImageButtonOptions": {"format": picture.plot_format(), "filename": _file(key), "scale": 2}}
    st.plotly_chart(figure, key=key, config=config, theme="streamlit")


def _file(key: str) -> str:
    """The name under which a chart is saved: the words of its key, without ids."""
    words = [part for part in key.split(":") if part not in ("True", "False") and not _ID.fullmatch(part)]
    return picture.file_name(*words)
