"""Continuous scores: how often a judge whose concordance is at the threshold is ever approved, and what bounds hold."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from judges.stats.approval_check import CheckPolicy
from judges.stats.bootstrap import item_sums, kappa_replicates, with_products
from judges.stats.concordance import concordance
from judges.stats.intervals import Cells, kappa_interval
from judges.stats.sequential import scale_power
from tests.bench.simulations.row import Row, at_least, at_most, coverage_row

POLICY = CheckPolicy()
K = 11  # codes of an interval scale without steps: tenths (judges/stats/bins.py)


@dataclass(frozen=True)
class Scores:
    """People and judge on a scale of 0 to 10: one truth, and errors of each that the turns of an item partly share.

    shape: `even`; `piled` at the top, where most answers are 10; `skewed` towards the bottom; `heavy`, where few errors
    are very large; `half` points. `shift` makes the judge kinder; `target` is its true concordance.
    """

    shape: str
    turns: int = 1
    shift: float = 0.0
    target: float = 0.5

    def draw_cells(self, items, rng, share=None):
        """Item, people and judge of every cell, as codes."""
        item, n = np.repeat(np.arange(items), self.turns), items * self.turns
        share = truth_share(self) if share is None else share

        def noise():
            own = rng.standard_t(3, n) / np.sqrt(3) if self.shape == "heavy" else rng.normal(size=n)
            return np.sqrt(0.3) * rng.normal(size=items)[item] + np.sqrt(0.7) * own

        true = np.sqrt(0.3) * rng.normal(size=items)[item] + np.sqrt(0.7) * rng.normal(size=n)
        human = np.sqrt(0.8) * true + np.sqrt(0.2) * noise()
        judge = np.sqrt(share) * true + np.sqrt(1 - share) * noise() + self.shift
        return item, *(self._cut(side) for side in (human, judge))

    def _cut(self, z):
        middle, spread = {"piled": (11.5, 3.0), "heavy": (5.0, 1.2)}.get(self.shape, (5.0, 2.0))
        value = 3 * np.exp(0.6 * z) - 1.5 if self.shape == "skewed" else middle + spread * z
        value = np.clip(value, 0, 10)
        return np.round(2 * value) / 2 if self.shape == "half" else value


@cache
def truth_share(world):
    """How much of the judge's score is the truth, so that its concordance is the target."""
    low, high = 0.0, 0.999
    for _ in range(14):
        middle = (low + high) / 2
        figure = pooled_concordance(world, middle)
        low, high = (middle, high) if figure < world.target else (low, middle)
    return (low + high) / 2


def pooled_concordance(world, share, items=200_000):
    """The concordance of very many cells."""
    _, x, y = world.draw_cells(items // world.turns, np.random.default_rng(1), share)
    return 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)


def ever(world, runs, last=1_000, seed=7):
    """The share of judges that are approved at some look from the first to `last` items."""
    rng, schedule, passed = np.random.default_rng(seed), POLICY.schedule, 0
    looks = np.arange(schedule.first, last + 1)
    needed = schedule.boundary(1 - POLICY.level, schedule.first)
    for _ in range(runs):
        item, human, judge = world.draw_cells(last, rng)
        sums = item_sums(item, human, judge, np.ones(len(item)), last, K, "quadratic")
        totals = np.cumsum(with_products(sums), axis=0)[looks - 1]
        replicates = kappa_replicates(totals, K, "quadratic", 10**9)
        error = replicates.error * np.sqrt(looks / (looks - 1))
        ratio, bent = (1 - replicates.figure) / (1 - POLICY.threshold), scale_power(False, POLICY.threshold)
        z = (-np.expm1(bent * np.log(ratio)) / bent if bent else -np.log(ratio)) * (1 - replicates.figure) / error
        passed += bool((z >= needed).any())
    return passed / runs


def holds(world, items, runs, seed=8):
    """Shares of samples whose interval of kappa holds the truth, whose bound does, and of the figures beside it."""
    rng, hits = np.random.default_rng(seed), np.zeros(7)
    _, x, y = world.draw_cells(300_000 // world.turns, np.random.default_rng(2))
    real = [figure.point for figure in concordance(Cells(np.arange(len(x)), x, y))]
    truth = pooled_concordance(world, truth_share(world))
    for _ in range(runs):
        cells = Cells(*world.draw_cells(items, rng))
        kappa = kappa_interval(Cells(*cells[:3]), K)
        figure_hits = [figure.low <= at <= figure.high for figure, at in zip(concordance(cells), real, strict=True)]
        hits += [kappa.low <= truth <= kappa.high, kappa.lower_bound <= truth, *figure_hits]
    return hits / runs


def holds_none(people, judge, runs, items=100, seed=9):
    """Shares of samples whose interval of kappa, the ICC and each correlation holds 0, where sides are unrelated.

    On a scale from 1 to 5 so many items have another answer than 5 (None: all answers are as common).
    """
    rng, item, hits = np.random.default_rng(seed), np.arange(items), np.zeros(5)

    def draw(differing):
        if differing is None:
            return rng.integers(1, 6, items)
        side = np.full(items, 5)
        side[rng.choice(items, differing, replace=False)] = rng.integers(1, 5, differing)
        return side

    for _ in range(runs):
        x, y = draw(people), draw(judge)
        figures = kappa_interval(Cells(item, x - 1, y - 1), 5), *concordance(Cells(item, x, y))[:4]
        hits += [figure.low <= 0 <= figure.high for figure in figures]
    return hits / runs


WORLDS = {
    "even": Scores("even"), "even, five turns": Scores("even", 5), "half points": Scores("half"),
    "most at the top": Scores("piled"), "skewed": Scores("skewed", 3), "a few very large errors": Scores("heavy"),
    "a judge 1.2 points too kind": Scores("even", shift=0.6),
}  # fmt: skip


def rows(scale: float = 1.0) -> Iterator[Row]:
    """Every figure with what it has to reach."""
    runs = max(20, round(1_000 * scale))
    for name, world in WORLDS.items():
        yield at_most(f"concordance .50, {name}: ever approved, 100 to 1,000 items", 0.05, ever(world, runs), runs)
    samples = max(20, round(400 * scale))
    for name in ("even, five turns", "most at the top", "skewed"):
        shares = holds(WORLDS[name], 100, samples)
        yield at_least(f"concordance .50, {name}, 100 items: bound below the truth", 0.95, shares[1], samples)
        yield coverage_row("the same: interval of kappa", shares[0], samples, low=0.92, high=1.0)
        for figure, share in zip(("ICC", "Pearson", "Spearman", "Kendall", "mean error"), shares[2:], strict=True):
            yield coverage_row(f"the same: interval of {figure}", share, samples, low=0.92, high=1.0)
    for people, judge in ((None, 3), (None, 10), (3, 3), (5, 5), (20, 20)):
        sides = f"{judge} of 100 items differ" + (" on each side" if people else "")
        shares = holds_none(people, judge, runs)
        for figure, share in zip(("kappa", "ICC", "Pearson", "Spearman", "Kendall"), shares, strict=True):
            yield coverage_row(f"no relation, {sides}: interval of {figure}", share, runs, low=0.93, high=1.0)
    good = max(20, round(200 * scale))
    power = ever(Scores("even", target=0.7), good)
    yield at_least("concordance .70, even: approved by 1,000 items", 0.95, power, good)
