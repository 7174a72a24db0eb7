"""What a judge says of its own confidence: the audits of pointwise_quality ask for it."""

from __future__ import annotations

from collections.abc import Iterator

from judges.audits._judged import ItemJudgment
from judges.card import Card
from judges.triage import ConfidenceLevel, confidence_level

Word = ConfidenceLevel
STATED = "self-reported"


def stated_confidence(judgment: ItemJudgment, unit: str, dimension: str) -> Word | None:
    """The judge's own word for a score, also where another source of confidence has taken its place; None: none."""
    score = judgment.scores[unit, dimension]
    confidence = score.confidence if score.source == STATED else None
    kept = judgment.facts.get(STATED)
    if confidence is None and isinstance(kept, dict):
        confidence = kept.get((unit, dimension))
    return confidence_level(confidence)


def asked_scores(card: Card, judgment: ItemJudgment) -> Iterator[tuple[str, str, float]]:
    """(unit, dimension, value) of every asked score that has a value."""
    for (unit, name), score in judgment.scores.items():
        dimension = card.dimension(name, unit)
        if dimension is not None and dimension.asked and score.value is not None:
            yield unit, name, score.value
