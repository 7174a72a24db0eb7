"""Audit of invented sections: the judge scores a section that is not in its list (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, Evidence, Finding, Flag
from judges.audits._judged import judgments, numbers
from judges.audits._verdict import bars, listed, percent, sentence, span, unknown
from judges.stats.clustered import share


def find(evidence: Evidence, threshold: float) -> Finding:
    """Every judgment that the card's reader marked for a label that is not in the list, and their share."""
    found = [j for j in judgments(evidence) if any(unit.startswith("section:") for unit, _ in j.scores)]
    if not found:
        return unknown("No judgment with sections is there yet: 1 is needed to list any.")
    invented = [
        [r for r in j.remarks if r.sort == "rule" and r.unit == "pair" and not r.dimension and "section" in r.text]
        for j in found
    ]
    flags = tuple(
        Flag(j.key, sentence(remark.text), "pair", "", 0.7)
        for j, remarks in zip(found, invented, strict=True)
        for remark in remarks
    )
    rate, hits = share(list(map(bool, invented)), numbers(j.key for j in found)), sum(map(bool, invented))
    why = f"{hits} of {len(found)} judgments score a section that does not exist, {percent(rate.point)} ({span(rate)})."
    picture = bars("", "judgments", ("sections as given", len(found) - hits), ("sections invented", hits))
    return Finding(listed(hits, rate, threshold), why, rate.point, rate, rate.items, flags, picture)


AUDIT = Audit(
    "invented_sections",
    "Hallucinated sections",
    "Share of judgments with a section label that is not in the list given to the judge. Each one is listed.",
    # The list is in the prompt: a judge that misses it more often than one time in twenty does not read it.
    "The share is above {threshold}. A single case is a warning.",
    0.05,
    find,
)
