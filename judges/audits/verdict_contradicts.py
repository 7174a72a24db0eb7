"""Audit of the verdict: it does not follow from the scores by the card's rule (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag
from judges.audits._judged import group_judgments, item_numbers
from judges.audits._verdict import as_sentence, bar_picture, case_verdict, not_tested, percent, span
from judges.stats.clustered import share_by_item


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Every judgment whose verdict breaks the card's rule, and their share, clustered by item."""
    found = [j for j in group_judgments(evidence) if any(d == "verdict" for _, d in j.scores)]
    if not found:
        return not_tested("No judgment with a verdict is there yet: 1 is needed to list any.")
    broken = [[r for r in j.remarks if r.sort == "rule" and r.dimension == "verdict"] for j in found]
    flags = [
        Flag(j.key, as_sentence(remark.text), remark.unit, "verdict", 0.8)
        for j, remarks in zip(found, broken, strict=True)
        for remark in remarks
    ]
    rate = share_by_item([bool(remarks) for remarks in broken], item_numbers(j.key for j in found))
    hits = sum(bool(remarks) for remarks in broken)
    why = f"{hits} of {len(found)} verdicts are inconsistent with their scores, {percent(rate.point)} ({span(rate)})."
    picture = bar_picture("", "judgments", ("consistent", len(found) - hits), ("inconsistent", hits))
    return AuditFinding(case_verdict(hits, rate, threshold), why, rate.point, rate, rate.items, tuple(flags), picture)


AUDIT = Audit(
    "verdict_contradicts",
    "Verdict inconsistent with scores",
    "Share of judgments whose verdict does not follow from their scores by the rule of the card. Each one is listed.",
    # No table of verdicts is better than the share of them that follows from the scores: one in twenty is the most.
    "The share is above {threshold}. A single case is a warning.",
    0.05,
    find,
)
