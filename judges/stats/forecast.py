"""The likely result of a draw before anybody has labelled: simulated on a judge's own scores.

It simulates people who agree with the judge at an assumed kappa and give the answers as often as the judge. The
influence of each item on kappa then gives the spread in each stratum. From that follow the error of a sample under any
allocation, and the number of labels after which such a judge would meet a policy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from judges.rounding import ROUNDING
from judges.stats.agreement import Codes, Floats, Weights, check_weights, cross_table, kappa
from judges.stats.intervals import Cells, kappa_influences
from judges.stats.sampling import allocate
from judges.stats.uncertainty import normal_quantile

SHARED_NOISE = 0.3
"""The part of the noise between people and judge that the cells of one item share."""
_PATHS, _MAX_LOOKS = 1_000, 120
_MIN_CELLS = 30_000
"""Scores that people are imagined for at least: those of a small dataset several times over."""
_PRIOR_LABELS = 10.0
"""Labels that a spread of imagined people counts for beside the spread of real ones."""


@dataclass(frozen=True)
class ScoredPopulation:
    """The judge's scores of the items of a dataset, or of some of them.

    It has the item and code 0..K-1 of each cell, the stratum of each item, and how many items of the dataset are in
    each stratum. Of every stratum there is at least one item.
    """

    item: Codes
    judge: Codes
    stratum: Codes
    sizes: Codes
    k: int
    weights: Weights

    @property
    def worth(self) -> Floats:
        """The number of items of the dataset that each item represents."""
        return np.asarray((self.sizes / np.bincount(self.stratum, minlength=len(self.sizes)))[self.stratum])

    def repeat(self, times: int) -> ScoredPopulation:
        """The same items, repeated so many times."""
        items = len(self.stratum)
        number = np.concatenate([self.item + n * items for n in range(times)])
        return replace(self, item=number, judge=np.tile(self.judge, times), stratum=np.tile(self.stratum, times))


@dataclass(frozen=True)
class InfluenceSpread:
    """The standard deviation of the items' influence when kappa is `kappa`: in each stratum, and over all items."""

    kappa: float
    strata: Floats
    overall: float


@dataclass(frozen=True)
class Forecast:
    """The likely results of a sample of an allocation, from the best to the worst agreement that is assumed.

    `half_width` is half the width of kappa's 95% interval. `free` are the items until the policy is met if somebody
    looks after every item: nine in ten courses need at least the first number, and one in ten needs more than the
    second. `fixed` are the items of a plan with one look that four in five such judges pass. None is more than `last`.
    """

    half_width: tuple[float, float]
    free: tuple[int, int | None]
    fixed: tuple[int, int | None]


def simulate_spread(known: ScoredPopulation, agreement: float) -> InfluenceSpread | None:
    """The spreads where people agree with the judge to a kappa of `agreement`; None where it says one thing only.

    On ordered scales the judge's score and people's are cuts of two normal variables with the correlation that gives
    this kappa (Olsson 1979); `SHARED_NOISE` of what the judge does not explain is common to the cells of an item. On
    others people say what the judge says with probability kappa, and else any answer as often as it is given.
    ValueError for an agreement outside 0 .. 1.
    """
    from scipy.special import ndtri

    if not 0 < agreement < 1:
        raise ValueError(f"An agreement lies between 0 and 1, such as .6; got {agreement}.")
    known = known.repeat(max(1, _MIN_CELLS // max(1, len(known.item))))
    rng, worth = np.random.default_rng(0), known.worth[known.item]
    shares = np.bincount(known.judge, worth, minlength=known.k) / worth.sum()
    if shares.max() >= 1 - ROUNDING:
        return None
    ends = np.concatenate([[0.0], np.cumsum(shares)])
    if known.weights is None:
        hits = rng.random(len(known.judge)) < agreement
        human = np.where(hits, known.judge, np.searchsorted(ends[1:-1], rng.random(len(hits)), side="right"))
        return _spread(known, human, agreement)
    uniform = ends[known.judge] + shares[known.judge] * rng.random(len(known.judge))
    latent: Floats = ndtri(uniform)
    cuts: Floats = ndtri(ends[1:-1])
    own = rng.normal(size=int(known.item.max()) + 1)[known.item]
    noise = sqrt(SHARED_NOISE) * own + sqrt(1 - SHARED_NOISE) * rng.normal(size=len(latent))

    def people(correlation: float) -> Codes:
        return np.searchsorted(cuts, correlation * latent + sqrt(1 - correlation**2) * noise).astype(np.int64)

    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        simulated = kappa(cross_table(people(middle), known.judge, known.k, worth), known.weights)
        low, high = (middle, high) if (simulated or 0.0) < agreement else (low, middle)
    return _spread(known, people((low + high) / 2), agreement)


def _spread(known: ScoredPopulation, human: Codes, agreement: float) -> InfluenceSpread:
    items, worth = len(known.stratum), known.worth
    cells = Cells(known.item, human, known.judge, worth[known.item])
    _, slope = kappa_influences(cells, known.k, known.weights)
    moved = np.bincount(known.item, slope, minlength=items) / worth * float(known.sizes.sum())
    return InfluenceSpread(
        agreement, _deviations(moved, known.stratum, len(known.sizes)), sqrt(np.average(moved**2, weights=worth))
    )


def _deviations(moved: Floats, stratum: Codes, strata: int) -> Floats:
    count = np.maximum(np.bincount(stratum, minlength=strata), 1)
    mean = np.bincount(stratum, moved, minlength=strata) / count
    return np.sqrt(np.bincount(stratum, (moved - mean[stratum]) ** 2, minlength=strata) / count)


def blend_spread(imagined: InfluenceSpread, cells: Cells, stratum: Codes, k: int, weights: Weights) -> Floats:
    """The spread in each stratum from labels that there are, `stratum` being that of each cell's item.

    The simulated spread counts for `_PRIOR_LABELS` further items, so that a few labels that agree by chance prove
    nothing.
    """
    strata = len(imagined.strata)
    item, place = np.unique(np.asarray(cells.item), return_inverse=True)
    point, slope = kappa_influences(cells, k, weights)
    if point is None:
        return imagined.strata
    count, weight = np.bincount(place), check_weights(cells.weight, len(place))
    worth, of = np.bincount(place, weight) / count, np.zeros(len(item), dtype=np.int64)
    of[place] = stratum
    moved = np.bincount(place, slope) / worth * float(worth.sum())
    items = np.bincount(of, minlength=strata)
    squares = items * _deviations(moved, of, strata) ** 2 + _PRIOR_LABELS * imagined.strata**2
    return np.asarray(np.sqrt(squares / (items + _PRIOR_LABELS)), dtype=np.float64)


def sample_errors(
    influence_spread: InfluenceSpread, sizes: Mapping[str, int], worth: Mapping[str, float] | None, items: Sequence[int]
) -> Floats:
    """The standard error of kappa for samples of these numbers of items, (samples,).

        sqrt(sum_h W_h^2 S_h^2 / n_h),   W_h = N_h / N; without worth, as of a simple random sample: S / sqrt(n)

    `sizes` are the strata in the order of the spreads. Source: Cochran 1977, chapter 5.
    """
    if worth is None:
        return np.asarray(influence_spread.overall / np.sqrt(np.asarray(items, dtype=np.float64)))
    counts = np.array([list(allocate(worth, sizes, n).values()) for n in items], dtype=np.float64)
    share = np.array(list(sizes.values()), dtype=np.float64)
    share = share / share.sum()
    return np.asarray(np.sqrt(((share * influence_spread.strata) ** 2 / np.maximum(counts, 1.0)).sum(axis=1)))


def forecast(
    spreads: Sequence[InfluenceSpread], sizes: Mapping[str, int], worth: Mapping[str, float] | None, items: int,
    threshold: float, z: float, first: int, last: int, level: float = 0.95,
) -> Forecast:  # fmt: skip
    """Return the likely precision of a sample of `items`, and the items a policy takes, over all assumed agreements.

    The policy is met at the first look from `first` to `last` items at which (kappa - threshold) / error reaches `z`.
    With the information 1 / error^2 that statistic is a Brownian motion with drift (Jennison and Turnbull 2000, chapter
    3), which is simulated. No look comes after `last` items. `worth` None is a simple random sample.
    """
    looks = np.unique(np.geomspace(first, max(last, first), _MAX_LOOKS).round().astype(np.int64)).tolist()
    half = [normal_quantile(0.975) * float(sample_errors(s, sizes, worth, [items])[0]) for s in spreads]
    ends, singles = [], []
    for spread in spreads:
        error = sample_errors(spread, sizes, worth, looks)
        score = _walks(tuple((1 / error**2).tolist())) + (spread.kappa - threshold) / error
        ends.append(_first(score >= z, looks))
        enough = (spread.kappa - threshold) / error >= normal_quantile(level) + normal_quantile(0.8)
        singles.append(_first(enough[None], looks)[0])
    low, high = np.quantile(np.concatenate(ends), [0.1, 0.9], method="inverted_cdf").tolist()
    return Forecast(
        (min(half), max(half)),
        (_to_whole(low) or last, _to_whole(high)),
        (_to_whole(min(singles)) or last, _to_whole(max(singles))),
    )


def _to_whole(items: float) -> int | None:
    return None if items == np.inf else int(items)


def _first(passes: NDArray[np.bool_], looks: Sequence[int]) -> Floats:
    """The items at the first look at which something is there, inf where it never is."""
    return np.where(passes.any(axis=1), np.asarray(looks, dtype=np.float64)[passes.argmax(axis=1)], np.inf)


@lru_cache(maxsize=32)
def _walks(information: tuple[float, ...]) -> Floats:
    """Brownian motions at these times, each in units of its standard deviation, (paths, times)."""
    times = np.maximum.accumulate(np.asarray(information))
    steps = np.sqrt(np.diff(times, prepend=0.0))
    moves = np.random.default_rng(0).normal(size=(_PATHS, len(times)))
    return np.asarray((moves * steps).cumsum(axis=1) / np.sqrt(times), dtype=np.float64)

