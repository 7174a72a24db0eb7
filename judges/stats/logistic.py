"""Logistic regression with a weak prior: how likely something is at given values, also where it always happened."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judges.stats.uncertainty import normal_quantile

_SPREAD = 2.5
_STEPS = 100


@dataclass(frozen=True)
class Probability:
    """A probability with its interval, two-sided at 95%."""

    point: float
    low: float
    high: float


def probability_at_zero(x: ArrayLike, y: ArrayLike) -> Probability:
    """P(y = 1) where all predictors are 0, from logit P = b0 + sum_j b_j x_j / s_j.

    x is (n, p), y (n,) of 0 and 1, s_j the root mean square of predictor j (it is scaled, not centred: 0 keeps its
    meaning). Every b has a normal prior with mean 0 and standard deviation 2.5, so that the estimate exists where y is
    always 1 or follows x without exception; Newton's steps to the mode, interval from the curvature there. ValueError
    without rows or where lengths differ. Source: Gelman et al. 2008 (weak priors on standardised predictors).
    """
    predictors, outcome = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if predictors.ndim != 2 or len(predictors) != len(outcome) or not len(outcome):
        raise ValueError(f"One row of predictors for every outcome is needed; got {predictors.shape}, {outcome.shape}.")
    scale = np.sqrt((predictors**2).mean(axis=0))
    design = np.hstack([np.ones((len(outcome), 1)), predictors / np.where(scale > 0, scale, 1.0)])
    prior = np.eye(design.shape[1]) / _SPREAD**2
    b = np.zeros(design.shape[1])
    curvature = prior
    for _ in range(_STEPS):
        p = _sigmoid(design @ b)
        curvature = design.T @ (design * (p * (1 - p))[:, None]) + prior
        step = np.linalg.solve(curvature, design.T @ (outcome - p) - prior @ b)
        b = b + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        if float(np.abs(step).max()) < 1e-10:
            break
    half = normal_quantile(0.975) * sqrt(float(np.linalg.inv(curvature)[0, 0]))
    point, low, high = (1 / (1 + exp(-(float(b[0]) + away))) for away in (0.0, -half, half))
    return Probability(point, low, high)


def _sigmoid(value: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-np.clip(value, -500, 500))), dtype=np.float64)
