"""Audit of verbosity bias: completeness rises with the tokens of the output (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding
from judges.audits._length import with_length


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Spearman's correlation over outputs."""
    return with_length(evidence, threshold, "completeness", "output")


AUDIT = Audit(
    "length_completeness",
    "Verbosity bias: completeness",
    "Rank correlation (Spearman) between completeness and the length of the output in tokens.",
    "The correlation is above {threshold}.",
    0.7,
    find,
)
