"""Audit of verbosity bias: helpfulness rises with the tokens of the turn (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding
from judges.audits._length import with_length


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Spearman's correlation over assistant turns, clustered by dialogue."""
    return with_length(evidence, threshold, "helpfulness", "turn")


AUDIT = Audit(
    "length_helpfulness",
    "Verbosity bias: helpfulness",
    "Rank correlation (Spearman) between the helpfulness of an assistant turn and its length in tokens, with an "
    "interval that resamples whole dialogues.",
    "The correlation is above {threshold}.",
    0.6,
    find,
)
