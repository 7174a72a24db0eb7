"""For audits: shares of a variance that numbers explain, and logistic regression with a weak prior."""

from __future__ import annotations

from dataclasses import replace
from math import exp, sqrt

import numpy as np
from numpy.typing import ArrayLike

from judges.rounding import NO_SPREAD, ROUNDING
from judges.stats.agreement import Floats
from judges.stats.bootstrap import draw_items, percentile_interval
from judges.stats.uncertainty import Interval, normal_quantile

_REPLICATES = 1_000
_PRIOR_SCALE, _MAX_NEWTON_STEPS = 2.5, 100  # the prior of a coefficient, and Newton's steps at most


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
        rest = 1 - r12**2
        full = np.where(rest > ROUNDING, (r1**2 + r2**2 - 2 * r1 * r2 * r12) / rest, np.maximum(r1, r2) ** 2)
        fine = (np.minimum(np.minimum(vy, va), vb) > ROUNDING * n) & (full > NO_SPREAD)
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
