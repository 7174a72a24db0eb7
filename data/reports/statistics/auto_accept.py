"""Auto-accept: which scores can be accepted unseen, as the rule in force asks, or else with the usual target."""

from __future__ import annotations

from dataclasses import asdict

from data.approvals import auto_accept
from data.approvals.auto_accept import AutoAcceptTarget, AutoAcceptThreshold
from data.calibration import selective
from data.reports.statistics.statistic import Json, Of, Statistic
from judges.render.findings import auto_accept as said
from judges.render.findings.findings import Finding
from judges.stats import selective as figures
from judges.stats.approval_check import Policy
from judges.stats.calibration import DimensionResult


def _load(of: Of) -> AutoAcceptThreshold | None:
    rule = auto_accept.rule_in_force(*of.place)
    source = next(iter(selective.confidence_sources(*of.place)), "")
    if rule is None and not source:
        return None
    return auto_accept.find_threshold(*of.place, of.basis, AutoAcceptTarget(source) if rule is None else rule.wanted)


def _findings(found: AutoAcceptThreshold | None, line: DimensionResult, _: Policy) -> list[Finding]:
    if found is None:
        return []
    near = found.wanted.near and bool(line.dimension.scale.weights)
    plot = said.plot(found.result, f"{line.dimension.title}: agreement on what is accepted automatically")
    sentences = said.sentences(found.result, near, len(found.sure.item), found.spared)
    return [*sentences, plot, said.table(found.result)] if plot is not None else [*sentences]


def _plain(found: AutoAcceptThreshold | None) -> Json:
    if found is None:
        return {"selective": None}
    counts = {"scored_items": len(found.sure.item), "spared_items": found.spared}
    return {"selective": {**asdict(found.wanted), **figures.as_json(found.result), **counts}}


AUTO_ACCEPT = Statistic[AutoAcceptThreshold | None](
    "selective", "Auto-accept", _load, _findings, None, _plain, drops=False, reading=("selective", "sequence")
)
