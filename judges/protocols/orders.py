"""Both orders of a pair: swap A and B for the judge, swap its reading back, and combine the two readings.

A judge that favours the first place answers differently when the places are swapped. Inconsistent verdicts are a tie
(Zheng et al. 2023, MT-Bench).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from judges.card import Card
from judges.protocols import combination
from judges.reading.confidence import combine_confidence
from judges.types import Dimension, Pair, Reading, Remark, Scale, Score, Section, section_place

Order = Literal["ab", "ba"]
ORDERS: tuple[Order, Order] = ("ab", "ba")
NAMES: dict[str, str] = {"ab": "A/B", "ba": "B/A"}
_FLIPPED = re.compile(r"[^:]{1,200} changed with the order: (.+) when asked as A/B, (.+) when asked as B/A\. It .+")
_TURNED = "With the places swapped (what is called A here is B): "


def swap(item: Pair) -> Pair:
    """The pair with its responses swapped, also in every section. Applied twice, it is the identity."""
    cut = item.sections
    turned = None if cut is None else [Section(label=s.label, a=s.b, b=s.a) for s in cut]
    return item.model_copy(
        update={"response_a": item.response_b, "response_b": item.response_a, "sections": turned},
    )


def swap_back(card: Card, reading: Reading) -> Reading:
    """The reading of a swapped pair in terms of the item's A and B; texts stay unchanged. Twice is the identity."""

    def swap_sides(score: Score) -> Score:
        dimension = card.dimension(score.dimension, score.unit)
        if dimension is None or not names_sides(dimension.scale) or score.value is None:
            return score
        return score._replace(value=_other(dimension.scale, score.value))

    renamed = rename_units(reading, _unit)
    return replace(renamed, scores=tuple(sorted(map(swap_sides, renamed.scores), key=reading_order)))


def rename_units(reading: Reading, name: Callable[[str], str]) -> Reading:
    """The reading with every unit under another name."""
    facts = dict(reading.facts)
    if "expected" in facts:
        facts["expected"] = {(name(unit), of): value for (unit, of), value in facts["expected"].items()}
    return replace(
        reading,
        scores=tuple(score._replace(unit=name(score.unit)) for score in reading.scores),
        remarks=tuple(remark._replace(unit=name(remark.unit)) for remark in reading.remarks),
        facts=facts,
    )


def fuse_orders(card: Card, ab: Reading, ba: Reading) -> Reading:
    """Combine two readings that are in terms of the item's A and B. A score that only one of them has is kept.

    A verdict that changes with the order becomes a tie (no score on a scale without a tie), with low confidence and a
    note that names both verdicts. Other scores: `combination.combine_answers`, the mean of the two orders. Confidence
    is the lowest of both orders' own and of `combination.agreement_confidence`, source "orders" (`combine_confidence`).
    `facts["orders"]` has the verdict in words by order.
    """
    other = {(s.unit, s.dimension): s for s in ba.scores}
    scores: list[Score] = []
    remarks = [*ab.remarks, *(r._replace(text=_TURNED + r.text) for r in ba.remarks if r not in ab.remarks)]
    verdict_by_order: dict[Order, str] = {}
    for ab_score in ab.scores:
        ba_score = other.get((ab_score.unit, ab_score.dimension))
        dimension = card.dimension(ab_score.dimension, ab_score.unit)
        if ba_score is None or dimension is None:
            scores.append(ab_score)
            continue
        there_is, value = _value(dimension.scale, ab_score.value, ba_score.value)
        agreed = combination.agreement_confidence(dimension.scale, (ab_score.value, ba_score.value))
        if names_sides(dimension.scale):
            words = {
                name: dimension.scale.format(s.value) for name, s in zip(ORDERS, (ab_score, ba_score), strict=True)
            }
            if ab_score.unit == "pair" and (not verdict_by_order or ab_score.dimension == "verdict"):
                verdict_by_order = words
            if ab_score.value != ba_score.value:
                remarks.append(_flip(ab_score, dimension, words, there_is))
        if there_is:
            sure = combine_confidence(
                (ab_score.confidence, ab_score.source), (ba_score.confidence, ba_score.source), (agreed, "orders")
            )
            scores.append(Score(ab_score.unit, ab_score.dimension, value, *sure))
    cells = {(s.unit, s.dimension) for s in ab.scores}
    if more := [s for s in ba.scores if (s.unit, s.dimension) not in cells]:
        scores = sorted([*scores, *more], key=reading_order)
    if (target := verdict_dimension(card)) is not None and ((key := ("pair", target.name)) in cells) != (key in other):
        remarks.append(_lone(target, "ab" if key in cells else "ba"))
    facts = {**ba.facts, **ab.facts}
    if "expected" in ab.facts and "expected" in ba.facts:
        other_way = ba.facts["expected"]
        facts["expected"] = {
            key: (value + other_way[key]) / 2 for key, value in ab.facts["expected"].items() if key in other_way
        }
    if verdict_by_order:
        facts["orders"] = verdict_by_order
    return Reading(tuple(scores), tuple(remarks), facts=facts)


def mark_single_order(card: Card, order: str, reading: Reading) -> Reading:
    """The reading of a pair that was asked in one order only; `facts["orders"]` and a note say so."""
    dimension = verdict_dimension(card)
    verdict = next((s for s in reading.scores if dimension and (s.unit, s.dimension) == ("pair", dimension.name)), None)
    if dimension is None or verdict is None:
        return reading
    facts = {**reading.facts, "orders": {order: dimension.scale.format(verdict.value)}}
    return replace(reading, remarks=(*reading.remarks, _lone(dimension, order)), facts=facts)


def verdict_dimension(card: Card) -> Dimension | None:
    """The question that says which side is better: the verdict, else the first of the pair whose answers are sides."""
    among = [d for d in card.dimensions if d.sort == "pair" and names_sides(d.scale)]
    return next((d for d in among if d.name == "verdict"), among[0] if among else None)


def parse_flip_note(text: str) -> tuple[str, str] | None:
    """The answers as A/B and as B/A that a note of `fuse_orders` names, as the scale has them; None of any other note.

    ("", "") for the note that only one order gave an answer.
    """
    if text in {f"Asked as {name} only: the other order is not known." for name in NAMES.values()}:
        return "", ""
    match = _FLIPPED.fullmatch(text)
    if match is None:
        return None
    ab, ba = (answer.lower() if answer in ("A", "B") else answer for answer in match.groups())
    return ab, ba


def names_sides(scale: Scale) -> bool:
    """Whether the answers of a scale name the sides of a pair."""
    return {"a", "b"} <= set(scale.categories)


def reading_order(score: Score) -> tuple[int, int, str]:
    """The sort key of a score of a pair: sections, sides, the pair; the dimensions of a unit stay as they came."""
    if score.unit.startswith("section:"):
        return 0, section_place(score.unit)[0], score.unit
    return (1 if score.unit.startswith("response/") else 2), 0, score.unit


def _value(scale: Scale, ab_value: float | None, ba_value: float | None) -> tuple[bool, float | None]:
    if not names_sides(scale) or ab_value == ba_value:
        return combination.combine_answers(scale, ((ab_value, 1.0), (ba_value, 1.0)))
    # "a" and "tie" are as inconsistent as "a" and "b".
    drawn = combination.drawn_code(scale)
    return drawn is not None, drawn


def _flip(score: Score, dimension: Dimension, words: Mapping[Order, str], there_is: bool) -> Remark:
    shown = [words[name] if words[name] not in ("a", "b") else words[name].upper() for name in ORDERS]
    consequence = "It counts as a tie." if there_is else "It has no score, as the scale has no tie."
    name = dimension.title[:1].upper() + dimension.title[1:]
    text = f"{name} changed with the order: {shown[0]} when asked as A/B, {shown[1]} when asked as B/A. {consequence}"
    return Remark(score.unit, score.dimension, "note", text)


def _lone(dimension: Dimension, order: str) -> Remark:
    return Remark("pair", dimension.name, "note", f"Asked as {NAMES[order]} only: the other order is not known.")


def _unit(unit: str) -> str:
    if unit.endswith("/a"):
        return unit[:-1] + "b"
    return unit[:-1] + "a" if unit.endswith("/b") else unit


def _other(scale: Scale, value: float) -> float:
    a, b = scale.categories.index("a"), scale.categories.index("b")
    return float({a: b, b: a}.get(int(value), int(value)))
