"""A score as a flag: its figures at one threshold, and over all."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judges.audits import Plot
from judges.render.svg import Row
from judges.render.words import cell
from judges.stats.threshold import Flagged, Step, told
from judges.stats.uncertainty import MIN_CLUSTERS, Interval
from judges.types import Dimension
from pages.ui import charts, text


def figures(found: Flagged, dimension: Dimension, key: str) -> None:
    """Sentences, and the rates and kappa with their intervals."""
    text.say("{sentences}", sentences=" ".join(told(found, dimension)))
    one = found.rates
    shown = [("kappa", found.kappa), ("recall", one.found), ("precision", one.right)]
    rows = [_row(name, interval) for name, interval in [*shown, ("false positive rate", one.raised)]]
    charts.intervals(rows, key, mark=None)
    if one.people.items < MIN_CLUSTERS:
        text.quiet("Fewer than {n} items: no conclusion.", n=MIN_CLUSTERS)


def chart(steps: Sequence[Step], key: str) -> None:
    """Kappa, precision and recall over thresholds; those that are undefined are left out."""
    series = []
    for name in ("kappa", "precision", "recall"):
        known = [(step.at, getattr(step, name)) for step in steps if getattr(step, name) is not None]
        if known:
            xs, ys = zip(*known, strict=True)
            series.append((name, xs, ys))
    if series:
        charts.audit_plot(Plot("lines", "positive from", "", tuple(series)), key)
        st.caption(
            "A threshold that is chosen because its figures are best here is overfitted to these labels: choose it by "
            "its purpose."
        )


def _row(name: str, one: Interval) -> Row:
    on = f"{cell(one.point, '.2f')} from {one.cells:,} ratings" if one.cells else "no such ratings"
    return Row(name, "", one.point, one.low, one.high, None, "other" if name == "kappa" else "beside", on)
