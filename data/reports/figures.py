"""The figures of a report as plain values with every digit: for JSON, and as rows of tables."""

from __future__ import annotations

import math
from dataclasses import asdict
from datetime import datetime
from typing import Any

from data.approvals.policy import Requirements
from data.calibration import means
from data.gold.gold import Basis
from data.reports.evidence import Evidence, One
from judges.audits import Finding
from judges.stats import missingness, other_metrics, position, rates, selective, weakest_turns
from judges.stats.calibration import Summary
from judges.stats.raters import alternative_annotator
from judges.stats.uncertainty import Interval

SEED, REPLICATES = 0, 2_000
"""Of the bootstrap over items (judges/stats/intervals.py)."""
Json = dict[str, Any]


def figures(found: Evidence) -> Json:
    """Everything in the report that is a figure, as it was computed: undefined ones are null, times are UTC.

    The keys stay as they are from version to version of `report`; new ones may come to them.
    """
    made: Json = _plain(
        {
            "report": 1,
            "at": found.at,
            "fingerprint": found.print,
            "dataset": {
                "name": found.dataset.name, "description": found.dataset.description,
                "synthetic": found.dataset.synthetic, "items": found.items,
            },
            "judge": asdict(found.judge) | {
                "unscored": dict(found.judge.unscored),
                "runs": [{"at": at, "state": state} for at, state in found.judge.runs],
                "examples": found.examples,
            },
            "policy": asked(found.asked),
            "gold_rule": asdict(found.rule),
            "basis": found.basis,
            "bases": {basis: rest._asdict() for basis, rest in found.rests.items()},
            "method": {"seed": SEED, "replicates": REPLICATES, "libraries": found.libraries},
            "dimensions": [_one(one) for one in found.dimensions],
            "audits": {name: _finding(f) for name, f in (found.audits.findings if found.audits else {}).items()},
            "decisions": [asdict(decided) for decided in found.decisions],
            "means": [asdict(mean) for mean in found.means],
            "orders": None if found.position is None else position.plain(found.position),
            "means_overall": [means.mean_record(row) for row in found.overall],
            "weakest_turn": [{"dimension": d.name, **weakest_turns.plain(one)} for d, one in found.turns.items()],
        }
    )  # fmt: skip
    return made


def asked(policy: Requirements) -> Json:
    """What an approval has to meet, as flat names and values."""
    made = asdict(policy)
    return {**made.pop("policy"), **made}


def kappa(interval: Interval) -> Json:
    """A figure with its interval."""
    return {
        "kappa": interval.point, "low": interval.low, "high": interval.high, "bound": interval.lower_bound,
        "se": interval.se, "items": interval.items, "ratings": interval.cells, "n_eff": interval.n_eff,
        "method": interval.method, "undefined_replicates": interval.undefined,
    }  # fmt: skip


def row(summary: Summary, basis: Basis, dropped: bool) -> Json:
    """The figures of a dimension on a basis, in one row with stable column names."""
    d, na = summary.dimension, summary.na
    return {
        "unit": d.sort, "dimension": d.name, "basis": basis, "ties": "dropped" if dropped else "counted",
        "weights": d.scale.weights or "none",
        **kappa(summary.interval),
        "agreement": summary.exact, "within_one": summary.within_one, "bias": summary.mean_difference,
        "bias_low": summary.bias.low, "bias_high": summary.bias.high,
        "people_fewest": summary.people.fewest, "people_most": summary.people.most, "labels": summary.people.labels,
        "correlation": summary.correlation, "commonest": summary.commonest, "ac": summary.ac,
        "gold_items": summary.gold_items, "gold_ratings": summary.gold_cells, "unscored": summary.unscored,
        "na_ratings": round(na.cells), "na_people": summary.na_human, "na_judge": summary.na_judge,
        "na_agreement": na.agreement, "na_kappa": na.kappa,
    }  # fmt: skip


def _one(one: One) -> Json:
    line, d = one.line, one.dimension
    floors, rule = one.floors, one.floors.length
    return {
        "unit": d.sort,
        "dimension": d.name,
        "title": d.title,
        "answers": list(one.line.shown.answers),
        "state": line.decision.state,
        "reason": line.decision.reason,
        "missing": line.decision.missing,
        "more_items": line.decision.more,
        "checked_bound": line.decision.bound,
        "errors_asked": line.decision.needed,
        "decisions_sharing_the_error": line.decision.shared,
        "fingerprints": one.prints,
        "figures": [row(summary, basis, dropped) for (basis, dropped), summary in one.bases.items()],
        "counts": {
            basis: summary.counts.tolist() for (basis, dropped), summary in one.bases.items() if not dropped
        },
        "table": {
            basis: summary.table.tolist() for (basis, dropped), summary in one.bases.items() if not dropped
        },
        "baselines": {
            "standing": floors.standing, "items": floors.items, "constant": floors.constant,
            "constant_agreement": floors.share,
            "length": None if rule is None else {
                **kappa(rule.rule), "agreement": rule.exact, "judge": kappa(rule.judge), "ahead": kappa(rule.ahead),
            },
        },
        "assisted_minus_blind": None if one.anchoring is None else kappa(one.anchoring),
        "people": _people(one),
        "waiting": None if one.waiting is None else {
            "ratings": one.waiting[0].people.waiting,
            "counted": {**kappa(one.waiting[0].interval), "bias": one.waiting[0].mean_difference},
            "left_out": {**kappa(one.waiting[1].interval), "bias": one.waiting[1].mean_difference},
        },
        "slices": [
            {
                "by": cut.by, "p": cut.apart.p if cut.apart else None,
                "p_holm": cut.apart.adjusted if cut.apart else None,
                "slices": [{"slice": s.name, **kappa(s.interval), "bias": s.lenient} for s in cut.slices],
            }
            for cut in one.depth.slices
        ],
        "by_items": [kappa(step) for step in one.depth.curve],
        "confidence": [
            {
                "source": source, "error": held.error, "error_by_chance": held.chance,
                "ranks": held.ranks.point if held.ranks else None, "items": held.items, "ratings": held.cells,
                "levels": [
                    {"low": n.low, "high": n.high, "stated": n.stated, "share": n.share, "ratings": n.cells,
                     "right": n.right.point, "right_low": n.right.low, "right_high": n.right.high,
                     "near": n.near.point}
                    for n in held.levels
                ],
            }
            for source, held in one.depth.sure.items()
        ],
        "rates": [
            rates.plain(a) | {"ppi": kappa(m.interval) if (m := one.depth.means.get(a.rates.place)) else None}
            for a in one.depth.rates
        ],
        "others": None if one.depth.others is None else other_metrics.plain(one.depth.others),
        "missing_counted": None if one.depth.missing is None else missingness.plain(one.depth.missing),
        "selective": None if (held := one.depth.selective) is None else {
            **asdict(held.wanted), **selective.plain(held.result), "scored_items": len(held.sure.item),
            "spared_items": held.spared,
        },
    }  # fmt: skip


def _people(one: One) -> Json | None:
    """How far people agree with each other, and the alternative-annotator test; people without their names."""
    held, test = one.depth.ceiling, one.depth.test
    if held is None:
        return None
    return {
        "people": held.people, "ratings": held.cells, "items": held.items, "between": kappa(held.between),
        "alpha": kappa(held.alpha), "judge": kappa(held.judge) if held.judge else None,
        "judge_minus_between": kappa(held.ahead) if held.ahead else None,
        "alternative": None if test is None else alternative_annotator.plain(test),
    }  # fmt: skip


def _finding(found: Finding) -> Json:
    interval = found.interval
    return {
        "verdict": found.verdict, "why": found.why, "figure": found.figure, "n": found.n,
        "low": interval.low if interval else None, "high": interval.high if interval else None,
        "flags": len(found.flags),
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """Values as JSON has them: no nan, times as text, keys as text."""
    if isinstance(value, dict):
        return {str(key): _plain(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(held) for held in value]
    if isinstance(value, datetime):
        return f"{value.isoformat(timespec='seconds')}Z"
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
