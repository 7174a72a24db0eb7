"""Several samples of a judge are one answer: which rule combines them, and the result (docs/methods.md, Samples).

A judge that is asked several times about the same thing is one judge whose answer is the combination; the store's view
`score_now` makes the same of the same samples (data/store/migrations/007_samples.sql).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import floor
from typing import Any, get_args

from judges.card import Card
from judges.params import CombinationRule
from judges.plural import many
from judges.types import Scale

RULES: tuple[CombinationRule, ...] = get_args(CombinationRule)
SAID: dict[CombinationRule, str] = {"first": "the first one", "median": "median", "mean": "mean", "vote": "vote"}
_ORDERED = ("ordinal", "ordered", "interval")


def combination_rule(card: Card, params: Mapping[str, Any]) -> CombinationRule:
    """The rule of a judge with these stored parameters: what they say, else what its card has."""
    given = params.get("combine")
    return given if given in RULES else card.defaults.combine or "median"


def rule_on_scale(rule: CombinationRule, scale: Scale) -> CombinationRule:
    """The rule on a scale: categories without an order, flags and turns have no median or mean, and are voted on."""
    return rule if rule in ("first", "vote") or scale.kind in _ORDERED else "vote"


def combine_samples(samples: Sequence[float | None], rule: CombinationRule, drawn: float | None = None) -> float | None:
    """The one answer of several samples in the order in which they were asked; None is n/a.

    first: what was said first. Of the others, n/a where more than half say so, else of the samples with a value: their
    median (of an even number the mean of the two in the middle), their mean, or the commonest, where a drawn vote is
    `drawn` (a pair's tie), and without it the one of the drawn that was said first. ValueError without a sample.

    Median and mean may lie between two answers of the scale; `nearest` is the answer that people are shown then.
    """
    if not samples:
        raise ValueError("There is no sample to combine.")
    if rule == "first":
        return samples[0]
    values = [value for value in samples if value is not None]
    if 2 * len(values) < len(samples):
        return None
    if rule == "mean":
        return sum(values) / len(values)
    if rule == "vote":
        votes = Counter(values)  # keeps the order in which answers were first said
        most = max(votes.values())
        first, *others = [value for value, n in votes.items() if n == most]
        return first if drawn is None or not others else drawn
    values.sort()
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def nearest_answer(value: float) -> float:
    """The answer of the scale that is nearest to a value between two; a half counts up."""
    return float(floor(value + 0.5))


def tie_code(scale: Scale) -> float | None:
    """The code of a tied vote on a scale ("tie"); None where the scale has none for it."""
    return float(scale.categories.index(scale.drawn)) if scale.drawn else None


def describe_samples(samples: int, rule: CombinationRule) -> str:
    """The words beside a judge's name where it is asked several times: "5 samples, median"; "" for one sample."""
    return f"{many(samples, 'sample')}, {SAID[rule]}" if samples > 1 else ""
