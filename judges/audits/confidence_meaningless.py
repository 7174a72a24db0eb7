"""Audit of stated confidence: high confidence goes with no more agreement than low (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag, Verdict
from judges.audits._confidence import Word, asked_scores, stated_confidence
from judges.audits._judged import group_judgments, item_numbers
from judges.audits._verdict import bar_picture, flags_of, not_tested, percent, span, too_few
from judges.stats.clustered import newcombe_difference, share_by_item

GROUP = 10
"""Cells that a level of confidence needs to be compared."""
_LEVELS: tuple[Word, ...] = ("high", "medium", "low")


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of scores equal to gold where the judge says high, minus the same where it says medium or low.

    Difference of shares clustered by item, Newcombe's interval. It must be above the limit: *alarm* where it is not,
    *warning* where its interval reaches down to it or the three levels are not in order, else *pass*.
    """
    rows = [
        (judgment.key, unit, name, word, value, people)
        for judgment in group_judgments(evidence)
        for unit, name, value in asked_scores(evidence.card, judgment)
        if (word := stated_confidence(judgment, unit, name)) is not None
        and (people := evidence.gold.get((judgment.key, unit, name))) is not None
    ]
    if not rows:
        return not_tested("No score with a stated confidence has gold yet: label some of these items.")
    if stop := too_few(len({row[0] for row in rows}), "items with gold and a stated confidence"):
        return stop
    by_level = {word: [row for row in rows if row[3] == word] for word in _LEVELS}
    rest = by_level["medium"] + by_level["low"]
    for group, what in ((by_level["high"], "scores of high confidence"), (rest, "scores of medium or low confidence")):
        if stop := too_few(len(group), f"{what} with gold", GROUP):
            return stop
    sure, other = (
        share_by_item([row[4] == row[5] for row in group], item_numbers(row[0] for row in group))
        for group in (by_level["high"], rest)
    )
    gap = newcombe_difference(other, sure)
    assert gap.point is not None and gap.low is not None
    rates = {w: sum(row[4] == row[5] for row in g) / len(g) for w, g in by_level.items() if len(g) >= GROUP}
    ordered = list(rates.values()) == sorted(rates.values(), reverse=True)
    settled = gap.low > threshold and ordered
    verdict: Verdict = "alarm" if gap.point <= threshold else "pass" if settled else "warning"
    rise = "rises" if ordered else "does not rise level by level"
    why = (
        f"Agreement with people is {percent(sure.point)} at high confidence and {percent(other.point)} below, a "
        f"difference of {span(gap)} over {len(rows)} scores, and {rise} with confidence."
    )
    flags = [
        Flag(
            key,
            f"With high confidence the judge gives {name.replace('_', ' ')} {value:g}, and people give {people:g}.",
            unit,
            name,
            min(0.3 + abs(value - people) / 8, 0.8),
        )
        for key, unit, name, _, value, people in by_level["high"]
        if value != people
    ]
    picture = bar_picture("confidence", "agreement with people", *((word, rates.get(word)) for word in _LEVELS))
    return AuditFinding(verdict, why, gap.point, gap, len({row[0] for row in rows}), flags_of(verdict, flags), picture)


AUDIT = Audit(
    "confidence_meaningless",
    "Uninformative confidence",
    "% agreement with people at high stated confidence minus % agreement at medium and low confidence (Newcombe's "
    "interval), and whether agreement rises from level to level.",
    "The difference is not above {threshold}.",
    0.0,
    find,
    probe="gold",
)
