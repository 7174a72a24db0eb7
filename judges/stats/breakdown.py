"""A judge's own mean and the corrected one in every slice of a dimension's cells, each with an interval by items.

The items of a slice were drawn as all items were, so the correction of a slice (judges/stats/ppi.py) rests on the
labels of its own items alone: that of the whole would carry the bias of other slices into it. Where these are too few,
a slice has the judge's own mean only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges.stats import clustered
from judges.stats.agreement import Floats
from judges.stats.means import FEW
from judges.stats.ppi import CorrectedMean, correct_mean, moments
from judges.stats.slices import Slicing
from judges.stats.uncertainty import MIN_CLUSTERS, Interval

Codes = NDArray[np.int64]


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

    Where the slices without figures have fewer than `FEW` items together, the smallest of the others has none either:
    what is left of the mean of all would reveal theirs.
    """
    items = [np.unique(cells.item[cut.code == n]) for n in range(len(cut.names))]
    order = sorted(range(len(items)), key=lambda n: len(items[n]))
    without = [n for n in order if len(items[n]) < FEW]
    while without and order[len(without) :] and len(np.unique(np.concatenate([items[n] for n in without]))) < FEW:
        without.append(order[len(without)])
    return [
        MeanSlice(name, _none(len(items[n]), int((cut.code == n).sum())), None)
        if n in without
        else mean_of_slice(name, cells.where(cut.code == n), reach, share)
        for n, name in enumerate(cut.names)
    ]


def mean_of_slice(name: str, cells: ScoredCells, reach: tuple[float, float], share: bool) -> MeanSlice:
    """One slice of these cells."""
    numbers, item = np.unique(cells.item, return_inverse=True)
    if len(numbers) < FEW:
        return MeanSlice(name, _none(len(numbers), len(item)), None)
    given = moments(item, cells.judge, cells.human, cells.gold, cells.weight, cells.share)
    given = given._replace(uncovered=_uncovered(cells, share))
    return MeanSlice(name, _own(cells.judge, item, reach, share), correct_mean(given, reach, share))


def _uncovered(cells: ScoredCells, share: bool) -> float:
    """The share of the cells that labels do not speak for: their system has none, or none reach so low or high.

    Of a mean it goes by rows of the table, as the tile does.
    """
    if not cells.gold.any():
        return 1.0
    value = cells.judge if share else cells.row
    seen = value[cells.gold]
    other = np.isin(cells.system, cells.system[cells.gold], invert=True)
    return float((other | (value < seen.min()) | (value > seen.max())).mean())


def _own(value: Floats, item: Codes, reach: tuple[float, float], share: bool) -> Interval:
    """The judge's mean; of a mean the ends lie as far off as Student's t has it, and without spread there are none."""
    if share:
        return clustered.share_by_item(value > 0, item)
    return clustered.with_t_ends(clustered.mean_by_item(value, item), *reach)


def _none(items: int, cells: int) -> Interval:
    return Interval(None, None, None, None, items, cells, 0.0, "mean, by item")


def time_periods(days: Sequence[str], items: int, most: int) -> tuple[str, list[str]]:
    """Days ("2026-01-31", "" none) as days, weeks, months or years, and the name of that step.

    It is the finest in which a period has `MIN_CLUSTERS` of so many items on average, else the coarsest with two
    periods; with at most `most` of them in any case but that of years.
    """
    there = {day: np.datetime64(day) for day in set(days) if day}
    named = {step: {day: _period(day, at, step) for day, at in there.items()} for step in _LETTERS}
    size = {step: len(set(held.values())) for step, held in named.items()}
    able = [step for step in _LETTERS if 2 <= size[step] <= most] or ["year"]
    step = next((one for one in able if size[one] * MIN_CLUSTERS <= items), able[-1])
    return step, [named[step].get(day, "") for day in days]


_LETTERS = {"day": 10, "week": 10, "month": 7, "year": 4}
"""Steps of time, with the letters of a day that name a period."""


def _period(day: str, at: np.datetime64, step: str) -> str:
    if step == "week":  # the first day of 1970 was a Thursday; weeks begin on Mondays
        return str(at - np.timedelta64((int(at.astype(np.int64)) + 3) % 7, "D"))
    return day[: _LETTERS[step]]
