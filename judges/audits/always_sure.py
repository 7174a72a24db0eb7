"""Audit of overconfidence: the judge states high confidence for nearly every score (docs/methods.md, Audits)."""

from __future__ import annotations

from collections import Counter

from judges.audits import Audit, Evidence, Finding
from judges.audits._confidence import scored, stated
from judges.audits._judged import judgments, numbers
from judges.audits._verdict import above, bars, few, percent, span
from judges.stats.clustered import share


def find(evidence: Evidence, threshold: float) -> Finding:
    """Share of "high" among the confidences that the judge stated, clustered by item."""
    said = [
        (judgment.key, word)
        for judgment in judgments(evidence)
        for unit, name, _ in scored(evidence.card, judgment)
        if (word := stated(judgment, unit, name)) is not None
    ]
    if stop := few(len({key for key, _ in said}), "items with a stated confidence"):
        return stop
    rate = share([word == "high" for _, word in said], numbers(key for key, _ in said))
    counts = Counter(word for _, word in said)
    why = (
        f"{percent(rate.point)} ({span(rate)}) of {len(said)} stated confidences are high, {counts['medium']} are "
        f"medium and {counts['low']} low."
    )
    picture = bars(
        "confidence", "share", *((w, counts[w] / len(said)) for w in ("high", "medium", "low")), mark=threshold
    )
    return Finding(above(rate.point or 0.0, rate, threshold), why, rate.point, rate, rate.items, (), picture)


AUDIT = Audit(
    "always_sure",
    "Overconfidence",
    "Share of scores for which the judge states high confidence. A judge that nearly always does gives no hint which "
    "of its scores to check.",
    "The share is above {threshold}.",
    0.85,
    find,
)
