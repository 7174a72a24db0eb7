"""Worlds with a known truth.

Dialogues are made of a quality per item, a quality per turn and noise of people and judge, cut into five answers; the
judge has a mood per dialogue as well, so that the turns of one dialogue resemble each other in quality and in error.
The truth is the figure of the whole population, by numerical integration.
"""

from functools import cache
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from judges.stats.agreement import kappa

ORDINARY = (0.2, 0.2, 0.2, 0.2, 0.2)
SKEWED = (0.02, 0.03, 0.05, 0.2, 0.7)
"""How often the five answers are given: in the second, as many judges do, seven times of ten the best one."""
LOPSIDED = (0.01, 0.02, 0.03, 0.09, 0.85)
FLAG, VERDICT = (0.7, 0.3), (0.1, 0.2, 0.7)
"""Answers without weights: yes or no, and one, the other or a tie."""


class World(NamedTuple):
    """Turns of a dialogue (0: one to ten, unequally), shares of the answers, and the noise that sets the agreement.

    In a part of the dialogues the judge is lost: what it says has nothing to do with them.
    """

    turns: int
    shares: tuple[float, ...]
    noise: float
    lost: float = 0.0

    @property
    def k(self):
        return len(self.shares)

    @property
    def weights(self):
        return "quadratic" if self.k == 5 else None


def simulate_cells(world, items, rng):
    """Item, human and judge code of every cell of that many dialogues."""
    sizes = rng.integers(1, 11, items) if world.turns == 0 else np.full(items, world.turns)
    item = np.repeat(np.arange(items), sizes)
    cells = len(item)
    good, mood = rng.normal(size=(2, items))
    quality = sqrt(0.5) * (good[item] + rng.normal(size=cells))
    people = quality + world.noise * rng.normal(size=cells)
    judge = quality + world.noise * (sqrt(0.3) * mood[item] + sqrt(0.7) * rng.normal(size=cells))
    if world.lost:
        lost_cells = (rng.random(items) < world.lost)[item]
        judge = np.where(lost_cells, sqrt(1 + world.noise**2) * rng.normal(size=cells), judge)
    ends = [NormalDist(0, sqrt(1 + world.noise**2)).inv_cdf(p) for p in np.cumsum(world.shares)[:-1]]
    return item, np.searchsorted(ends, people), np.searchsorted(ends, judge)


@cache
def _nodes():
    """Where the integral is taken, and the weights there."""
    return np.polynomial.hermite_e.hermegauss(120)


def truth(world, pull=0.0):
    """Kappa in the population, with a share of people's labels pulled to the judge's.

    Given the quality q of a cell, people and judge are independent, so the population's table is an integral over q:
    P(human <= a, judge <= b) = sum of w(q) Phi((a - q) / noise) Phi((b - q) / noise), by Gauss and Hermite's rule.
    """
    at, weight = _nodes()
    ends = [NormalDist(0, sqrt(1 + world.noise**2)).inv_cdf(p) for p in np.cumsum(world.shares)[:-1]]
    below = np.array([[NormalDist().cdf((end - q) / world.noise) for q in at] for end in (-40, *ends, 40)])
    chances = np.diff(below, axis=0)
    table = chances * weight @ chances.T / weight.sum()
    table = (1 - world.lost) * table + world.lost * np.outer(world.shares, world.shares)
    return kappa((1 - pull) * table + pull * np.diag(table.sum(axis=0)), world.weights)


def world_of(target, turns, shares, lost_share=0.0):
    """The world in which the judge's true kappa is `target`."""
    low, high = 0.05, 4.0
    for _ in range(30):
        noise = (low + high) / 2
        low, high = (noise, high) if truth(World(turns, shares, noise, lost_share)) > target else (low, noise)
    return World(turns, shares, (low + high) / 2, lost_share)
