"""Slices of the cells of a dimension: kappa in each with a test of whether they differ, and the judge's mean in each.

The items of a slice were drawn like all items, so the correction of a slice's mean (judges/stats/ppi.py) uses only the
labels of its own items: the overall correction would add the bias of other slices. With too few labels, a slice has the
judge's own mean only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges.rounding import ROUNDING
from judges.stats import clustered
from judges.stats.agreement import Codes, Floats, Weights, check_weights
from judges.stats.bootstrap import item_sums, kappas_of_totals
from judges.stats.intervals import Cells, kappa_interval
from judges.stats.means import MIN_ITEMS
from judges.stats.multiple_testing import holm
from judges.stats.ppi import CorrectedMean, correct_mean, moments
from judges.stats.sampling import OTHER_STRATUM
from judges.stats.uncertainty import MIN_CLUSTERS, Interval

THIRDS = ("shortest third", "middle third", "longest third")


@dataclass(frozen=True)
class Slicing:
    """One way to part the cells: by what (`by`), the slice of every cell (-1: in none), and the names of the slices."""

    by: str
    code: Codes
    names: tuple[str, ...]


@dataclass(frozen=True)
class DifferenceTest:
    """Test of "kappa is the same in all slices".

    It has p, and how many slices of at least MIN_CLUSTERS items it compares.
    `adjusted` is p after Holm over all ways of slicing that were tested.
    """

    p: float
    slices: int
    adjusted: float


@dataclass(frozen=True)
class KappaSlice:
    """Kappa in one slice. `bias` is the mean of judge - people there (None: no order, or no cells)."""

    name: str
    interval: Interval
    bias: float | None


@dataclass(frozen=True)
class SlicedKappa:
    """One way of slicing with its slices, and the test (None: fewer than two slices that can be compared)."""

    by: str
    slices: tuple[KappaSlice, ...]
    test: DifferenceTest | None


def slice_kappa(
    cells: Cells, k: int, weights: Weights, cuts: Sequence[Slicing], gap: Floats | None = None,
    share: Floats | None = None,
) -> list[SlicedKappa]:  # fmt: skip
    """Every way of slicing the cells: kappa with its interval by items in each slice, and `difference_tests`.

    `weights` as in `judges.stats.agreement.kappa`; `gap` is judge - people of each cell, where that is more than the
    difference of their codes (None), and `share` that of its people who gave a value (None: all).
    """
    if gap is None:
        gap = np.asarray(cells.judge, dtype=np.float64) - np.asarray(cells.human)
    cell_weight = check_weights(cells.weight, len(gap)) * (1.0 if share is None else share)
    all_slices = []
    for cut, test in zip(cuts, difference_tests(cells, k, weights, cuts), strict=True):
        slices = []
        for number, name in enumerate(cut.names):
            of = cut.code == number
            lenient = float(np.average(gap[of], weights=cell_weight[of])) if weights and of.any() else None
            slices.append(KappaSlice(name, kappa_interval(cells.where(of), k, weights), lenient))
        all_slices.append(SlicedKappa(cut.by, tuple(slices), test))
    return all_slices


def difference_tests(cells: Cells, k: int, weights: Weights, cuts: Sequence[Slicing]) -> list[DifferenceTest | None]:
    """Whether slices differ, for every cut; None where there are fewer than two slices to compare.

    The p-values are adjusted together (Holm), as looking at many ways of slicing finds some difference by chance.
    """
    item = np.asarray(cells.item, dtype=np.int64)
    tests = [_wald(item, [cells.where(cut.code == n) for n in range(len(cut.names))], k, weights) for cut in cuts]
    after = iter(holm([t[0] for t in tests if t is not None]))
    return [None if t is None else DifferenceTest(*t, next(after)) for t in tests]


def _wald(item: Codes, parts: Sequence[Cells], k: int, weights: Weights) -> tuple[float, int] | None:
    """Wald test of equal kappas, (p, slices); None with fewer than two slices to compare.

        F = (C f)' (C V C')^-1 (C f) / (S - 1),   V_st = c_s c_t sum_g u_sg u_tg,   c_s^2 = (G_s - 1) / G_s

    with f_s = -log(1 - kappa) of slice s, the scale on which kappa's interval is studentised too, and u_sg what kappa
    gains when item g is left out, divided by 1 - kappa. So an item that has cells in several slices (the turns of a
    dialogue) enters as what it is. C are the differences to the first slice. p is from the F distribution with S - 1
    and (items of the smallest slice) - 1 degrees of freedom: with chi-square, five slices of 32 items were found apart
    in a tenth of the cases in which they were not. On kappa itself it was 15 % where 70 % of the answers are one, as a
    slice that met few of the rare errors has a high kappa and a small error. Slices of fewer than MIN_CLUSTERS items,
    without a kappa, or without any spread (everybody agrees) are left out. Source: Efron and Stein 1981 (jackknife).
    """
    every = np.unique(item)
    points, rows, smallest = [], [], len(every)
    for part in parts:
        own, place = np.unique(np.asarray(part.item, dtype=np.int64), return_inverse=True)
        point, moved = _left_out(part, place, k, weights)
        if point is None or len(own) < MIN_CLUSTERS or not np.isfinite(moved).all() or np.abs(moved).max() <= ROUNDING:
            continue
        row = np.zeros(len(every))
        row[np.searchsorted(every, own)] = moved / (1 - point) * sqrt((len(own) - 1) / len(own))
        points.append(-log1p(-point))
        rows.append(row)
        smallest = min(smallest, len(own))
    df = len(points) - 1
    if df < 1:
        return None
    used = np.stack(rows)
    contrast = np.hstack([-np.ones((df, 1)), np.eye(df)])
    gap = contrast @ np.array(points)
    ratio = float(gap @ np.linalg.pinv(contrast @ (used @ used.T) @ contrast.T) @ gap) / df
    return f_survival(ratio, df, smallest - 1), df + 1


def _left_out(cells: Cells, place: Codes, k: int, weights: Weights) -> tuple[float | None, Floats]:
    """Kappa, and by how much it changes when each item (0.. in `place`) is left out; nan where it is undefined then."""
    human, judge = (np.asarray(side) for side in cells[1:3])
    items = int(place.max(initial=-1)) + 1
    sums = item_sums(place, human, judge, check_weights(cells.weight, len(place)), items, k, weights)
    total = sums.sum(axis=0)
    point = float(kappas_of_totals(total[None], k, weights)[0][0])
    if np.isnan(point):
        return None, np.zeros(items)
    return point, kappas_of_totals(total - sums, k, weights)[0] - point


def f_survival(x: float, df: int, rest: int) -> float:
    """P(F > x) with `df` and `rest` degrees of freedom; ValueError unless both are at least 1."""
    from scipy.special import fdtrc

    if df < 1 or rest < 1:
        raise ValueError(f"An F test needs at least 1 degree of freedom on both sides; got {df} and {rest}.")
    return float(fdtrc(df, rest, max(x, 0.0)))


def make_slicing(
    by: str, values: Sequence[str], place: Codes | None = None, max_slices: int = 12, order: Sequence[str] = ()
) -> Slicing | None:
    """A cut by the values of the cells ("" = in no slice); None where there are fewer than two of them.

    With `place` a cell's value is values[place], and -1 is no value. Slices are in `order` where it is given, else by
    size. Of more than `max_slices` values the rarest are put together as `OTHER_STRATUM`, with those that are called so
    already.
    """
    place = np.arange(len(values)) if place is None else place
    counts = np.bincount(place + 1, minlength=len(values) + 1)[1:]
    sizes: dict[str, int] = {}
    for name, count in zip(values, counts.tolist(), strict=True):
        if name and count:
            sizes[name] = sizes.get(name, 0) + count
    if len(sizes) < 2:
        return None
    names = [n for n in order if n in sizes] if order else sorted(sizes, key=lambda n: (-sizes[n], n))
    places = {name: number for number, name in enumerate(names)}
    if len(names) > max_slices:
        common_names = [name for name in names if name != OTHER_STRATUM][: max_slices - 1]
        places = dict.fromkeys(names, len(common_names)) | {name: number for number, name in enumerate(common_names)}
        names = [*common_names, OTHER_STRATUM]
    lookup = np.array([*(places.get(name, -1) for name in values), -1], dtype=np.int64)
    return Slicing(by, lookup[place], tuple(names))


def distinct_slicings(cuts: Sequence[Slicing]) -> list[Slicing]:
    """Those cuts that part the cells in another way than an earlier one."""
    cut_by_parts: dict[bytes, Slicing] = {}
    for cut in cuts:
        _, first, slice_of = np.unique(cut.code, return_index=True, return_inverse=True)
        cut_by_parts.setdefault(first[slice_of].tobytes(), cut)  # each cell by the first cell of its slice
    return list(cut_by_parts.values())


def length_thirds(size: Floats) -> Codes:
    """The third (place in THIRDS) of all sizes that each is in; -1 for nan. Equal sizes stay together."""
    known = size[~np.isnan(size)]
    if not known.size:
        return np.full(len(size), -1, dtype=np.int64)
    third = np.searchsorted(np.quantile(known, [1 / 3, 2 / 3]), size)
    return np.where(np.isnan(size), -1, third).astype(np.int64)


class ScoredCells(NamedTuple):
    """The cells that the judge gave a value, as arrays of one length.

    The number of the item; the judge's value, and the row of the scale's table that it is in; people's mean value (nan:
    none, or n/a), whether there are labels, the weight of these, the share of people who gave a value, and the system's
    number.
    """

    item: Codes
    judge: Floats
    row: Codes
    human: Floats
    gold: NDArray[np.bool_]
    weight: Floats
    share: Floats
    system: Codes

    def where(self, keep: NDArray[np.bool_]) -> ScoredCells:
        """Some of the cells."""
        return ScoredCells(*(column[keep] for column in self))  # type: ignore[arg-type]


@dataclass(frozen=True)
class MeanSlice:
    """The judge's own mean in a slice, without figures where that would reveal single scores, and the corrected one.

    `mean` is None where the judge's own is; without a point where the slice's labels do not bear one.
    """

    name: str
    judge: Interval
    mean: CorrectedMean | None


def slice_means(cells: ScoredCells, cut: Slicing, reach: tuple[float, float], share: bool) -> list[MeanSlice]:
    """Every slice of a cut; `reach` and `share` as in `judges.stats.ppi.correct_mean`.

    Where the slices without figures have fewer than `MIN_ITEMS` items together, the smallest of the others has none
    either: what is left of the mean of all would reveal theirs.
    """
    items = [np.unique(cells.item[cut.code == n]) for n in range(len(cut.names))]
    order = sorted(range(len(items)), key=lambda n: len(items[n]))
    without = [n for n in order if len(items[n]) < MIN_ITEMS]
    while without and order[len(without) :] and len(np.unique(np.concatenate([items[n] for n in without]))) < MIN_ITEMS:
        without.append(order[len(without)])
    return [
        MeanSlice(name, _no_interval(len(items[n]), int((cut.code == n).sum())), None)
        if n in without
        else mean_of_slice(name, cells.where(cut.code == n), reach, share)
        for n, name in enumerate(cut.names)
    ]


def mean_of_slice(name: str, cells: ScoredCells, reach: tuple[float, float], share: bool) -> MeanSlice:
    """One slice of these cells."""
    numbers, item = np.unique(cells.item, return_inverse=True)
    if len(numbers) < MIN_ITEMS:
        return MeanSlice(name, _no_interval(len(numbers), len(item)), None)
    sums = moments(item, cells.judge, cells.human, cells.gold, cells.weight, cells.share)
    sums = sums._replace(uncovered=_uncovered_share(cells, share))
    if share:
        own = clustered.share_by_item(cells.judge > 0, item)
    else:
        own = clustered.with_t_ends(clustered.mean_by_item(cells.judge, item), *reach)
    return MeanSlice(name, own, correct_mean(sums, reach, share))


def _uncovered_share(cells: ScoredCells, share: bool) -> float:
    """The share of the cells that labels do not speak for: their system has none, or none reach so low or high.

    Of a mean it goes by rows of the table, as the tile does.
    """
    if not cells.gold.any():
        return 1.0
    value = cells.judge if share else cells.row
    seen = value[cells.gold]
    other = np.isin(cells.system, cells.system[cells.gold], invert=True)
    return float((other | (value < seen.min()) | (value > seen.max())).mean())


def _no_interval(items: int, cells: int) -> Interval:
    return Interval.point_only(items, cells, 0.0, "mean, by item")


def time_periods(days: Sequence[str], items: int, max_periods: int) -> tuple[str, list[str]]:
    """Days ("2026-01-31", "" none) as days, weeks, months or years, and the name of that step.

    It is the finest in which a period has `MIN_CLUSTERS` of so many items on average, else the coarsest with two
    periods; with at most `max_periods` of them in any case but that of years.
    """
    date_by_day = {day: np.datetime64(day) for day in set(days) if day}
    named = {step: {day: _period(day, at, step) for day, at in date_by_day.items()} for step in _LETTERS}
    size = {step: len(set(period_by_day.values())) for step, period_by_day in named.items()}
    able = [step for step in _LETTERS if 2 <= size[step] <= max_periods] or ["year"]
    step = next((step for step in able if size[step] * MIN_CLUSTERS <= items), able[-1])
    return step, [named[step].get(day, "") for day in days]


_LETTERS = {"day": 10, "week": 10, "month": 7, "year": 4}
"""Steps of time, with the letters of a day that name a period."""


def _period(day: str, at: np.datetime64, step: str) -> str:
    if step == "week":  # the first day of 1970 was a Thursday; weeks begin on Mondays
        return str(at - np.timedelta64((int(at.astype(np.int64)) + 3) % 7, "D"))
    return day[: _LETTERS[step]]
