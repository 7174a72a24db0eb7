"""Several people of a cell: what becomes of means and of the judge's bias, and of kappa, by how they are put together.

People and judge read the same quality, each with noise of their own and nobody kinder than another. 2,000 items of one
cell, 120 of them labelled; harder ones, where quality is low, by more people if so asked.
"""

from math import sqrt
from statistics import NormalDist

import numpy as np

from judges.stats.calibration import PairedRatings, bias, sum_labels
from judges.stats.ppi import correct_mean, moments
from tests.bench.simulations.row import Row, coverage_row, figure_row
from tests.bench.simulations.worlds import ORDINARY, SKEWED

ITEMS, LABELLED = 2_000, 120
UNEQUAL = 0
"""Instead of a number of people: 4 on the harder half of the items, 1 or 2 on the others."""
WAYS = ("lower median", "mean of each rating", "each label once")


def draw_labels(shares, people, rng):
    """Labels (items, 4) as 1 to 5, nan where nobody was asked, and the judge's values, of `ITEMS` items."""
    noise = 0.8
    quality = rng.normal(size=ITEMS)
    ends = [NormalDist(0, sqrt(1 + noise**2)).inv_cdf(p) for p in np.cumsum(shares)[:-1]]
    answers = np.searchsorted(ends, quality[:, None] + noise * rng.normal(size=(ITEMS, 5))) + 1.0
    many = np.where(quality < 0, 4, rng.integers(1, 3, ITEMS)) if people == UNEQUAL else np.full(ITEMS, people)
    labels = np.where(np.arange(4) < many[:, None], answers[:, :4], np.nan)
    labels[LABELLED:] = np.nan
    return labels, answers[:, 4]


def lower_median(labels):
    """The lower median of every row."""
    many = (~np.isnan(labels)).sum(axis=1)
    return np.sort(labels, axis=1)[np.arange(len(labels)), (many - 1) // 2]


def figures(shares, people, runs, seed=0):
    """By way: bias of the judge (points), how often its interval holds 0, and how often the corrected mean's holds."""
    rng, real = np.random.default_rng(seed), float(np.arange(1, 6) @ shares)
    points, hits = {rule: [] for rule in WAYS}, {rule: np.zeros(2) for rule in WAYS}
    for _ in range(runs):
        labels, judge = draw_labels(shares, people, rng)
        sample, item = np.arange(ITEMS) < LABELLED, np.arange(ITEMS)
        human = lower_median(labels)
        mean = np.full(ITEMS, np.nan)
        mean[sample] = np.nanmean(labels[sample], axis=1)
        weight = np.where(sample, (~np.isnan(labels)).sum(axis=1), 1.0)
        for rule, value, w in ((WAYS[0], human, None), (WAYS[1], mean, None), (WAYS[2], mean, weight)):
            unit = np.ones(LABELLED)
            own = unit if w is None else w[sample]
            met = PairedRatings(item[sample], human[sample], judge[sample], unit > 0, own, mean=value[sample])
            interval = bias(sum_labels(met), LABELLED, LABELLED)
            means = correct_mean(moments(item, judge, value, sample, w), (1, 5)).interval
            points[rule].append(interval.point)
            hits[rule] += [
                interval.low <= 0 <= interval.high, means.low is not None and means.low <= real <= means.high,
            ]  # fmt: skip
    return {rule: (np.array(points[rule]), *(hits[rule] / runs)) for rule in WAYS}


def rows(scale=1.0):
    """Every figure of this subject."""
    runs = max(5, round(1_000 * scale))
    for shares, named in ((ORDINARY, "even answers"), (SKEWED, "70 % fives")):
        for people in (1, 2, 3, 4, UNEQUAL):
            many = (
                f"{people} {'person' if people == 1 else 'people'} an item"
                if people
                else "1 to 4 people, more on hard items"
            )
            for rule, (points, coverage, means) in figures(shares, people, runs).items():
                title, figure = f"{named}, {many}, {rule}", f"{points.mean():+.3f}"
                if rule != WAYS[1]:
                    yield figure_row(
                        f"{title}: bias of the judge", f"{figure}; held {coverage:.1%}, corrected mean {means:.1%}"
                    )
                    continue
                spread = points.std() / sqrt(runs)
                yield Row(
                    f"{title}: bias of the judge", "0", f"{figure} -+ {spread:.3f}", abs(points.mean()) < 4 * spread
                )
                yield coverage_row(f"{title}: its interval", coverage, runs)
                yield coverage_row(f"{title}: corrected mean", means, runs)
    for named, combine in (("lower median", lower_median), ("mean", lambda labels: np.nanmean(labels, axis=1))):
        yield figure_row(f"kappa with two people's {named}", f"{_kappa(combine):.3f}")
    yield figure_row("kappa with one person", f"{_kappa(lambda labels: labels[:, 0]):.3f}")


def _kappa(combine, items=200_000):
    """Quadratic kappa with what two people are put together to, by its formula, as the mean is no answer."""
    rng, ends = np.random.default_rng(3), [NormalDist(0, sqrt(1.64)).inv_cdf(p) for p in np.cumsum(ORDINARY)[:-1]]
    answers = np.searchsorted(ends, rng.normal(size=(items, 1)) + 0.8 * rng.normal(size=(items, 3))) + 1.0
    x, y = combine(answers[:, :2]), answers[:, 2]
    return 2 * np.cov(x, y, bias=True)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
