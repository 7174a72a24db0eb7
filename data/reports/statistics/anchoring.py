"""Anchoring: whether people agree more with the judge where they see its scores."""

from __future__ import annotations

from data.approvals import policy
from data.calibration import anchoring
from data.calibration.anchoring import Anchor
from data.reports.statistics.statistic import Json, Of, Statistic
from judges.render.findings import anchoring as said
from judges.render.findings.findings import Finding
from judges.render.json_figures import kappa
from judges.stats.approval_check import Policy
from judges.stats.calibration import DimensionResult


def _load(of: Of) -> Anchor | None:
    return anchoring.anchor(*of.place, policy.approval_basis(of.store, of.dataset))


def _findings(found: Anchor | None, line: DimensionResult, _: Policy) -> list[Finding]:
    if found is None:
        return []
    return said.findings(*found, f"{line.dimension.title}: blind beside assisted labels")


def _plain(found: Anchor | None) -> Json:
    there = found is not None and found.blind.cells and found.assisted.cells
    return {"assisted_minus_blind": kappa(found.difference) if found is not None and there else None}


ANCHORING = Statistic[Anchor | None](
    "blind", "Anchoring", _load, _findings, None, _plain, drops=False, reading=("anchoring",)
)
