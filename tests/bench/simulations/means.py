"""Corrected means, of rare failures and of skewed scores, and differences of systems: do their intervals hold?

2,000 items of one system, a few of them labelled at random. Failures of one dialogue go together, and so do the judge's
errors. Every share rests on three judges in equal parts: one that finds 90 % of the failures and calls 1 % of the rest
one, one with 60 and 3 %, one with 40 and 5 %.
"""

from math import sqrt
from statistics import NormalDist

import numpy as np

from judges.stats.ppi import correct_mean, corrected_difference, moments
from tests.bench.simulations.row import coverage_row, figure_row
from tests.bench.simulations.worlds import LOPSIDED, ORDINARY, SKEWED, simulate_cells, world_of

ITEMS = 2_000
JUDGES = ((0.9, 0.01), (0.6, 0.03), (0.4, 0.05))
"""How often a failure is called one, and how often what is none is."""
PLACES = ((1, 0.0), (4, 0.3), (4, 0.8))
"""Turns of a dialogue, and how far they go together."""


def failures(share, judge, turns, together, items, rng):
    """Item, people's and the judge's value (1 a failure) of every cell."""

    def latent():
        own = rng.normal(size=(items, turns))
        return (sqrt(together) * rng.normal(size=(items, 1)) + sqrt(1 - together) * own).ravel()

    people = latent() < NormalDist().inv_cdf(share)
    ends = [NormalDist().inv_cdf(chance) for chance in judge]
    verdicts = latent() < np.where(people, *ends)
    return np.repeat(np.arange(items), turns), people.astype(float), verdicts.astype(float)


def share_of(cells, labelled, judge=True):
    """The corrected share of failures, the first items being labelled; without the judge, people's own."""
    item, people, verdicts = cells
    if not judge:
        sample = item < labelled
        item, people, verdicts = item[sample], people[sample], np.zeros(sample.sum())
    return correct_mean(
        moments(item, verdicts, np.where(item < labelled, people, np.nan), item < labelled), (0, 1), True
    )


def rare(share, turns, together, labelled, runs, seed=0):
    """How often the interval holds the share of failures, and its mean width as a part of people's own."""
    rng, hits, width, plain = np.random.default_rng(seed), 0, 0.0, 0.0
    for run in range(runs):
        cells = failures(share, JUDGES[run % len(JUDGES)], turns, together, ITEMS, rng)
        interval, own = (share_of(cells, labelled, judge).interval for judge in (True, False))
        if interval.low is None:
            continue  # refused: no label of what the judge calls a failure
        hits += interval.low <= share <= interval.high
        width, plain = width + interval.high - interval.low, plain + own.high - own.low
    return hits / runs, width / plain


def mean_coverage(world, labelled, runs, seed=0):
    """How often the interval of a mean of 1 to 5 holds the truth."""
    rng, hits, real = np.random.default_rng(seed), 0, float(np.arange(1, 6) @ world.shares)
    for _ in range(runs):
        item, people, judge = simulate_cells(world, ITEMS, rng)
        known_ = item < labelled
        interval = correct_mean(
            moments(item, judge + 1.0, np.where(known_, people + 1.0, np.nan), known_), (1, 5)
        ).interval
        hits += interval.low is not None and interval.low <= real <= interval.high
    return hits / runs


def difference_coverage(one, other, judge, labelled, runs, seed=0):
    """How often the interval of the difference of two systems holds it; the second has a third as many labels."""
    rng, hits = np.random.default_rng(seed), 0
    for _ in range(runs):
        cells = [failures(share, judge, 1, 0.0, ITEMS, rng) for share in (one, other)]
        pair = [share_of(c, n).interval for c, n in zip(cells, (labelled, max(30, labelled // 3)), strict=True)]
        interval = corrected_difference(*pair)
        hits += interval.low is not None and interval.low <= one - other <= interval.high
    return hits / runs


def rows(scale=1.0):
    """Every figure of this subject."""
    runs = max(3, round(600 * scale))
    for share in (0.01, 0.03, 0.05, 0.1, 0.3):
        for turns, together in PLACES:
            for labelled in (50, 100, 200, 400):
                coverage, width = rare(share, turns, together, labelled, runs)
                similarity = f", alike by {together}" if together else ""
                title = f"{share:.0%} failures, {labelled} of {ITEMS:,} labelled, {turns} turns{similarity}"
                figure = f"{width:.2f} of people's own width"
                # of one failure in a hundred, 50 labels hold none in 60 of 100 cases: nobody can promise more
                yield coverage_row(f"corrected share: {title}", coverage, runs, figure, 0.93 if share > 0.01 else 0.9)
    for target, shares, named in ((0.5, ORDINARY, "even"), (0.5, SKEWED, "70 % fives"), (0.8, SKEWED, "70 % fives"),
                                  (0.5, LOPSIDED, "85 % fives"), (0.8, LOPSIDED, "85 % fives")):  # fmt: skip
        for turns in (1, 4):
            world = world_of(target, turns, shares)
            for labelled in (50, 100, 200, 400):
                coverage = mean_coverage(world, labelled, runs)
                title = f"corrected mean: {named}, kappa {target}, {labelled} labelled, {turns} turns"
                low = 0.9 if shares is LOPSIDED and labelled == 50 else 0.93
                yield coverage_row(title, coverage, runs, low=low)
    for one, other in ((0.05, 0.05), (0.1, 0.03), (0.3, 0.2)):
        for labelled in (100, 200, 400):
            for judge in JUDGES[:2]:
                coverage = difference_coverage(one, other, judge, labelled, runs)
                title = f"difference of {one:.0%} and {other:.0%}, {labelled} and {max(30, labelled // 3)} labelled"
                yield coverage_row(f"{title}, the judge finds {judge[0]:.0%}", coverage, runs, high=0.98)
    refused = sum(_unseen(n) for n in range(20))
    yield figure_row("labels of the better half of the judge's scores, 20 label sets", f"{refused} refused")


def _unseen(seed):
    """Whether a corrected mean is refused where only what the judge gave 3 or more was labelled."""
    item, people, judge = simulate_cells(world_of(0.5, 1, ORDINARY), ITEMS, np.random.default_rng(seed))
    sample = (judge >= 2) & (item < 300)
    return correct_mean(moments(item, judge + 1.0, np.where(sample, people + 1.0, np.nan), sample), (1, 5)).refused
