"""Audit of refusals: small judges refuse, or leave the confidence out, instead of saying low (docs/methods.md, Audits).
"""

from __future__ import annotations

from judges.audits import Audit, Evidence, Finding, Flag
from judges.audits._confidence import scored, stated
from judges.audits._judged import Judgment, judgments, numbers
from judges.audits._verdict import above, bars, few, percent, span, strongest
from judges.stats.clustered import share


def find(evidence: Evidence, threshold: float) -> Finding:
    """Share of replies that refuse, or that leave a score without high, medium or low, clustered by item.

    Replies that could not be used for other reasons (cut off, unreadable, a failed call) say nothing here.
    """
    refused = [
        reply.item for reply in evidence.replies if reply.reading.unscored == "refused" and reply.item in evidence.items
    ]
    found = [(j, list(scored(evidence.card, j))) for j in judgments(evidence)]
    kept = [(j, [(unit, name) for unit, name, _ in cells]) for j, cells in found if cells]
    silent = [(j, [cell for cell in cells if stated(j, *cell) is None]) for j, cells in kept]
    keys = [*refused, *(j.key for j, _ in silent)]
    if stop := few(len(set(keys)), "items with a reply"):
        return stop
    rate = share([True] * len(refused) + [bool(cells) for _, cells in silent], numbers(keys))
    verdict = above(rate.point or 0.0, rate, threshold)
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
    picture = bars(
        "",
        "replies",
        ("confidence stated", len(silent) - missing),
        ("confidence missing", missing),
        ("refused", len(refused)),
    )
    return Finding(verdict, why, rate.point, rate, rate.items, strongest(flags), picture)


def _lows(judgment: Judgment, cells: list[tuple[str, str]]) -> int:
    return sum(stated(judgment, *cell) == "low" for cell in cells)


AUDIT = Audit(
    "refuses_low",
    "Refusals and missing confidence",
    "Share of replies that are refusals, or that state no confidence for one score or more.",
    # Below one reply in ten the rest still says how sure the judge is; above it, what is missing is no accident.
    "The share is above {threshold}: fall back to score and justification only.",
    0.1,
    find,
)
