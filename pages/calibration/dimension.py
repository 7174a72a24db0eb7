"""One dimension of a judge: what may be concluded, and panels that look into it. Only the chosen one computes."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from data.approvals import approvals, policy
from judges.stats.calibration import Line
from pages.calibration import (
    anchoring,
    panel_auto_accept,
    panel_ceiling,
    panel_confidence,
    panel_other_metrics,
    panel_rates,
    panel_sample_size,
    panel_self_consistency,
    panel_slices,
    panel_threshold,
)
from pages.calibration import panel_agreement as agreement
from pages.ui import agreement as ui_agreement
from pages.ui import approval_rows, explanations, figure_cache, nonresponse, session, text, url_state

Panel = Callable[[figure_cache.Place, Line, str], None]
PANELS: dict[str, tuple[str, Panel]] = {
    "agreement": ("Agreement", agreement.panel),
    "others": ("Other metrics", panel_other_metrics.panel),
    "missing": ("Missing scores", panel_other_metrics.missing),
    "slices": ("Slices", panel_slices.panel),
    "size": ("Sample size", panel_sample_size.panel),
    "people": ("Human agreement", panel_ceiling.panel),
    "flag": ("Binary threshold", panel_threshold.panel),
    "rates": ("Precision and recall", panel_rates.panel),
    "confidence": ("Confidence", panel_confidence.panel),
    "selective": ("Auto-accept", panel_auto_accept.panel),
    "samples": ("Self-consistency", panel_self_consistency.panel),
    "blind": ("Anchoring", anchoring.panel),
}
"""Name in the address -> words and what draws it."""


@st.fragment
def detail(at: figure_cache.Place, line: Line, key: str) -> None:
    """The state and what it means, then the chosen panel."""
    key = f"{key}:{line.key}"
    ui_agreement.state(line)
    basis = policy.basis(session.store(), at.dataset)
    nonresponse.panel(at.dataset, at.name, at.judge, line.dimension, basis, line.decision.reason, key)
    stand = approvals.stands(session.store()).get((at.dataset, at.judge, *_place(line)), approvals.Stand())
    note, case = approvals.note(session.store(), stand), f"{at.judge}.{line.key}"
    approval_rows.decided(stand, note, text.time_zone(), at.name, case, line.decision.state == "meets policy")
    with st.container(horizontal=True, vertical_alignment="center"):
        there = {name: words for name, (words, _) in PANELS.items() if _has(name, line)}
        chosen = url_state.tabs("panel", "Look into", there)
        explanations.how("gate", "units", key=f"gate:{key}")
    PANELS[chosen][1](at, line, f"{key}:{chosen}")


def _has(panel: str, line: Line) -> bool:
    """Whether a panel says something here: without an order each answer is found or missed, numbers can be cut."""
    scale = line.dimension.scale
    numbers = scale.kind in ("ordinal", "interval")
    return {"rates": scale.weights is None, "flag": numbers, "missing": bool(line.shown.unscored)}.get(panel, True)


def _place(line: Line) -> tuple[str, str]:
    return line.dimension.sort, line.dimension.name
