"""Intervals of an agreement, clustered by item, because items and not cells were drawn (docs/methods.md).

Turns of one dialogue resemble each other, so intervals for independent rows are far too short. Here an item is a
cluster: it is resampled whole (bootstrap), or its whole influence on kappa enters the variance (linearised). If items
were drawn from strata, only the variation within strata counts (judges/stats/strata.py). There is no finite population
correction, because kappa is about items like these. Cells come sparse, as arrays of one length: item index, human code,
judge code, weight and stratum. The weight is 1 / the inclusion probability and never a count (one row is one cell). On
ordered scales values may lie between two codes, from a judge's combined samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judges.rounding import ROUNDING
from judges.stats.agreement import (
    Codes,
    Floats,
    Weights,
    chance_disagreement,
    chance_disagreement_from_sums,
    check_table,
    check_values,
    check_weights,
    disagreement_weights,
    effective_size,
    gradient_by_moments,
    gradient_by_table,
    kappa,
    kappa_from_sums,
    six_moments,
)
from judges.stats.bootstrap import (
    IDENTITY,
    LOG_RATIO,
    MAX_UNDEFINED,
    FigureOfTotals,
    Replicates,
    Transform,
    bootstrap_ends,
    difference_replicates,
    independent_replicates,
    item_sums,
    kappa_replicates,
    replicates_of_sums,
    resample,
    resample_from_seed,
    sort_rows,
    with_products,
)
from judges.stats.strata import error_of_influences, item_strata, resample_within_strata, widen_for_strata
from judges.stats.uncertainty import TWO_SIDED, Interval, normal_quantile, symmetric_interval, with_rule_of_three

LINEARISE_FROM = 3_000
"""Items from which `kappa_interval` and `kappa_difference` linearise: there both agree, and the bootstrap is slow."""

REPLICATES = 2_000
"""Resamples behind an interval."""

BOOTSTRAP = "cluster bootstrap, percentile and studentised"
"""The `Interval.method` of an interval of `bootstrap_kappa`."""


class Cells(NamedTuple):
    """Cells of one dimension: arrays of one length, codes 0..K-1 (or between them, on ordered scales).

    Without weights every cell counts once. Strata are any whole numbers; neighbouring numbers may be collapsed.
    """

    item: ArrayLike
    human: ArrayLike
    judge: ArrayLike
    weight: ArrayLike | None = None
    stratum: ArrayLike | None = None

    def where(self, keep: NDArray[np.bool_]) -> Cells:
        """Some of the cells."""
        return Cells(*(None if column is None else np.asarray(column)[keep] for column in self))  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Clustered:
    """Checked cells, with items renumbered 0..items-1; `stratum` is the stratum of every item, None for only one."""

    item: Codes
    human: Codes | Floats
    judge: Codes | Floats
    weight: Floats
    items: int
    stratum: Codes | None = None

    @property
    def n_eff(self) -> float:
        """Kish's number over items; an item's weight is the mean over its cells, so a long dialogue counts once."""
        return effective_size(np.bincount(self.item, self.weight) / np.bincount(self.item))

    @property
    def size(self) -> tuple[int, int, float]:
        """Items, cells and effective items, as an interval has them."""
        return self.items, self.item.size, self.n_eff

    @property
    def is_integer(self) -> bool:
        """Whether every value is a code, so that there is a table."""
        return self.human.dtype.kind != "f" and self.judge.dtype.kind != "f"

    def table(self, k: int) -> Floats:
        """The K x K table of codes."""
        counts = np.bincount(self.human * k + self.judge, self.weight, minlength=k * k)
        return counts.reshape(k, k).astype(np.float64)

    def sums(self) -> Floats:
        """The sums of `kappa_from_sums`, equal to the last digit for any order of the cells."""
        return np.array([fsum(row) for row in six_moments(self.human, self.judge) * self.weight])

    def pooled_kappa(self, k: int, weights: Weights) -> float | None:
        """Kappa over all cells."""
        return kappa(self.table(k), weights) if self.is_integer else kappa_from_sums(self.sums())

    def influence(self, k: int, weights: Weights) -> tuple[float | None, Floats]:
        """Kappa, and its slope by the weight of every cell; zeros where it is undefined."""
        point = self.pooled_kappa(k, weights)
        if point is None:
            return None, np.zeros(self.item.size)
        if self.is_integer:
            return point, gradient_by_table(self.table(k), weights).ravel()[self.human * k + self.judge]
        return point, gradient_by_moments(self.sums()) @ six_moments(self.human, self.judge)

    def with_rare_events(self, interval: Interval, k: int, weights: Weights) -> Interval:
        """The interval of kappa of these cells, its ends moved for what the sample is too small to show."""
        if not self.is_integer:
            columns = np.stack([np.ones(self.item.size), self.human, self.judge]) * self.weight
            by_item = np.stack([np.bincount(self.item, column) for column in columns]).astype(np.float64)
            return _with_rare_events_by_moments(interval, self.sums(), by_item @ by_item.T)
        sides = [
            np.bincount(self.item * k + side, self.weight, self.items * k).reshape(self.items, k).astype(np.float64)
            for side in (self.human, self.judge)
        ]
        return _with_rare_events_by_table(interval, self.table(k), [side.T @ side for side in sides], weights)

    def parts(self, k: int, weights: Weights) -> Floats:
        """The sums of each item for kappa (judges/stats/bootstrap.py)."""
        return item_sums(self.item, self.human, self.judge, self.weight, self.items, k, weights)


def _renumber(item_index: ArrayLike) -> tuple[Codes, int]:
    """Item indices as 0..G-1, and G. Any whole numbers are allowed; dense ones, the common case, need no sort."""
    index = np.asarray(item_index)
    if index.ndim != 1 or (index.size and index.dtype.kind not in "iu"):
        raise ValueError("Item indices must be a plain list of whole numbers.")
    index = index.astype(np.intp, copy=False)
    if not index.size:
        return index, 0
    if index.min() >= 0 and index.max() < 4 * index.size:
        present = np.zeros(int(index.max()) + 1, dtype=bool)
        present[index] = True
        if present.all():
            return index, len(present)
        return (np.cumsum(present) - 1)[index], int(present.sum())
    distinct, position = np.unique(index, return_inverse=True)
    return position.astype(np.intp), len(distinct)


def _check_cells(cells: Cells, k: int, weights: Weights) -> _Clustered:
    """Cells checked against the scale; ValueError in a sentence."""
    item, items = _renumber(cells.item)
    human, judge = (
        check_values(side, k, name, weights) for side, name in ((cells.human, "human"), (cells.judge, "judge"))
    )
    if not item.size == human.size == judge.size:
        raise ValueError(
            f"Items, human and judge must be of one length; got {item.size}, {human.size} and {judge.size}."
        )
    stratum = None if cells.stratum is None else item_strata(np.asarray(cells.stratum), item, items)
    return _Clustered(item, human, judge, check_weights(cells.weight, item.size), items, stratum)


def unrelated_error(
    slope: Floats, squares: Sequence[Floats], products: Sequence[Floats], *, own: float, pairs: float, total: float,
    items: int,
) -> float:  # fmt: skip
    """The standard error of a figure if its two sides have nothing to do with each other; the spread of each is enough.

        e0 = sqrt(G / (G - 1) (own V + pairs C)) / total,   V = tr(H' A H B),   C = max(0, tr(H' A' H B'))

    Each cell has a vector p of its one side and q of its other, and the figure's slope by the share of the cell is
    p' H q (`slope`). A and B are the means of p p' and q q' over cells (`squares`), A' and B' the same over pairs of
    cells of one item. These follow from sum_g P P' over items, where P is the sum of w p in item g (`products`).
    `total` is the sum of the weights w, `own` that of w^2, and `pairs` that of w_i w_j over pairs of cells of one item.
    Source: Fleiss, Cohen and Everitt 1969, for kappa and one cell an item.
    """
    within = [product - own * square for product, square in zip(products, squares, strict=True)]
    variance, covariance = (max(0.0, float(((slope.T @ a @ slope) * b).sum())) for a, b in (squares, within))
    by_pairs = covariance / pairs if pairs > ROUNDING * own else 0.0
    return sqrt(items / (items - 1) * (own * variance + by_pairs)) / total


def unrelated_slope(rows: Floats, columns: Floats, weights: Weights) -> Floats:
    """The slope of kappa by the share of each place of the table, (K, K), if its sides have no relation.

        h_ij = (sum_l c_l D_il + sum_l r_l D_lj - D_ij) / sum(r_i c_j D_ij) - 1

    with D as in `disagreement_weights`. `rows` (r) and `columns` (c) are the margins as shares, (K,).
    """
    cost = disagreement_weights(len(rows), weights)
    return np.asarray((rows @ cost + (cost @ columns)[:, None] - cost) / (rows @ cost @ columns) - 1, dtype=np.float64)


def with_unrelated_end(interval: Interval, error: float) -> Interval:
    """The interval, its upper end at least point + z e0 if sides without any relation could give the point.

    They could if |point| <= z e0, where e0 (`error`) is the error of unrelated sides. Few answers besides the commonest
    often never meet, and then no item seems to move the figure. The interval is unchanged without ends, and if a side
    is constant, where e0 is 0.
    """
    reach = normal_quantile(TWO_SIDED) * error
    if interval.point is None or interval.high is None or reach <= ROUNDING or abs(interval.point) > reach:
        return interval
    return replace(interval, high=max(interval.high, min(1.0, interval.point + reach)))


def _with_rare_events_by_moments(interval: Interval, sums: Floats, products: Floats) -> Interval:
    """`_with_rare_events` for quadratic weights, of the six sums and the products of each item's first three."""
    if interval.low is None:
        return interval
    total, expected = float(sums[0]), chance_disagreement_from_sums(sums)
    x_mean, y_mean = sums[1:3] / total
    slope = 2 * total**2 / expected * np.array([[x_mean * y_mean, -x_mean], [-y_mean, 1.0]])
    squares = [np.array([[total, sums[i]], [sums[i], sums[i + 2]]]) / total for i in (1, 2)]
    sides = [products[np.ix_([0, i], [0, i])] for i in (1, 2)]
    return _with_rare_events(interval, slope, squares, sides, total, float(products[0, 0]), expected)


def _with_rare_events_by_table(
    interval: Interval, table: Floats, products: Sequence[Floats], weights: Weights
) -> Interval:
    """`_with_rare_events` for any weights, of the table and, for each side, the products of the items' margins."""
    if interval.low is None:
        return interval
    total, expected = float(table.sum()), chance_disagreement(table, weights)
    rows, columns = (table.sum(axis=axis) / total for axis in (1, 0))
    slope, squares = unrelated_slope(rows, columns, weights), [np.diag(rows), np.diag(columns)]
    return _with_rare_events(interval, slope, squares, products, total, float(products[0].sum()), expected)


def _with_rare_events(
    interval: Interval, slope: Floats, squares: Sequence[Floats], products: Sequence[Floats], total: float,
    pairs: float, expected: float,
) -> Interval:  # fmt: skip
    """The interval of a kappa, its ends moved for what the sample is too small to show; without ends it is unchanged.

    A kappa of 1 has no standard error: its ends are those of the rule of three. Else its upper end is at least that of
    `with_unrelated_end`. `expected` is as in `chance_disagreement`.
    """
    if interval.point == 1:
        return with_rule_of_three(interval, total**2 / interval.cells / expected)
    own = total**2 / interval.cells * interval.items / interval.n_eff
    error = unrelated_error(slope, squares, products, own=own, pairs=pairs - own, total=total, items=interval.items)
    return with_unrelated_end(interval, error)


def interval_from_moments(sums: ArrayLike, cross: ArrayLike, items: int, cells: int, n_eff: float) -> Interval:
    """Interval of quadratic-weighted kappa from six moments, one pass over the data: delta method, sandwich over items.

    `sums` are the totals of s = (n, Sx, Sy, Sxx, Syy, Sxy) with x = human and y = judge, `cross` is sum_g s_g s_g^T
    over items g, and `items` is their number G; the database gives all three. `n_eff` is Kish's number over items.

        var = G / (G - 1) * d' (sum_g s_g s_g') d,   d = gradient of kappa by the six totals (see `kappa_from_sums`)

    No mean is taken off, as kappa does not change with scale. Without expected disagreement everything is None; with a
    single item there is a point and no interval. Where judge and people never differed the ends are those of the rule
    of three, as in `bootstrap_kappa`. ValueError for wrong shapes. Source: Binder 1983; Liang and Zeger 1986.
    """
    total, square = np.asarray(sums, dtype=np.float64), np.asarray(cross, dtype=np.float64)
    if total.shape != (6,) or square.shape != (6, 6):
        raise ValueError(
            f"Six sums and their 6 x 6 cross-products are needed; got shapes {total.shape} and {square.shape}."
        )
    point, size = kappa_from_sums(total), (items, cells, n_eff)
    interval = _sandwich_interval(point, None if point is None else gradient_by_moments(total), square, *size)
    return _with_rare_events_by_moments(interval, total, square[:3, :3])


def interval_from_table(
    table: ArrayLike, cross: ArrayLike, items: int, cells: int, n_eff: float, weights: Weights = None
) -> Interval:
    """The interval of any kappa from the K x K total and sum_g t_g t_g^T (K*K, K*K), t_g = item g's table by rows.

    With one cell an item it is the Fleiss-Cohen-Everitt variance times G / (G - 1). None as in `interval_from_moments`.
    """
    array, square = check_table(table), np.asarray(cross, dtype=np.float64)
    size = array.size
    if square.shape != (size, size):
        raise ValueError(
            f"The cross-products of a table of {size} cells are {size} x {size}; got shape {square.shape}."
        )
    point = kappa(array, weights)
    slope = None if point is None else gradient_by_table(array, weights).ravel()
    interval = _sandwich_interval(point, slope, square, items, cells, n_eff)
    k = len(array)
    sides = [square.reshape(k, k, k, k).sum(axis=axes) for axes in ((1, 3), (0, 2))]
    return _with_rare_events_by_table(interval, array, sides, weights)


def _sandwich_interval(
    point: float | None, gradient: Floats | None, cross: Floats, items: int, cells: int, n_eff: float
) -> Interval:
    """Kappa with the error sqrt(G / (G - 1) * sum_g (gradient . s_g)^2)."""
    se = None
    if gradient is not None and items > 1:
        se = sqrt(max(0.0, items / (items - 1) * float(gradient @ cross @ gradient)))
    return symmetric_interval(point, se, items, cells, n_eff, "linearised", -1.0, 1.0)


def bootstrap_kappa(
    cells: Cells, k: int, weights: Weights = "quadratic", replicates: int = REPLICATES, seed: int = 0
) -> Interval:
    """Interval of kappa over resampled items: m ~ Multinomial(G, 1/G), kappa(sum_g m_g T_g), in each stratum apart.

    Each end is the farther one of two. The percentile interval takes quantiles of the replicates. The studentised one
    measures each replicate by its own error, on the scale f = -log(1 - kappa),

        t* = (f* - f) / e*,   1 - exp(-(f - t*_(1-a) e)) .. 1 - exp(-(f - t*_a e)),   e by linearisation over items

    and so corrects for samples with few of the rare answers, which underestimate their own error. If most answers are
    equal, percentile intervals of nominal 95% end too low and cover the truth in 84 to 92% of samples of 50 items,
    these in 92 to 97% (tests/bench/simulations measures both). `lower_bound` is the lower of both at one-sided 95%. A
    replicate without expected disagreement has no kappa and is left out; the share of those is in `undefined`, and
    above `MAX_UNDEFINED`, as with fewer than two items, there is no interval, only a point. Where judge and people
    never differed the ends are those of -log(a) cells one step apart (the rule of three). The same seed gives the same
    interval; memory is 2^21 draws and, for each item, 20 numbers (quadratic weights) or (2K + 1)(K + 2). With strata
    the lower ends are those of `strata.widen_for_strata` where these are lower. Source: Efron and Tibshirani 1993,
    chapters 12 and 13; Hall 1988; Field and Welsh 2007.
    """
    clustered = _check_cells(cells, k, weights)
    point, own = clustered.pooled_kappa(k, weights), clustered.parts(k, weights)
    parts = with_products(own)
    if clustered.stratum is None:
        parts = sort_rows(parts)
        totals, sums = resample_from_seed(parts, replicates, seed), parts.sum(axis=0)[None]
    else:
        totals, sums = resample_within_strata(parts, clustered.stratum, own.shape[1], replicates, seed)
    drawn, observed = (kappa_replicates(total, k, weights, clustered.items) for total in (totals, sums))
    interval = _interval(point, observed, drawn, LOG_RATIO, *clustered.size)
    interval = interval if clustered.stratum is None else widen_for_strata(interval)
    return clustered.with_rare_events(interval, k, weights)


def _interval(
    point: float | None, observed: Replicates, drawn: Replicates, scale: Transform, items: int, cells: int,
    n_eff: float, reach: float = 1.0,
) -> Interval:  # fmt: skip
    """Interval from bootstrap replicates, kept within -reach..reach; those that are nan are left out and reported."""
    defined = np.isfinite(drawn.figure)
    undefined = 1 - int(defined.sum()) / len(defined)
    if point is None or items < 2 or undefined > MAX_UNDEFINED:
        return Interval.point_only(items, cells, n_eff, BOOTSTRAP, point, undefined)
    drawn = Replicates(drawn.figure[defined], drawn.error[defined])
    low, high, bound = bootstrap_ends(observed, drawn, scale)
    low, high, bound = max(-reach, low), min(reach, high), max(-reach, bound)
    se = float(observed.error[0])
    return Interval(point, low, high, bound, items, cells, n_eff, BOOTSTRAP, se, undefined=undefined)


def interval_of_sums(per_item: Floats, figure: FigureOfTotals, cells: int) -> Interval:
    """The interval of any figure 1 - observed / expected of the items' sums, (G, columns), which add up over items.

    The ends are those of `bootstrap_kappa`, or linearised from `LINEARISE_FROM` items on. No point where the figure is
    undefined; no ends for fewer than two items, or where it is undefined in more than `MAX_UNDEFINED` of the resamples.
    """
    size = len(per_item), cells, float(len(per_item))
    observed = replicates_of_sums(per_item, figure, 0)
    point = float(observed.figure[0]) if np.isfinite(observed.figure[0]) else None
    if point is None or len(per_item) >= LINEARISE_FROM:
        return symmetric_interval(point, float(observed.error[0]), *size, "linearised", -1.0, 1.0)
    return _interval(point, observed, replicates_of_sums(per_item, figure, REPLICATES), LOG_RATIO, *size)


def kappa_interval(cells: Cells, k: int, weights: Weights = "quadratic", seed: int = 0) -> Interval:
    """Kappa of cells with its interval by items: bootstrap below `LINEARISE_FROM` items, linearised from there on.

    ValueError when a code is off the scale 0..k-1, a weight is not positive, or the lengths differ.
    """
    clustered = _check_cells(cells, k, weights)
    if clustered.items < LINEARISE_FROM:
        return bootstrap_kappa(cells, k, weights, seed=seed)
    return _linearise(clustered, k, weights)


def linearised_kappa(cells: Cells, k: int, weights: Weights = "quadratic") -> Interval:
    """The same, linearised for any number of items."""
    return _linearise(_check_cells(cells, k, weights), k, weights)


def _linearise(cells: _Clustered, k: int, weights: Weights) -> Interval:
    point, by_item = _influences(cells, k, weights)
    se = error_of_influences(by_item, cells.stratum)
    interval = symmetric_interval(point, se, *cells.size, "linearised", -1.0, 1.0)
    interval = interval if cells.stratum is None else widen_for_strata(interval)
    return cells.with_rare_events(interval, k, weights)


def _influences(cells: _Clustered, k: int, weights: Weights) -> tuple[float | None, Floats]:
    """Kappa, and the influence of every item on it, (G,): the sandwich without cross-products. Zeros if undefined."""
    point, slope = cells.influence(k, weights)
    return point, np.bincount(cells.item, slope * cells.weight, minlength=cells.items).astype(np.float64)


def kappa_difference(
    a: Cells | tuple[ArrayLike, ...], b: Cells | tuple[ArrayLike, ...], k: int, weights: Weights = "quadratic", *,
    paired: bool = False, seed: int = 0,
) -> Interval:  # fmt: skip
    """Interval of kappa(b) - kappa(a), each given as `Cells` (or a tuple of its arrays).

    `paired` False: two disjoint groups of items, resampled apart (blind against assisted draws; the item indices of a
    and b then have nothing to do with each other). `paired` True: the same items seen twice (two judges, two
    protocols); equal indices are one item, resampled together, and an item that only one side has counts on that side.
    Method and None as in `kappa_interval`, the studentised ends on the scale of the difference itself; `items`, `cells`
    and `n_eff` are those of the smaller group, which limits the precision.
    """
    first, second = Cells(*a), Cells(*b)
    if paired:
        together, items = _renumber(np.concatenate([np.asarray(first.item), np.asarray(second.item)]))
        split = len(np.asarray(first.item))
    left, right = _check_cells(first, k, weights), _check_cells(second, k, weights)
    smaller = min(left.items, right.items), min(left.item.size, right.item.size), min(left.n_eff, right.n_eff)
    if paired:
        left = _Clustered(together[:split], left.human, left.judge, left.weight, items)
        right = _Clustered(together[split:], right.human, right.judge, right.weight, items)
    (kappa_a, influence_a), (kappa_b, influence_b) = _influences(left, k, weights), _influences(right, k, weights)
    point = None if kappa_a is None or kappa_b is None else kappa_b - kappa_a
    if max(left.items, right.items) >= LINEARISE_FROM:
        independent = [influence_b - influence_a] if paired else [influence_a, influence_b]
        errors = [error_of_influences(influence) for influence in independent]
        se = sqrt(sum(error**2 for error in errors if error is not None)) if None not in errors else None
        return symmetric_interval(point, se, *smaller, "linearised", -2.0, 2.0)
    shares = [group.parts(k, weights) for group in (left, right)]
    if paired:
        parts = with_products(np.hstack(shares))
        drawn = difference_replicates(resample_from_seed(parts, REPLICATES, seed), k, weights, left.items)
        observed = difference_replicates(parts.sum(axis=0)[None], k, weights, left.items)
    else:
        rng, groups = np.random.default_rng(seed), []
        for share, count in zip(shares, (left.items, right.items), strict=True):
            parts = with_products(share)
            totals = resample(parts, REPLICATES, rng), parts.sum(axis=0)[None]
            groups.append([kappa_replicates(total, k, weights, count) for total in totals])
        drawn, observed = (independent_replicates(*sides) for sides in zip(*groups, strict=True))
    return _interval(point, observed, drawn, IDENTITY, *smaller, reach=2.0)


def kappa_influences(cells: Cells, k: int, weights: Weights = "quadratic") -> tuple[float | None, Floats]:
    """Kappa, and the influence of every single cell on it, (cells,); zeros where kappa is undefined.

    Summed by any clusters g they give var = G / (G - 1) sum_g (sum of g)^2, and with the sums of another figure over
    the same clusters the covariance of both.
    """
    clustered = _check_cells(cells, k, weights)
    point, slope = clustered.influence(k, weights)
    return point, slope * clustered.weight
