"""How often agreement on what is kept unseen is in truth below the target, and how much is spared."""

from collections.abc import Iterator

import numpy as np

from judges.stats.auto_accept import ConfidenceRatings, find_threshold
from tests.bench.simulations.row import Row, at_most, figure_row
from tests.bench.simulations.worlds import LOPSIDED, ORDINARY, SKEWED, World, simulate_cells

SIMILARITY = 0.4
"""How much the turns of one dialogue are alike in whether the judge is right (the intraclass correlation)."""


def flat(target):
    """A judge whose confidence says nothing, and that agrees just as often as asked: nothing should be spared."""
    return lambda c: np.full_like(c, target)


def falling(target):
    """A judge right more often where it is sure: on the surer half as a whole just as often as asked."""
    return lambda c: np.clip(target + 0.4 * (c - 0.75), 0, 1)


def cliff(target):
    """A judge far above the target on the surest 60 %, and far below it on the rest."""
    return lambda c: np.where(c > 0.4, (1 + target) / 2, target - 0.4)


def draw_verdicts(right, items, turns, rng, weighted=False, levels=0):
    """Verdicts of that many items, with one confidence an item, in so many `levels` (0: all different).

    `weighted`: of twice as many items the unsure ones are drawn four times as often as the sure ones.
    """
    everybody = items * 2 if weighted else items
    sure = rng.random(everybody)
    p = right(sure)
    if turns != 1:
        p = rng.beta(np.maximum(p * (1 / SIMILARITY - 1), 1e-9), np.maximum((1 - p) * (1 / SIMILARITY - 1), 1e-9))
    chance = np.where(sure < 0.5, 0.8, 0.2) if weighted else np.ones(everybody)
    sample = np.flatnonzero(rng.random(everybody) < chance)
    sizes = rng.integers(1, 11, len(sample)) if turns == 0 else np.full(len(sample), turns)
    item = np.repeat(sample, sizes)
    confidence = np.floor(sure * levels) / levels if levels else sure
    return ConfidenceRatings(item, confidence[item], (rng.random(len(item)) < p[item]).astype(float), 1 / chance[item])


def truth(right, threshold, levels=0):
    """Agreement in the population on all items at or above a threshold."""
    sure = (np.arange(100_000) + 0.5) / 100_000
    confidence = np.floor(sure * levels) / levels if levels else sure
    return float(right(sure)[confidence >= threshold].mean())


def broken(right, target, delta, runs, seed=0, **options):
    """(share of samples whose threshold is in truth below the target, or just at it; mean share of items spared)."""
    rng, bad, spared = np.random.default_rng(seed), 0, 0.0
    for _ in range(runs):
        acceptance = find_threshold(draw_verdicts(right, rng=rng, **options), target, delta)
        if acceptance.chosen is not None and acceptance.spared is not None:
            bad += truth(right, acceptance.chosen.threshold, options.get("levels", 0)) <= target + 1e-9
            spared += acceptance.spared.point
    return bad / runs, spared / runs


def scale_share(shares, turns, runs, items=200, seed=0):
    """How often a threshold is found on a scale (one step apart agrees), with the judge at its target."""
    rng, world = np.random.default_rng(seed), World(turns, shares, 0.5)
    _, human, judge = simulate_cells(world, 300_000 // max(turns, 1), rng)
    target, bad = float((np.abs(human - judge) <= 1).mean()), 0
    for _ in range(runs):
        item, human, judge = simulate_cells(world, items, rng)
        ratings = ConfidenceRatings(
            item, rng.random(items)[item], (np.abs(human - judge) <= 1).astype(float), np.ones(len(item))
        )
        bad += find_threshold(ratings, target, 0.1).chosen is not None
    return bad / runs, target


def rows(scale: float = 1.0) -> Iterator[Row]:
    """Every figure with what it has to reach."""
    runs = max(20, round(300 * scale))
    for name, world in (("no use", flat), ("of use", falling), ("a cliff", cliff)):
        for turns in (1, 3, 10, 0):
            for items in (100, 400):
                share, spared = broken(world(0.8), 0.8, 0.1, runs, items=items, turns=turns)
                title = f"confidence {name}, {items} items of {turns or '1 to 10'} turns, target 80 %, delta .1"
                yield at_most(title, 0.1, share, runs, f"spares {spared:.0%}")
    for name, options in (
        ("weights 1 and 4, 1 turn", {"turns": 1, "weighted": True}),
        ("weights 1 and 4, 3 turns", {"turns": 3, "weighted": True}),
        ("five levels, 1 turn", {"turns": 1, "levels": 5}),
        ("five levels, 3 turns", {"turns": 3, "levels": 5}),
    ):
        for use, world in (("no use", flat), ("of use", falling)):
            share, spared = broken(world(0.8), 0.8, 0.1, runs, items=300, **options)
            yield at_most(f"confidence {use}, 300 items, {name}", 0.1, share, runs, f"spares {spared:.0%}")
    for target, delta in ((0.9, 0.1), (0.9, 0.05), (0.95, 0.1)):
        for turns in (1, 3):
            share, _ = broken(flat(target), target, delta, runs, items=300, turns=turns)
            yield at_most(f"no use, 300 items of {turns}, target {target:.0%}, delta {delta:g}", delta, share, runs)
    for name, shares in (("even", ORDINARY), ("70 % one", SKEWED), ("85 % one", LOPSIDED)):
        share, target = scale_share(shares, 3, runs)
        yield at_most(f"answers {name}, no use, 200 items of 3, target {target:.0%}", 0.1, share, runs)
    for target in (0.8, 0.85, 0.9):
        right, ideal = (lambda c: 0.65 + 0.33 * c), 0.0
        for threshold in np.linspace(0, 0.99, 100):
            ideal = max(ideal, 1 - threshold) if truth(right, threshold) >= target else ideal
        share, spared = broken(right, target, 0.1, runs, items=500, turns=1)
        yield figure_row(
            f"500 pairs, right from 65 to 98 %, target {target:.0%}: items spared", f"{spared:.0%} of {ideal:.0%}"
        )
        yield at_most("   broken", 0.1, share, runs)
