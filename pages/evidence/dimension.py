"""One dimension of a judge: what may be concluded, and panels that look into it. Only the chosen one computes."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from data import approvals
from data.deciding import policy
from judges.calibrate import Line
from pages.evidence import agreed as agreement
from pages.evidence import (
    anchor,
    ceiling,
    confidence,
    load,
    others,
    rates,
    samples,
    selective,
    size,
    slices,
    threshold,
)
from pages.parts import agreed, approved, clock, picked, reading, response, session

Panel = Callable[[load.Place, Line, str], None]
PANELS: dict[str, tuple[str, Panel]] = {
    "agreement": ("Agreement", agreement.panel),
    "others": ("Other metrics", others.panel),
    "missing": ("Missing scores", others.missing),
    "slices": ("Slices", slices.panel),
    "size": ("Sample size", size.panel),
    "people": ("Human agreement", ceiling.panel),
    "flag": ("Binary threshold", threshold.panel),
    "rates": ("Precision and recall", rates.panel),
    "confidence": ("Confidence", confidence.panel),
    "selective": ("Auto-accept", selective.panel),
    "samples": ("Self-consistency", samples.panel),
    "blind": ("Anchoring", anchor.panel),
}
"""Name in the address -> words and what draws it."""


@st.fragment
def detail(at: load.Place, line: Line, key: str) -> None:
    """The state and what it means, then the chosen panel."""
    key = f"{key}:{line.key}"
    agreed.state(line)
    basis = policy.basis(session.store(), at.dataset)
    response.panel(at.dataset, at.name, at.judge, line.dimension, basis, line.decision.reason, key)
    stand = approvals.stands(session.store()).get((at.dataset, at.judge, *_place(line)), approvals.Stand())
    note, case = approvals.note(session.store(), stand), f"{at.judge}.{line.key}"
    approved.decided(stand, note, clock.zone(), at.name, case, line.decision.state == "meets policy")
    with st.container(horizontal=True, vertical_alignment="center"):
        there = {name: words for name, (words, _) in PANELS.items() if _has(name, line)}
        chosen = picked.tab("panel", "Look into", there)
        reading.how("gate", "units", key=f"gate:{key}")
    PANELS[chosen][1](at, line, f"{key}:{chosen}")


def _has(panel: str, line: Line) -> bool:
    """Whether a panel says something here: without an order each answer is found or missed, numbers can be cut."""
    scale = line.dimension.scale
    numbers = scale.kind in ("ordinal", "interval")
    return {"rates": scale.weights is None, "flag": numbers, "missing": bool(line.shown.unscored)}.get(panel, True)


def _place(line: Line) -> tuple[str, str]:
    return line.dimension.sort, line.dimension.name
