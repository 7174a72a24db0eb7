"""The panel Binary threshold: a score from a threshold on is "yes", with precision, recall and kappa of that."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.calibration import concordance
from data.gold.gold import Basis
from data.store import Store
from judges.audits import Plot
from judges.render.svg import Row
from judges.render.words import cell
from judges.stats.calibration import Line
from judges.stats.threshold import Flagged, Step, thresholds, told
from judges.stats.uncertainty import MIN_CLUSTERS, Interval
from judges.types import Dimension
from pages.ui import charts, explanations, session, text, url_state
from pages.ui.figure_cache import Place


@st.cache_data(max_entries=64, show_spinner="Trying every threshold ...")
def _curve(_store: Store, at: Place, dimension: Dimension, basis: Basis) -> list[Step]:
    return concordance.flags(_store, at.dataset, at.judge, dimension, basis)


@st.cache_data(max_entries=64, show_spinner=False)
def _one(_store: Store, at: Place, dimension: Dimension, basis: Basis, value: float) -> Flagged:
    return concordance.flagged(_store, at.dataset, at.judge, dimension, basis, value)


def panel(at: Place, line: Line, key: str) -> None:
    """A choice of threshold, its figures with intervals, and the figures over all thresholds."""
    if not line.shown.cells:
        st.caption(text.NO_RATINGS)
        return
    store, dimension = session.store(), line.dimension
    there = {f"{value:g}": value for value in thresholds(dimension.scale)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=220):
            named = {name: f"{dimension.scale.say(value)} or more" for name, value in there.items()}
            chosen = url_state.one("from", "Positive from", named, default=list(named)[len(named) // 2])
        explanations.how("threshold", key=key)
    _figures(_one(store, at.plain, dimension, at.basis, there[chosen]), dimension, f"flag:{key}")
    _chart(_curve(store, at.plain, dimension, at.basis), f"flags:{key}")


def _figures(found: Flagged, dimension: Dimension, key: str) -> None:
    """Sentences, and the rates and kappa with their intervals."""
    text.say("{sentences}", sentences=" ".join(told(found, dimension)))
    one = found.rates
    shown = [("kappa", found.kappa), ("recall", one.found), ("precision", one.right)]
    rows = [_row(name, interval) for name, interval in [*shown, ("false positive rate", one.raised)]]
    charts.intervals(rows, key, mark=None)
    if one.people.items < MIN_CLUSTERS:
        text.quiet("Fewer than {n} items: no conclusion.", n=MIN_CLUSTERS)


def _chart(steps: Sequence[Step], key: str) -> None:
    """Kappa, precision and recall over thresholds; those that are undefined are left out."""
    series = []
    for name in ("kappa", "precision", "recall"):
        known = [(step.at, getattr(step, name)) for step in steps if getattr(step, name) is not None]
        if known:
            xs, ys = zip(*known, strict=True)
            series.append((name, xs, ys))
    if series:
        charts.finding(Plot("lines", "positive from", "", tuple(series)), key)
        st.caption(
            "A threshold that is chosen because its figures are best here is overfitted to these labels: choose it by "
            "its purpose."
        )


def _row(name: str, one: Interval) -> Row:
    on = f"{cell(one.point, '.2f')} from {one.cells:,} ratings" if one.cells else "no such ratings"
    return Row(name, "", one.point, one.low, one.high, None, "other" if name == "kappa" else "beside", on)
