"""Verdicts without review: the confidence above which a judge agrees with people as often as required.

An item needs no review if its least confident cell reaches the threshold, so that people get whole items. Thresholds
are tried from the most confident items down, each by a test of

    H: of the cells above it, the judge agrees with people in less than the target

at level delta, and the first test that fails ends the sequence. The order does not depend on agreement, so all
thresholds that pass are valid together with probability 1 - delta, however many there are (fixed-sequence testing).
Ties of confidence pass or fail together. Each test is exact and binomial, P(X >= k) for X ~ Bin(n, target), with n = k
/ p cells where every item has one cell and one weight; else n is what the cells are worth,

    n = p (1 - p) / se^2 (z / t)^2,   se^2 = G / (G - 1) sum_g (sum_{i in g} w_i (a_i - p) / sum w)^2

with a = 1 where judge and people agree, w = 1 / the probability of being drawn, G items, z and t the quantiles of the
normal and of Student's distribution with the items' effective number less one. It is at most what Kish's design effect
of their weights leaves of the cells, and of that no larger a part than among all cells together, which are more to tell
by how far the turns of one item are alike; where p is 0 or 1 it is the effective number of the items.

Sources: Jung, Brahman and Choi, Trust or Escalate (ICLR 2025); Bauer 1991 and Angelopoulos et al. 2021 (fixed sequences
of tests); Korn and Graubard 1998 (the binomial on effective counts).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judges.errors import AssayError
from judges.rounding import ROUNDING
from judges.stats.agreement import Codes, Floats, effective_size
from judges.stats.clustered import spread_of_share, weighted_share
from judges.stats.uncertainty import MIN_CLUSTERS, Interval, normal_quantile, t_quantile

TARGET, DELTA = 0.8, 0.1
"""The defaults: agreement of at least TARGET, missed with a probability of at most DELTA."""
MAX_THRESHOLDS = 20
"""Thresholds that are tried at most: each takes in at least this part of the items."""
MAX_FIRST_SHARE = 1 / 3
"""The first threshold takes in no more than this part of the items: a larger one would reach past what is sure."""
READING_HELP = (
    "From the items of highest confidence on the left to all on the right. The band reaches down to the lower bound; "
    "the threshold is the last one before the bound first falls below the dashed line. Items without a confidence are "
    "never accepted automatically."
)
"""The explanation of the curve for readers."""
_LOW, _HIGH = 0.5, 0.995


class BadTarget(AssayError):
    """A target or a probability that makes no sense."""


@dataclass(frozen=True)
class ConfidenceRatings:
    """Ratings that have both people's value and the judge's, as arrays of one length.

    They are item numbers, the item's confidence (of its least confident rating; nan: not known, so never accepted),
    whether judge and people agree (0 or 1), and the weight 1/pi.
    """

    item: Codes
    confidence: Floats
    agree: Floats
    weight: Floats


@dataclass(frozen=True)
class ThresholdTest:
    """A threshold of the sequence.

    It has the share of items at or above it, the agreement there (its `lower_bound` is one-sided at 1 - delta), and
    whether it passed the test (None: the sequence had already ended).
    """

    threshold: float
    share: float
    agreement: Interval
    passed: bool | None


@dataclass(frozen=True)
class AutoAcceptance:
    """The items that can be accepted without review at a target.

    `chosen` is the last threshold that passed, `spared` its share of the items with a 95% interval. If there is none,
    `why` says so in a sentence. `overall` is agreement on all cells, `steps` the curve from the most confident items
    down.
    """

    target: float
    delta: float
    chosen: ThresholdTest | None
    spared: Interval | None
    why: str
    overall: Interval
    steps: tuple[ThresholdTest, ...]
    items: int
    cells: int


def check_target(target: float, delta: float) -> None:
    """Raises BadTarget unless target and delta are shares that can be asked for."""
    if not _LOW <= target <= _HIGH:
        raise BadTarget(
            f"The target is a share of agreement from {_LOW:g} to {_HIGH:g}, such as {TARGET:g}; got {target:g}."
        )
    if not 0.001 <= delta <= 0.5:
        raise BadTarget(
            f"Delta is the chance of missing the target, from .001 to .5, such as {DELTA:g}; got {delta:g}."
        )


def find_threshold(ratings: ConfidenceRatings, target: float = TARGET, delta: float = DELTA) -> AutoAcceptance:
    """The largest share of items whose verdicts need no review. Raises BadTarget for an impossible target."""
    check_target(target, delta)
    items, cells = len(np.unique(ratings.item)), len(ratings.item)
    overall = binomial_agreement(ratings, delta)
    efficiency = overall.n_eff / effective_size(ratings.weight) if cells else 1.0

    def outcome(why: str, steps: Sequence[ThresholdTest] = (), chosen: ThresholdTest | None = None) -> AutoAcceptance:
        spared = share_above(ratings, chosen.threshold) if chosen else None
        return AutoAcceptance(target, delta, chosen, spared, why, overall, tuple(steps), items, cells)

    if not cells:
        return outcome("No item has both gold and a score of the judge, so its confidence cannot be tested.")
    known = np.unique(ratings.confidence[~np.isnan(ratings.confidence)])
    if not len(known):
        return outcome("The judge gives no confidence for any of these items.")
    if len(known) == 1 and not np.isnan(ratings.confidence).any():
        return outcome("The judge's confidence is the same for all items, so it cannot separate them.")
    places = candidate_thresholds(ratings, target, delta)
    if not places:
        least, known_items = fewest_items(target, delta), _select_cells(ratings, ~np.isnan(ratings.confidence))
        weight = known_items.weight[np.unique(known_items.item, return_index=True)[1]]
        worth = "" if len(weight) < least else f", worth {floor(effective_size(weight)):,} by weight"
        return outcome(
            f"Too few labels: {least:,} items with a confidence are needed to show agreement of "
            f"{target:.0%}, and there are {len(weight):,}{worth}. Label more items that were drawn at random."
        )
    steps, open_ = list[ThresholdTest](), True
    for place in places:
        above = ratings.confidence >= place
        agreement = binomial_agreement(_select_cells(ratings, above), delta, efficiency)
        passed = reaches_target(agreement, target, delta) if open_ else None
        open_ = bool(passed)
        steps.append(ThresholdTest(place, share_above(ratings, place).point or 0.0, agreement, passed))
    passed_steps = [step for step in steps if step.passed]
    if not passed_steps:
        first = steps[0]
        return outcome(
            f"No threshold is shown to reach {target:.0%}: on the {first.agreement.items:,} items of highest "
            f"confidence agreement is {first.agreement.point or 0:.0%} (lower bound "
            f"{first.agreement.lower_bound or 0:.0%}). People review every item, or the requirement is lowered.",
            steps,
        )
    return outcome("", steps, passed_steps[-1])


def candidate_thresholds(ratings: ConfidenceRatings, target: float, delta: float) -> list[float]:
    """The thresholds to try, most confident first, chosen by confidences, items and weights alone.

    The first threshold includes enough items that a judge half-way between the target and full agreement passes in four
    of five cases, but at most the share MAX_FIRST_SHARE of them. It never includes fewer than MIN_CLUSTERS items, or
    fewer than full agreement needs to pass ([] if there are not enough). Each further threshold adds at least 1 /
    MAX_THRESHOLDS of the items. Ties are always included together.
    """
    first = np.unique(ratings.item, return_index=True)[1]
    confidence, weight = ratings.confidence[first], ratings.weight[first]
    values = np.unique(confidence[~np.isnan(confidence)])[::-1]
    least = fewest_items(target, delta)
    usual = max(least, min(_usual_items(target, delta), MAX_FIRST_SHARE * effective_size(weight)))
    thresholds, total, upto = list[float](), float(weight.sum()), 0.0
    for n, value in enumerate(values):
        above = confidence >= value
        enough = effective_size(weight[above]) >= (usual if n < len(values) - 1 or thresholds else least) - ROUNDING
        reached = float(weight[above].sum()) / total
        if enough and (not thresholds or reached >= upto + 1 / MAX_THRESHOLDS or n == len(values) - 1):
            thresholds.append(float(value))
            upto = reached
    return thresholds


def fewest_items(target: float, delta: float) -> int:
    """The least number of items for a conclusion: MIN_CLUSTERS, or the least n with target^n <= delta, if larger."""
    return max(MIN_CLUSTERS, ceil(log(delta) / log(target) - ROUNDING))


def _usual_items(target: float, delta: float) -> int:
    half = (1 + target) / 2
    reach = normal_quantile(1 - delta) * sqrt(target * (1 - target)) + normal_quantile(0.8) * sqrt(half * (1 - half))
    return ceil((reach / (half - target)) ** 2)


def agreement_at(ratings: ConfidenceRatings, threshold: float, delta: float) -> ThresholdTest:
    """A given threshold on these cells: the share of items above it, and the agreement there."""
    efficiency = binomial_agreement(ratings, delta).n_eff / effective_size(ratings.weight) if len(ratings.item) else 1.0
    agreement = binomial_agreement(_select_cells(ratings, ratings.confidence >= threshold), delta, efficiency)
    return ThresholdTest(threshold, share_above(ratings, threshold).point or 0.0, agreement, None)


def share_above(ratings: ConfidenceRatings, threshold: float) -> Interval:
    """The weighted share of items at or above a threshold, with its 95% interval."""
    first = np.unique(ratings.item, return_index=True)[1]
    above = (ratings.confidence[first] >= threshold).astype(np.float64)
    return weighted_share(ratings.item[first], above, ratings.weight[first])


def binomial_agreement(ratings: ConfidenceRatings, delta: float, efficiency: float = 1.0) -> Interval:
    """Weighted agreement over cells; its `lower_bound` is Clopper and Pearson's, one-sided, on effective counts.

    The level is 1 - delta; `n_eff` is what the cells are worth, at most the part `efficiency` of what their weights
    leave.
    """
    if not len(ratings.item):
        return Interval.point_only(0, 0, 0.0, "clopper-pearson")
    p, square, constant, by_item = spread_of_share(ratings.item, ratings.agree, ratings.weight)
    cells, items = len(ratings.item), len(by_item)
    clusters, most = effective_size(by_item), effective_size(ratings.weight)
    if cells == items and clusters > items - 1e-6:
        n = float(items)
    elif constant or square <= 0:
        n = clusters
    else:
        level = max(1 - delta, 0.5 + 1e-6)  # at .5 both are 0, and their ratio is what it is just above
        slack = normal_quantile(level) / t_quantile(level, max(clusters - 1, 1.0))
        n = min(efficiency * most, max(1.0, p * (1 - p) / square * slack**2))
    return Interval(p, None, None, _lower_end(p, n, delta), items, cells, n, "clopper-pearson", sqrt(square))


def reaches_target(interval: Interval, target: float, delta: float) -> bool:
    """Whether agreement this high has a probability of at most delta if the true agreement is below the target.

    P(X >= k) for X ~ Bin(n, target), of counts that need not be whole: I_target(k, n - k + 1).
    """
    from scipy.special import betainc

    if interval.point is None:
        return False
    k = _count(interval.point, interval.n_eff)
    return k > 0 and bool(betainc(k, interval.n_eff - k + 1, target) <= delta)


def _lower_end(p: float, n: float, tail: float) -> float:
    """The true share at which a figure of at least p has that probability: Clopper and Pearson's lower end."""
    from scipy.special import betaincinv

    k = _count(p, n)
    return 0.0 if k <= 0 else float(betaincinv(k, n - k + 1, tail))


def _count(p: float, n: float) -> float:
    """The share p of n, whole where n is."""
    return floor(n * p + ROUNDING) if abs(n - round(n)) < ROUNDING else n * p


def _select_cells(ratings: ConfidenceRatings, inside: NDArray[np.bool_]) -> ConfidenceRatings:
    return ConfidenceRatings(
        ratings.item[inside], ratings.confidence[inside], ratings.agree[inside], ratings.weight[inside]
    )


def explain(auto_acceptance: AutoAcceptance, near: bool = False) -> str:
    """The figures in sentences; `near`: answers one step apart count as agreement."""
    if auto_acceptance.chosen is None or auto_acceptance.spared is None:
        return auto_acceptance.why
    agreement, spared, note = auto_acceptance.chosen.agreement, auto_acceptance.spared, " (within one)" if near else ""
    left = 1 - (spared.point or 0.0)
    return (
        f"{spared.point or 0:.0%} of items ({spared.low or 0:.0%} to {spared.high or 0:.0%}) can be accepted without "
        f"review: where the judge's confidence in all scores of an item is {auto_acceptance.chosen.threshold:.3g} or "
        f"more, it agrees with people{note} in {agreement.point or 0:.0%} of ratings, and in "
        f"{auto_acceptance.target:.0%} or more with a probability of {1 - auto_acceptance.delta:.0%} (lower bound "
        f"{agreement.lower_bound or 0:.1%})." + (f" The other {left:.0%} go to people." if left > 0 else "")
    )


def as_json(auto_acceptance: AutoAcceptance) -> dict[str, Any]:
    """The figures as JSON has them."""
    chosen, spared = auto_acceptance.chosen, auto_acceptance.spared
    return {
        "target": auto_acceptance.target, "delta": auto_acceptance.delta, "why": auto_acceptance.why,
        "items": auto_acceptance.items, "cells": auto_acceptance.cells,
        "threshold": None if chosen is None else chosen.threshold,
        "spared": None if spared is None else {"point": spared.point, "low": spared.low, "high": spared.high},
        "agreement": None if chosen is None else chosen.agreement.point,
        "bound": None if chosen is None else chosen.agreement.lower_bound,
        "overall": auto_acceptance.overall.point,
        "steps": [
            {"threshold": s.threshold, "share": s.share, "agreement": s.agreement.point,
             "bound": s.agreement.lower_bound, "items": s.agreement.items, "passed": s.passed}
            for s in auto_acceptance.steps
        ],
    }  # fmt: skip
