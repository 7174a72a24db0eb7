"""True and false positive rates of a flag, or of one category against the rest, and the corrected prevalence.

Everything is a ratio of sums over cells, made of the K x K table (rows = people, columns = judge) that each item gives:
the totals T and the sums of products over items, sum_g t_g t_g'. A share p = a.T / b.T, a being part of b, has

    se^2 = G / (G - 1) v' (sum_g t_g t_g') v,   v = (a - p b) / b.T

and Wilson's interval on the cells that this error is worth, n = p (1 - p) / se^2 (z / t)^2, with z and t the quantiles
of the normal and of Student's distribution with m - 1 degrees of freedom, m = (b.T)^2 / sum_g (b.t_g)^2 the effective
number of items that have such cells (m itself where p is 0 or 1). Weights 1/pi are in the tables. A case that was not
observed has the weight of its kind, so n is at most b.T / ((1 - p) w1 + p w0). Here w1 is the mean weight of cells with
the judge's answer that makes the share larger, and w0 that of the other cells. If few of the cells without the judge's
answer were drawn, an unobserved miss has a large weight.

The prevalence is corrected by both rates. Of the cells that nobody labelled the judge's share is q, and

    prevalence = f people + (1 - f) (q - FPR) / (TPR - FPR)

with f the labelled part and `people` their own share there. With few labels this is Rogan and Gladen's estimate; with
all cells labelled, it is people's own share. If items were drawn with unequal probabilities, the rest differs from the
sample, so f is 0 and q is the judge's share of all cells. The interval is that of Lang and Reiczigel, who add
pseudo-counts to both rates and to q, on effective counts, and for the labelled part the error of people's share.

Sources: Rogan and Gladen 1978; Lang and Reiczigel 2014; Korn and Graubard 1998 (shares on effective counts); Binder
1983 (linearisation); Newcombe 1998 (difference of two shares, method 10).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges.plural import many
from judges.stats.agreement import Floats, nearest_codes
from judges.stats.calibration import PairedRatings, RatingSums, has_kappa_of_moments, kappa_cells
from judges.stats.clustered import newcombe_difference
from judges.stats.uncertainty import Interval, normal_quantile, t_quantile, wilson_interval
from judges.types import Dimension

_MOMENTS = np.array([[1, -1, -1, 0, 0, 1], [0, 0, 1, 0, 0, -1], [0, 1, 0, 0, 0, -1], [0, 0, 0, 0, 0, 1.0]])
"""The 2 x 2 table by rows from the six moments of values that are 0 or 1."""


class TableSums(NamedTuple):
    """The tables of items, summed up.

    They are the weighted total (K*K,), the sum of products over items (K*K, K*K), the number of items, and the cells by
    answer pair (K*K,), each counted once.
    """

    total: Floats
    cross: Floats
    items: int
    counts: Floats


@dataclass(frozen=True)
class JudgeShare:
    """The judge's share of an answer over all cells that it valued, its error by items, and their number."""

    share: float
    se: float
    cells: int


@dataclass(frozen=True)
class Rates:
    """One answer, which is at `place` among all, against the rest.

    `recall` is the true positive rate (sensitivity, recall), `false_positive_rate` the false one (1 - specificity),
    `precision` the precision, `people` and `judge` how often each gives the answer in the cells that have gold,
    `youden` is `recall` - `false_positive_rate`. Figures that do not exist are None.
    """

    answer: str
    place: int
    recall: Interval
    false_positive_rate: Interval
    precision: Interval
    people: Interval
    judge: Interval
    youden: Interval

    @property
    def is_informative(self) -> bool:
        """Whether the judge significantly gives the answer more often where people do than where they do not."""
        return self.youden.low is not None and self.youden.low > 0


@dataclass(frozen=True)
class CorrectedPrevalence:
    """The prevalence of an answer by people's judgment over all cells: `interval`, or None and `why` it is refused."""

    interval: Interval | None
    judge: float | None
    why: str = ""


@dataclass(frozen=True)
class AnswerRates:
    """An answer with the judge's rates, and how often people would give it."""

    rates: Rates
    prevalence: CorrectedPrevalence


def rates_by_answer(
    ratings: PairedRatings | RatingSums, dimension: Dimension, wholes: Mapping[float, JudgeShare]
) -> list[AnswerRates]:
    """Every answer of a flag or an unordered scale with its rates and its prevalence; [] for other scales.

    `wholes` has what the judge gave over all its cells, by code. Where people say n/a of cells that the judge valued,
    no prevalence is given: its share is then one of other cells than theirs.
    """
    scale = dimension.scale
    if scale.has_order or not scale.size:
        return []
    cells = sum_tables(ratings, dimension)
    na_sum = int(ratings.cells[ratings.scored & np.isnan(ratings.human) & ~np.isnan(ratings.judge)].sum())
    reason = f"People say n/a in {many(na_sum, 'rating')} that the judge gave a value, which this estimate cannot use."
    any_ = next(iter(wholes.values()), JudgeShare(0.0, 0.0, 0))
    return [
        AnswerRates(
            rates,
            CorrectedPrevalence(None, None, reason) if na_sum
            else correct_prevalence(cells, rates, wholes.get(float(rates.place), JudgeShare(0.0, 0.0, any_.cells))),
        )
        for rates in rates_of_tables(cells, dimension)
    ]  # fmt: skip


def judge_shares(item: NDArray[np.int64], value: Floats) -> dict[float, JudgeShare]:
    """Return the judge's share of each code over all cells, from item numbers and values (nan = n/a, left out)."""
    item, value = item[~np.isnan(value)], value[~np.isnan(value)]
    place = np.unique(item, return_inverse=True)[1]
    m = np.bincount(place)
    shares = {}
    for code in np.unique(value):
        t = np.bincount(place, value == code)
        shares[float(code)] = judge_share(float(t.sum()), float(m.sum()), float(t @ t), float(t @ m), float(m @ m))
    return shares


def judge_share(t: float, m: float, tt: float, tm: float, mm: float) -> JudgeShare:
    """Return the judge's share, from sums over items of an answer's cells t, all cells m, and their products."""
    q = t / m
    return JudgeShare(q, sqrt(max(0.0, tt - 2 * q * tm + q * q * mm)) / m, round(m))


def explain(answer: AnswerRates, dimension: Dimension) -> list[str]:
    """The rates in sentences: what is found, what is raised falsely, how often people would say so."""
    rates, flag = answer.rates, dimension.scale.kind == "flag"
    units = UNITS[dimension.sort]
    name = dimension.title if flag else f"“{rates.answer}”"
    recall, raised, precision, prevalence = rates.recall, rates.false_positive_rate, rates.precision, answer.prevalence
    last = f"No corrected prevalence: {prevalence.why[:1].lower()}{prevalence.why[1:]}"
    if prevalence.interval is not None and prevalence.judge is not None:
        last = (
            f"Prevalence: the judge gives this answer in {prevalence.judge:.1%} of all that it judged. Corrected by "
            f"these rates (Rogan and Gladen): {prevalence.interval.point or 0:.1%}"
            f"{prevalence.interval.in_brackets('.1%')}."
        )
    return [
        f"People call none of these {units} {name}, so recall is not known."
        if recall.point is None
        else f"Recall: of 100 {units} that people call {name}, the judge finds {_ends(recall)} (from "
        f"{many(recall.cells, 'rating')}).",
        f"People call all of them {name}, so the false positive rate is not known."
        if raised.point is None
        else f"False positives: of 100 others, the judge calls {_ends(raised)} so.",
        "The judge never gives this answer here."
        if precision.point is None
        else f"Precision: of 100 that the judge calls so, people confirm {_ends(precision)}.",
        last,
    ]


READING_HELP = (
    "Corrected: prevalence over all that the judge judged, corrected by its recall and false positive rate (Rogan and "
    "Gladen). It holds for further unlabelled data as long as both rates are the same there."
)
"""The explanation of a table of rates for readers."""
PPI = (
    "PPI++ corrects the same prevalence with the labelled items themselves, without assumptions on the rates; the "
    "dashboard shows it."
)
"""The difference of this correction from the mean on a dashboard."""
UNITS = {
    "turn": "turns", "section": "sections", "side": "responses", "response": "responses",
    "conversation": "conversations", "pair": "pairs",
}  # fmt: skip
"""The units that a dimension is asked of, in the plural."""


def _ends(interval: Interval) -> str:
    low, high = (round(100 * (end or 0.0)) for end in (interval.low, interval.high))
    return f"{low}" if low == high else f"{low} to {high}"


def as_json(answer: AnswerRates) -> dict[str, Any]:
    """An answer's figures as JSON has them."""
    rates, prevalence = answer.rates, answer.prevalence
    return {
        "answer": rates.answer, "found": _interval_record(rates.recall),
        "raised": _interval_record(rates.false_positive_rate), "right": _interval_record(rates.precision),
        "people": _interval_record(rates.people), "judge": prevalence.judge,
        "corrected": _interval_record(prevalence.interval), "why": prevalence.why,
    }  # fmt: skip


def _interval_record(interval: Interval | None) -> dict[str, Any] | None:
    return None if interval is None else {
        "point": interval.point, "low": interval.low, "high": interval.high, "cells": interval.cells,
    }  # fmt: skip


def sum_tables(ratings: PairedRatings | RatingSums, dimension: Dimension) -> TableSums:
    """The tables of the cells that both people and judge gave a value."""
    k = dimension.scale.size
    if isinstance(ratings, RatingSums):
        complete, base = ratings.has_both, dimension.scale.base
        place = ((ratings.human[complete] - base) * k + nearest_codes(ratings.judge[complete] - base)).astype(np.int64)
        counts = np.bincount(place, ratings.cells[complete], minlength=k * k).astype(np.float64)
        if has_kappa_of_moments(dimension.scale):
            return TableSums(_MOMENTS @ ratings.total, _MOMENTS @ ratings.cross @ _MOMENTS.T, ratings.items, counts)
        return TableSums(ratings.total, ratings.cross, ratings.items, counts)
    cells, _ = kappa_cells(ratings, dimension.scale)
    distinct, item = np.unique(np.asarray(cells.item), return_inverse=True)
    items = len(distinct)
    place = np.asarray(cells.human) * k + nearest_codes(np.asarray(cells.judge))
    tables = np.bincount(item * k * k + place, cells.weight, minlength=items * k * k)
    own = tables.reshape(items, k * k).astype(np.float64)
    return TableSums(own.sum(axis=0), own.T @ own, items, np.bincount(place, minlength=k * k).astype(np.float64))


def rates_of_tables(sums: TableSums, dimension: Dimension) -> list[Rates]:
    """Of a flag the rates of yes, of other scales those of every answer that either side gave."""
    k = dimension.scale.size
    answers = [1] if dimension.scale.kind == "flag" else range(k)
    table = sums.counts.reshape(k, k)
    occurs = table.sum(axis=0) + table.sum(axis=1) > 0
    return [_answer_rates(sums, dimension.scale.answers[n], n, k) for n in answers if len(answers) == 1 or occurs[n]]


def _answer_rates(sums: TableSums, answer: str, n: int, k: int) -> Rates:
    people, judge = _sides(n, k)
    every = np.ones(k * k)
    weights = _weight(sums, judge), _weight(sums, 1 - judge)
    recall = share_of_tables(sums, people * judge, people, weights)
    raised = share_of_tables(sums, (1 - people) * judge, 1 - people, weights)
    own = (weights[0], weights[0])
    # Youden's index recall - raised with Newcombe's interval, on all items and cells.
    youden = replace(newcombe_difference(raised, recall), items=sums.items, cells=int(sums.counts.sum()))
    return Rates(
        answer, n, recall, raised, share_of_tables(sums, people * judge, judge, own),
        share_of_tables(sums, people, every), share_of_tables(sums, judge, every), youden,
    )  # fmt: skip


def _weight(sums: TableSums, among: Floats) -> float:
    """The mean weight of some cells; 0 where there are none."""
    cells = float(sums.counts @ among)
    return float(sums.total @ among) / cells if cells else 0.0


def _sides(n: int, k: int) -> tuple[Floats, Floats]:
    """Return the places of people's answer n, and of the judge's, in a table by rows: (K*K,) of 0 and 1 each."""
    rows, columns = np.divmod(np.arange(k * k), k)
    return (rows == n).astype(np.float64), (columns == n).astype(np.float64)


def share_of_tables(sums: TableSums, a: Floats, b: Floats, weights: tuple[float, float] = (0.0, 0.0)) -> Interval:
    """The share of the cells `b` that are also `a`, with its interval by items; without figures where there is none.

    `weights` are w1 and w0 (see above); 0 where nothing is known of them.
    """
    cells, total = round(float(sums.counts @ b)), float(b @ sums.total)
    if not total > 0:
        return Interval.point_only(0, 0, 0.0, "wilson")
    p = min(max(float(a @ sums.total) / total, 0.0), 1.0)
    worth = total**2 / float(b @ sums.cross @ b)
    v = (a - p * b) / total
    square = max(0.0, sums.items / max(sums.items - 1, 1) * float(v @ sums.cross @ v))
    hit = round(float(sums.counts @ (a * b)))
    n = worth
    if hit in (0, cells):
        p = float(hit > 0)
    elif square > 0:
        n = min(
            float(cells), p * (1 - p) / square * (normal_quantile(0.975) / t_quantile(0.975, max(worth - 1, 1.0))) ** 2
        )
    heavy = (1 - p) * weights[0] + p * weights[1]
    n = max(1.0, min(n, total / heavy)) if heavy > 0 else max(1.0, n)
    plain = wilson_interval(p * n, n)
    return replace(plain, point=p, items=round(worth), cells=cells, n_eff=n, se=sqrt(square))


def correct_prevalence(sums: TableSums, rates: Rates, overall: JudgeShare) -> CorrectedPrevalence:
    """Return the prevalence of an answer, by people's judgment, over all cells that the judge gave a value.

    It is refused, with a sentence in `why`, if there are no cells, if one of the judge's rates is not known, or if the
    judge does not clearly give the answer more often where people do.
    """
    recall, raised, people = rates.recall, rates.false_positive_rate, rates.people
    if overall.cells <= 0:
        return CorrectedPrevalence(None, None, "The judge valued no cell.")
    if recall.point is None or raised.point is None:
        missing = "gave" if recall.point is None else "withheld"
        reason = f"People never {missing} the answer {rates.answer} here, so one of the judge's two rates is not known."
        return CorrectedPrevalence(None, overall.share, reason)
    if not rates.is_informative:
        reason = (
            f"The judge is not shown to say {rates.answer} more often where people do than where they do not: nothing "
            "can be corrected."
        )
        return CorrectedPrevalence(None, overall.share, reason)
    labelled = float(sums.counts.sum())
    is_proportional = np.allclose(sums.total * labelled, sums.counts * sums.total.sum())
    f = min(1.0, labelled / overall.cells) if is_proportional else 0.0
    z = normal_quantile(0.975)
    n1, n0 = recall.n_eff + 2, raised.n_eff + 2
    tpr, fpr = (recall.n_eff * recall.point + 1) / n1, (raised.n_eff * raised.point + 1) / n0
    d, own = tpr - fpr, people.point or 0.0
    centre, spread = f * own, (f * (people.se or 0.0)) ** 2
    point = f * own
    if f < 1:
        q, nq = _unlabelled_share(sums, rates, overall) if f else (overall.share, _cells(overall))
        point += (1 - f) * min(1.0, max(0.0, (q - raised.point) / (recall.point - raised.point)))
        smooth = (nq * q + z * z / 2) / (nq + z * z)
        rest = (smooth - fpr) / d
        shift = 2 * z * z * (rest * tpr * (1 - tpr) / n1 - (1 - rest) * fpr * (1 - fpr) / n0)
        errors = smooth * (1 - smooth) / (nq + z * z)
        errors += (1 - rest) ** 2 * fpr * (1 - fpr) / n0 + rest**2 * tpr * (1 - tpr) / n1
        centre += (1 - f) * (rest + shift)
        spread += (1 - f) ** 2 * errors / d**2
    se = sqrt(spread)
    low, high = (min(1.0, max(0.0, end)) for end in (centre - z * se, centre + z * se))
    low, high, bound = min(low, point), max(high, point), min(max(0.0, centre - normal_quantile(0.95) * se), point)
    on = sums.items, int(labelled), people.n_eff
    return CorrectedPrevalence(Interval(point, low, high, bound, *on, "rogan-gladen", se), overall.share)


def _unlabelled_share(sums: TableSums, rates: Rates, overall: JudgeShare) -> tuple[float, float]:
    """The judge's share of the answer in the cells that nobody labelled, and how many cells it is worth."""
    _, judge = _sides(rates.place, round(sqrt(len(sums.counts))))
    left = overall.cells - float(sums.counts.sum())
    q = min(1.0, max(0.0, (overall.share * overall.cells - float(sums.counts @ judge)) / left))
    return q, max(1.0, _cells(overall) * left / overall.cells)


def _cells(overall: JudgeShare) -> float:
    """Return the number of independent cells that the judge's share is worth."""
    spread = overall.share * (1 - overall.share)
    return spread / overall.se**2 if spread > 0 and overall.se > 0 else float(overall.cells)
