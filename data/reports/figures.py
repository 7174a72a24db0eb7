"""The figures of a report as plain values with every digit: for JSON, and as rows of tables."""

from __future__ import annotations

import math
from dataclasses import asdict
from datetime import datetime
from typing import Any

from data.approvals.rules import Requirements
from data.calibration import means
from data.gold.gold import Basis
from data.reports.evidence import DimensionEvidence, Evidence
from data.reports.statistics import STATISTICS, kappa_figures
from judges.audits import AuditFinding
from judges.stats import both_orders, weakest_turns
from judges.stats.calibration import Summary

SEED, REPLICATES = 0, 2_000
"""Of the bootstrap over items (judges/stats/intervals.py)."""
Json = dict[str, Any]
_DECISION = ("sort", "dimension", "decision", "reason", "state", "person", "at")


def report_figures(evidence: Evidence) -> Json:
    """Everything in the report that is a figure, as it was computed: undefined ones are null, times are UTC.

    The keys stay as they are from version to version of `report`; new ones may come to them.
    """
    all_figures: Json = to_json_types(
        {
            "report": 1,
            "at": evidence.at,
            "fingerprint": evidence.fingerprint,
            "dataset": {
                "name": evidence.dataset.name, "description": evidence.dataset.description,
                "synthetic": evidence.dataset.synthetic, "items": evidence.items,
            },
            "judge": asdict(evidence.judge) | {
                "unscored": dict(evidence.judge.unscored),
                "runs": [{"at": at, "state": state} for at, state in evidence.judge.runs],
                "examples": evidence.examples,
            },
            "policy": flatten_requirements(evidence.requirements),
            "gold_rule": asdict(evidence.rule),
            "basis": evidence.basis,
            "bases": {basis: rest._asdict() for basis, rest in evidence.basis_sizes.items()},
            "method": {"seed": SEED, "replicates": REPLICATES, "libraries": evidence.libraries},
            "dimensions": [_one(dim) for dim in evidence.dimensions],
            "audits": {name: _finding(f) for name, f in (evidence.audits.findings if evidence.audits else {}).items()},
            "decisions": [
                {name: getattr(decided, name) for name in _DECISION}
                | {"print": decided.fingerprint, "holds": decided.id in evidence.in_force}
                for decided in evidence.decisions
            ],
            "means": [asdict(mean) for mean in evidence.means],
            "orders": None if evidence.position is None else both_orders.as_json(evidence.position),
            "means_overall": [means.mean_record(row) for row in evidence.overall],
            "weakest_turn": [{"dimension": d.name, **weakest_turns.as_json(t)} for d, t in evidence.turns.items()],
        }
    )  # fmt: skip
    return all_figures


def flatten_requirements(policy: Requirements) -> Json:
    """Return the requirements for an approval, as flat names and values."""
    fields = asdict(policy)
    return {**fields.pop("policy"), **fields}


def dimension_figures(summary: Summary, basis: Basis, dropped: bool) -> Json:
    """The figures of a dimension on a basis, in one row with stable column names."""
    d, na = summary.dimension, summary.na
    return {
        "unit": d.sort, "dimension": d.name, "basis": basis, "ties": "dropped" if dropped else "counted",
        "weights": d.scale.weights or "none",
        **kappa_figures(summary.interval),
        "agreement": summary.exact, "within_one": summary.within_one, "bias": summary.mean_difference,
        "bias_low": summary.bias.low, "bias_high": summary.bias.high,
        "people_fewest": summary.people.fewest, "people_most": summary.people.most, "labels": summary.people.labels,
        "correlation": summary.correlation, "commonest": summary.commonest, "ac": summary.ac,
        "gold_items": summary.gold_items, "gold_ratings": summary.gold_cells, "unscored": summary.unscored,
        "na_ratings": round(na.cells), "na_people": summary.na_human, "na_judge": summary.na_judge,
        "na_agreement": na.agreement, "na_kappa": na.kappa,
    }  # fmt: skip


def _one(evidence: DimensionEvidence) -> Json:
    line, d = evidence.line, evidence.dimension
    record: Json = {
        "unit": d.sort,
        "dimension": d.name,
        "title": d.title,
        "answers": list(evidence.line.shown.answers),
        "state": line.check.state,
        "reason": line.check.reason,
        "missing": line.check.missing,
        "more_items": line.check.more,
        "checked_bound": line.check.bound,
        "errors_asked": line.check.needed,
        "decisions_sharing_the_error": line.check.shared,
        "fingerprints": evidence.fingerprints,
        "figures": [dimension_figures(summary, basis, dropped) for (basis, dropped), summary in evidence.bases.items()],
        "counts": {
            basis: summary.counts.tolist() for (basis, dropped), summary in evidence.bases.items() if not dropped
        },
        "table": {
            basis: summary.table.tolist() for (basis, dropped), summary in evidence.bases.items() if not dropped
        },
        "waiting": None if evidence.waiting is None else {
            "ratings": evidence.waiting[0].people.waiting,
            "counted": {**kappa_figures(evidence.waiting[0].interval), "bias": evidence.waiting[0].mean_difference},
            "left_out": {**kappa_figures(evidence.waiting[1].interval), "bias": evidence.waiting[1].mean_difference},
        },
    }  # fmt: skip
    for statistic in STATISTICS.values():
        record |= statistic.to_json(evidence.statistics[statistic.name])
    return record


def _finding(finding: AuditFinding) -> Json:
    interval = finding.interval
    return {
        "verdict": finding.verdict, "why": finding.why, "figure": finding.figure, "n": finding.n,
        "low": interval.low if interval else None, "high": interval.high if interval else None,
        "flags": len(finding.flags),
    }  # fmt: skip


def to_json_types(value: Any) -> Any:
    """Values as JSON has them: no nan, times as text, keys as text."""
    if isinstance(value, dict):
        return {str(key): to_json_types(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_types(element) for element in value]
    if isinstance(value, datetime):
        return f"{value.isoformat(timespec='seconds')}Z"
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
