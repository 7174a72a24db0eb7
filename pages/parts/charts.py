"""Charts: they take data and a key, draw, and give back what was clicked. The only home of plotly.

Colours are Streamlit's own placeholders, which the browser replaces by those of the theme that is on, light or dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from judges.audits import Plot

ACCENT, JUDGE, AMBER, ALARM, QUIET = "#000001", "#000002", "#000003", "#000005", "#000006"
"""Places 1, 2, 3, 5 and 6 of the theme's chartCategoricalColors (.streamlit/config.toml)."""
GROUND, FAINT, INK = "#000038", "#000040", "#000037"
"""The page's ground, a touch off it, and its text."""
ROW = 27
"""Height of a row of an interval chart, in pixels."""
POINTS = 2_000
"""Points of a series that are drawn at most."""
_CONFIG = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False, "showAxisDragHandles": False}
_LOOKS = {
    "eligible": (ACCENT, "circle"),
    "promising": (AMBER, "circle-open"),
    "below": (ALARM, "x-thin"),
    "not enough gold": (QUIET, "square-open"),
    "undefined": (QUIET, "square-open"),
}
MARKS = {"eligible": "●", "promising": "○", "below": "✕", "not enough gold": "□", "undefined": "–"}
"""The same marks in text."""


@dataclass(frozen=True)
class Span:
    """A row of an interval chart: name, quieter second name, the figure with its ends and its one-sided bound (None =

    there is none), the state that gives it its mark, and a remark at its end.
    """

    name: str
    sub: str
    point: float | None
    low: float | None
    high: float | None
    bound: float | None
    state: str
    remark: str = ""


def intervals(
    spans: Sequence[Span], key: str, mark: float | None, marked: str = "", reach: tuple[float, float] = (0.0, 1.0)
) -> None:
    """Figures with their intervals, a row each, and a line at `mark`. What has no figure has its remark only."""
    figure = go.Figure()
    names = [f"{escape(s.name)}  <span style='opacity:.6'>{escape(s.sub)}</span>" for s in spans]
    rows = list(range(len(spans)))
    for row, span in zip(rows, spans, strict=True):
        colour, symbol = _LOOKS[span.state]
        figure.add_annotation(
            x=1.01, y=row, xref="paper", yref="y", xanchor="left", showarrow=False, align="left",
            text=f"<span style='opacity:.8'>{escape(span.remark)}</span>", font={"color": INK},
        )  # fmt: skip
        if span.point is None:
            continue
        if span.low is not None and span.high is not None:
            line = {"color": colour, "width": 2.5}
            figure.add_scatter(x=[span.low, span.high], y=[row, row], mode="lines", line=line, hoverinfo="skip")
        if span.bound is not None:
            tick = {"symbol": "line-ns", "size": 12, "line": {"color": colour, "width": 2}}
            figure.add_scatter(x=[span.bound], y=[row], mode="markers", marker=tick, hoverinfo="skip")
        dot = {"symbol": symbol, "size": 11, "color": colour, "line": {"color": colour, "width": 2}}
        figure.add_scatter(
            x=[span.point], y=[row], mode="markers", marker=dot, hovertext=_told(span), hoverinfo="text"
        )  # fmt: skip
    if mark is not None:
        figure.add_vline(x=mark, line={"color": QUIET, "width": 1, "dash": "dash"}, layer="below")
        figure.add_annotation(
            x=mark, y=1, xref="x", yref="paper", yanchor="bottom", showarrow=False,
            text=f"<span style='opacity:.8'>{escape(marked)}</span>", font={"color": INK},
        )  # fmt: skip
    lowest = min(
        [s.low for s in spans if s.low is not None] + [s.point for s in spans if s.point is not None] + [reach[0]]
    )
    figure.update_yaxes(
        tickvals=rows, ticktext=names, range=[len(spans) - 0.4, -0.6], showgrid=False, zeroline=False, fixedrange=True,
        tickfont={"size": 13, "color": INK},
    )  # fmt: skip
    figure.update_xaxes(
        range=[max(-2.0, lowest) - 0.02, reach[1] + 0.01], showgrid=True, zeroline=True, fixedrange=True,
        tickformat=".1f", dtick=0.2,
    )  # fmt: skip
    height, room = len(spans) * ROW + 52, 24 + 7 * max(len(s.remark) for s in spans)
    _draw(figure, key, height, margin={"l": 10, "r": room, "t": 22, "b": 26})


def _told(span: Span) -> str:
    """What a row says when it is pointed at."""
    lines = [f"<b>{escape(span.name)}</b> {escape(span.sub)}", f"{span.point:.3f}"]
    if span.low is not None and span.high is not None:
        lines.append(f"95 % interval {span.low:.3f} to {span.high:.3f}")
    if span.bound is not None:
        lines.append(f"lower bound {span.bound:.3f}")
    return "<br>".join(lines)


def confusion(counts: Any, answers: Sequence[str], key: str) -> tuple[int, int] | None:
    """A table of agreement, rows = people, columns = judge, every count with its share of the row; the cell that was

    clicked, or None. `counts` is K x K. A heat map cannot be clicked in Streamlit, so squares that cannot be seen lie
    over it: the one nearest to the pointer is chosen.
    """
    k, total = len(answers), counts.sum(axis=1, keepdims=True)
    shares = counts / total.clip(min=1)
    size = max(16, min(52, 360 // k))
    height = k * (size + 4) + 66
    named = [escape(str(answer)) for answer in answers]
    figure = go.Figure()
    figure.add_heatmap(
        z=shares, colorscale=[[0, GROUND], [0.001, FAINT], [1, ACCENT]], zmin=0, zmax=1.5, showscale=False,
        xgap=2, ygap=2, hoverinfo="skip",
    )  # fmt: skip
    for i, j in zip(*counts.nonzero(), strict=True):
        figure.add_annotation(
            x=int(j), y=int(i), showarrow=False, text=f"{counts[i, j]:,.0f}<br>{shares[i, j]:.0%}",
            font={"color": INK, "size": 13 if k <= 6 else 10},
        )  # fmt: skip
    figure.add_scatter(
        x=[j for _ in range(k) for j in range(k)], y=[i for i in range(k) for _ in range(k)], mode="markers",
        marker={"symbol": "square-open", "size": size, "opacity": 0, "color": AMBER, "line": {"width": 3}},
        selected={"marker": {"opacity": 1}}, unselected={"marker": {"opacity": 0}},
        hoverinfo="text",
        hovertext=[
            f"people <b>{named[i]}</b>, judge <b>{named[j]}</b><br>{counts[i, j]:,.0f} cells, {shares[i, j]:.0%} of row"
            for i in range(k) for j in range(k)
        ],
    )  # fmt: skip
    for n in range(k):
        figure.add_shape(
            type="rect", x0=n - 0.48, x1=n + 0.48, y0=n - 0.48, y1=n + 0.48, line={"color": QUIET, "width": 1},
            layer="above",
        )  # fmt: skip
    ticks = {"tickvals": list(range(k)), "ticktext": named, "showgrid": False, "zeroline": False, "fixedrange": True}
    figure.update_xaxes(**ticks, side="top", title={"text": "judge", "standoff": 4}, range=[-0.5, k - 0.5])
    figure.update_yaxes(**ticks, title={"text": "people", "standoff": 14}, range=[k - 0.5, -0.5])
    figure.update_layout(hoverdistance=200)
    event = _draw(figure, key, height, margin={"l": 10, "r": 4, "t": 48, "b": 8}, click=True)
    chosen = event.selection.point_indices if event is not None else []
    return divmod(int(chosen[0]), k) if chosen else None


def marginals(people: Sequence[float], judge: Sequence[float], answers: Sequence[str], key: str) -> None:
    """How often people and judge give each answer (shares), side by side."""
    figure = go.Figure()
    named = [escape(str(answer)) for answer in answers]
    for name, shares, colour in (("people", people, ACCENT), ("judge", judge, JUDGE)):
        pattern = {"shape": "/", "fillmode": "overlay", "size": 5, "solidity": 0.25} if name == "judge" else {}
        figure.add_bar(
            x=list(range(len(named))), y=list(shares), name=name, marker={"color": colour, "pattern": pattern},
            hovertemplate="%{y:.1%} " + name + "<extra></extra>",
        )  # fmt: skip
    figure.update_xaxes(tickvals=list(range(len(named))), ticktext=named, fixedrange=True)
    figure.update_yaxes(tickformat=".0%", fixedrange=True, nticks=4, rangemode="tozero")
    figure.update_layout(
        barmode="group", bargap=0.3, bargroupgap=0.05, showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "title": {"text": ""}},
    )  # fmt: skip
    _draw(figure, key, 190, margin={"l": 10, "r": 4, "t": 26, "b": 24})


def finding(plot: Plot, key: str) -> None:
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
        step = -(-len(ys) // POINTS) if plot.kind == "points" else 1
        every = max(every, step)
        mark = {"color": colour, "symbol": ("circle", "x", "square-open", "diamond-open")[number % 4]}
        line = {"color": colour, "width": 2.5, "dash": ("solid", "dash", "dot", "dashdot")[number % 4]}
        figure.add_scatter(
            x=list(xs)[::step], y=list(ys)[::step], name=escape(name), hovertemplate=hover, line=line,
            mode="markers" if plot.kind == "points" else "lines+markers",
            marker={**mark, "size": 7, "opacity": 0.45 if plot.kind == "points" else 1.0},
        )  # fmt: skip
    if plot.mark is not None:
        figure.add_hline(y=plot.mark, line={"color": QUIET, "width": 1.5, "dash": "dash"})
        figure.add_annotation(
            x=1, y=plot.mark, xref="paper", yref="y", xanchor="right", yanchor="bottom", showarrow=False,
            text=f"<span style='opacity:.8'>{plot.mark:g}</span>", font={"color": INK},
        )  # fmt: skip
    several = len(plot.series) > 1
    figure.update_xaxes(title={"text": escape(plot.x), "standoff": 8}, fixedrange=True, showgrid=plot.kind != "bars")
    figure.update_yaxes(fixedrange=True, nticks=6)
    if plot.kind == "bars" and not any(y for _, _, ys in plot.series for y in ys):
        figure.update_yaxes(range=[0, 1])  # all bars are 0: an axis from -1 to 1 would say that there is nothing
    figure.add_annotation(
        x=0, y=1.02, xref="paper", yref="paper", xanchor="left", yanchor="bottom", showarrow=False,
        text=f"<span style='opacity:.8'>{escape(plot.y)}</span>", font={"color": INK},
    )  # fmt: skip
    figure.update_layout(
        barmode="group", bargap=0.35, bargroupgap=0.05, showlegend=several,
        legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1.02, "yanchor": "bottom", "title": {"text": ""}},
    )  # fmt: skip
    _draw(figure, key, 280, margin={"l": 10, "r": 8, "t": 30, "b": 10})
    if every > 1:
        st.caption(f"Every {every:d}th point is drawn; the figures rest on all of them.")


def _draw(figure: go.Figure, key: str, height: int, margin: dict[str, int], click: bool = False) -> Any:
    """Put a figure on the page, quiet and without tools; the event of a click where one is asked for."""
    figure.update_layout(margin=margin, height=height, paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)")
    figure.update_layout(dragmode=False, font={"size": 13})
    if not figure.layout.showlegend:
        figure.update_layout(showlegend=False)
    if not click:
        st.plotly_chart(figure, key=key, config=_CONFIG, theme="streamlit")
        return None
    return st.plotly_chart(
        figure, key=key, config=_CONFIG, theme="streamlit", on_select="rerun", selection_mode="points"
    )  # fmt: skip
