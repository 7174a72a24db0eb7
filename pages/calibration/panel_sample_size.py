"""The panel Sample size: kappa by the number of items with gold, and how many more are needed."""

from __future__ import annotations

import streamlit as st

from data.approvals import policy
from data.calibration import slices
from data.gold.gold import Basis
from data.store import Store
from judges.stats.calibration import Line
from judges.stats.learning_curve import ahead, curve
from judges.stats.planner import more_for_width, more_range
from judges.stats.uncertainty import Interval
from judges.types import Dimension
from pages.calibration import sample_size
from pages.ui import explanations, session
from pages.ui.figure_cache import Place


@st.cache_data(max_entries=64, show_spinner="Computing kappa by sample size ...")
def _curve(_store: Store, at: Place, dimension: Dimension, basis: Basis, drop: str) -> list[Interval]:
    return curve(*slices.in_order(_store, at.dataset, at.judge, dimension, basis, drop), dimension.scale.weights)


def panel(at: Place, line: Line, key: str) -> None:
    """The planner's sentences, then the curve with the forecast."""
    store, now = session.store(), line.shown.interval
    asked = policy.asked(store).policy
    steps = _curve(store, at.plain, line.dimension, at.basis, line.dimension.scale.drawn if at.dropped else "")
    if not steps or now.point is None:
        sample_size.nothing(now)
        return
    left, right = st.columns([1, 4], vertical_alignment="center", gap="medium")
    with left:
        half = sample_size.asked_width(key)
    needed = line.decision.needed if line.gated else None
    needed = needed or asked.schedule.boundary(1 - asked.level, now.items)
    width, bound = more_for_width(now, half), more_range(now, asked.threshold, needed)
    with right:
        sample_size.planned(now, half, width, bound, asked, line)
    explanations.beside("Kappa by sample size", "curve", "planner", key=key)
    further = max(width[1] if width else 0, bound[1] if bound else 0)
    sample_size.chart(steps, ahead(now, now.items + min(further, 4 * now.items)), asked, f"curve:{key}")
