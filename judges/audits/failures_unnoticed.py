"""Audit of missed failures: a response gets a low aggregate, and no failure is named (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag
from judges.audits._judged import group_judgments, item_numbers
from judges.audits._verdict import bar_picture, case_verdict, not_tested, percent, span
from judges.stats.clustered import share_by_item
from judges.triage import describe_unit

LOW = 2.5
"""The aggregate up to which a response must have failed somehow."""


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Every side with an aggregate of at most 2.5 and no failure flag, and their share of all low sides."""
    names = {d.name for d in evidence.card.dimensions if d.sort == "side" and d.scale.kind == "flag"}
    judged, low, missed = 0, [], []
    for judgment in group_judgments(evidence):
        for unit in ("response/a", "response/b"):
            aggregate = judgment.value(unit, "aggregate")
            judged += aggregate is not None
            if aggregate is not None and aggregate <= LOW:
                low.append((judgment.key, unit, aggregate))
                missed.append(not any(judgment.value(unit, name) for name in names))
    if not judged:
        return not_tested("No response with an aggregate is there yet: 1 is needed to list any.")
    rate, hits = share_by_item(missed, item_numbers(key for key, _, _ in low)), sum(missed)
    if not low:
        why = f"None of {judged} judged responses has an aggregate of {LOW:g} or less, so none had to be explained."
        return AuditFinding("pass", why, None, rate, 0)
    flags = tuple(
        Flag(
            key,
            f"{describe_unit(unit).strip().capitalize()} gets {value:g}, and no failure is named.",
            unit,
            "aggregate",
            0.7,
        )
        for (key, unit, value), miss in zip(low, missed, strict=True)
        if miss
    )
    why = (
        f"{hits} of {len(low)} responses with an aggregate of {LOW:g} or less have no failure named, "
        f"{percent(rate.point)} ({span(rate)})."
    )
    picture = bar_picture("", "low responses", ("failure named", len(low) - hits), ("none named", hits))
    return AuditFinding(case_verdict(hits, rate, threshold), why, rate.point, rate, rate.items, flags, picture)


AUDIT = Audit(
    "failures_unnoticed",
    "Missed failures",
    f"Share of responses with an aggregate of {LOW:g} or less and no failure listed by the judge. Each one is listed.",
    # A low score may have a cause that none of the five failures names; one in five is more than that.
    "The share is above {threshold}. A single case is a warning.",
    0.2,
    find,
)
