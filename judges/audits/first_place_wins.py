"""Audit of position bias: the response that is shown first wins more often (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag
from judges.audits._judged import group_judgments, item_numbers
from judges.audits._verdict import (
    bar_picture,
    neutral_verdict,
    not_tested,
    percent,
    span,
    strongest_flags,
    too_few,
)
from judges.protocols.orders import verdict_dimension as verdict_of
from judges.stats.clustered import share_by_item

_NEAR = 0.1


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of decided verdicts that the first slot won, over both orders of each pair, clustered by pair.

    With `Reading.facts["orders"]` = {"ab": verdict, "ba": verdict}, both in the pair's own A and B: A was first in
    "ab", B in "ba". A pair judged alike in both orders gives each slot one win, so only flips move the share away from
    one half. A flip is any difference between the two verdicts.
    """
    found = [(j.key, *both) for j in group_judgments(evidence) if (both := _orders(j.facts)) is not None]
    if not found:
        return not_tested("The pairs were asked in one order only: run the judge in both orders (A/B and B/A).")
    if stop := too_few(len({key for key, _, _ in found}), "pairs judged in both orders"):
        return stop
    flips = [ab != ba for _, ab, ba in found]
    flipped = share_by_item(flips, item_numbers(key for key, _, _ in found))
    decided = [
        (key, won) for key, ab, ba in found for verdict, won in ((ab, ab == "a"), (ba, ba == "b")) if verdict != "tie"
    ]
    told = f"{percent(flipped.point)} of {flipped.items} pairs flip with the order ({span(flipped)})"
    if stop := too_few(len({key for key, _ in decided}), "pairs with a winner in some order"):
        return not_tested(
            f"{told[0].upper()}{told[1:]}, but {stop.why[0].lower()}{stop.why[1:]}",
            flipped.point,
            flipped,
            flipped.items,
        )
    first = share_by_item([won for _, won in decided], item_numbers(key for key, _ in decided))
    verdict = neutral_verdict(first, 0.5, _NEAR)
    why = f"The first position wins {percent(first.point)} of the verdicts with a winner ({span(first)}), and {told}."
    asked = verdict_of(evidence.card)
    flags = [
        Flag(
            key,
            f"The verdict is {ab} with A first and {ba} with B first.",
            "pair",
            asked.name if asked else "",
            _far(ab, ba),
        )
        for key, ab, ba in found
        if ab != ba
    ]
    picture = bar_picture("", "share", ("won by the first place", first.point), ("flips", flipped.point), mark=0.5)
    return AuditFinding(verdict, why, first.point, first, first.items, strongest_flags(flags), picture)


def _orders(facts: dict[str, object]) -> tuple[str, str] | None:
    orders = facts.get("orders")
    if not isinstance(orders, dict):
        return None
    ab, ba = orders.get("ab"), orders.get("ba")
    known = ("a", "b", "tie")
    return (ab, ba) if ab in known and ba in known else None


def _far(ab: str, ba: str) -> float:
    return 0.4 if "tie" in (ab, ba) else 0.7


AUDIT = Audit(
    "first_place_wins",
    "Position bias",
    "Share of verdicts with a winner that go to the response shown first, over both orders of each pair (50% without "
    "bias), and the share of pairs whose verdict flips with the order.",
    "The interval of the share of the first position excludes 50%.",
    None,
    find,
    probe="both orders",
)
