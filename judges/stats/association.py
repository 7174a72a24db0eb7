"""For audits: correlations with intervals, items being resampled whole, and logistic regression with a weak prior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import atanh, exp, sqrt, tanh

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judges.stats.agreement import Floats, merge_rounded
from judges.stats.bootstrap import MAX_UNDEFINED, defined_replicates, draw_items, percentile_interval
from judges.stats.uncertainty import TWO_SIDED, Interval, normal_quantile

_MAX_CELLS_IN_MEMORY = 1 << 20  # cells of replicates held in memory at a time
_MAX_CELLS = 1 << 22  # cells of replicates looked at: many cells need fewer replicates, never fewer than _FEWEST
_REPLICATES, _MIN_REPLICATES = 1_000, 100
_PRIOR_SCALE, _MAX_NEWTON_STEPS = 2.5, 100  # the prior of a coefficient, and Newton's steps at most
_MAX_PRODUCT_VALUES = 32  # distinct values up to which their weights are a product of matrices


def bootstrap_spearman(x: ArrayLike, y: ArrayLike, item: ArrayLike) -> Interval:
    """Spearman's rank correlation (ties share the middle of their ranks) with an interval clustered by item.

    It uses ranks because lengths have long tails that would dominate Pearson's r, and scores are ordinal. The interval
    is a bootstrap of whole items on Fisher's scale, tanh(atanh(r) -+ z se), se = standard deviation of atanh of the
    replicates, each ranked anew. None where a side is constant, or fewer than three items; without an interval above
    `MAX_UNDEFINED` replicates with a constant side. Source: Spearman 1904; Efron and Tibshirani 1993.
    """
    return _interval(x, y, item, _spearman, "spearman, cluster bootstrap")


def bootstrap_pearson(x: ArrayLike, y: ArrayLike, item: ArrayLike) -> Interval:
    """Pearson's correlation with an interval as in `bootstrap_spearman`. None where a side is constant."""
    return _interval(x, y, item, _pearson, "pearson, cluster bootstrap")


def _interval(
    x: ArrayLike, y: ArrayLike, item: ArrayLike, figure: Callable[[Floats, Floats, Floats], Floats], method: str
) -> Interval:
    """The bootstrap on Fisher's scale of figure(weights, a, b), weights (replicates, cells)."""
    a, b, keys = merge_rounded(x), merge_rounded(y), np.asarray(item)
    if not a.shape == b.shape == keys.shape or a.ndim != 1:
        raise ValueError(f"Both sides and the items must be of one length; got {a.size}, {b.size} and {keys.size}.")
    distinct, place = np.unique(keys, return_inverse=True)
    items, n = len(distinct), len(a)
    point = float(figure(np.ones((1, n)), a, b)[0]) if n else float("nan")
    point_interval = Interval.point_only(items, n, float(items), method, point if np.isfinite(point) else None)
    if point_interval.point is None or items < 3:
        return point_interval
    times = min(_REPLICATES, max(_MIN_REPLICATES, _MAX_CELLS // n))
    draws = draw_items(items, times, np.random.default_rng(0), _MAX_CELLS_IN_MEMORY // max(n, items))
    drawn = np.concatenate([figure(counts[:, place].astype(np.float64), a, b) for counts in draws])
    defined, undefined = defined_replicates(drawn)
    if undefined > MAX_UNDEFINED:
        return replace(point_interval, undefined=undefined)
    # r of 1 has no place on Fisher's scale; beyond +-.9999 it makes no difference to any verdict.
    se = float(np.arctanh(np.clip(defined, -0.9999, 0.9999)).std(ddof=1))
    centre = atanh(min(max(point, -0.9999), 0.9999))
    z, one_sided = normal_quantile(TWO_SIDED), normal_quantile(0.95)
    low, high, bound = (tanh(centre + quantile * se) for quantile in (-z, z, -one_sided))
    low, high, bound = min(point, low), max(point, high), min(point, bound)
    return replace(point_interval, low=low, high=high, lower_bound=bound, se=se * (1 - point**2), undefined=undefined)


def _spearman(weight: Floats, a: Floats, b: Floats) -> Floats:
    """Spearman's correlation of every row of weights, (replicates, cells), ranking each row by its weights.

    The mean rank is half the total weight W in any row, so that only sum w ra rb needs every cell.
    """
    (on_a, rank_a, group_a), (on_b, rank_b, group_b) = _ranks(weight, a), _ranks(weight, b)
    total = weight.sum(axis=1)
    away = total**3 / 4
    xx, yy = (on_a * rank_a**2).sum(axis=1) - away, (on_b * rank_b**2).sum(axis=1) - away
    xy = np.einsum("ij,ij,ij->i", weight, rank_a[:, group_a], rank_b[:, group_b]) - away
    out = np.full(len(weight), np.nan)
    np.divide(xy, np.sqrt(np.maximum(xx, 0) * np.maximum(yy, 0)), out=out, where=np.minimum(xx, yy) > 1e-9 * away)
    return np.asarray(np.clip(out, -1.0, 1.0), dtype=np.float64)


def _pearson(weight: Floats, a: Floats, b: Floats) -> Floats:
    """Pearson's correlation of every row of weights; nan (in this module only) where a side is constant."""
    n = weight.sum(axis=1)
    x = a - (np.sum(weight * a, axis=1) / n)[:, None]
    y = b - (np.sum(weight * b, axis=1) / n)[:, None]
    xx, yy, xy = (np.sum(weight * left * right, axis=1) for left, right in ((x, x), (y, y), (x, y)))
    spread = np.sqrt(xx * yy)
    scale = np.sqrt(np.sum(weight * np.square(a), axis=1) * np.sum(weight * np.square(b), axis=1))
    out = np.full(len(weight), np.nan)
    np.divide(xy, spread, out=out, where=spread > 1e-12 * np.maximum(scale, 1e-300))
    return np.asarray(np.clip(out, -1.0, 1.0), dtype=np.float64)


def _ranks(weight: Floats, value: Floats) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """For the ordered distinct values, by row: the weight on each and its mid-rank; and each cell's index among them.

    The mid-rank is the weight below a value plus half of the weight on it.
    """
    distinct, group = np.unique(value, return_inverse=True)
    if len(distinct) <= _MAX_PRODUCT_VALUES:
        on = weight @ (group[:, None] == np.arange(len(distinct))).astype(np.float64)
    else:
        order = np.argsort(group, kind="stable")
        starts = np.searchsorted(group[order], np.arange(len(distinct)))
        on = np.add.reduceat(weight[:, order], starts, axis=1)
    return on, np.cumsum(on, axis=1) - on / 2, group.astype(np.intp)


def r_squared(r: Interval) -> Interval:
    """The interval of r squared from that of r: how much of one side a straight line of the other explains."""
    if r.point is None:
        return r
    low, high, bound = None, None, None
    if r.low is not None and r.high is not None and r.lower_bound is not None:
        ends = sorted((r.low**2, r.high**2))
        low, high, bound = (0.0 if r.low <= 0 <= r.high else ends[0]), ends[1], max(r.lower_bound, 0.0) ** 2
    return Interval(r.point**2, low, high, bound, r.items, r.cells, r.n_eff, f"{r.method}, squared")


def share_explained_by_first(
    outcome: ArrayLike, first: ArrayLike, rest: ArrayLike, item: ArrayLike
) -> tuple[Interval, float]:
    """Return the part of the R2 of two predictors that the first alone explains: R2(first) / R2(first, rest).

        R2(first) = r1^2,   R2(first, rest) = (r1^2 + r2^2 - 2 r1 r2 r12) / (1 - r12^2)

    with r1, r2 the correlations of the outcome with each and r12 theirs with each other. The result is the share with a
    percentile interval over resampled items (1,000, seeded), and R2(first, rest). If the outcome or a predictor is
    constant, the share is None and R2 is 0. If this is so in too many samples, the share has no interval.
    """
    columns = np.stack([np.asarray(c, dtype=np.float64) for c in (outcome, first, rest)])
    _, place = np.unique(np.asarray(item), return_inverse=True)
    items, n = int(place.max(initial=-1)) + 1, columns.shape[1]
    if n:
        columns = columns - columns.mean(axis=1)[:, None]
    rows = np.vstack([np.ones((1, n)), columns, *(columns[i] * columns[j] for i in range(3) for j in range(i, 3))])
    sums = np.stack([np.bincount(place, row, minlength=items) for row in rows], axis=1)
    shares, explained = _shares(sums.sum(axis=0, keepdims=True))
    point_interval = Interval.point_only(items, n, float(items), "share of R2, cluster bootstrap")
    if not n or not np.isfinite(shares[0]):
        return point_interval, 0.0
    share = replace(point_interval, point=float(shares[0]))
    if items < 2:
        return share, float(explained[0])
    draws = draw_items(items, _REPLICATES, np.random.default_rng(0))
    drawn = np.concatenate([_shares((row @ sums)[None])[0] for counts in draws for row in counts])
    return percentile_interval(share, drawn), float(explained[0])


def _shares(sums: Floats) -> tuple[Floats, Floats]:
    """(R2(first) / R2 of both, R2 of both) of rows of sums: n, y, a, b, yy, ya, yb, aa, ab, bb."""
    n, y, a, b, yy, ya, yb, aa, ab, bb = sums.T
    out, explained = np.full(len(sums), np.nan), np.full(len(sums), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        vy, va, vb = yy - y * y / n, aa - a * a / n, bb - b * b / n
        r1, r2, r12 = (
            (s - p * q / n) / np.sqrt(v * w)
            for s, p, q, v, w in ((ya, y, a, vy, va), (yb, y, b, vy, vb), (ab, a, b, va, vb))
        )
        full = np.where(1 - r12**2 > 1e-9, (r1**2 + r2**2 - 2 * r1 * r2 * r12) / (1 - r12**2), np.maximum(r1, r2) ** 2)
        fine = (np.minimum(np.minimum(vy, va), vb) > 1e-9 * n) & (full > 1e-12)
        out[fine], explained[fine] = np.minimum(r1**2 / full, 1.0)[fine], np.minimum(full, 1.0)[fine]
    return out, explained


def probability_at_zero(x: ArrayLike, y: ArrayLike) -> Interval:
    """P(y = 1) where all predictors are 0, with its two-sided interval, from logit P = b0 + sum_j b_j x_j / s_j.

    x is (n, p), y (n,) of 0 and 1, s_j the root mean square of predictor j (it is scaled, not centred: 0 keeps its
    meaning). Every b has a normal prior with mean 0 and standard deviation 2.5, so that the estimate exists where y is
    always 1 or follows x without exception; Newton's steps to the mode, interval from the curvature there. ValueError
    without rows or where lengths differ. Source: Gelman et al. 2008 (weak priors on standardised predictors).
    """
    from scipy.special import expit

    predictors, outcome = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if predictors.ndim != 2 or len(predictors) != len(outcome) or not len(outcome):
        raise ValueError(f"One row of predictors for every outcome is needed; got {predictors.shape}, {outcome.shape}.")
    scale = np.sqrt((predictors**2).mean(axis=0))
    design = np.hstack([np.ones((len(outcome), 1)), predictors / np.where(scale > 0, scale, 1.0)])
    prior = np.eye(design.shape[1]) / _PRIOR_SCALE**2
    b = np.zeros(design.shape[1])
    curvature = prior
    for _ in range(_MAX_NEWTON_STEPS):
        p = expit(design @ b)
        curvature = design.T @ (design * (p * (1 - p))[:, None]) + prior
        step = np.linalg.solve(curvature, design.T @ (outcome - p) - prior @ b)
        b = b + step * (5.0 / max(float(np.abs(step).max()), 5.0))
        if float(np.abs(step).max()) < 1e-10:
            break
    half = normal_quantile(0.975) * sqrt(float(np.linalg.inv(curvature)[0, 0]))
    point, low, high = (1 / (1 + exp(-(float(b[0]) + away))) for away in (0.0, -half, half))
    n = len(outcome)
    return Interval(point, low, high, None, n, n, float(n), "logistic regression")
