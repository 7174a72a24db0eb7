"""Audit of overconfidence: the judge states high confidence for nearly every score (docs/methods.md, Audits)."""

from __future__ import annotations

from collections import Counter

from judges.audits import Audit, AuditEvidence, AuditFinding
from judges.audits._confidence import asked_scores, stated_confidence
from judges.audits._judged import group_judgments, item_numbers
from judges.audits._verdict import bar_picture, limit_verdict, percent, span, too_few
from judges.stats.clustered import share_by_item


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of "high" among the confidences that the judge stated, clustered by item."""
    said = [
        (judgment.key, word)
        for judgment in group_judgments(evidence)
        for unit, name, _ in asked_scores(evidence.card, judgment)
        if (word := stated_confidence(judgment, unit, name)) is not None
    ]
    if stop := too_few(len({key for key, _ in said}), "items with a stated confidence"):
        return stop
    rate = share_by_item([word == "high" for _, word in said], item_numbers(key for key, _ in said))
    counts = Counter(word for _, word in said)
    why = (
        f"{percent(rate.point)} ({span(rate)}) of {len(said)} stated confidences are high, {counts['medium']} are "
        f"medium and {counts['low']} low."
    )
    picture = bar_picture(
        "confidence", "share", *((w, counts[w] / len(said)) for w in ("high", "medium", "low")), mark=threshold
    )
    return AuditFinding(
        limit_verdict(rate.point or 0.0, rate, threshold), why, rate.point, rate, rate.items, (), picture
    )


AUDIT = Audit(
    "always_sure",
    "Overconfidence",
    "Share of scores for which the judge states high confidence. A judge that nearly always does gives no hint which "
    "of its scores to check.",
    "The share is above {threshold}.",
    0.85,
    find,
)
