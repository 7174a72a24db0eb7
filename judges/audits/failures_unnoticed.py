"""Audit of missed failures: a response gets a low aggregate, and no failure is named (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag
from judges.audits._judged import group_judgments
from judges.audits._verdict import list_cases, not_tested, share_of
from judges.triage import describe_unit

LOW_AGGREGATE = 2.5
"""The aggregate up to which a response must have failed somehow."""


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Every side with an aggregate of at most 2.5 and no failure flag, and their share of all low sides."""
    names = {d.name for d in evidence.card.dimensions if d.sort == "side" and d.scale.kind == "flag"}
    judged, cases = 0, list[tuple[str, list[Flag]]]()
    for judgment in group_judgments(evidence):
        for unit in ("response/a", "response/b"):
            aggregate = judgment.value(unit, "aggregate")
            judged += aggregate is not None
            if aggregate is not None and aggregate <= LOW_AGGREGATE:
                why = f"{describe_unit(unit).strip().capitalize()} gets {aggregate:g}, and no failure is named."
                named = any(judgment.value(unit, name) for name in names)
                cases.append((judgment.key, [] if named else [Flag(judgment.key, why, unit, "aggregate", 0.7)]))
    if not judged:
        return not_tested("No response with an aggregate is there yet: 1 is needed to list any.")
    if not cases:
        why = (
            f"None of {judged} judged responses has an aggregate of {LOW_AGGREGATE:g} or less, so none had to be "
            "explained."
        )
        return AuditFinding("pass", why, None, share_of([]), 0)
    why = f"{{hits}} of {{n}} responses with an aggregate of {LOW_AGGREGATE:g} or less have no failure named, {{rate}}."
    return list_cases(cases, threshold, why, "low responses", "failure named", "none named")


AUDIT = Audit(
    "failures_unnoticed",
    "Missed failures",
    f"Share of responses with an aggregate of {LOW_AGGREGATE:g} or less and no failure listed by the judge. Each one "
    "is listed.",
    # A low score may have a cause that none of the five failures names; one in five is more than that.
    "The share is above {threshold}. A single case is a warning.",
    0.2,
    find,
)
