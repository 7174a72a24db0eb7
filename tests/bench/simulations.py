"""Does what Assay says come true? Worlds with a known truth: `python -m tests.bench.simulations` (minutes).

Dialogues are made of a quality per item, a quality per turn and noise of people and judge, cut into five answers; the
judge has a mood per dialogue as well, so that the turns of one dialogue resemble each other in quality and in error.
The truth is what the very figure comes to on a population too large to matter. Measured is how often the 95 %
intervals hold it, how often the default gate lets a judge pass that should not, whether weights repair a sample drawn
by need, and whether labels that follow the judge are found out. Beside every figure stands its own standard error.
"""

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from judges.agreement import cross_table, kappa
from judges.gate import decide
from judges.intervals import Cells, difference, from_cells
from judges.replicates import kappas, parts
from judges.resampling import resampled_alike

ORDINARY = (0.2, 0.2, 0.2, 0.2, 0.2)
SKEWED = (0.02, 0.03, 0.05, 0.2, 0.7)
"""How often the five answers are given: in the second, as many judges do, seven times of ten the best one."""
LOPSIDED = (0.01, 0.02, 0.03, 0.09, 0.85)
FLAG, VERDICT = (0.7, 0.3), (0.1, 0.2, 0.7)
"""Answers without weights: yes or no, and one, the other or a tie."""
PEOPLE = 200_000


class World(NamedTuple):
    """Turns of a dialogue (0: one to ten, unequally), shares of the answers, and the noise that sets the agreement."""

    turns: int
    shares: tuple[float, ...]
    noise: float

    @property
    def k(self):
        return len(self.shares)

    @property
    def weights(self):
        return "quadratic" if self.k == 5 else None


def made(world, items, rng):
    """Item, human and judge code of every cell of that many dialogues."""
    sizes = rng.integers(1, 11, items) if world.turns == 0 else np.full(items, world.turns)
    item = np.repeat(np.arange(items), sizes)
    cells = len(item)
    good, mood = rng.normal(size=(2, items))
    quality = sqrt(0.5) * (good[item] + rng.normal(size=cells))
    people = quality + world.noise * rng.normal(size=cells)
    judge = quality + world.noise * (sqrt(0.3) * mood[item] + sqrt(0.7) * rng.normal(size=cells))
    ends = [NormalDist(0, sqrt(1 + world.noise**2)).inv_cdf(p) for p in np.cumsum(world.shares)[:-1]]
    return item, np.searchsorted(ends, people), np.searchsorted(ends, judge)


def truth(world, pull=0.0):
    """Kappa in the population, with a share of people's labels pulled to the judge's."""
    rng = np.random.default_rng(11)
    _, human, judge = made(world, PEOPLE * 3 // max(world.turns, 3), rng)
    human = np.where(rng.random(len(human)) < pull, judge, human)
    return kappa(cross_table(human, judge, world.k), world.weights)


def world_of(target, turns, shares):
    """The world in which the judge's true kappa is `target`."""
    low, high = 0.05, 4.0
    for _ in range(14):
        noise = (low + high) / 2
        low, high = (noise, high) if truth(World(turns, shares, noise)) > target else (low, noise)
    return World(turns, shares, (low + high) / 2)


def error(share, runs):
    """Monte Carlo error of a share; never quite none."""
    return sqrt(max(share * (1 - share), 1 / runs) / runs)


class Held(NamedTuple):
    """Shares of samples: whose interval holds the truth, whose one-sided bound does, whose percentile ends would."""

    interval: float
    bound: float
    percentile: float
    width: float


def coverage(world, items, runs, seed=0):
    """`Held` over that many samples, and the median width of the intervals; without an interval it is not held."""
    real, rng = truth(world), np.random.default_rng(seed)
    held, widths = np.zeros(3), []
    for _ in range(runs):
        cells = made(world, items, rng)
        found = from_cells(*cells, world.k, world.weights)
        if found.low is None:
            continue
        low, high = percentiles(*cells, world, items)
        held += [found.low <= real <= found.high, found.lower_bound <= real, low <= real <= high]
        widths.append(found.high - found.low)
    return Held(*(held / runs), float(np.median(widths)))


def percentiles(item, human, judge, world, items, replicates=500):
    """The plain percentile interval of the same sample, to tell what studentising adds."""
    given = parts(item, human, judge, None, items, world.k, world.weights)
    drawn, _ = kappas(resampled_alike(given, replicates, 0), world.k, world.weights)
    return np.nanquantile(drawn, [0.025, 0.975])


def passed(world, items, runs, seed=1):
    """How often the default gate calls such a judge eligible."""
    rng = np.random.default_rng(seed)
    states = [decide(from_cells(*made(world, items, rng), world.k, world.weights)).state for _ in range(runs)]
    return states.count("eligible") / runs


def by_need(world, runs, weighted=True, items=2_000, seed=2):
    """Kappas, and the share of their intervals that hold the truth, of samples drawn by need with known probabilities.

    Need is here what a queue would like to know: how far the judge lies from people, and some luck.
    """
    real, rng = truth(world), np.random.default_rng(seed)
    points, held = [], 0
    for run in range(runs):
        item, human, judge = made(world, items, rng)
        doubt = np.bincount(item, np.abs(human - judge) + rng.random(len(item))) / np.bincount(item)
        chance = 0.03 + 0.5 * np.clip(doubt / 2.5, 0, 1)
        taken = (rng.random(items) < chance)[item]
        weight = 1 / chance[item[taken]] if weighted else None
        found = from_cells(item[taken], human[taken], judge[taken], world.k, world.weights, weight, seed=run)
        points.append(found.point)
        held += found.low <= real <= found.high
    return np.array(points), held / runs


def pull_of(world, by):
    """The share of assisted labels that simply follow the judge which raises kappa by that much."""
    blind, low, high = truth(world), 0.0, 1.0
    for _ in range(14):
        pull = (low + high) / 2
        low, high = (pull, high) if truth(world, pull=pull) - blind < by else (low, pull)
    return (low + high) / 2


def anchored(world, pull, blind, assisted, runs, seed=3):
    """(share of intervals of assisted - blind that hold the truth, share of those above 0) over that many samples."""
    real, rng = truth(world, pull=pull) - truth(world), np.random.default_rng(seed)
    held = found_out = 0
    for run in range(runs):
        one = made(world, blind, rng)
        item, human, judge = made(world, assisted, rng)
        human = np.where(rng.random(len(human)) < pull, judge, human)
        found = difference(Cells(*one), Cells(item, human, judge), world.k, world.weights, seed=run)
        held += found.low <= real <= found.high
        found_out += found.low > 0
    return held / runs, found_out / runs


def told(what, asked, share, runs):
    print(f"  {what:84} {asked:>12}  {share:7.1%} -+ {error(share, runs):.1%}", flush=True)


def main(runs=1_000):
    print(f"intervals of 95 % hold the truth, {runs:,} samples each")
    print("(in brackets: the one-sided bound; the percentile interval of the same samples; median width)")
    missed, wide = [], []
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
                found = coverage(world, items, runs)
                many = f"{turns or '1 to 10'} turn{'' if turns == 1 else 's'}"
                name = f"kappa {target}{named}, {items} of {many}"
                beside = f"{found.bound:.1%}; {found.percentile:.1%}; {found.width:.2f}"
                told(f"{name} ({beside})", "93 to 97 %", found.interval, runs)
                slack = 2 * error(found.interval, runs)
                if not 0.93 - slack <= found.interval <= 0.97 + slack:
                    # Too wide is unwelcome near full agreement on few answers, too narrow is a fault anywhere.
                    (missed if found.interval < 0.93 else wide).append(f"{name}: {found.interval:.1%}")
    print("the default gate lets a judge pass whose true kappa is .45, 100 dialogues")
    for turns, shares, named in (
        (1, ORDINARY, ""), (3, ORDINARY, ""), (10, ORDINARY, ""), (1, SKEWED, ", skewed"), (1, VERDICT, ", verdicts"),
    ):  # fmt: skip
        share = passed(world_of(0.45, turns, shares), 100, runs)
        told(f"{turns} turns{named}", "at most 5 %", share, runs)
        if share - 2 * error(share, runs) > 0.05:
            missed.append(f"the gate passes {share:.1%} of judges at .45 with {turns} turns{named}")
    print("a queue by need with known probabilities, 2,000 dialogues of 3 turns, true kappa .6")
    world = world_of(0.6, 3, ORDINARY)
    for weighted in (True, False):
        points, held = by_need(world, runs // 2, weighted)
        bias, spread = points.mean() - truth(world), points.std() / sqrt(len(points))
        asked = "0" if weighted else "(no weights)"
        print(f"  {'bias of kappa':84} {asked:>12}  {bias:+7.4f} -+ {spread:.4f}")
        told("its intervals hold the truth", "95 %" if weighted else "(no weights)", held, runs // 2)
        if weighted and abs(bias) > max(0.01, 3 * spread):
            missed.append(f"weighted kappa is off by {bias:+.4f}")
    print("assisted labels that follow the judge: kappa is raised by .1 (and by nothing), 5 turns, true kappa .5")
    world = world_of(0.5, 5, ORDINARY)
    for blind, assisted in ((200, 50), (400, 100), (800, 200)):
        for by in (0.1, 0.0):
            held, found_out = anchored(world, pull_of(world, by) if by else 0.0, blind, assisted, runs // 2)
            name = f"{blind} blind, {assisted} assisted dialogues, planted {by}"
            told(f"{name}: held", "95 %", held, runs // 2)
            told(f"{name}: above 0", "much" if by else "2.5 %", found_out, runs // 2)
    print(f"wider than they need be: {'; '.join(wide) or 'none'}")
    assert not missed, "; ".join(missed)


if __name__ == "__main__":
    main()
