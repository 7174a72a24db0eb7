"""Audit of invented sections: the judge scores a section that is not in its list (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag
from judges.audits._judged import group_judgments, item_numbers
from judges.audits._verdict import as_sentence, bar_picture, case_verdict, not_tested, percent, span
from judges.stats.clustered import share_by_item


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Every judgment that the card's reader marked for a label that is not in the list, and their share."""
    found = [j for j in group_judgments(evidence) if any(unit.startswith("section:") for unit, _ in j.scores)]
    if not found:
        return not_tested("No judgment with sections is there yet: 1 is needed to list any.")
    invented = [
        [r for r in j.remarks if r.sort == "rule" and r.unit == "pair" and not r.dimension and "section" in r.text]
        for j in found
    ]
    flags = tuple(
        Flag(j.key, as_sentence(remark.text), "pair", "", 0.7)
        for j, remarks in zip(found, invented, strict=True)
        for remark in remarks
    )
    rate, hits = share_by_item(list(map(bool, invented)), item_numbers(j.key for j in found)), sum(map(bool, invented))
    why = f"{hits} of {len(found)} judgments score a section that does not exist, {percent(rate.point)} ({span(rate)})."
    picture = bar_picture("", "judgments", ("sections as given", len(found) - hits), ("sections invented", hits))
    return AuditFinding(case_verdict(hits, rate, threshold), why, rate.point, rate, rate.items, flags, picture)


AUDIT = Audit(
    "invented_sections",
    "Hallucinated sections",
    "Share of judgments with a section label that is not in the list given to the judge. Each one is listed.",
    # The list is in the prompt: a judge that misses it more often than one time in twenty does not read it.
    "The share is above {threshold}. A single case is a warning.",
    0.05,
    find,
)
