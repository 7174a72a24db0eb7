"""What several answers to the same question amount to: one value, and how sure it is. For orders, windows, chapters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor

from judges.types import Scale

AGREED, ONE_STEP, DIFFER, LEAST = 0.9, 0.6, 0.3, 0.1
"""Confidence where all say the same, where they lie a quarter of the scale apart, where answers without order differ
(a flag that only one raises lies between the two last), and the least there is."""
_CLOSE = 1e-9


def mean_answer(scale: Scale, values: Sequence[tuple[float, float]]) -> float:
    """The weighted mean of (value, weight), as an answer of the scale.

    sum(w v) / sum(w), rounded to the nearest answer; a half goes toward the middle of the scale, as answers that
    differ are no evidence for an extreme (in the very middle: to the lower). A `number` keeps four decimals.
    """
    total = sum(weight for _, weight in values)
    exact = sum(value * weight for value, weight in values) / total
    if scale.kind == "interval":
        return round(exact, 4)
    low = floor(exact + _CLOSE)
    if abs(exact - low - 0.5) > _CLOSE:
        return float(floor(exact + 0.5))
    middle = (scale.base + scale.base + scale.size - 1) / 2
    return float(low if exact >= middle - _CLOSE else ceil(exact))


def vote_answer(scale: Scale, values: Sequence[tuple[float, float]]) -> float | None:
    """The answer with the most weight; where the heaviest are equal what a tied vote means, None without one."""
    weights: dict[float, float] = {}
    for value, weight in values:
        weights[value] = weights.get(value, 0.0) + weight
    most = max(weights.values())
    heaviest = [value for value, weight in weights.items() if weight > most - _CLOSE]
    if len(heaviest) == 1:
        return heaviest[0]
    drawn = scale.drawn or ("tie" if "tie" in scale.categories else "")
    return float(scale.categories.index(drawn)) if drawn else None


def combine_answers(scale: Scale, values: Sequence[tuple[float | None, float]]) -> tuple[bool, float | None]:
    """(whether there is an answer, the answer) of several (value, weight).

    n/a only where all say so; the mean where answers are ordered, the vote where they are not, and a flag is raised
    where anyone raised it. Without an answer: a drawn vote on a scale that has no word for it.
    """
    known = [(value, weight) for value, weight in values if value is not None]
    if not known:
        return True, None
    if scale.kind == "flag":
        return True, max(value for value, _ in known)
    if scale.kind in ("ordinal", "ordered", "interval"):
        return True, mean_answer(scale, known)
    value = vote_answer(scale, known)
    return value is not None, value


def agreement_confidence(scale: Scale, values: Iterable[float | None]) -> float | None:
    """How sure a value is that several answers were fused to; None for fewer than two answers.

        .9 - 1.2 (highest - lowest) / width of the scale, at least .1

    so that on 1-5 equal answers have high confidence (.9), neighbours medium (.6), and two steps low (.3). Where
    answers have no order, or only some are n/a: .9 when all are equal, else .3; for a flag that only some raise .45.
    """
    given = list(values)
    if len(given) < 2:
        return None
    if all(value == given[0] for value in given):
        return AGREED
    known = [value for value in given if value is not None]
    if scale.kind == "flag":
        return round((ONE_STEP + DIFFER) / 2, 4)
    width = scale.hi - scale.lo if scale.kind == "interval" else scale.size - 1
    if len(known) < len(given) or scale.kind not in ("ordinal", "ordered", "interval") or width <= 0:
        return DIFFER
    return round(max(LEAST, AGREED - 1.2 * (max(known) - min(known)) / width), 4)
