"""Draws by the judge's own score against simple random ones: error, power, and labels until a policy is met.

Strata are the judge's answers, samples are allocated by square root or after Neyman, and strata enter the error. The
population is large. Labels are looked at any time, against `judges.stats.sequential.anytime_boundary`.
"""

from collections.abc import Iterator
from math import sqrt

import numpy as np

from judges.stats import forecast, sampling
from judges.stats.bootstrap import column_pairs, kappas_of_totals
from judges.stats.intervals import Cells, kappa_interval
from judges.stats.sequential import anytime_boundary
from tests.bench.simulations.row import Row, at_least, at_most, coverage_row, figure_row
from tests.bench.simulations.worlds import LOPSIDED, SKEWED, simulate_cells, truth, world_of

THRESHOLD, FIRST, LAST = 0.5, 100, 1_000
POPULATION = 200_000
WORLDS = (("70 % one answer", SKEWED), ("85 % one answer", LOPSIDED))
HOWS = ("simple", "root", "neyman")


class KnownJudge:
    """A large population of single turns, parted by the judge's answer, and what each item gives to kappa."""

    def __init__(self, target, shares, seed=5):
        self.world = world_of(target, 1, shares)
        self.truth = truth(self.world)
        _, self.human, self.judge = simulate_cells(self.world, POPULATION, np.random.default_rng(seed))
        self.members = [np.flatnonzero(self.judge == h) for h in range(self.world.k)]
        self.sizes = {f"{h}": len(m) for h, m in enumerate(self.members)}

    def worth(self, allocation):
        """In proportion to what a sample is allocated; Neyman's as the page has it, from the judge's scores alone."""
        if allocation == "simple":
            return None
        items = np.concatenate([m[:400] for m in self.members])
        stratum = self.judge[items]
        population = forecast.ScoredPopulation(
            np.arange(len(items)), stratum, stratum, np.array(list(self.sizes.values())), self.world.k, "quadratic"
        )
        imagined = forecast.simulate_spread(population, 0.65).strata
        return sampling.allocation_weights(self.sizes, allocation, dict(zip(self.sizes, imagined, strict=True)))

    def order(self, allocation, items):
        """The stratum of each item in turn, so that every beginning is allocated as the whole is."""
        worth = np.array(list(self.worth(allocation).values()))
        place, share = np.zeros(len(worth)), worth / worth.sum()
        strata = []
        for n in range(1, items + 1):
            h = int((n * share - place).argmax())
            place[h] += 1
            strata.append(h)
        return np.array(strata)

    def draw_places(self, allocation, items, rng, runs):
        """(runs, items) places in the population, and the stratum of each column (None: simple random)."""
        if allocation == "simple":
            return rng.integers(0, POPULATION, (runs, items)), None
        order = self.order(allocation, items)
        return np.stack([self.members[h][rng.integers(0, len(self.members[h]), runs)] for h in order], axis=1), order

    def gives(self, places):
        """The five moments of every item that kappa is made of."""
        x, y = self.human[places].astype(float), self.judge[places].astype(float)
        return np.stack([np.ones_like(x), x, y, x * x + y * y, x * y], axis=-1)


def courses(population, allocation, runs, seed, looks, stratified=True):
    """Kappa and its error at each number of items, (looks, runs).

    `stratified` False: strata are left out of the error.
    """
    rng = np.random.default_rng(seed)
    places, order = population.draw_places(allocation, looks[-1], rng, runs)
    strata = np.zeros(looks[-1], dtype=int) if order is None else order
    sizes = np.array([POPULATION]) if order is None else np.array(list(population.sizes.values()))
    left, right, times = column_pairs(5)
    sums = np.zeros((len(sizes), runs, 5))
    products = np.zeros((len(sizes), runs, len(left)))
    counts, at, points, errors = np.zeros(len(sizes)), 0, [], []
    for n in looks:
        moments = population.gives(places[:, at:n])
        for h in range(len(sizes)):
            own = moments[:, strata[at:n] == h]
            sums[h] += own.sum(axis=1)
            products[h] += (own[..., left] * own[..., right]).sum(axis=1)
            counts[h] += own.shape[1]
        at = n
        worth = (sizes / counts)[:, None, None]
        point, slope = kappas_of_totals((worth * sums).sum(axis=0), 5, "quadratic")
        spread = worth**2 * products
        if stratified:
            inner = products - sums[..., left] * sums[..., right] / counts[:, None, None]
            spread = worth**2 * (counts / (counts - 1))[:, None, None] * inner
        square = ((slope[:, left] * slope[:, right] * times) * spread.sum(axis=0)).sum(axis=1)
        points.append(point)
        errors.append(np.sqrt(np.maximum(square, 1e-18)))
    return np.array(points), np.array(errors)


def intervals(population, allocation, items, runs, seed, stratified=True):
    """Shares of intervals that hold the truth and of lower bounds that reach the threshold, and the SD of kappa."""
    rng = np.random.default_rng(seed)
    places, order = population.draw_places(allocation, items, rng, runs)
    weight = None
    if order is not None:
        weight = (np.array(list(population.sizes.values())) / np.bincount(order))[order]
    hits = passed = 0
    points = []
    for run, row in enumerate(places):
        cells = Cells(
            np.arange(items), population.human[row], population.judge[row], weight, order if stratified else None
        )
        interval = kappa_interval(cells, 5, seed=run)
        hits += interval.low is not None and interval.low <= population.truth <= interval.high
        passed += interval.lower_bound is not None and interval.lower_bound >= THRESHOLD and interval.point >= THRESHOLD
        points.append(np.nan if interval.point is None else interval.point)
    return hits / runs, passed / runs, float(np.nanstd(points))


def standing(points, errors, stratified):
    """z of `judges.stats.sequential.z_from_threshold`."""
    gap = (1 - THRESHOLD) / (1 - points)
    return (1 - 1 / gap if stratified else np.log(gap)) * (1 - points) / errors


def until(z, looks, needed):
    """The items at the first look at which z comes to what is needed, inf where it never does."""
    passes = z >= needed
    return np.where(passes.any(axis=0), np.array(looks)[passes.argmax(axis=0)], np.inf)


def rows(scale: float = 1.0) -> Iterator[Row]:
    runs, many = max(40, round(500 * scale)), max(100, round(2_000 * scale))
    for name, shares in WORLDS:
        good, edge = KnownJudge(0.7, shares), KnownJudge(0.5, shares)
        for allocation in HOWS:
            title = f"{name}, {allocation}, 100 labels"
            coverage, power, deviation = intervals(good, allocation, 100, runs, 1)
            yield coverage_row(f"{title}: the interval holds .70", coverage, runs, f"SD {deviation:.3f}")
            yield at_least(
                f"{title}: bound above .50 at a true .70", 0.0 if allocation == "simple" else 0.58, power, runs
            )
            coverage, wrong, _ = intervals(edge, allocation, 100, runs, 2)
            yield coverage_row(f"{title}: the interval holds .50", coverage, runs)
            yield at_most(f"{title}: bound above .50 at a true .50", 0.05, wrong, runs)
        _, wrong, _ = intervals(edge, "root", 100, runs, 2, stratified=False)
        yield figure_row(f"{name}, root, 100 labels: the same, strata left out of the error", f"{100 * wrong:.1f} %")
        yield from any_time(name, shares, edge, many)


def any_time(name, shares, edge, runs):
    """Labels until approval where every look counts; savings at one and the same rate of false approvals."""
    looks, needed = list(range(FIRST, LAST + 1, 10)), anytime_boundary(0.05, FIRST, LAST)
    z = {
        allocation: standing(*courses(edge, allocation, runs, 3, looks), allocation != "simple") for allocation in HOWS
    }
    for allocation in HOWS:
        false = float((z[allocation] >= needed).any(axis=0).mean())
        yield at_most(f"{name}, {allocation}: ever approved at .50, looked at from 100 to 1,000", 0.05, false, runs)
    same = {allocation: float(np.quantile(z[allocation].max(axis=0), 0.95)) for allocation in HOWS}
    for target in (0.6, 0.65, 0.7):
        population, middle = KnownJudge(target, shares), {}
        for allocation in HOWS:
            labels = until(
                standing(*courses(population, allocation, runs, 4, looks), allocation != "simple"),
                looks,
                same[allocation],
            )
            low, high = np.quantile(labels, [0.1, 0.9], method="inverted_cdf").tolist()
            parts = np.array_split(np.minimum(labels, LAST), 10)
            middle[allocation] = np.array([np.median(labels), *(np.median(part) for part in parts)])
            figure = f"{np.median(labels):.0f} (80 %: {low:.0f} to {high:.0f})"
            yield figure_row(f"{name}, {allocation}: labels until approved at {target}, 5 % false approvals", figure)
        for allocation in HOWS[1:]:
            saved, *savings = 1 - middle[allocation] / np.minimum(middle["simple"], LAST)
            off = float(np.std(savings)) / sqrt(len(savings))
            title = f"{name}, {allocation} instead of simple: labels saved at {target}"
            # Near the policy's minimum there is little to save: many are approved at the first look, however drawn.
            least = 0.4 if middle["simple"][0] >= 2.5 * FIRST else 0.0
            figure = f"{100 * saved:.0f} % -+ {100 * off:.0f}"
            yield Row(title, f"at least {100 * least:.0f} %", figure, bool(saved + 2 * off >= least))
