"""Plots as SVG texts: rows with intervals, bars, lines with bands, and a table of agreement. No library, no script."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judges.render.drawing import (
    COLOUR_COUNT,
    PLOT_WIDTH,
    TEXT_SIZE,
    box,
    coord,
    escape_text,
    finite_or_none,
    frame,
    label,
    line,
    shorten,
    text_width,
    tick_label,
    ticks,
    title_height,
)
from judges.stats.check_states import STATES, Role
from judges.stats.uncertainty import Interval

ROW_HEIGHT = 26
"""Height of a row, in pixels."""
_ROLES: dict[Role, int] = {"good": 0, "open": 2, "bad": 4, "quiet": 5}
_STATE_STYLES: dict[str, tuple[int, str]] = {
    **{state: (_ROLES[check_state.role], check_state.shape) for state, check_state in STATES.items()},
    "approved": (0, "dot"),
    "suspended": (4, "cross"),
    "other": (1, "dot"),
    "beside": (5, "diamond"),
}
Series = tuple[str, Sequence[float | str], Sequence[float | None], Sequence[float | None] | None,
               Sequence[float | None] | None]  # fmt: skip
"""(name, xs, ys, lower ends or None, upper ends or None)"""


@dataclass(frozen=True)
class IntervalRow:
    """A row of a plot of intervals.

    It has a name, a quieter second name, the figure with its ends and its one-sided bound (None if there is none), the
    state for its mark and colour, and a remark at its end. `ceiling` is people's agreement with each other, a figure
    with its ends.
    """

    name: str
    sub: str
    point: float | None
    low: float | None
    high: float | None
    bound: float | None = None
    state: str = ""
    remark: str = ""
    ceiling: tuple[float, float | None, float | None] | None = None

    @classmethod
    def of(cls, name: str, figure: Interval, state: str = "", remark: str = "") -> IntervalRow:
        """A row of a figure with its ends, without a bound."""
        return cls(name, "", figure.point, figure.low, figure.high, None, state, remark)


def interval_plot(
    rows: Sequence[IntervalRow],
    mark: float | None = None,
    marked: str = "",
    reach: tuple[float, float] = (0.0, 1.0),
    title: str = "",
    width: float = PLOT_WIDTH,
    click: bool = False,
) -> str:
    """Figures with their intervals, a row each, and a dashed line at `mark`; what has no figure has its remark only.

    The axis covers `reach`, and more where a figure or an end lies beyond it. A bound below it is an arrow at its end:
    one of -1 would leave no room for the rest. With `click` the rows are numbered, so that a page knows which was
    clicked.
    """
    left = min(max(230.0, 0.3 * width), max([text_width(f"{r.name}  {r.sub}") for r in rows], default=0) + 14)
    right = min(0.46 * width, max([text_width(r.remark) for r in rows], default=0) + 14)
    every = [(r.point, r.low, r.high, *(r.ceiling or ())) for r in rows]
    known = [v for row in every for v in map(finite_or_none, row) if v is not None]
    low, high = min([*known, reach[0]]), max([*known, reach[1]])
    at = _axis(low, high, left + 6, width - right - 8)
    top = title_height(title) + (TEXT_SIZE + 4 if marked else 0)
    bottom = top + ROW_HEIGHT * max(1, len(rows))
    marks = ticks(low, high, max(1, min(7, int((width - right - left) / 40))))
    body = [line(at(t), top, at(t), bottom, "grid") for t in marks]
    body += [label(at(t), bottom + TEXT_SIZE + 4, tick_label(t, marks), "soft", "middle", size=12) for t in marks]
    if mark is not None:
        body.append(line(at(mark), top - 3, at(mark), bottom + 3, "mark"))
        half = text_width(marked) / 2
        body.append(label(min(max(at(mark), half), width - half), top - 7, marked, "soft", "middle"))
    for place, row in enumerate(rows):
        body += _row(
            row, top + ROW_HEIGHT * (place + 0.5), left, width - right, width, at, low, f"{place}" if click else ""
        )
    return frame(bottom + TEXT_SIZE + 12, title, body, width)


def _row(
    row: IntervalRow, y: float, left: float, right: float, width: float, at: Any, first: float, clicked: str
) -> list[str]:
    colour, shape = _STATE_STYLES.get(row.state, (0, "dot"))
    sub_width = min(text_width(row.sub) + 16, 96.0) if row.sub else 8.0
    elements = [
        label(7 if clicked else 0, y + 4.5, row.name, room=left - sub_width, after=shorten(row.sub, 88)),
        label(right + 4, y + 4.5, row.remark, "soft", room=width - right - 4),
    ]
    point, low, high, bound = (finite_or_none(v) for v in (row.point, row.low, row.high, row.bound))
    tip = ""
    if row.ceiling is not None:
        top, least, most = (finite_or_none(v) for v in row.ceiling)
        if least is not None and most is not None:
            elements.append(line(at(least), y + 9, at(most), y + 9, "top"))
            tip = f" ({least:.4f} to {most:.4f})"
        if top is not None:
            elements.append(line(at(top), y - 9, at(top), y + 9, "top", 2))
            tip = f"; kappa between two people {top:.4f}{tip}"
    if point is None:
        return [*elements, box(0, y - ROW_HEIGHT / 2, width, ROW_HEIGHT, "over", row.name + tip)] if tip else elements
    more, tip = tip, f"{row.name} {row.sub}".strip() + f": {point:.4f}"
    if low is not None and high is not None:
        elements.append(line(at(low), y, at(high), y, f"s{colour}", 2.5))
        tip += f", 95% interval {low:.4f} to {high:.4f}"
    if bound is not None:
        x, beyond = at(max(bound, first)), bound < first
        if low is not None and bound < low:
            elements.append(line(x, y, at(low), y, f"s{colour}", 1))
        ends = [(x + 5, y - 5, x, y), (x, y, x + 5, y + 5)] if beyond else [(x, y - 6, x, y + 6)]
        elements += [line(*end, f"s{colour}", 2) for end in ends]
        tip += f", lower bound {bound:.4f}"
    over = box(0, y - ROW_HEIGHT / 2, width, ROW_HEIGHT, "over", tip + more, f' data-at="{clicked}"' if clicked else "")
    return [*elements, _shape(shape, at(point), y, colour), over]


def _shape(shape: str, x: float, y: float, colour: int) -> str:
    """The mark of a figure; open marks are filled with the background colour, so that the line does not cross them."""
    look = f'class="s{colour}" stroke-width="2" style="fill:var(--ground)"'
    if shape == "dot":
        return f'<circle cx="{coord(x)}" cy="{coord(y)}" r="5.5" class="f{colour}"/>'
    if shape == "ring":
        return f'<circle cx="{coord(x)}" cy="{coord(y)}" r="5" {look}/>'
    if shape == "square":
        return f'<rect x="{coord(x - 5)}" y="{coord(y - 5)}" width="10" height="10" {look}/>'
    x0, x1, y0, y1 = (coord(v) for v in (x - 5, x + 5, y - 5, y + 5))
    if shape == "diamond":
        return f'<path d="M{coord(x)} {y0}L{x1} {coord(y)}L{coord(x)} {y1}L{x0} {coord(y)}Z" {look}/>'
    return f'<path d="M{x0} {y0}L{x1} {y1}M{x0} {y1}L{x1} {y0}" class="s{colour}" stroke-width="2.5"/>'


def bar_plot(
    names: Sequence[str],
    series: Sequence[tuple[str, Sequence[float | None]]],
    title: str = "",
    width: float = PLOT_WIDTH,
) -> str:
    """Groups of bars, one for each name, a bar in it for each series; upright where the names have room below them.

    Values are shares; None has no bar. A number is at its bar where it has room.
    """
    top = title_height(title) + (TEXT_SIZE + 8 if len(series) > 1 else 0)
    legend = _legend([name for name, _ in series], title_height(title), width) if len(series) > 1 else []
    known = [v for _, values in series for v in map(finite_or_none, values) if v is not None]
    most = max([*known, 1e-9])
    slot = (width - 44) / max(1, len(names))
    if all(text_width(name) <= slot - 6 for name in names):
        return frame(top + 190, title, legend + _upright(names, series, top, most, width), width)
    left, row = min(240.0, width / 3, max(text_width(name) for name in names) + 12), 15 * len(series) + 9
    at = _axis(0, most, left, width - 60)
    body = []
    for place, name in enumerate(names):
        y = top + place * row
        body.append(label(0, y + row / 2 + 3, name, room=left - 10))
        for n, (told_as, values) in enumerate(series):
            value = finite_or_none(values[place])
            if value is not None:
                percent = f"{100 * value:.0f}%"
                body += [
                    box(left, y + 4 + 15 * n, at(value) - left, 12, _fill(n), f"{name} {told_as}: {percent}"),
                    label(at(value) + 5, y + 14.5 + 15 * n, percent, "soft", size=12),
                ]
    return frame(top + row * len(names) + 6, title, legend + body, width)


def _upright(
    names: Sequence[str], series: Sequence[tuple[str, Sequence[float | None]]], top: float, largest: float, width: float
) -> list[str]:
    high, floor, slot = 150.0, top + 164.0, (width - 44) / max(1, len(names))
    marks = ticks(0, largest, 4)
    body = [line(44, floor - high * t / largest, width, floor - high * t / largest, "grid") for t in marks]
    body += [label(38, floor - high * t / largest + 4, f"{100 * t:g}%", "soft", "end", size=12) for t in marks]
    bar = min(46.0, slot * 0.8 / max(1, len(series)))
    for place, name in enumerate(names):
        middle = 44 + slot * (place + 0.5)
        body.append(label(middle, floor + TEXT_SIZE + 4, name, anchor="middle"))
        for n, (told_as, values) in enumerate(series):
            value = finite_or_none(values[place])
            if value is None:
                continue
            x, y, percent = middle + bar * (n - len(series) / 2), floor - high * value / largest, f"{100 * value:.0f}%"
            body.append(box(x + 1, y, bar - 2, floor - y, _fill(n), f"{name} {told_as}: {percent}"))
            if text_width(percent, 11) <= bar + 1:
                body.append(label(x + bar / 2, y - 3, percent, "soft", "middle", size=11))
    return body


def line_plot(
    series: Sequence[Series], x: str = "", y: str = "", mark: float | None = None, title: str = "",
    width: float = PLOT_WIDTH,
) -> str:  # fmt: skip
    """Lines over x, each with a band between its lower and upper ends where it has them, and a dashed line at `mark`.

    xs are numbers, or words, which then stand side by side in the order in which they first occur.
    """
    words = list(dict.fromkeys(str(v) for _, xs, *_ in series for v in xs))
    worded = any(isinstance(v, str) for _, xs, *_ in series for v in xs)
    placed = {word: float(n) for n, word in enumerate(words)}
    across = [[placed[str(v)] if worded else float(v) for v in xs] for _, xs, *_ in series]
    ys = [finite_or_none(v) for _, _, *columns in series for column in columns for v in column or ()]
    known = [v for v in [*ys, mark] if v is not None] or [0.0, 1.0]
    low, high = min(known), max(known)
    spare = (high - low) * 0.06 or 0.5
    top = title_height(title) + (TEXT_SIZE + 8 if len(series) > 1 else 0) + (TEXT_SIZE + 5 if y else 0)
    floor, xs_all = top + 200, [v for xs in across for v in xs] or [0.0]
    margin = 0.5 if worded else 0.0
    whole = all(v.is_integer() for v in xs_all)  # then there is nothing between whole numbers
    across_marks = [] if worded else [t for t in ticks(min(xs_all), max(xs_all), 7) if not whole or t.is_integer()]
    right = width - max([14.0, *(text_width(tick_label(t, across_marks), 12) / 2 + 1 for t in across_marks[-1:])])
    over = _axis(min(xs_all) - margin, max(xs_all) + margin, 52, right)
    up = _axis(low - spare, high + spare, floor, top + 6)
    marks = ticks(low - spare, high + spare, 5)
    body = _legend([name for name, *_ in series], title_height(title)) if len(series) > 1 else []
    body += [label(0, top - 6, y, "soft")] if y else []
    body += [line(52, up(t), right, up(t), "grid") for t in marks]
    body += [label(46, up(t) + 4, tick_label(t, marks), "soft", "end", size=12) for t in marks]
    body += _ticks_below(across_marks, words, over, floor + TEXT_SIZE + 5)
    body += [label((52 + width) / 2, floor + 2 * TEXT_SIZE + 12, x, "soft", "middle")] if x else []
    if mark is not None:
        body.append(line(52, up(mark), right, up(mark), "mark"))
    for n, ((name, xs, values, lows, highs), places) in enumerate(zip(series, across, strict=True)):
        colour = n % COLOUR_COUNT
        body += _band(places, lows, highs, over, up, colour)
        body += _path(name, xs, values, places, over, up, n)
    return frame(floor + (2 * TEXT_SIZE + 22 if x else TEXT_SIZE + 14), title, body, width)


def _ticks_below(marks: Sequence[float], words: Sequence[str], over: Any, y: float) -> list[str]:
    """The ticks below a line plot: numbers, or else words, of which only every n-th is drawn if space is short."""
    if marks:
        return [label(over(t), y, tick_label(t, marks), "soft", "middle", size=12) for t in marks]
    slot = over(1) - over(0)
    every = max(1, round(min(90.0, max(map(text_width, words), default=0.0)) / slot + 0.49))
    return [
        label(over(n), y, word, "soft", "middle", room=slot * every - 6, size=12)
        for n, word in enumerate(words) if n % every == 0
    ]  # fmt: skip


def _band(places: Sequence[float], lows: Any, highs: Any, over: Any, up: Any, colour: int) -> list[str]:
    if lows is None or highs is None:
        return []
    ends = [(p, finite_or_none(a), finite_or_none(b)) for p, a, b in zip(places, lows, highs, strict=True)]
    known = [(p, a, b) for p, a, b in ends if a is not None and b is not None]
    if len(known) < 2:
        return [line(over(p), up(a), over(p), up(b), f"s{colour}", 1.5) for p, a, b in known]
    edge = [(p, b) for p, _, b in known] + [(p, a) for p, a, _ in reversed(known)]
    points = " ".join(f"{coord(over(p))},{coord(up(v))}" for p, v in edge)
    return [f'<polygon points="{points}" class="f{colour}" opacity="0.16"/>']


def _path(name: str, xs: Any, values: Any, places: Any, over: Any, up: Any, n: int) -> list[str]:
    """One line, which is broken where there is no value, and its points."""
    colour, dash = n % COLOUR_COUNT, ("", "6 3", "2 3", "8 3 2 3")[n % 4]
    parts, pen = [], "M"
    dots = []
    for x, place, value in zip(xs, places, map(finite_or_none, values), strict=True):
        if value is None:
            pen = "M"
            continue
        parts.append(f"{pen}{coord(over(place))} {coord(up(value))}")
        pen = "L"
        tip = f"<title>{escape_text(f'{name} {x}: {value:.4f}'.strip())}</title>"
        spot = f'cx="{coord(over(place))}" cy="{coord(up(value))}"'
        dots.append(f'<circle {spot} r="{3 if len(xs) > 40 else 3.5}" class="f{colour}">{tip}</circle>')
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return [f'<path d="{"".join(parts)}" class="s{colour}" stroke-width="2.5"{dashed}/>', *dots] if parts else []


def confusion_matrix(
    counts: Sequence[Sequence[float]] | Any,
    answers: Sequence[str],
    title: str = "",
    sides: tuple[str, str] = ("people", "judge"),
    click: bool = False,
    width: float = math.inf,
) -> str:
    """A table of agreement, rows = people, columns = judge, every count with its share of the row; outlined: agreement.

    `counts` is K x K; `sides` are the words for rows and columns. Of a long scale only the counts that have room are
    written; each square has its figures as a tip. With `click` squares are numbered "row,column". In a `width` that has
    no room for large squares they are smaller, and so are the answers above them.
    """
    k, table = len(answers), [[float(v) for v in row] for row in counts]
    left = min(200.0, max([text_width(a) for a in answers], default=0) + 34)
    size = max(18.0, min(66.0, 520 / max(1, k), (width - left - 6) / max(1, k)))
    top = title_height(title) + 2 * TEXT_SIZE + 16
    body = [
        label(left + k * size / 2, title_height(title) + TEXT_SIZE, sides[1], "soft", "middle"),
        f'<text transform="translate({TEXT_SIZE},{coord(top + k * size / 2)}) rotate(-90)" '
        f'text-anchor="middle" class="soft">{escape_text(sides[0])}</text>',
    ]
    sizes = (TEXT_SIZE, TEXT_SIZE - 2, TEXT_SIZE - 3, TEXT_SIZE - 4)  # the ends of bins are long
    small = next((s for s in sizes if all(text_width(a, s) <= size - 3 for a in answers)), TEXT_SIZE - 2)
    for n, answer in enumerate(answers):
        body.append(label(left + (n + 0.5) * size, top - 7, answer, anchor="middle", room=size - 3, size=small))
        body.append(label(left - 8, top + (n + 0.5) * size + 4, answer, anchor="end", room=left - 30))
    for i, row in enumerate(table):
        total = sum(row)
        for j, count in enumerate(row):
            x, y, share = left + j * size, top + i * size, count / total if total else 0.0
            tip = f"{sides[0]} {answers[i]}, {sides[1]} {answers[j]}: {_count(count)}, {share:.0%} of the row"
            shade = f' fill-opacity="{coord(0.06 + 0.6 * share) if count else 0}"'
            body.append(box(x + 1, y + 1, size - 2, size - 2, "f0" + (" agreed" if i == j else ""), "", shade))
            body += [box(x + 2, y + 2, size - 4, size - 4, "s5", "", ' stroke-width="1.2"')] if i == j else []
            if count and text_width(_count(count), 12) <= size - 3:
                roomy, across, down = size >= 34, x + size / 2, y + size / 2
                body.append(label(across, down + (-1 if roomy else 4), _count(count), "", "middle", size=12))
                if roomy:
                    kind = "soft" if share < 0.3 else ""
                    body.append(label(across, down + 13, f"{share:.0%}", kind, "middle", size=11))
            at = f' data-at="{i},{j}"' if click and count else ""
            body.append(box(x + 1, y + 1, size - 2, size - 2, "over", tip, at))
    return frame(top + k * size + 6, title, body, max(left + k * size + 6, min(PLOT_WIDTH, text_width(title) + 4)))


def _count(value: float) -> str:
    return f"{value:,.0f}" if abs(value - round(value)) < 1e-9 else f"{value:,.1f}"


def _fill(n: int) -> str:
    """The CSS classes of a series' bars: every second series is paler with an outline, distinct without colour."""
    return f"f{n % COLOUR_COUNT} s{n % COLOUR_COUNT} pale" if n % 2 else f"f{n % COLOUR_COUNT}"


def _legend(names: Sequence[str], y: float, width: float = PLOT_WIDTH) -> list[str]:
    """The names of series beside their colours, in one line."""
    body, x, room = [], 0.0, width / max(1, len(names)) - 30
    for n, name in enumerate(names):
        body.append(box(x, y + 2, 11, 11, _fill(n)))
        body.append(label(x + 17, y + 12, name, "soft", room=room))
        x += 17 + min(room, text_width(name)) + 20
    return body


def _axis(low: float, high: float, start: float, end: float) -> Any:
    """A function from figures to pixels."""
    span = high - low or 1.0
    return lambda value: start + (value - low) / span * (end - start)
