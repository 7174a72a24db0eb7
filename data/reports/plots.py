"""The plots of a judge's report, as SVG texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from data.reports.evidence import Evidence, One
from judges.render import svg
from judges.render.drawing import WIDTH
from judges.stats import agreement
from judges.stats.calibration import Line
from judges.stats.check_states import STATES
from judges.stats.selective import Selective, Step
from judges.stats.uncertainty import Interval
from judges.types import Dimension

MARKS: dict[str, str] = {state: one.mark for state, one in STATES.items()}
"""The marks of the states in text."""
REACH = ", which must be at the dashed line too (valid at any number of looks, for all decisions on these labels)"
"""What the policy requires of a lower bound, after its name."""


Tops = Mapping[Dimension, Interval | None]
"""How far people agree with each other, by dimension."""


def standing(lines: Iterable[Line], tops: Tops) -> list[svg.Row]:
    """Every dimension with its interval, its bound, its state and how far people agree with each other."""
    rows = []
    for line in lines:
        interval, state = line.shown.interval, line.decision.state
        figures = interval.point, interval.low, interval.high, line.bound
        top = tops.get(line.dimension)
        ceiling = None
        if top is not None and top.point is not None and not top.verdictless:
            ceiling = top.point, top.low, top.high
        rows.append(svg.Row(line.dimension.title, line.dimension.sort, *figures, state, _said(line), ceiling))
    return rows


def overview(found: Evidence) -> str:
    """All dimensions against what the policy asks."""
    asked = found.asked.policy.threshold
    title = "Agreement with people, corrected for chance (kappa)"
    tops = {one.dimension: top.between if (top := one.depth.ceiling) else None for one in found.dimensions}
    rows = standing((one.line for one in found.dimensions), tops)
    return svg.intervals(rows, asked, f"required: {asked:.2f}", title=title)


def _said(line: Line) -> str:
    """The state in a few words, with the items that are missing where their number is known."""
    state, more = line.decision.state, line.decision.more_told
    return f"{MARKS[state]} {state}" + (f" · {more}" if more else "")


def table(one: One) -> str:
    """The table of agreement of a dimension."""
    shown = one.line.shown
    return svg.confusion(shown.counts, shown.answers, f"{one.dimension.title}: people and judge, ratings")


def margins(one: One) -> str:
    """How often people and judge give each answer; "" where there are no cells."""
    shares = agreement.marginals(one.line.shown.table)
    if shares is None:
        return ""
    series = [("people", [float(v) for v in shares[0]]), ("judge", [float(v) for v in shares[1]])]
    return svg.bars(one.line.shown.answers, series, f"{one.dimension.title}: how often each answer is given")


def anchored(one: One) -> str:
    """Blind beside assisted labels, and the difference; "" where there is no difference to show."""
    blind, assisted = one.line.gate, one.bases.get(("assisted", False))
    if one.anchoring is None or one.anchoring.point is None or assisted is None:
        return ""
    shown = [("blind", blind.interval), ("assisted", assisted.interval), ("assisted − blind", one.anchoring)]
    rows = [_row(name, interval) for name, interval in shown]
    return svg.intervals(rows, 0.0, "", (-0.1, 1.0), f"{one.dimension.title}: blind beside assisted labels")


def grown(found: Evidence, one: One) -> str:
    """Kappa on the first n items, with its band; "" where there are fewer than two sizes."""
    steps = one.depth.curve
    if len(steps) < 2:
        return ""
    xs = [float(s.items) for s in steps]
    series = ("kappa", xs, [s.point for s in steps], [s.low for s in steps], [s.high for s in steps])
    title = f"{one.dimension.title}: kappa as gold grew"
    return svg.lines([series], "items with gold", "", found.asked.policy.threshold, title)


def spared(found: Selective, name: str = "", width: float = WIDTH) -> str:
    """Agreement on what is accepted automatically against its share of items; "" where no threshold was tested."""
    if not found.steps:
        return ""

    def series(told: str, steps: Sequence[Step], band: bool) -> svg.Series:
        ends = [None if (b := s.agreement.lower_bound) is None else 100 * b for s in steps]
        shares, points = [round(100 * s.share, 1) for s in steps], [100 * (s.agreement.point or 0.0) for s in steps]
        return told, shares, points, ends if band else None, points if band else None

    drawn = [series("agreement, down to its lower bound", found.steps, True)]
    drawn += [series("threshold", [found.chosen], False)] if found.chosen else []
    title = f"{name}: agreement on what is accepted automatically" if name else ""
    axes = "coverage (items accepted automatically), %", "% agreement there"
    return svg.lines(drawn, *axes, 100 * found.target, title, width)


def _row(name: str, interval: Interval) -> svg.Row:
    point = interval.point
    told = f"{'undefined' if point is None else f'{point:.2f}'} on {interval.items:,} items"
    state = "meets policy" if name == "blind" else "inconclusive"
    return svg.Row(name, "", point, interval.low, interval.high, None, state, told)


def every(found: Evidence) -> dict[str, str]:
    """All plots by file name."""
    made = {"dimensions": overview(found)}
    for one in found.dimensions:
        key = one.line.key
        if one.line.shown.cells:
            made |= {
                f"{key}.table": table(one),
                f"{key}.answers": margins(one),
                f"{key}.blind-assisted": anchored(one),
                f"{key}.growth": grown(found, one),
            }
    return {f"{name}.svg": text for name, text in made.items() if text}
