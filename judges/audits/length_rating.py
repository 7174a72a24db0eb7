"""Audit of verbosity bias: the rating rises with the tokens of the answer (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding
from judges.audits._length import with_length


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Spearman's correlation over rated turns, clustered by dialogue."""
    return with_length(evidence, threshold, "rating", "turn")


AUDIT = Audit(
    "length_rating",
    "Verbosity bias: rating",
    "Rank correlation (Spearman) between the rating of a turn and its length in tokens, with an interval that "
    "resamples whole dialogues.",
    "The correlation is above {threshold}.",
    0.6,
    find,
)
