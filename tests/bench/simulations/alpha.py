"""Agreement among people: how often intervals of Krippendorff's alpha and of kappa between two people hold the truth.

People read the same quality with noise of their own, a part of which stays for all turns of a dialogue. The truth is
the same figure on a very large draw.
"""

from math import sqrt
from statistics import NormalDist

import numpy as np

from judges.stats.raters.human_ceiling import measure_ceiling
from judges.stats.raters.ratings import Ratings
from judges.types import Scale
from tests.bench.simulations.row import coverage_row
from tests.bench.simulations.worlds import LOPSIDED, ORDINARY, SKEWED, world_of

RUNS, LARGE = 400, 60_000
SCALE = Scale("ordinal", 1, 5)


def draw_labels(world, items, turns, people, rng):
    """Labels of every person for every turn of that many dialogues."""
    item = np.repeat(np.arange(items), turns)
    quality = sqrt(0.5) * (rng.normal(size=items)[item] + rng.normal(size=len(item)))
    mood, luck = rng.normal(size=(items, people))[item], rng.normal(size=(len(item), people))
    reading = quality[:, None] + world.noise * (sqrt(0.3) * mood + sqrt(0.7) * luck)
    ends = [NormalDist(0, sqrt(1 + world.noise**2)).inv_cdf(p) for p in np.cumsum(world.shares)[:-1]]
    cell, person = np.repeat(np.arange(len(item)), people), np.tile(np.arange(people), len(item))
    value, names = np.searchsorted(ends, reading).ravel(), tuple("abc"[:people])
    return Ratings(item[cell], cell, person, value, np.full(len(cell), -1), names, SCALE)


def rows(scale=1.0):
    """Coverage by agreement, marginals, number of people and of items."""
    runs, rng = max(20, round(RUNS * scale)), np.random.default_rng(7)
    for target, shares, named in (
        (0.5, ORDINARY, ""),
        (0.8, ORDINARY, ""),
        (0.5, SKEWED, ", 70 % one answer"),
        (0.8, SKEWED, ", 70 % one answer"),
        (0.5, LOPSIDED, ", 85 % one answer"),
    ):
        world = world_of(target, 1, shares)
        for people, turns in ((2, 1), (3, 3)):
            large = measure_ceiling(draw_labels(world, max(20_000, round(LARGE * scale)), turns, people, rng))
            for items in (50, 200):
                hits = np.zeros(2)
                for _ in range(runs):
                    ceiling = measure_ceiling(draw_labels(world, items, turns, people, rng))
                    for n, (interval, real) in enumerate(
                        ((ceiling.alpha, large.alpha.point), (ceiling.between, large.between.point))
                    ):
                        hits[n] += interval.low is not None and interval.low <= real <= interval.high
                many = f"{turns} turn{'' if turns == 1 else 's'}"
                name = f"kappa {target}{named}, {people} people, {items} items of {many}"
                alpha, between = (hits / runs).tolist()
                yield coverage_row(f"{name}: alpha", alpha, runs)
                yield coverage_row(f"{name}: kappa between two people", between, runs)
