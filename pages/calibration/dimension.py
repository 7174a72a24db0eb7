"""One dimension of a judge: what may be concluded, and panels that look into it. Only the chosen one computes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

import streamlit as st

from data.approvals import approvals, policy
from data.approvals.approvals import Note, Stand
from data.records.names import shown
from judges.render.findings import agreement as said
from judges.stats.calibration import Line
from pages.calibration import (
    agreement,
    anchoring,
    auto_accept,
    confidence,
    human_ceiling,
    other_metrics,
    rates,
    sample_size,
    self_consistency,
    slices,
    threshold,
)
from pages.ui import clock, explanations, figure_cache, findings, gold, links, session, text, url_state

Panel = Callable[[figure_cache.Place, Line, str], None]
PANELS: dict[str, tuple[str, Panel]] = {
    "agreement": ("Agreement", agreement.panel),
    "others": ("Other metrics", other_metrics.panel),
    "missing": ("Missing scores", other_metrics.missing),
    "slices": ("Slices", slices.panel),
    "size": ("Sample size", sample_size.panel),
    "people": ("Human agreement", human_ceiling.panel),
    "flag": ("Binary threshold", threshold.panel),
    "rates": ("Precision and recall", rates.panel),
    "confidence": ("Confidence", confidence.panel),
    "selective": ("Auto-accept", auto_accept.panel),
    "samples": ("Self-consistency", self_consistency.panel),
    "blind": ("Anchoring", anchoring.panel),
}
"""Name in the address -> words and what draws it."""


@st.fragment
def detail(at: figure_cache.Place, line: Line, key: str) -> None:
    """The state and what it means, then the chosen panel."""
    key = f"{key}:{line.key}"
    conclusion, why = said.state(line)
    findings.sentence(conclusion, line.decision.state)
    findings.draw([why], key)
    basis = policy.basis(session.store(), at.dataset)
    gold.unanswered(at.dataset, at.name, at.judge, line.dimension, basis, line.decision.reason, key)
    stand = approvals.stands(session.store()).get((at.dataset, at.judge, *_place(line)), approvals.Stand())
    note, case = approvals.note(session.store(), stand), f"{at.judge}.{line.key}"
    _decided(stand, note, clock.zone(), at.name, case, line.decision.state == "meets policy")
    with st.container(horizontal=True, vertical_alignment="center"):
        there = {name: words for name, (words, _) in PANELS.items() if _has(name, line)}
        chosen = url_state.tab("panel", "Look into", there)
        explanations.how("gate", "units", key=f"gate:{key}")
    PANELS[chosen][1](at, line, f"{key}:{chosen}")


def _has(panel: str, line: Line) -> bool:
    """Whether a panel says something here: without an order each answer is found or missed, numbers can be cut."""
    scale = line.dimension.scale
    numbers = scale.kind in ("ordinal", "interval")
    return {"rates": scale.weights is None, "flag": numbers, "missing": bool(line.shown.unscored)}.get(panel, True)


def _place(line: Line) -> tuple[str, str]:
    return line.dimension.sort, line.dimension.name


def _decided(stand: Stand, note: Note, zone: tzinfo, dataset: str, case: str, eligible: bool) -> None:
    """What was decided on a dimension so far, in a line, and the way to where it is decided."""
    one = stand.proposed or stand.holds
    doubt = note.look.why if note.look is not None and note.doubted else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        if one is not None:
            text.quiet(
                "**{who}** {done} it, {at}: {reason}", who=shown(one.person), done=one.done,
                at=clock.at(one.at, zone), reason=text.short(one.reason, 110),
            )  # fmt: skip
        elif eligible:
            st.caption("It meets the policy, and is not decided: a lead may approve it.")
        label = "Its approval" if one else "Decide" if eligible else "Approvals"
        links.to("approvals", label, icon=":material/verified:", dataset=dataset, case=case)
        if one is not None and one.decision == "approve":
            links.to("dashboard", "On the dashboard", icon=":material/dashboard:", dataset=dataset, judge=one.judge)
    for icon, told in (("history", note.older), ("visibility", doubt)):
        if told:
            text.quiet(":orange[:material/{icon}:] {told}", icon=icon, told=told)


