"""Audit of justifications: people find that a justification does not fit its score (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag, Plot
from judges.audits._verdict import bounds, limit_verdict, make_finding, not_tested, percent, share_of, too_few


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of answered cells whose justification does not fit, with Wilson's interval, clustered by item.

    People are asked about a random sample of scores; every answer "no" is listed.
    """
    fits = {cell: fit for cell, fit in evidence.fits.items() if cell[0] in evidence.items}
    if not fits:
        return not_tested("Nobody has answered yet whether the justifications support the scores: 30 items are needed.")
    if stop := too_few(len({item for item, _, _ in fits}), "items with an answer on justifications"):
        return stop
    rate = share_of((cell[0], not fit) for cell, fit in fits.items())
    flags = [
        Flag(item, f"A person finds that the words on {name.replace('_', ' ')} do not fit its score.", unit, name, 0.6)
        for (item, unit, name), fit in fits.items()
        if not fit
    ]
    why = f"{len(flags)} of {len(fits)} justifications do not fit their scores, {percent(rate.point)} ({bounds(rate)})."
    picture = Plot.bars("", "answers", ("fits", len(fits) - len(flags)), ("does not fit", len(flags)))
    return make_finding(limit_verdict(rate, threshold), why, rate, flags, picture)


AUDIT = Audit(
    "justification_fits",
    "Justification does not support the score",
    "Share of a random sample of scores whose justification does not support the score, as answered by people below.",
    "The share is above {threshold}.",
    0.1,
    find,
    probe="fits",
)
