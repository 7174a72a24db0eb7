"""Looking again and again: how often a judge at the threshold is ever approved, and how soon a good one is."""

from collections.abc import Iterator

import numpy as np

from judges.stats.approval_check import CheckPolicy
from judges.stats.bootstrap import item_sums, kappa_replicates, with_products
from judges.stats.multiple_testing import holm
from judges.stats.sequential import LookPlan, scale_power, z_from_threshold
from judges.stats.uncertainty import Interval
from tests.bench.simulations.row import Row, at_least, at_most, figure_row
from tests.bench.simulations.worlds import LOPSIDED, ORDINARY, SKEWED, simulate_cells, world_of

POLICY = CheckPolicy()
FIVE = LookPlan((100, 200, 300, 400, 500))
SHAPES = ((ORDINARY, "even answers"), (SKEWED, "70 % one answer"), (LOPSIDED, "85 % one answer"))


def path(world, items, rng, people=1, threshold=0.5):
    """z after every item (nan where kappa is undefined), looked at as the approval check does.

    `people`: so many label every item, and the lower median is the gold.
    """
    item, human, judge = simulate_cells(world, items, rng)
    if people > 1:
        human = median_of(world, item, human, judge, people, rng)
    sums = item_sums(item, human, judge, np.ones(len(item)), items, world.k, world.weights)
    totals = np.cumsum(with_products(sums), axis=0)
    counts = np.arange(1, items + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        replicates = kappa_replicates(totals, world.k, world.weights, 10**9)
        error = replicates.error * np.sqrt(counts / np.maximum(counts - 1, 1))
        room, bent = (1 - replicates.figure) / (1 - threshold), scale_power(False, threshold)
        return (-np.expm1(bent * np.log(room)) / bent if bent else -np.log(room)) * (1 - replicates.figure) / error


def median_of(world, item, human, judge, people, rng):
    """The lower median of what several people say, who read the same text and differ by chance: a step up or down."""
    steps = rng.choice([-1, 0, 1], size=(people, len(human)), p=[0.2, 0.6, 0.2])
    labels = np.clip(human + steps, 0, world.k - 1)
    return np.sort(labels, axis=0)[(people - 1) // 2]


def truth_of(world, people, runs=40):
    """Kappa against the median of so many people, from many items."""
    rng, kappas = np.random.default_rng(5), []
    for _ in range(runs):
        item, human, judge = simulate_cells(world, 20_000, rng)
        human = median_of(world, item, human, judge, people, rng)
        sums = item_sums(item, human, judge, np.ones(len(item)), 20_000, world.k, world.weights)
        totals = with_products(sums).sum(axis=0)[None]
        kappas.append(float(kappa_replicates(totals, world.k, world.weights, 20_000).figure[0]))
    return float(np.mean(kappas))


def ever(world, runs, schedule, seed=7, last=1_000, people=1, threshold=0.5, share=1):
    """(share of runs that are approved at some look up to `last` items, the items of each that was)."""
    rng, sizes = np.random.default_rng(seed), []
    looks = np.array(schedule.sizes) if isinstance(schedule, LookPlan) else np.arange(schedule.first, last + 1)
    needed = schedule.boundary((1 - POLICY.level) / share, schedule.first)
    for _ in range(runs):
        z = path(world, int(looks[-1]), rng, people, threshold)[looks - 1]
        passed = np.flatnonzero(z >= needed)
        if len(passed):
            sizes.append(int(looks[passed[0]]))
    return len(sizes) / runs, np.array(sizes)


def together(worlds, runs, items, seed=8):
    """How often any of these judges of the same items is ever approved: with Holm's procedure, and each by itself.

    Looked at after every 20 items from 100 on. All are held against the same people.
    """
    rng, schedule = np.random.default_rng(seed), POLICY.schedule
    looks = np.arange(schedule.first, items + 1, 20)
    shared = alone = 0
    for _ in range(runs):
        z = np.array([path(world, items, rng)[looks - 1] for world in worlds])
        p = np.vectorize(lambda v: schedule.p_value(v, schedule.first))(z)
        alone += bool((p <= 0.05).any())
        shared += any(min(holm(p[:, look].tolist())) <= 0.05 for look in range(len(looks)))
    return shared / runs, alone / runs


def same(world, threshold):
    """Whether z here is what the approval check computes of the same cells, where kappa is above the threshold."""
    from judges.stats.intervals import Cells, kappa_interval

    item, human, judge = simulate_cells(world, 200, np.random.default_rng(1))
    interval: Interval = kappa_interval(Cells(item, human, judge), world.k, world.weights)
    own = path(world, 200, np.random.default_rng(1), threshold=threshold)[-1]
    return abs((z_from_threshold(interval, threshold) or 0.0) - own) < 1e-6


def rows(scale: float = 1.0) -> Iterator[Row]:
    """False approvals over all looks, of plans, of many judges, and how many labels a good judge takes."""
    runs = max(50, round(4_000 * scale))
    same_z = same(world_of(0.6, 3, SKEWED), 0.5) and same(world_of(0.9, 3, SKEWED), 0.7)
    assert same_z, "the simulation and the approval check compute another z"
    for shares, shape in SHAPES:
        for turns in (1, 3, 10):
            world = world_of(0.5, turns, shares)
            share, _ = ever(world, runs, POLICY.schedule)
            yield at_most(
                f"ever approved, kappa .50, every label from 100 to 1,000, {shape}, turns {turns}", 0.05, share, runs
            )
    for threshold, lost_share in ((0.6, 0.05), (0.7, 0.05), (0.7, 0.1), (0.8, 0.05)):
        for shares, shape in SHAPES[:2]:
            world = world_of(threshold, 1, shares, lost_share)
            share, _ = ever(world, runs, POLICY.schedule, threshold=threshold)
            title = (
                f"ever approved, kappa and threshold {threshold}, {shape}, judge lost in {lost_share:.0%} of dialogues"
            )
            yield at_most(title, 0.05, share, runs)
    world = world_of(0.6, 1, ORDINARY)
    for people in (2, 3):
        threshold = truth_of(world, people)
        share, _ = ever(world, runs, POLICY.schedule, people=people, threshold=threshold)
        yield at_most(f"ever approved at the threshold, median of {people} people", 0.05, share, runs)
    world = world_of(0.5, 1, ORDINARY)
    for schedule, plan in ((LookPlan((100,)), "one planned look at 100"), (FIVE, "five planned looks, 100 to 500")):
        for shares, named in SHAPES:
            share, _ = ever(world_of(0.5, 1, shares), runs, schedule)
            yield at_most(f"approved, kappa .50, {plan}, {named}", 0.05, share, runs)
    naive, _ = ever(world, runs, Naive())
    yield figure_row(
        "for comparison: the bound of a single look, looked at after every label to 1,000", f"{100 * naive:.1f} %"
    )
    samples = max(10, runs // 20)
    for judges in (4, 16):
        shared, alone = together([world] * judges, samples, 600)
        detail = f"each by itself {100 * alone:.0f} %"
        yield at_most(f"any of {judges} judges at .50 ever approved, to 600 items", 0.05, shared, samples, detail)
    for target, least in ((0.6, 0.65), (0.65, 0.95), (0.7, 0.99)):
        share, sizes = ever(world_of(target, 1, ORDINARY), runs // 4, POLICY.schedule, last=600)
        detail = f"median {np.median(sizes):.0f} items" if len(sizes) else ""
        yield at_least(f"approved by 600 items, kappa {target}, at any time", least, share, runs // 4, detail)
        share, sizes = ever(world_of(target, 1, ORDINARY), runs // 4, FIVE)
        detail = f"median {np.median(sizes):.0f} items" if len(sizes) else ""
        yield figure_row(
            f"approved by 500 items, kappa {target}, five planned looks", f"{100 * share:.1f} % ({detail})"
        )


class Naive:
    """The bound of a single look, used again and again."""

    first = 100

    def boundary(self, alpha, items):
        return LookPlan((100,)).boundary(alpha, items)
