"""Audit of position bias: the response that is shown first wins more often (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag, Plot
from judges.audits._judged import group_judgments
from judges.audits._pairs import SIGNS
from judges.audits._verdict import (
    bounds,
    make_finding,
    neutral_verdict,
    not_tested,
    percent,
    share_of,
    strongest_flags,
    too_few,
)
from judges.protocols.orders import verdict_dimension
from judges.stats.both_orders import verdicts_in_both_orders

_WARNING_DISTANCE = 0.1


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of decided verdicts that the first slot won, over both orders of each pair, clustered by pair.

    With `Reading.facts["orders"]` = {"ab": verdict, "ba": verdict}, both in the pair's own A and B: A was first in
    "ab", B in "ba". A pair judged alike in both orders gives each slot one win, so only flips move the share away from
    one half. A flip is any difference between the two verdicts.
    """
    in_both = verdicts_in_both_orders((j.key, j.facts.get("orders")) for j in group_judgments(evidence))
    pairs = [(key, ab, ba) for key, ab, ba in in_both if ab in SIGNS and ba in SIGNS]
    if not pairs:
        return not_tested("The pairs were asked in one order only: run the judge in both orders (A/B and B/A).")
    if stop := too_few(len({key for key, _, _ in pairs}), "pairs judged in both orders"):
        return stop
    flipped = share_of((key, ab != ba) for key, ab, ba in pairs)
    decided = [
        (key, won) for key, ab, ba in pairs for verdict, won in ((ab, ab == "a"), (ba, ba == "b")) if verdict != "tie"
    ]
    text = f"{percent(flipped.point)} of {flipped.items} pairs flip with the order ({bounds(flipped)})"
    if stop := too_few(len({key for key, _ in decided}), "pairs with a winner in some order"):
        why = f"{text[0].upper()}{text[1:]}, but {stop.why[0].lower()}{stop.why[1:]}"
        return make_finding("not tested", why, flipped)
    first = share_of(decided)
    verdict = neutral_verdict(first, 0.5, _WARNING_DISTANCE)
    why = f"The first position wins {percent(first.point)} of the verdicts with a winner ({bounds(first)}), and {text}."
    dimension = verdict_dimension(evidence.card)
    name, text = dimension.name if dimension else "", "The verdict is {} with A first and {} with B first."
    flags = [
        Flag(key, text.format(*orders), "pair", name, 0.4 if "tie" in orders else 0.7)
        for key, *orders in pairs if orders[0] != orders[1]
    ]  # fmt: skip
    picture = Plot.bars("", "share", ("won by the first place", first.point), ("flips", flipped.point), mark=0.5)
    return make_finding(verdict, why, first, strongest_flags(flags), picture)


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
