"""Charts: they take data and a key, draw, and give back what was clicked. The only home of plotly.

Colours are Streamlit's own placeholders, which the browser replaces by those of the theme that is on, light or dark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from judges.audits import Plot
from judges.figures.reliability import Level
from judges.intervals import Interval
from pages.parts import session

ACCENT, JUDGE, AMBER, ALARM, QUIET = "#000001", "#000002", "#000003", "#000005", "#000006"
"""Places 1, 2, 3, 5 and 6 of the theme's chartCategoricalColors (.streamlit/config.toml)."""
GROUND, FAINT, INK = "#000038", "#000040", "#000037"
"""The page's ground, a touch off it, and its text."""
ROW = 27
"""Height of a row of an interval chart, in pixels."""
POINTS = 2_000
"""Points of a series that are drawn at most."""
_CONFIG = {
    "displayModeBar": "hover", "displaylogo": False, "modeBarButtons": [["toImage"]],
    "scrollZoom": False, "doubleClick": False, "showAxisDragHandles": False,
}  # fmt: skip
"""Nothing but a camera, while the pointer is over a chart."""
_ID = re.compile(r"[0-9a-f-]{20,}")
_LOOKS = {
    "eligible": (ACCENT, "circle"),
    "promising": (AMBER, "circle-open"),
    "below": (ALARM, "x-thin"),
    "not enough gold": (QUIET, "square-open"),
    "undefined": (QUIET, "square-open"),
    "other": (JUDGE, "circle"),
    "beside": (QUIET, "diamond-open"),
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
    spans: Sequence[Span],
    key: str,
    mark: float | None,
    marked: str = "",
    reach: tuple[float, float] = (0.0, 1.0),
    click: bool = False,
) -> int | None:
    """Figures with their intervals, a row each, and a line at `mark`; with `click` the row whose mark was clicked.

    What has no figure has its remark only.
    """
    figure = go.Figure()
    # The em space leaves room for the wider font that a saved picture has, in which the page's own is not there.
    names = [f"\u2003{escape(s.name)}  <span style='opacity:.6'>{escape(s.sub)}</span>" for s in spans]
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
    event = _draw(figure, key, height, margin={"l": 10, "r": room, "t": 22, "b": 26}, click=click)
    points = event.selection.points if event is not None else []
    return int(points[0]["y"]) if points else None


def _told(span: Span) -> str:
    """What a row says when it is pointed at."""
    lines = [f"<b>{escape(span.name)}</b> {escape(span.sub)}", f"{span.point:.3f}"]
    if span.low is not None and span.high is not None:
        lines.append(f"95 % interval {span.low:.3f} to {span.high:.3f}")
    if span.bound is not None:
        lines.append(f"lower bound {span.bound:.3f}")
    return "<br>".join(lines)


def confusion(
    counts: Any, answers: Sequence[str], key: str, sides: tuple[str, str] = ("people", "judge")
) -> tuple[int, int] | None:
    """A table of agreement, rows = people, columns = judge, every count with its share of the row; the cell that was

    clicked, or None. `counts` is K x K. A heat map cannot be clicked in Streamlit, so squares that cannot be seen lie
    over it: the one nearest to the pointer is chosen.
    """
    k, total = len(answers), counts.sum(axis=1, keepdims=True)
    shares = counts / total.clip(min=1)
    size = max(16, min(52, 360 // k))
    height = k * (size + 4) + 66
    named, (rows, columns) = [escape(str(answer)) for answer in answers], map(escape, sides)
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
            f"{rows} <b>{named[i]}</b>, {columns} <b>{named[j]}</b><br>{counts[i, j]:,.0f} cells, "
            f"{shares[i, j]:.0%} of row"
            for i in range(k) for j in range(k)
        ],
    )  # fmt: skip
    for n in range(k):
        figure.add_shape(
            type="rect", x0=n - 0.48, x1=n + 0.48, y0=n - 0.48, y1=n + 0.48, line={"color": QUIET, "width": 1},
            layer="above",
        )  # fmt: skip
    ticks = {"tickvals": list(range(k)), "ticktext": named, "showgrid": False, "zeroline": False, "fixedrange": True}
    figure.update_xaxes(**ticks, side="top", title={"text": columns, "standoff": 4}, range=[-0.5, k - 0.5])
    figure.update_yaxes(**ticks, title={"text": rows, "standoff": 14}, range=[k - 0.5, -0.5])
    figure.update_layout(hoverdistance=200)
    event = _draw(figure, key, height, margin={"l": 10, "r": 4, "t": 48, "b": 8}, click=True)
    chosen = event.selection.point_indices if event is not None else []
    return divmod(int(chosen[0]), k) if chosen else None


def grid(shares: Any, told: Sequence[Sequence[str]], names: Sequence[str], key: str) -> None:
    """A share for every two of some names, shaded from none to all, nan blank; `told` is what the pointer says."""
    short = [name if len(name) <= 16 else name[:15] + "…" for name in names]
    named, size = [escape(name) for name in short], max(15, min(38, 720 // len(names)))
    figure = go.Figure()
    figure.add_heatmap(
        z=shares, colorscale=[[0, GROUND], [1, ACCENT]], zmin=0, zmax=1.3, showscale=False, xgap=1, ygap=1,
        customdata=[[escape(cell) for cell in row] for row in told], hoverongaps=False,
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    if size >= 26:
        for i, row in enumerate(shares):
            for j, share in enumerate(row):
                if share == share:
                    label = {"text": f"{share:.0%}", "font": {"color": INK, "size": 11}}
                    figure.add_annotation(x=j, y=i, showarrow=False, **label)
    ticks = {"tickvals": list(range(len(named))), "ticktext": named, "showgrid": False, "zeroline": False}
    figure.update_xaxes(**ticks, side="top", tickangle=-60, fixedrange=True, tickfont={"size": 12, "color": INK})
    figure.update_yaxes(**ticks, autorange="reversed", fixedrange=True, tickfont={"size": 12, "color": INK})
    longest = max(map(len, short))
    _draw(figure, key, len(names) * size + 40 + 6 * longest, margin={"l": 10, "r": 4, "t": 30 + 6 * longest, "b": 8})


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


def growth(now: Sequence[Interval], ahead: Sequence[Interval], key: str, mark: float, marked: str) -> None:
    """A figure over the number of items that it rests on, with its band.

    `ahead` is what is to be expected with more, `mark` a line to reach.
    """
    figure = go.Figure()
    for steps, colour, name, dash in ((now, ACCENT, "so far", "solid"), (ahead, QUIET, "to be expected", "dot")):
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
            hovertext=[f"{s.items:,} items<br>{s.point:.3f} ({s.low:.3f} to {s.high:.3f})" for s in known],
            hoverinfo="text",
        )  # fmt: skip
    figure.add_hline(y=mark, line={"color": QUIET, "width": 1.5, "dash": "dash"})
    figure.add_annotation(
        x=1.008, y=mark, xref="paper", yref="y", xanchor="left", yanchor="middle", showarrow=False,
        text=f"<span style='opacity:.8'>{escape(marked)}</span>", font={"color": INK},
    )  # fmt: skip
    lows = [s.low for s in [*now, *ahead] if s.low is not None]
    figure.update_yaxes(range=[max(-1.0, min([*lows, 0.0])) - 0.02, 1.02], fixedrange=True, nticks=6, tickformat=".1f")
    figure.update_xaxes(title={"text": "items with gold", "standoff": 6}, fixedrange=True, rangemode="tozero")
    figure.update_layout(
        showlegend=bool(ahead),
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "title": {"text": ""}},
    )
    _draw(figure, key, 300, margin={"l": 10, "r": 84, "t": 28, "b": 10})


def reliability(levels: Sequence[Level], key: str) -> None:
    """How often a judge is right at each level of confidence, against the line of being right as often as sure.

    Upright lines are intervals; the larger a mark, the more cells it stands for.
    """
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": QUIET, "width": 1.5, "dash": "dash"}, hoverinfo="skip"
    )  # fmt: skip
    known = [one for one in levels if one.right.point is not None]
    for one in known:
        line = {"color": ACCENT, "width": 2.5}
        figure.add_scatter(
            x=[one.stated] * 2, y=[one.right.low, one.right.high], mode="lines", line=line, hoverinfo="skip"
        )  # fmt: skip
    figure.add_scatter(
        x=[one.stated for one in known], y=[one.right.point for one in known], mode="markers",
        marker={"color": ACCENT, "size": [8 + 16 * one.share**0.5 for one in known], "opacity": 1},
        hovertext=[
            f"{one.stated:.0%} sure, {one.right.point:.0%} right<br>{one.cells:,} cells of {one.right.items:,} items"
            for one in known
        ],
        hoverinfo="text",
    )  # fmt: skip
    ticks = {"tickformat": ".0%", "range": [-0.03, 1.03], "fixedrange": True, "dtick": 0.2, "zeroline": False}
    figure.update_xaxes(**ticks, title={"text": "how sure the judge is", "standoff": 6})
    figure.update_yaxes(**ticks, title={"text": "how often it is right", "standoff": 6})
    _draw(figure, key, 340, margin={"l": 10, "r": 8, "t": 10, "b": 10})


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
    """Put a figure on the page, quiet, with a camera that saves it; the event of a click where one is asked for.

    Its ground is the page's, so that a saved picture can be read anywhere.
    """
    figure.update_layout(margin=margin, height=height, paper_bgcolor=GROUND, plot_bgcolor="rgba(0,0,0,0)")
    figure.update_layout(dragmode=False, font={"size": 13}, modebar={"color": QUIET, "activecolor": INK})
    figure.update_layout(modebar={"bgcolor": "rgba(0,0,0,0)"})
    if not figure.layout.showlegend:
        figure.update_layout(showlegend=False)
    form = session.scratch("pictures").get("form", "PNG").lower()
    config = _CONFIG | {"toImageButtonOptions": {"format": form, "filename": _file(key), "scale": 2}}
    if not click:
        st.plotly_chart(figure, key=key, config=config, theme="streamlit")
        return None
    return st.plotly_chart(
        figure, key=key, config=config, theme="streamlit", on_select="rerun", selection_mode="points"
    )  # fmt: skip


def _file(key: str) -> str:
    """The name under which a chart is saved: the words of its key, without ids."""
    words = [part for part in key.split(":") if part not in ("", "True", "False") and not _ID.fullmatch(part)]
    return re.sub(r"[^\w.-]+", "-", "-".join(words)).strip("-.") or "plot"
