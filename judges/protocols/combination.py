"""Combine several answers into one: a judge's samples, and the orders, windows and chapters of a judgment.

A judge that is asked several times about the same thing is one judge, whose answer is the combination (docs/methods.md,
Samples). The store's view `score_now` gives the same result (data/store/migrations/007_samples.sql).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor
from statistics import median
from typing import Any, get_args

from judges.card import Card
from judges.params import CombinationRule
from judges.plural import many
from judges.rounding import ROUNDING
from judges.types import Scale

RULES: tuple[CombinationRule, ...] = get_args(CombinationRule)
RULE_NAMES: dict[CombinationRule, str] = {"first": "the first one", "median": "median", "mean": "mean", "vote": "vote"}
AGREED, ONE_STEP, DIFFER, LEAST = 0.9, 0.6, 0.3, 0.1
"""Confidence by how far samples agree, and the least there is.

They say the same, or lie a quarter of the scale apart, or differ and have no order. A flag that only one raises lies
between the two last."""


def combination_rule(card: Card, params: Mapping[str, Any]) -> CombinationRule:
    """The rule of a judge with these stored parameters: the rule that they name, else its card's."""
    rule = params.get("combine")
    return rule if rule in RULES else card.defaults.combine or "median"


def rule_on_scale(rule: CombinationRule, scale: Scale) -> CombinationRule:
    """The rule on a scale: categories without an order, flags and turns have no median or mean, so a vote decides."""
    return rule if rule in ("first", "vote") or scale.has_order else "vote"


def combine_samples(samples: Sequence[float | None], rule: CombinationRule, drawn: float | None = None) -> float | None:
    """The one answer of several samples in the order in which they were asked; None is n/a.

    first: the first answer. The other rules give n/a if more than half of the samples say so. Otherwise they use the
    samples with a value: the median (of an even number, the mean of the two middle ones), the mean, or the most
    frequent value. A tied vote gives `drawn` (a pair's tie) or, without it, the tied value that was said first.
    ValueError without a sample.

    Median and mean may lie between two answers of the scale; people are then shown `nearest_answer`. A mean has at most
    nine digits after the point, so that it is the same in whatever order the samples came.
    """
    if not samples:
        raise ValueError("There is no sample to combine.")
    if rule == "first":
        return samples[0]
    values = [value for value in samples if value is not None]
    if 2 * len(values) < len(samples):
        return None
    if rule == "mean":
        return round(sum(values) / len(values), 9)  # as the store rounds it: the last digit of a sum goes by its order
    if rule == "vote":
        votes = Counter(values)  # keeps the order in which answers were first said
        most = max(votes.values())
        first, *others = [value for value, n in votes.items() if n == most]
        return first if drawn is None or not others else drawn
    return median(values)


def combine_on_scale(samples: Sequence[float | None], rule: CombinationRule, scale: Scale) -> float | None:
    """The combined answer of several samples on a scale, by the rule for that scale; a tied vote gives its tie."""
    return combine_samples(samples, rule_on_scale(rule, scale), scale.tie_code)


def nearest_answer(value: float) -> float:
    """The answer of the scale that is nearest to a value between two; a half counts up."""
    return float(floor(value + 0.5))


def describe_samples(samples: int, rule: CombinationRule) -> str:
    """The words beside a judge's name where it is asked several times: "5 samples, median"; "" for one sample."""
    return f"{many(samples, 'sample')}, {RULE_NAMES[rule]}" if samples > 1 else ""


def mean_answer(scale: Scale, values: Sequence[tuple[float, float]]) -> float:
    """The weighted mean of (value, weight), as an answer of the scale.

    sum(w v) / sum(w), rounded to the nearest answer; a half goes toward the middle of the scale, as answers that
    differ are no evidence for an extreme (in the very middle: to the lower). A `number` keeps four decimals.
    """
    total = sum(weight for _, weight in values)
    exact = sum(value * weight for value, weight in values) / total
    if scale.kind == "interval":
        return round(exact, 4)
    low = floor(exact + ROUNDING)
    if abs(exact - low - 0.5) > ROUNDING:
        return float(floor(exact + 0.5))
    middle = (scale.base + scale.base + scale.size - 1) / 2
    return float(low if exact >= middle - ROUNDING else ceil(exact))


def vote_answer(scale: Scale, values: Sequence[tuple[float, float]]) -> float | None:
    """The answer with the most weight; for equal weights, the code of a tied vote, or None if there is none."""
    weights: dict[float, float] = defaultdict(float)
    for value, weight in values:
        weights[value] += weight
    most = max(weights.values())
    heaviest = [value for value, weight in weights.items() if weight > most - ROUNDING]
    return heaviest[0] if len(heaviest) == 1 else drawn_code(scale)


def drawn_code(scale: Scale) -> float | None:
    """The code for contradictory answers within a judgment: that of a tied vote, else "tie"; None if it has neither."""
    drawn = scale.drawn or ("tie" if "tie" in scale.categories else "")
    return float(scale.categories.index(drawn)) if drawn else None


def combine_answers(scale: Scale, values: Sequence[tuple[float | None, float]]) -> tuple[bool, float | None]:
    """(whether there is an answer, the answer) of several (value, weight).

    n/a only if all say so; the mean of ordered answers, else the vote; a flag is raised if any answer raised it. There
    is no answer after a tied vote on a scale without a word for it.
    """
    known = [(value, weight) for value, weight in values if value is not None]
    if not known:
        return True, None
    if scale.kind == "flag":
        return True, max(value for value, _ in known)
    if scale.has_order:
        return True, mean_answer(scale, known)
    value = vote_answer(scale, known)
    return value is not None, value


def agreement_confidence(scale: Scale, values: Iterable[float | None]) -> float | None:
    """The confidence of a value that combines several answers; None for fewer than two answers.

        .9 - 1.2 (highest - lowest) / width of the scale, at least .1

    On 1-5, equal answers have high confidence (.9), neighbouring answers medium (.6), and answers two steps apart low
    (.3). If answers have no order, or only some are n/a: .9 if all are equal, else .3; for a flag that only some raise,
    .45.
    """
    answers = list(values)
    if len(answers) < 2:
        return None
    if all(value == answers[0] for value in answers):
        return AGREED
    known = [value for value in answers if value is not None]
    if scale.kind == "flag":
        return round((ONE_STEP + DIFFER) / 2, 4)
    width = scale.hi - scale.lo if scale.kind == "interval" else scale.size - 1
    if len(known) < len(answers) or not scale.has_order or width <= 0:
        return DIFFER
    return round(max(LEAST, AGREED - 1.2 * (max(known) - min(known)) / width), 4)
