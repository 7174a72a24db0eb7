"""How often 95 % intervals hold the truth.

Also whether weights repair a sample drawn by need, and whether labels that follow the judge are found out.
"""

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

import numpy as np

from judges.stats.bootstrap import item_sums, kappas_of_totals, resample_from_seed
from judges.stats.intervals import Cells, kappa_difference, kappa_interval
from tests.bench.simulations.row import Row, at_least, at_most, coverage_row, figure_row
from tests.bench.simulations.worlds import FLAG, LOPSIDED, ORDINARY, SKEWED, VERDICT, simulate_cells, truth, world_of


class Coverage(NamedTuple):
    """Shares of samples: whose interval holds the truth, whose one-sided bound does, whose percentile ends would."""

    interval: float
    bound: float
    percentile: float
    width: float


def coverage(world, items, runs, seed=0):
    """`Coverage` over that many samples, and the median width of the intervals; without an interval it is not held."""
    real, rng = truth(world), np.random.default_rng(seed)
    hits, widths = np.zeros(3), []
    for _ in range(runs):
        cells = simulate_cells(world, items, rng)
        interval = kappa_interval(Cells(*cells), world.k, world.weights)
        if interval.low is None:
            continue
        low, high = percentiles(*cells, world, items)
        hits += [interval.low <= real <= interval.high, interval.lower_bound <= real, low <= real <= high]
        widths.append(interval.high - interval.low)
    return Coverage(*(hits / runs), float(np.median(widths)))


def percentiles(item, human, judge, world, items, replicates=500):
    """The plain percentile interval of the same sample, to tell what studentising adds."""
    sums = item_sums(item, human, judge, np.ones(len(item)), items, world.k, world.weights)
    drawn, _ = kappas_of_totals(resample_from_seed(sums, replicates, 0), world.k, world.weights)
    return np.nanquantile(drawn, [0.025, 0.975])


def by_need(world, runs, weighted=True, items=2_000, seed=2):
    """Kappas, and the share of their intervals that hold the truth, of samples drawn by need with known probabilities.

    Need is here what a queue would like to know: how far the judge lies from people, and some luck.
    """
    real, rng = truth(world), np.random.default_rng(seed)
    points, hits = [], 0
    for run in range(runs):
        item, human, judge = simulate_cells(world, items, rng)
        doubt = np.bincount(item, np.abs(human - judge) + rng.random(len(item))) / np.bincount(item)
        chance = 0.03 + 0.5 * np.clip(doubt / 2.5, 0, 1)
        sample = (rng.random(items) < chance)[item]
        weight = 1 / chance[item[sample]] if weighted else None
        interval = kappa_interval(
            Cells(item[sample], human[sample], judge[sample], weight), world.k, world.weights, seed=run
        )
        points.append(interval.point)
        hits += interval.low <= real <= interval.high
    return np.array(points), hits / runs


def pull_of(world, by):
    """The share of assisted labels that simply follow the judge which raises kappa by that much."""
    blind, low, high = truth(world), 0.0, 1.0
    for _ in range(14):
        pull = (low + high) / 2
        low, high = (pull, high) if truth(world, pull=pull) - blind < by else (low, pull)
    return (low + high) / 2


def anchoring_shares(world, pull, blind, assisted, runs, seed=3):
    """(share of intervals of assisted - blind that hold the truth, share of those above 0) over that many samples."""
    real, rng = truth(world, pull=pull) - truth(world), np.random.default_rng(seed)
    hits = found_out = 0
    for run in range(runs):
        blind_cells = simulate_cells(world, blind, rng)
        item, human, judge = simulate_cells(world, assisted, rng)
        human = np.where(rng.random(len(human)) < pull, judge, human)
        difference = kappa_difference(Cells(*blind_cells), Cells(item, human, judge), world.k, world.weights, seed=run)
        hits += difference.low <= real <= difference.high
        found_out += difference.low > 0
    return hits / runs, found_out / runs


def rows(scale: float = 1.0) -> Iterator[Row]:
    """Coverage over kappas, marginals, lengths and numbers of items; one look at the gate; draws by need; anchoring."""
    runs = max(20, round(1_000 * scale))
    for target, shares, named, lengths in (
        (0.5, ORDINARY, "", (1, 3, 10, 0)),
        (0.8, ORDINARY, "", (1, 3, 10, 0)),
        (0.5, SKEWED, ", 70 % one answer", (1, 3, 10, 0)),
        (0.2, SKEWED, ", 70 % one answer", (3,)),
        (0.8, SKEWED, ", 70 % one answer", (3,)),
        (0.5, LOPSIDED, ", 85 % one answer", (1, 3)),
        (0.8, FLAG, ", yes or no", (1, 3)),
        (0.5, VERDICT, ", verdicts", (1, 3)),
    ):
        for turns in lengths:
            world = world_of(target, turns, shares)
            for items in (50, 100, 200, 400):
                rates = coverage(world, items, runs)
                many = f"{turns or '1 to 10'} turn{'' if turns == 1 else 's'}"
                detail = f"bound {rates.bound:.1%}, percentile {rates.percentile:.1%}, width {rates.width:.2f}"
                yield coverage_row(f"kappa {target}{named}, {items} items of {many}", rates.interval, runs, detail)
    world, runs = world_of(0.6, 3, ORDINARY), runs // 2
    for weighted in (True, False):
        points, rate = by_need(world, runs, weighted)
        bias, spread = points.mean() - truth(world), points.std() / sqrt(len(points))
        preposition = "with" if weighted else "without"
        name = f"a queue by need, 2,000 items of 3 turns, kappa .6, {preposition} its probabilities"
        figure = f"{bias:+.4f} -+ {spread:.4f}"
        if weighted:
            yield Row(f"{name}: bias", "0", figure, abs(bias) <= max(0.01, 3 * spread))
            yield coverage_row(f"{name}: held", rate, runs)
        else:
            yield figure_row(f"{name}: bias", figure)
    world = world_of(0.5, 5, ORDINARY)
    for blind, assisted in ((200, 50), (400, 100), (800, 200)):
        for by in (0.1, 0.0):
            rate, found_out = anchoring_shares(world, pull_of(world, by) if by else 0.0, blind, assisted, runs)
            name = f"assisted labels, kappa raised by {by}, {blind} blind and {assisted} assisted items"
            yield coverage_row(f"{name}: held", rate, runs)
            if by and blind == 800:
                yield at_least(f"{name}: found out", 0.5, found_out, runs)
            elif not by:
                yield at_most(f"{name}: found out", 0.025, found_out, runs)
