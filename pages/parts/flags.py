"""A score as a flag: its figures at one threshold, and over all."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.report.svg import Row
from data.report.words import cell
from judges.audits import Plot
from judges.figures.threshold import Flagged, Step, told
from judges.types import Dimension
from judges.uncertainty import MIN_CLUSTERS, Interval
from pages.parts import charts, text


def figures(found: Flagged, dimension: Dimension, key: str) -> None:
    """Sentences, and the rates and kappa with their intervals."""
    text.say("{told}", told=" ".join(told(found, dimension)))
    one = found.rates
    shown = [("kappa", found.kappa), ("recall (found)", one.found), ("precision (right)", one.right)]
    rows = [_row(name, interval) for name, interval in [*shown, ("raised falsely", one.raised)]]
    charts.intervals(rows, key, mark=None)
    if one.people.items < MIN_CLUSTERS:
        text.quiet("Fewer than {n} items: nothing may be concluded.", n=MIN_CLUSTERS)


def chart(steps: Sequence[Step], key: str) -> None:
    """Kappa, precision and recall over thresholds; those that are undefined are left out."""
    series = []
    for name in ("kappa", "precision", "recall"):
        known = [(step.at, getattr(step, name)) for step in steps if getattr(step, name) is not None]
        if known:
            xs, ys = zip(*known, strict=True)
            series.append((name, xs, ys))
    if series:
        charts.finding(Plot("lines", "yes from", "", tuple(series)), key)
        st.caption(
            "All on one side of the line count alike, however far from it. A threshold chosen because it looks best "
            "here looks better than it is: choose it by what it is for."
        )


def _row(name: str, one: Interval) -> Row:
    on = f"{cell(one.point, '.2f')} on {one.cells:,} cells" if one.cells else "no such cell"
    return Row(name, "", one.point, one.low, one.high, None, "other" if name == "kappa" else "beside", on)
