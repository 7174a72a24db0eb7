"""Both orders of a pair: what the judge sees with A and B swapped, its reading turned back, and the two made one.

A judge that favours the first place says something else when the places are swapped. Inconsistent is a tie (Zheng et
al. 2023, MT-Bench).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from judges.asking import fusion
from judges.card import Card
from judges.confidence import combine
from judges.types import Dimension, Pair, Reading, Remark, Scale, Score, Section

ORDERS = ("ab", "ba")
NAMES = {"ab": "A/B", "ba": "B/A"}
_TURNED = "With the places swapped (what is called A here is B): "


def swapped(item: Pair) -> Pair:
    """The pair with its responses, and their parts of every section, in each other's place. Twice is the identity."""
    cut = item.sections
    turned = None if cut is None else [Section(label=s.label, a=s.b, b=s.a) for s in cut]
    return item.model_copy(
        update={"response_a": item.response_b, "response_b": item.response_a, "sections": turned},
    )


def back(card: Card, reading: Reading) -> Reading:
    """The reading of a swapped pair, in the item's own A and B. Twice is the identity; texts stay as they came."""

    def turned(score: Score) -> Score:
        dimension = card.dimension(score.dimension, score.unit)
        value = score.value
        if dimension is not None and sided(dimension.scale) and value is not None:
            value = _other(dimension.scale, value)
        return score._replace(unit=_unit(score.unit), value=value)

    facts = dict(reading.facts)
    if "expected" in facts:
        facts["expected"] = {(_unit(unit), name): value for (unit, name), value in facts["expected"].items()}
    return replace(
        reading,
        scores=tuple(sorted(map(turned, reading.scores), key=_place)),
        remarks=tuple(remark._replace(unit=_unit(remark.unit)) for remark in reading.remarks),
        facts=facts,
    )


def fused(card: Card, ab: Reading, ba: Reading) -> Reading:
    """One reading of two that are both in the item's own A and B; their scores lie in the same cells.

    A verdict that changes with the order is a tie (on a scale without one it has no score), with low confidence and a
    note that names both. Other scores: `fusion.fused`, the mean of the two orders. Confidence is that of
    `fusion.agreement`, source "orders". `facts["orders"]` has the verdict in words by order.
    """
    other = {(s.unit, s.dimension): s for s in ba.scores}
    scores: list[Score] = []
    remarks = [*ab.remarks, *(_turned(remark) for remark in ba.remarks if remark not in ab.remarks)]
    said: dict[str, str] = {}
    for mine in ab.scores:
        theirs = other.get((mine.unit, mine.dimension))
        dimension = card.dimension(mine.dimension, mine.unit)
        if theirs is None or dimension is None:
            scores.append(mine)
            continue
        there_is, value = _value(dimension.scale, mine.value, theirs.value)
        agreed = fusion.agreement(dimension.scale, (mine.value, theirs.value))
        if sided(dimension.scale):
            words = {name: dimension.scale.say(s.value) for name, s in zip(ORDERS, (mine, theirs), strict=True)}
            if mine.unit == "pair" and (not said or mine.dimension == "verdict"):
                said = words
            if mine.value != theirs.value:
                remarks.append(_flip(mine, dimension, words, there_is))
        if there_is:
            sure = combine((mine.confidence, mine.source), (theirs.confidence, theirs.source), (agreed, "orders"))
            scores.append(Score(mine.unit, mine.dimension, value, *sure))
    facts = {**ba.facts, **ab.facts}
    if "expected" in ab.facts and "expected" in ba.facts:
        facts["expected"] = _means(ab.facts["expected"], ba.facts["expected"])
    if said:
        facts["orders"] = said
    return Reading(tuple(scores), tuple(remarks), facts=facts)


def sided(scale: Scale) -> bool:
    """Whether the answers of a scale name the sides of a pair."""
    return {"a", "b"} <= set(scale.categories)


def _value(scale: Scale, mine: float | None, theirs: float | None) -> tuple[bool, float | None]:
    if not sided(scale) or mine == theirs:
        return fusion.fused(scale, ((mine, 1.0), (theirs, 1.0)))
    # "a" and "tie" are as inconsistent as "a" and "b".
    drawn = scale.drawn or ("tie" if "tie" in scale.categories else "")
    return bool(drawn), float(scale.categories.index(drawn)) if drawn else None


def _flip(score: Score, dimension: Dimension, words: Mapping[str, str], there_is: bool) -> Remark:
    shown = [words[name] if words[name] not in ("a", "b") else words[name].upper() for name in ORDERS]
    kept = "It counts as a tie." if there_is else "It has no score, as the scale has no tie."
    name = dimension.title[:1].upper() + dimension.title[1:]
    text = f"{name} changed with the order: {shown[0]} when asked as A/B, {shown[1]} when asked as B/A. {kept}"
    return Remark(score.unit, score.dimension, "note", text)


def _turned(remark: Remark) -> Remark:
    return remark._replace(text=_TURNED + remark.text)


def _unit(unit: str) -> str:
    if unit.endswith("/a"):
        return unit[:-1] + "b"
    return unit[:-1] + "a" if unit.endswith("/b") else unit


def _other(scale: Scale, value: float) -> float:
    a, b = scale.categories.index("a"), scale.categories.index("b")
    return float({a: b, b: a}.get(int(value), int(value)))


def _place(score: Score) -> tuple[int, int, str]:
    """Reading order: sections, sides, the pair; the dimensions of a unit stay as they came."""
    sort, _, rest = score.unit.partition(":")
    if sort == "section":
        return 0, int(rest.partition("/")[0]), score.unit
    return (1 if score.unit.startswith("response/") else 2), 0, score.unit


def _means(ab: Mapping[tuple[str, str], float], ba: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    return {key: (ab[key] + ba[key]) / 2 for key in ab if key in ba}
