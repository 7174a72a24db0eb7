"""Audit of the verdict: it does not follow from the scores by the card's rule (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, Evidence, Finding, Flag
from judges.audits._judged import judgments, numbers
from judges.audits._verdict import bars, listed, percent, sentence, span, unknown
from judges.stats.clustered import share


def find(evidence: Evidence, threshold: float) -> Finding:
    """Every judgment whose verdict breaks the card's rule, and their share, clustered by item."""
    found = [j for j in judgments(evidence) if any(d == "verdict" for _, d in j.scores)]
    if not found:
        return unknown("No judgment with a verdict is there yet: 1 is needed to list any.")
    broken = [[r for r in j.remarks if r.sort == "rule" and r.dimension == "verdict"] for j in found]
    flags = [
        Flag(j.key, sentence(remark.text), remark.unit, "verdict", 0.8)
        for j, remarks in zip(found, broken, strict=True)
        for remark in remarks
    ]
    rate = share([bool(remarks) for remarks in broken], numbers(j.key for j in found))
    hits = sum(bool(remarks) for remarks in broken)
    why = f"{hits} of {len(found)} verdicts are inconsistent with their scores, {percent(rate.point)} ({span(rate)})."
    picture = bars("", "judgments", ("consistent", len(found) - hits), ("inconsistent", hits))
    return Finding(listed(hits, rate, threshold), why, rate.point, rate, rate.items, tuple(flags), picture)


AUDIT = Audit(
    "verdict_contradicts",
    "Verdict inconsistent with scores",
    "Share of judgments whose verdict does not follow from their scores by the rule of the card. Each one is listed.",
    # No table of verdicts is better than the share of them that follows from the scores: one in twenty is the most.
    "The share is above {threshold}. A single case is a warning.",
    0.05,
    find,
)
