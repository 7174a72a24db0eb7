"""Krippendorff's alpha: agreement among any number of people, with gaps (docs/methods.md, Krippendorff's alpha)."""

from __future__ import annotations

from functools import partial
from math import sqrt

import numpy as np

from judges.rounding import ROUNDING
from judges.stats.agreement import Codes, Floats, disagreement_weights
from judges.stats.bins import row_count
from judges.stats.bootstrap import FigureOfTotals
from judges.stats.intervals import interval_of_sums, unrelated_slope, with_unrelated_end
from judges.stats.raters.ratings import Ratings
from judges.stats.uncertainty import Interval, with_rule_of_three


def alpha_interval(ratings: Ratings) -> Interval:
    """Krippendorff's alpha among the people, with an interval by items.

        alpha = 1 - (n - 1) sum(o_ck d_ck) / sum(n_c n_k d_ck),   o_ck = sum over cells u of n_uc (n_uk - [c = k]) /
        (m_u - 1)

    with m_u answers in cell u, n_c the answers of value c, n their sum, and d = (n_c / 2 + all between + n_k / 2)^2
    where answers are ordered (ordinal), (c - k)^2 of the values themselves on interval scales, else [c != k] (nominal).
    Cells with fewer than two answers cannot be paired and are left out. No point where nothing is left, or all answers
    are the same. Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability.

    Coincidences add up over items, so a resample of items is a weighted sum of theirs; the ordinal distances follow the
    values of each resample. The ends are those of `judges.stats.intervals.interval_of_sums`, the upper one at least
    that of people without any relation. Where people never differed they are those of -log(a) labels one step from the
    others (the rule of three).
    """
    ratings = ratings.multi_rater_cells()
    item, place = (np.unique(n, return_inverse=True)[1] for n in (ratings.item, ratings.cell))
    items, cells = int(item.max(initial=-1)) + 1, int(place.max(initial=-1)) + 1
    figure: FigureOfTotals
    if ratings.scale.kind == "interval":
        per_item, figure = _squares(ratings, item, items), _of_squares
    else:
        per_item = _coincidences(ratings, item, items)
        figure = partial(_of_coincidences, has_order=ratings.scale.has_order)
    interval = interval_of_sums(per_item, figure, cells)
    if interval.point is None or interval.low is None:
        return interval
    if interval.point != 1:
        return with_unrelated_end(interval, unrelated_people_error(ratings))
    # One label away from the m - 1 others adds a difference to them, and one from them, each counted 1 / (m - 1) times.
    _, slope = figure(per_item.sum(axis=0)[None])
    answers = np.unique(ratings.value)
    steps = 0 if ratings.scale.kind == "interval" else answers[:-1] * row_count(ratings.scale) + answers[1:]
    return with_rule_of_three(interval, 2 * float(-slope[0, steps].max()))


def unrelated_people_error(ratings: Ratings, by_answer: bool = True) -> float:
    """The error that agreement among people would have if they had nothing to do with each other.

        e0^2 = V sum_u 2 m_u (m_u - 1) w_u^2 / (sum_u m_u (m_u - 1) w_u)^2

    Each pair of answers in cell u has the weight w_u = 1 / (m_u - 1), as in alpha, or 1 (`by_answer` False), as in
    kappa between two people. V is 1 where answers are ordered, else sum p_c p_k h_ck^2 of the shares p of the answers,
    with h as in `judges.stats.intervals.unrelated_slope`. Cells of one item count as independent.
    """
    answers = np.bincount(ratings.cell)[np.unique(ratings.cell)]
    pairs, weight = answers * (answers - 1), 1 / (answers - 1) if by_answer else np.ones(len(answers))
    variance = 1.0
    if not ratings.scale.has_order:
        share = np.bincount(ratings.value) / len(ratings)
        variance = float(share @ unrelated_slope(share, share, None) ** 2 @ share)
    return sqrt(2 * variance * float(pairs @ weight**2)) / float(pairs @ weight)


def _coincidences(ratings: Ratings, item: Codes, items: int) -> Floats:
    """The table of coincidences that each item gives, by rows, (items, K * K)."""
    counts, (first, second) = ratings.counts(), ratings.pairs()
    answers, k = counts.sum(axis=1)[ratings.cell[first]], counts.shape[1]
    per_item = np.zeros((items, k, k))
    for row, other in ((first, second), (second, first)):
        np.add.at(per_item, (item[row], ratings.value[row], ratings.value[other]), 1 / (answers - 1))
    return per_item.reshape(items, k * k)


def _of_coincidences(totals: Floats, has_order: bool) -> tuple[Floats, Floats]:
    """Alpha of each row of coincidences o_ck, by rows, and its slope by them; nan where all answers are one.

    The slope is that of 1 - (n - 1) O / E with O = sum(o_ck d_ck), E = sum(n_c n_k d_ck). With an order the distances
    are those of mid-ranks, d_ck = (h_c - h_k)^2: between two of these lie half of each value's count and all between.
    """
    k = round(np.sqrt(totals.shape[1]))
    table = totals.reshape(-1, k, k)
    count = table.sum(axis=2)
    n = count.sum(axis=1)[:, None]
    distance = np.broadcast_to(disagreement_weights(k, None), table.shape)
    by_distance = np.zeros((2, *count.shape))  # the slopes of O and of E by counts, through the distances
    if has_order:
        rank = np.cumsum(count, axis=1) - count / 2
        distance = np.square(rank[:, :, None] - rank[:, None, :])
        others = np.einsum("rck,rk->rc", table, rank), count * (count * rank).sum(axis=1)[:, None]
        by_rank = np.stack([count * rank - others[0], n * count * rank - others[1]])
        by_distance = 4 * by_rank @ (np.tril(np.ones((k, k)), -1) + np.eye(k) / 2)
    to_others = np.einsum("rk,rck->rc", count, distance)
    observed, expected = (table * distance).sum(axis=(1, 2))[:, None], (to_others * count).sum(axis=1)[:, None]
    expected[np.count_nonzero(count > ROUNDING, axis=1) < 2] = np.nan
    factor = (n - 1) / expected
    by_count = observed / expected + factor * (by_distance[0] - observed / expected * (2 * to_others + by_distance[1]))
    slope = -(factor[:, None] * distance + by_count[:, :, None])
    return (1 - factor * observed)[:, 0], slope.reshape(totals.shape)


def _squares(ratings: Ratings, item: Codes, items: int) -> Floats:
    """The sums of each item for alpha of values v, (items, 4): all (v - v')^2 / (m - 1) of its cells, n, Sv, Svv."""
    (first, second), value = ratings.pairs(), ratings.code.astype(np.float64)
    others = np.bincount(ratings.cell)[ratings.cell[first]] - 1
    columns = ((item, np.ones_like(value)), (item, value), (item, value**2))
    differences = item[first], 2 * np.square(value[first] - value[second]) / others
    return np.stack([np.bincount(of, column, minlength=items) for of, column in (differences, *columns)], axis=1)


def _of_squares(totals: Floats) -> tuple[Floats, Floats]:
    """The same of rows of `_squares`: 1 - (n - 1) sum(squared_differences) / (2 (n Svv - (Sv)^2))."""
    observed, n, s, q = totals.T
    expected = 2 * (n * q - s**2)
    expected = np.where(expected > ROUNDING * np.maximum(1.0, n * q), expected, np.nan)
    factor, ratio = (n - 1) / expected, observed / expected
    slope = np.stack([-factor, ratio * (2 * q * factor - 1), -4 * s * factor * ratio, 2 * n * factor * ratio], axis=1)
    return 1 - factor * observed, slope
