"""Judges compared on the same cells: their kappas, and how much better one agrees with people than another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf
from statistics import NormalDist
from typing import Literal

import numpy as np

from judges.rounding import ROUNDING
from judges.stats.agreement import Codes, Floats, Weights
from judges.stats.concordance import Concordance, concordance
from judges.stats.intervals import Cells, kappa_difference, kappa_interval
from judges.stats.multiple_testing import holm
from judges.stats.sample_size import more_items_for_z
from judges.stats.uncertainty import TWO_SIDED, Interval, normal_quantile

Verdict = Literal["better", "worse", "cannot tell", "too few items"]
ALPHA = 0.05


@dataclass(frozen=True)
class SharedCells:
    """Cells that people and every judge gave a value.

    They have the item, people's code 0..K-1, each judge's by its id (between two codes where samples were combined so),
    and the weight.
    """

    item: Codes
    human: Codes | Floats
    judges: Mapping[str, Codes | Floats]
    weight: Floats | None


@dataclass(frozen=True)
class JudgePair:
    """The kappa of `other` with people minus that of `reference`, on the same items.

    `p` is two-sided, by the interval of the difference, and `adjusted` is p after Holm over the pairs that were tested
    together. `more_items` is the range of further items that would likely separate them (None: labels will not separate
    them, or none are missing).
    """

    reference: str
    other: str
    difference: Interval
    p: float | None
    adjusted: float | None = None
    more_items: tuple[int, int] | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether the other agrees better, or worse, or whether that is not decided."""
        if self.difference.is_too_small:
            return "too few items"
        if self.adjusted is None or self.adjusted > ALPHA or not self.difference.point:
            return "cannot tell"
        return "better" if self.difference.point > 0 else "worse"


@dataclass(frozen=True)
class JudgeComparison:
    """Judges on the same cells: kappa with people by judge, differences to the reference, and kappas between judges."""

    kappas: Mapping[str, Interval]
    pairs: tuple[JudgePair, ...]
    between: Mapping[tuple[str, str], Interval]


def concordance_by_judge(shared: SharedCells, step: float) -> dict[str, Concordance]:
    """Each judge's correlations with people and its mean absolute error on the shared cells of an ordered scale.

    `step` is the distance of two neighbouring codes in units of the scale, in which the error is given.
    """
    human = np.asarray(shared.human, dtype=np.float64) * step
    return {
        judge: concordance(Cells(shared.item, human, np.asarray(scores, dtype=np.float64) * step, shared.weight))
        for judge, scores in shared.judges.items()
    }


def compare_judges(shared: SharedCells, reference: str, k: int, weights: Weights) -> JudgeComparison:
    """All figures of one dimension; `adjusted` and `more_items` of the pairs are left for `adjust_pairs`.

    Differences resample whole items with the answers of people and both judges, so that an item that is hard for both
    judges affects both in every replicate.
    """

    def cells(judge: str) -> Cells:
        return Cells(shared.item, shared.human, shared.judges[judge], shared.weight)

    kappas = {judge: kappa_interval(cells(judge), k, weights) for judge in shared.judges}
    pairs = []
    for other in shared.judges:
        if other != reference:
            gap = kappa_difference(cells(reference), cells(other), k, weights, paired=True)
            pairs.append(JudgePair(reference, other, gap, two_sided_p(gap)))
    between = {
        (judge, other): kappa_interval(cells(other)._replace(human=shared.judges[judge]), k, weights)
        for judge, other in combinations(shared.judges, 2)
    }
    return JudgeComparison(kappas, tuple(pairs), between)


def adjust_pairs(pairs: Sequence[JudgePair]) -> list[JudgePair]:
    """The pairs with p adjusted by Holm over all of them.

    Where a difference is not significant, `more_items` is the range of items missing to decide it. Pairs without a p,
    or with too few items for a verdict, are not tested and do not count.
    """
    tested = [n for n, pair in enumerate(pairs) if pair.p is not None and not pair.difference.is_too_small]
    after = dict(zip(tested, holm([pairs[n].p or 0.0 for n in tested]), strict=True))
    adjusted_pairs = []
    for number, pair in enumerate(pairs):
        adjusted = after.get(number)
        missing = adjusted is not None and adjusted > ALPHA
        more = more_items_to_separate(pair.difference, ALPHA / max(1, len(tested))) if missing else None
        adjusted_pairs.append(replace(pair, adjusted=adjusted, more_items=more))
    return adjusted_pairs


def two_sided_p(gap: Interval) -> float | None:
    """Two-sided p of "the difference is 0", 2 (1 - Phi(z)), z as in `_errors_from_zero`; None without an interval."""
    z = _errors_from_zero(gap)
    return None if z is None else 2 * (1 - NormalDist().cdf(z))


def _errors_from_zero(gap: Interval) -> float | None:
    """How many errors a difference lies from 0, by the end of its interval on that side; None without an interval.

        z = 1.96 |d| / |d - end|

    So p is at most .05 just where the interval excludes 0. If most answers are the same, the standard error alone is
    too small: on 30 items, 85 % of whose answers were one, |d| / se found equal judges different in 16 % of the cases,
    and this z in 2 %.
    """
    if gap.point is None or gap.low is None or gap.high is None:
        return None
    if abs(gap.point) <= ROUNDING:  # as of two judges that always say the same
        return 0.0
    room = gap.point - gap.low if gap.point > 0 else gap.high - gap.point
    if room <= 0:
        return inf
    return normal_quantile(TWO_SIDED) * abs(gap.point) / room


def more_items_to_separate(gap: Interval, alpha: float = ALPHA) -> tuple[int, int] | None:
    """Further items, as a range, after which the difference likely differs from 0 (`sample_size.more_items_for_z`).

    None if there is no difference or interval, or if the difference is so small that labels will not settle it.
    """
    z = _errors_from_zero(gap)
    return more_items_for_z(z, gap.items, normal_quantile(1 - alpha / 2)) if z else None
