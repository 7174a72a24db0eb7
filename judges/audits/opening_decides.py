"""Audit of primacy bias: the verdict follows the first section, whatever comes after it (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag, Plot
from judges.audits._judged import group_judgments, item_numbers
from judges.audits._pairs import section_lead, section_means, verdict_sign
from judges.audits._verdict import bounds, flags_of, limit_verdict, make_finding, not_tested, percent, too_few
from judges.rounding import ROUNDING
from judges.stats.association import share_explained_by_first

_MIN_R_SQUARED = 0.05
"""Below this R squared the verdict follows no section, and no part of that can be the opening's."""


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """R squared of the verdict on the first section's difference, divided by R squared on all sections' differences.

    Differences are A minus B of the means over dimensions: one of the first section that both sides have, and one of
    all others. The verdict is 1, 0 or -1. R squared never falls when the rest is added, so the limit is a little below
    1. The finding also says how often the verdict is the side that leads in the first section, and in all together.
    """
    rows = []
    for judgment in group_judgments(evidence):
        chosen, parts = verdict_sign(evidence.card, judgment), section_means(evidence.card, judgment)
        at = next((n for n, (_, means) in enumerate(parts) if len(means) == 2), None)
        if chosen is None or at is None:
            continue
        first, rest, overall = map(section_lead, (parts[at : at + 1], parts[:at] + parts[at + 1 :], parts))
        if first is not None and rest is not None and overall is not None:
            rows.append((judgment.key, chosen, first, rest, overall, parts[at][0]))
    place = item_numbers(row[0] for row in rows)
    items = len(set(place))
    if stop := too_few(items, "pairs with a verdict and two or more sections that both sides have"):
        return stop
    verdicts, firsts, rests = [row[1] for row in rows], [row[2] for row in rows], [row[3] for row in rows]
    part, full = share_explained_by_first(verdicts, firsts, rests, place)
    if part.point is None:
        return not_tested("The verdicts, the scores of first sections or those of other sections do not vary.", n=items)
    alone = part.point * full
    sides = [(_side(row[2]), _side(row[4]), row[1]) for row in rows]
    right = [sum(side[n] == side[2] for side in sides) / len(sides) for n in (0, 1)]
    why = (
        f"The first section alone explains {percent(part.point)} ({bounds(part)}) of the variance that all sections "
        f"explain (R\u00b2 {alone:.2f} of {full:.2f}). It predicts the winner in {percent(right[0])} of the pairs, all "
        f"sections together in {percent(right[1])}."
    )
    picture = Plot.bars(
        "", "share", ("R\u00b2 first section", alone), ("R\u00b2 all sections", full),
        ("winner predicted by first", right[0]), ("winner predicted by all", right[1]),
    )  # fmt: skip
    if full < _MIN_R_SQUARED:
        why = f"The section scores hardly explain the verdict (R\u00b2 {full:.2f} over {items} pairs)."
        return make_finding("warning", why, part, (), picture, items)
    verdict = limit_verdict(part, threshold)
    sentence = "The verdict is the winner of the first section, and all sections together favour the other response."
    flags = [
        Flag(key, sentence, unit=f"{section}/a", strength=min(0.3 + abs(overall) / 4, 0.8))
        for key, chosen, first, _, overall, section in rows
        if chosen and _side(first) == chosen and _side(overall) == -chosen
    ]
    return make_finding(verdict, why, part, flags_of(verdict, flags), picture, items)


def _side(difference: float) -> float:
    """The side that a difference puts first; what is nothing but rounding is a tie."""
    return 0.0 if abs(difference) < ROUNDING else 1.0 if difference > 0 else -1.0


AUDIT = Audit(
    "opening_decides",
    "Primacy bias (first section)",
    "Share of the verdict's variance explained by all sections (R\u00b2 of the scores of A minus B) that the first "
    "section explains alone, and how often each predicts the winner.",
    "The share is above {threshold}.",
    0.9,
    find,
)
