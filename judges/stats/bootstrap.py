"""The bootstrap of kappa: items drawn with replacement, kappa and its error in every sample, and the interval's ends.

Each item has a few sums (`item_sums`), and a sample's totals are the sums over its items. With the products of these
sums (`with_products`), the totals give both the sample's kappa and its standard error. So each of two thousand samples
can be studentised by its own error without a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges.rounding import NO_SPREAD
from judges.stats.agreement import Codes, Floats, Weights, disagreement_weights, is_kappa_of_moments
from judges.stats.uncertainty import TWO_SIDED, Interval, normal_quantile

Counts = NDArray[np.integer[Any]] | Floats
_MAX_DRAWS_IN_MEMORY = 1 << 21  # draws held in memory at a time, 16 MB
_MAX_CACHED_DRAWS = 6_000_000  # draws that are kept for the next figure, 12 MB: 2,000 replicates of 3,000 items
_MAX_FLOAT_DRAWS = 1_000_000  # of so many they are kept as the floats that products take, 8 MB


def resample(per_item: Floats, replicates: int, rng: np.random.Generator) -> Floats:
    """Totals of `replicates` samples of G items, (replicates, columns), from their sums (G, columns).

    The order of the items does not matter: the same items give the same totals. ValueError for fewer than 2 replicates.
    """
    return _totals(sort_rows(per_item), draw_items(len(per_item), replicates, rng))


def resample_from_seed(per_item: Floats, replicates: int, seed: int) -> Floats:
    """The same with a generator of that seed; its draws are cached unless there are many.

    Most dimensions of a judge have the same number of items, and then all of them share the draws.
    """
    items = len(per_item)
    if items * replicates <= _MAX_CACHED_DRAWS:
        return _totals(sort_rows(per_item), _draw_counts(items, replicates, seed))
    return resample(per_item, replicates, np.random.default_rng(seed))


def sort_rows(per_item: Floats) -> Floats:
    """The rows sorted by their content, so that the order of items in a store (by name) changes no digit.

    The unit of weights changes nothing either: sums that differ only by rounding count as equal.
    """
    if not per_item.size:
        return per_item
    largest = np.abs(per_item).max(axis=0)
    ordered: Floats = per_item[np.lexsort(np.round(per_item / np.where(largest > 0, largest, 1.0), 9).T[::-1])]
    return ordered


def _totals(per_item: Floats, draws: Iterable[Counts]) -> Floats:
    return np.concatenate([counts.astype(np.float64, copy=False) @ per_item for counts in draws])


def draw_items(items: int, replicates: int, rng: np.random.Generator) -> Iterator[NDArray[np.integer[Any]]]:
    """Yield the number of times each item is drawn in each replicate, (rows, items), as many rows as fit in memory."""
    if replicates < 2:
        raise ValueError("A bootstrap needs at least 2 replicates; 2,000 are usual.")
    step = max(1, _MAX_DRAWS_IN_MEMORY // max(1, items))
    for start in range(0, replicates, step):
        rows = min(step, replicates - start)
        # G draws counted are Multinomial(G, 1/G), an order of magnitude faster than rng.multinomial.
        drawn = rng.integers(0, max(1, items), size=(rows, items)) + np.arange(rows)[:, None] * items
        yield np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items)


@lru_cache(maxsize=3)
def _draw_counts(items: int, replicates: int, seed: int) -> tuple[Counts, ...]:
    """Draws of a seed. No count is above the number of items, so four bytes are enough, and two below 65,536."""
    smallest: type = np.uint16 if items < 1 << 16 else np.uint32
    dtype = np.float64 if items * replicates <= _MAX_FLOAT_DRAWS else smallest
    return tuple(counts.astype(dtype) for counts in draw_items(items, replicates, np.random.default_rng(seed)))


MAX_UNDEFINED = 0.05
"""Above this share of undefined replicates there is no interval: the rest would be a selection."""


def percentile_interval(figure: Interval, drawn: Floats) -> Interval:
    """A figure with the ends and the error of its samples (n,), nan where undefined; no ends if too many are."""
    defined = drawn[np.isfinite(drawn)]
    undefined = 1 - len(defined) / len(drawn)
    if undefined > MAX_UNDEFINED:
        return replace(figure, undefined=undefined)
    low, high, bound, se = percentile_ends(defined).tolist()
    return replace(figure, low=low, high=high, lower_bound=bound, se=se, undefined=undefined)


def percentile_ends(drawn: Floats, method: Literal["linear", "nearest"] = "linear") -> Floats:
    """Low, high, one-sided lower bound and standard error, (4, ...), of the samples (n, ...) of figures."""
    ends = np.quantile(drawn, [1 - TWO_SIDED, TWO_SIDED, 0.05], axis=0, method=method)
    return np.asarray(np.concatenate([ends, drawn.std(axis=0, ddof=1)[None]]), dtype=np.float64)


_FLAT = 1e-6
"""An error below which a sample has no spread at all: it is rounding."""


class Transform(NamedTuple):
    """The scale on which figures are studentised: the function to it, its slope, and the function back."""

    to: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


IDENTITY = Transform(lambda x: x, np.ones_like, lambda x: x)
LOG_RATIO = Transform(lambda x: -np.log1p(-x), lambda x: 1 / (1 - x), lambda x: -np.expm1(np.minimum(-x, 9.0)))
"""-log(1 - kappa): 1 - kappa is a ratio of two disagreements, whose logarithm is spread more evenly than itself.

The way back ends at -8,000: kappa is never below -1, and ends far out would overflow.
"""


class Replicates(NamedTuple):
    """Kappa, or a difference of kappas, of every sample (nan where undefined), and the sample's own standard error."""

    figure: Floats
    error: Floats


FigureOfTotals = Callable[[Floats], tuple[Floats, Floats]]
"""Of rows of totals (rows, columns): a figure of each, nan where undefined, and its slope by them."""


def replicates_of_sums(per_item: Floats, figure: FigureOfTotals, replicates: int) -> Replicates:
    """A figure of samples of G items, always the same, with its standard error, from the items' sums (G, columns).

        e = sqrt(G / (G - 1) sum_g m_g (slope . sums of g)^2)      g drawn m_g times

    No mean is taken off: the figure has to stay what it is if all sums are multiplied. `replicates` 0: the items
    themselves, in one row.
    """
    per_item, items = sort_rows(per_item), len(per_item)
    draws = _draw_counts(items, replicates, 0) if replicates else (np.ones((1, items)),)
    figures, errors = [], []
    for counts in draws:
        values, slope = figure(counts.astype(np.float64, copy=False) @ per_item)
        square = np.einsum("rg,rg->r", counts, np.square(slope @ per_item.T))
        figures.append(values)
        errors.append(np.sqrt(items / max(1, items - 1) * square))
    return Replicates(np.concatenate(figures), np.concatenate(errors))


def item_sums(
    item: Codes, human: Codes | Floats, judge: Codes | Floats, weight: Floats, items: int, k: int, w: Weights
) -> Floats:
    """The sums of each item for kappa, (items, columns).

    Five moments n, Sx, Sy, Sxx + Syy, Sxy where kappa is a function of them (quadratic weights, or two values), else
    observed disagreement, row margin and column margin (2K + 1).
    """

    def sum_by_item(value: Floats | NDArray[np.int64]) -> Floats:
        return np.asarray(np.bincount(item, value * weight, minlength=items), dtype=np.float64)

    if is_kappa_of_moments(k, w):
        return np.stack(
            [sum_by_item(v) for v in (np.ones(len(item)), human, judge, human * human + judge * judge, human * judge)],
            axis=1,
        )
    observed = sum_by_item(disagreement_weights(k, w).ravel()[human * k + judge])
    sides = [np.bincount(item * k + side, weight, minlength=items * k).reshape(items, k) for side in (human, judge)]
    return np.hstack([observed[:, None], *sides]).astype(np.float64)


@lru_cache(maxsize=16)
def column_pairs(columns: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Each pair of columns once, and how often it counts in a square."""
    left, right = np.triu_indices(columns)
    return left, right, np.where(left == right, 1.0, 2.0)


def with_products(parts: Floats) -> Floats:
    """The columns of every item, and after them the product of every pair of its columns."""
    left, right, _ = column_pairs(parts.shape[1])
    return np.hstack([parts, parts[:, left] * parts[:, right]])


def kappas_of_totals(totals: Floats, k: int, weights: Weights) -> tuple[Floats, Floats]:
    """Kappa of every row of totals of `item_sums`, and its slope by them; nan where chance gives no disagreement."""
    if is_kappa_of_moments(k, weights):
        n, sx, sy, squares, products = totals.T
        observed, expected = squares - 2 * products, n * squares - 2 * sx * sy
        defined = expected > NO_SPREAD * n * squares  # with fractional weights rounding noise takes the place of a zero
        zero = np.zeros_like(n)
        numerator_slope = np.stack([observed, zero, zero, n, -2 * n], axis=1)
        denominator_slope = np.stack([squares, -2 * sy, -2 * sx, n, zero], axis=1)
    else:
        cost = disagreement_weights(k, weights)
        observed, rows, columns = totals[:, 0], totals[:, 1 : k + 1], totals[:, k + 1 :]
        n, to_columns, to_rows = rows.sum(axis=1), columns @ cost, rows @ cost
        expected = (to_rows * columns).sum(axis=1)
        defined = expected > 0
        numerator_slope = np.hstack([n[:, None], np.repeat(observed[:, None], k, axis=1), np.zeros_like(columns)])
        denominator_slope = np.hstack([np.zeros_like(n)[:, None], to_columns, to_rows])
    numerator, denominator = n * observed, np.where(defined, expected, np.nan)
    slope = -(numerator_slope - (numerator / denominator)[:, None] * denominator_slope) / denominator[:, None]
    return 1 - numerator / denominator, slope


def kappa_replicates(totals: Floats, k: int, weights: Weights, items: int) -> Replicates:
    """Kappa of every row of totals of `with_products(parts)`, each of so many items."""
    columns = _columns(k, weights)
    figure, slope = kappas_of_totals(totals[:, :columns], k, weights)
    return Replicates(figure, _error(slope, totals[:, columns:], items))


def difference_replicates(totals: Floats, k: int, weights: Weights, items: int) -> Replicates:
    """The same of kappa(b) - kappa(a), from `with_products` of the parts of a and, beside them, those of b."""
    columns = _columns(k, weights)
    (kappa_a, slope_a), (kappa_b, slope_b) = (
        kappas_of_totals(totals[:, start : start + columns], k, weights) for start in (0, columns)
    )  # fmt: skip
    return Replicates(kappa_b - kappa_a, _error(np.hstack([-slope_a, slope_b]), totals[:, 2 * columns :], items))


def independent_replicates(a: Replicates, b: Replicates) -> Replicates:
    """The replicates of b - a if both were drawn independently."""
    return Replicates(b.figure - a.figure, np.hypot(a.error, b.error))


def _columns(k: int, weights: Weights) -> int:
    return 5 if is_kappa_of_moments(k, weights) else 2 * k + 1


def _error(slope: Floats, products: Floats, items: int) -> Floats:
    """sqrt(G / (G - 1) sum_g (slope . parts of g)^2) of every sample; no mean is taken off, as kappa has no unit."""
    left, right, times = column_pairs(slope.shape[1])
    square = np.einsum("rp,rp->r", slope[:, left] * slope[:, right] * times, products)
    return np.asarray(np.sqrt(items / max(1, items - 1) * np.maximum(square, 0.0)), dtype=np.float64)


def bootstrap_ends(observed: Replicates, drawn: Replicates, scale: Transform) -> tuple[float, float, float]:
    """Low, high and one-sided 95% lower bound of a figure (`observed` has one row), from its defined bootstrap samples.

    The wider, end by end, of the percentile interval and the studentised one,

        back(f - t_(1-a) e), back(f - t_a e),   f = to(figure), e = slope(figure) error, t_q of (f* - f) / e*

    where every sample is measured by its own e*. A sample without any spread has no t: it misses the few items in which
    judge and people differ. Then the lower t is at least as far as the normal quantile, which on a logarithmic scale is
    close to the exact limit of a rare event. If the data themselves have no spread, the percentile ends are used.
    Source: Efron and Tibshirani 1993, chapters 12 and 13; Hall 1988.
    """
    low, high, bound = np.quantile(drawn.figure, [1 - TWO_SIDED, TWO_SIDED, 0.05]).tolist()
    with np.errstate(divide="ignore", invalid="ignore"):
        at, step = scale.to(observed.figure), scale.slope(observed.figure) * observed.error
        t = (scale.to(drawn.figure) - at) / (scale.slope(drawn.figure) * drawn.error)
    t_values = t[(drawn.error > _FLAT) & np.isfinite(t)]
    if observed.error[0] <= _FLAT or len(t_values) < 2:
        return low, high, bound
    t_low, t_high, t_bound = np.quantile(t_values, [1 - TWO_SIDED, TWO_SIDED, 0.95])
    if len(t_values) < len(t):
        t_high, t_bound = max(t_high, normal_quantile(TWO_SIDED)), max(t_bound, normal_quantile(0.95))
    own_low, own_high, own_bound = scale.back(at - np.array([t_high, t_low, t_bound]) * step).tolist()
    return min(low, own_low), max(high, own_high), min(bound, own_bound)
