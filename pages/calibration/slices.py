"""Slices of a dimension: what the test says of every way of slicing, the chart of one, and the items of a slice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from data.calibration.slices import Member
from judges.plural import many
from judges.render.svg import Row
from judges.stats import bins
from judges.stats.calibration import Summary
from judges.stats.slices import Slice, Sliced
from judges.stats.uncertainty import Interval
from pages.ui import charts, tables, text
from pages.ui.agreement_tables import number, small, span

_ALPHA = 0.05


def nothing(cells: int) -> None:
    """There is nothing to slice by."""
    text.quiet(
        "Nothing to slice by: {cells} with reference labels (gold) and a score, all of the same system, language, "
        "length, position and metadata. Label other items, or import items with a language or topic in their meta.",
        cells=many(cells, "rating"),
    )  # fmt: skip


def told(found: Sequence[Sliced]) -> None:
    """What the tests say, in one or two sentences."""
    apart = [one for one in found if one.apart is not None and one.apart.adjusted <= _ALPHA]
    tested = [one for one in found if one.apart is not None]
    for one in apart:
        worst, best = _ends(one)
        text.warn(
            "Agreement differs by **{by}**: kappa {low} on {worst}, {high} on {best} (p {p}, adjusted for {ways}).",
            by=one.by, low=number(worst.interval.point, ".2f"), worst=worst.name,
            high=number(best.interval.point, ".2f"), best=best.name, p=small(one.apart.adjusted if one.apart else 1.0),
            ways=many(len(tested), "way") + " of slicing",
        )  # fmt: skip
    rest = [one.by for one in tested if one not in apart]
    if rest:
        text.say(
            "No significant difference by {rest}. That does not prove equal agreement: see how wide the intervals are.",
            rest=" and ".join([", ".join(rest[:-1]), rest[-1]] if rest[1:] else rest),
        )  # fmt: skip
    few = [one.by for one in found if one.apart is None]
    if few:
        text.quiet("Not tested by {few}: fewer than two slices have 30 items.", few=", ".join(few))


def _ends(one: Sliced) -> tuple[Slice, Slice]:
    """The slices with the lowest and the highest kappa, of those that say something."""
    solid = [s for s in one.slices if s.interval.point is not None and not s.interval.verdictless]
    ordered = sorted(solid, key=lambda s: s.interval.point or 0.0)
    return ordered[0], ordered[-1]


def chart(one: Sliced, whole: Interval, key: str) -> str:
    """The slices with their intervals, best first, under the whole; the name of the one that was clicked, or ""."""
    ranked = sorted(one.slices, key=lambda s: (s.interval.point is None, -(s.interval.point or 0.0)))
    spans = [Row("all", "", whole.point, whole.low, whole.high, None, "beside", _remark(whole, None))]
    for slice_ in ranked:
        i = slice_.interval
        state = "below minimum sample" if i.verdictless or i.point is None else "meets policy"
        spans.append(Row(slice_.name, "", i.point, i.low, i.high, None, state, _remark(i, slice_.lenient)))
    row = charts.intervals(spans, key, whole.point, "all", reach=(0.0, 1.0), click=True)
    st.caption(
        "Mark: kappa of the slice, with its 95% interval by items. □ fewer than 30 items: no conclusion. Dashed: all "
        "items. Click a row, or use the arrow keys and Enter, to list its items, largest disagreement first."
    )
    return ranked[row - 1].name if row else ""


def _remark(interval: Interval, lenient: float | None) -> str:
    point = "undefined" if interval.point is None else f"{interval.point:.2f}"
    few = " · too few" if interval.verdictless else ""
    bias = "" if lenient is None else f" · bias {lenient:+.2f}"
    return f"{point} ({span(interval)}) · {many(interval.items, 'item')}{bias}{few}"


def listed(found: Sequence[Member], name: str, summary: Summary, key: str, go: Callable[[str], None]) -> None:
    """The ratings of a slice; `go` gets the item that is clicked."""
    scale = summary.dimension.scale
    text.say("Ratings of **{name}**, largest disagreement first. Click one to open it on the desk.", name=name)
    frame = pd.DataFrame(
        {
            "item": [m.name for m in found],
            "unit": [m.unit for m in found],
            "people": [scale.say(value) for value in bins.valued([m.human for m in found], scale)],
            "judge": [scale.say(value) for value in bins.valued([m.judge for m in found], scale)],
        }
    )
    one = tables.clicked_row(frame, found, key, height="content" if len(found) <= 8 else 320)
    if one is not None:
        go(one.item)
