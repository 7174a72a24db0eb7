"""Audit of refusals: small judges refuse, or leave the confidence out, instead of saying low (docs/methods.md, Audits).
"""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag
from judges.audits._confidence import asked_scores, stated_confidence
from judges.audits._judged import ItemJudgment, group_judgments, item_numbers
from judges.audits._verdict import bar_picture, limit_verdict, percent, span, strongest_flags, too_few
from judges.stats.clustered import share_by_item


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of replies that refuse, or that leave a score without high, medium or low, clustered by item.

    Replies that could not be used for other reasons (cut off, unreadable, a failed call) say nothing here.
    """
    refused = [
        reply.item for reply in evidence.replies if reply.reading.unscored == "refused" and reply.item in evidence.items
    ]
    found = [(j, list(asked_scores(evidence.card, j))) for j in group_judgments(evidence)]
    kept = [(j, [(unit, name) for unit, name, _ in cells]) for j, cells in found if cells]
    silent = [(j, [cell for cell in cells if stated_confidence(j, *cell) is None]) for j, cells in kept]
    keys = [*refused, *(j.key for j, _ in silent)]
    if stop := too_few(len(set(keys)), "items with a reply"):
        return stop
    rate = share_by_item([True] * len(refused) + [bool(cells) for _, cells in silent], item_numbers(keys))
    verdict = limit_verdict(rate.point or 0.0, rate, threshold)
    missing, low = sum(bool(cells) for _, cells in silent), sum(_lows(j, cells) for j, cells in kept)
    advice = "; fall back to score and justification only" if verdict == "alarm" else ""
    why = (
        f"{percent(rate.point)} ({span(rate)}) of {len(keys)} replies refuse ({len(refused)}) or leave a confidence "
        f"out ({missing}), and {low} scores are said to be of low confidence{advice}."
    )
    flags = [Flag(item, "The judge refused to reply.", strength=0.6) for item in refused]
    flags += [
        Flag(j.key, f"The judge gives no confidence for {name.replace('_', ' ')}.", unit, name, 0.3)
        for j, cells in silent
        for unit, name in cells
    ]
    picture = bar_picture(
        "",
        "replies",
        ("confidence stated", len(silent) - missing),
        ("confidence missing", missing),
        ("refused", len(refused)),
    )
    return AuditFinding(verdict, why, rate.point, rate, rate.items, strongest_flags(flags), picture)


def _lows(judgment: ItemJudgment, cells: list[tuple[str, str]]) -> int:
    return sum(stated_confidence(judgment, *cell) == "low" for cell in cells)


AUDIT = Audit(
    "refuses_low",
    "Refusals and missing confidence",
    "Share of replies that are refusals, or that state no confidence for one score or more.",
    # Below one reply in ten the rest still says how sure the judge is; above it, what is missing is no accident.
    "The share is above {threshold}: fall back to score and justification only.",
    0.1,
    find,
)
