"""Correlations with intervals, over cells grouped in items: an item is resampled whole."""

from __future__ import annotations

from collections.abc import Callable
from math import atanh, tanh
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judges.stats.agreement import Floats
from judges.stats.intervals import MAX_UNDEFINED
from judges.stats.uncertainty import Interval, normal_quantile

_AT_ONCE = 1 << 20  # cells of replicates held in memory at a time
_IN_ALL = 1 << 22  # cells of replicates looked at: many cells need fewer replicates, never fewer than _FEWEST
_FEWEST = 100
_FEW = 32  # distinct values up to which their weights are a product of matrices


class _Cells(NamedTuple):
    """Both sides, the number of each cell's item (0..items-1), and how many items."""

    a: Floats
    b: Floats
    place: NDArray[np.intp]
    items: int


def bootstrap_spearman(
    x: ArrayLike, y: ArrayLike, item: ArrayLike, replicates: int = 1000, seed: int = 0, level: float = 0.95
) -> Interval:
    """Spearman's rank correlation (ties share the middle of their ranks) with an interval clustered by item.

    Ranks, because lengths have long tails that would carry Pearson's r alone, and scores are ordinal. The interval is
    a bootstrap of whole items on Fisher's scale, tanh(atanh(r) -+ z se), se = standard deviation of atanh of the
    replicates, each ranked anew. None where a side is constant, or fewer than three items; without an interval above
    `MAX_UNDEFINED` replicates with a constant side. Source: Spearman 1904; Efron and Tibshirani 1993.
    """
    cells = _checked(x, y, item)
    return _interval(_point(_ranked, cells), cells, _ranked, "spearman, cluster bootstrap", replicates, seed, level)


def bootstrap_pearson(
    x: ArrayLike, y: ArrayLike, item: ArrayLike, replicates: int = 1000, seed: int = 0, level: float = 0.95
) -> Interval:
    """Pearson's correlation with an interval as in `bootstrap_spearman`. None where a side is constant."""
    cells = _checked(x, y, item)
    return _interval(_point(_plain, cells), cells, _plain, "pearson, cluster bootstrap", replicates, seed, level)


def _checked(x: ArrayLike, y: ArrayLike, item: ArrayLike) -> _Cells:
    a, b, keys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64), np.asarray(item)
    if not a.shape == b.shape == keys.shape or a.ndim != 1:
        raise ValueError(f"Both sides and the items must be of one length; got {a.size}, {b.size} and {keys.size}.")
    distinct, place = np.unique(keys, return_inverse=True)
    return _Cells(a, b, place.astype(np.intp), len(distinct))


def _point(figure: Callable[[Floats, Floats, Floats], Floats], cells: _Cells) -> float:
    """The figure of all cells, each once; nan where there is none."""
    return float(figure(np.ones((1, len(cells.a))), cells.a, cells.b)[0]) if len(cells.a) else float("nan")


def _interval(
    point: float,
    cells: _Cells,
    figure: Callable[[Floats, Floats, Floats], Floats],
    method: str,
    replicates: int,
    seed: int,
    level: float,
) -> Interval:
    """The bootstrap on Fisher's scale of figure(weights, a, b), weights (replicates, cells)."""
    a, b, place, items = cells
    n = len(a)
    if not np.isfinite(point):
        return Interval.point_only(items, n, float(items), method, level=level)
    if items < 3:
        return Interval.point_only(items, n, float(items), method, point, level)
    replicates = min(replicates, max(_FEWEST, _IN_ALL // n))
    rng, drawn = np.random.default_rng(seed), []
    step = max(1, _AT_ONCE // max(n, items))
    for start in range(0, replicates, step):
        rows = min(step, replicates - start)
        chosen = rng.integers(0, items, size=(rows, items)) + np.arange(rows)[:, None] * items
        counts = np.bincount(chosen.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)
        drawn.append(figure(counts[:, place], a, b))
    found = np.concatenate(drawn)
    defined = found[np.isfinite(found)]
    undefined = 1 - len(defined) / replicates
    if undefined > MAX_UNDEFINED:
        return Interval.point_only(items, n, float(items), method, point, level, undefined)
    # r of 1 has no place on Fisher's scale; beyond +-.9999 it makes no difference to any verdict.
    se = float(np.arctanh(np.clip(defined, -0.9999, 0.9999)).std(ddof=1))
    centre = atanh(min(max(point, -0.9999), 0.9999))
    z, one_sided = normal_quantile((1 + level) / 2), normal_quantile(0.95)
    low, high = min(point, tanh(centre - z * se)), max(point, tanh(centre + z * se))
    bound = min(point, tanh(centre - one_sided * se))
    se_r = se * (1 - point**2)
    return Interval(point, low, high, bound, items, n, float(items), method, se_r, level, undefined)


def _ranked(weight: Floats, a: Floats, b: Floats) -> Floats:
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


def _plain(weight: Floats, a: Floats, b: Floats) -> Floats:
    """Pearson's correlation of every row of weights."""
    return _weighted(weight, a[None, :], b[None, :])


def _ranks(weight: Floats, value: Floats) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Of the distinct values, in order: weight on each and its middle rank, by row; and each cell's among them.

    The middle rank is all weight below a value and half of that on it.
    """
    distinct, group = np.unique(value, return_inverse=True)
    if len(distinct) <= _FEW:
        on = weight @ (group[:, None] == np.arange(len(distinct))).astype(np.float64)
    else:
        order = np.argsort(group, kind="stable")
        starts = np.searchsorted(group[order], np.arange(len(distinct)))
        on = np.add.reduceat(weight[:, order], starts, axis=1)
    return on, np.cumsum(on, axis=1) - on / 2, group.astype(np.intp)


def _weighted(weight: Floats, a: Floats, b: Floats) -> Floats:
    """Weighted correlation in every row; nan (in this module only) where a side is constant."""
    n = weight.sum(axis=1)
    x = a - (np.sum(weight * a, axis=1) / n)[:, None]
    y = b - (np.sum(weight * b, axis=1) / n)[:, None]
    xx, yy, xy = (np.sum(weight * left * right, axis=1) for left, right in ((x, x), (y, y), (x, y)))
    spread = np.sqrt(xx * yy)
    scale = np.sqrt(np.sum(weight * np.square(a), axis=1) * np.sum(weight * np.square(b), axis=1))
    out = np.full(len(weight), np.nan)
    np.divide(xy, spread, out=out, where=spread > 1e-12 * np.maximum(scale, 1e-300))
    return np.asarray(np.clip(out, -1.0, 1.0), dtype=np.float64)


def r_squared(r: Interval) -> Interval:
    """The interval of r squared from that of r: how much of one side a straight line of the other explains."""
    if r.point is None:
        return r
    low, high, bound = None, None, None
    if r.low is not None and r.high is not None and r.lower_bound is not None:
        ends = sorted((r.low**2, r.high**2))
        low, high, bound = (0.0 if r.low <= 0 <= r.high else ends[0]), ends[1], max(r.lower_bound, 0.0) ** 2
    return Interval(r.point**2, low, high, bound, r.items, r.cells, r.n_eff, f"{r.method}, squared", None, r.level)


def share_explained_by_first(
    outcome: ArrayLike, first: ArrayLike, rest: ArrayLike, item: ArrayLike
) -> tuple[Interval, float]:
    """How much of what two predictors explain of an outcome the first alone explains: R2(first) / R2(first, rest).

        R2(first) = r1^2,   R2(first, rest) = (r1^2 + r2^2 - 2 r1 r2 r12) / (1 - r12^2)

    with r1, r2 the correlations of the outcome with each and r12 theirs with each other. Gives the share with a
    percentile interval over resampled items (1,000, seeded), and R2(first, rest). The share is None, and R2 0, where
    the outcome or a predictor is constant; without an interval where too many samples are so.
    """
    columns = np.stack([np.asarray(c, dtype=np.float64) for c in (outcome, first, rest)])
    _, place = np.unique(np.asarray(item), return_inverse=True)
    items, n = int(place.max(initial=-1)) + 1, columns.shape[1]
    if n:
        columns = columns - columns.mean(axis=1)[:, None]
    rows = np.vstack([np.ones((1, n)), columns, *(columns[i] * columns[j] for i in range(3) for j in range(i, 3))])
    sums = np.stack([np.bincount(place, row, minlength=items) for row in rows], axis=1)
    shares, both = _shares(sums.sum(axis=0, keepdims=True))
    method = "share of R2, cluster bootstrap"
    if not n or not np.isfinite(shares[0]):
        return Interval.point_only(items, n, float(items), method), 0.0
    rng, times = np.random.default_rng(0), 1000
    chosen = [np.bincount(rng.integers(0, items, items), minlength=items) for _ in range(times)]
    drawn = np.concatenate([_shares(np.asarray(counts @ sums, dtype=np.float64)[None, :])[0] for counts in chosen])
    defined = drawn[np.isfinite(drawn)]
    undefined = 1 - len(defined) / times
    if items < 2 or undefined > MAX_UNDEFINED:
        found = Interval.point_only(items, n, float(items), method, float(shares[0]), undefined=undefined)
        return found, float(both[0])
    low, high, bound = np.quantile(defined, [0.025, 0.975, 0.05]).tolist()
    se = float(defined.std(ddof=1))
    found = Interval(float(shares[0]), low, high, bound, items, n, float(items), method, se, undefined=undefined)
    return found, float(both[0])


def _shares(sums: Floats) -> tuple[Floats, Floats]:
    """(R2(first) / R2 of both, R2 of both) of rows of sums: n, y, a, b, yy, ya, yb, aa, ab, bb."""
    n, y, a, b, yy, ya, yb, aa, ab, bb = sums.T
    out, both = np.full(len(sums), np.nan), np.full(len(sums), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        vy, va, vb = yy - y * y / n, aa - a * a / n, bb - b * b / n
        r1, r2, r12 = (
            (s - p * q / n) / np.sqrt(v * w)
            for s, p, q, v, w in ((ya, y, a, vy, va), (yb, y, b, vy, vb), (ab, a, b, va, vb))
        )
        full = np.where(1 - r12**2 > 1e-9, (r1**2 + r2**2 - 2 * r1 * r2 * r12) / (1 - r12**2), np.maximum(r1, r2) ** 2)
        fine = (np.minimum(np.minimum(vy, va), vb) > 1e-9 * n) & (full > 1e-12)
        out[fine], both[fine] = np.minimum(r1**2 / full, 1.0)[fine], np.minimum(full, 1.0)[fine]
    return out, both
