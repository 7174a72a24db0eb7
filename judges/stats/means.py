"""Means of a judge's scores: plain, and adjusted for scores that its card weighs less or does not trust.

They are the judge's own view; calibration says how far to believe it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges.stats.agreement import Floats
from judges.stats.clustered import mean_by_item, with_t_ends
from judges.stats.uncertainty import Interval

MIN_ITEMS = 3
"""Of fewer items no mean is shown: it would reveal single scores, which somebody may still have to label blind."""


class ScoreRows(NamedTuple):
    """The scores of one dimension, a row each, as arrays of one length; nan where a row has none.

    The columns: the item's number, the value, its weight by the judge's confidence, whether the judge's aggregate of
    the item can be trusted (1 or 0), the plain mean of the scores behind an aggregate, and another judge's value of the
    same cell.
    """

    item: NDArray[np.int64]
    value: Floats
    counts: Floats
    trusted: Floats
    parts: Floats
    other: Floats


@dataclass(frozen=True)
class JudgeMeans:
    """The plain mean and those beside it, each with its interval by items.

    The others are None if they do not exist: the mean in which scores of low confidence count less (`sure`), the mean
    of items whose aggregate can be trusted (`trusted`), the plain mean of the scores behind an aggregate (`parts`),
    and, on the same cells, another judge's mean and this judge's mean minus it.
    """

    plain: Interval
    sure: Interval | None
    trusted: Interval | None
    parts: Interval | None
    other: Interval | None
    ahead: Interval | None

    @property
    def reportable(self) -> bool:
        """Whether there are enough items, so that the mean reveals no single score."""
        return self.plain.items >= MIN_ITEMS


def judge_means(scored: ScoreRows, lo: float = -inf, hi: float = inf) -> JudgeMeans:
    """All means; a part of fewer than `MIN_ITEMS` items has none, and no end lies beyond the scale, `lo` to `hi`."""
    item, value = scored.item, scored.value
    counted, trusted = ~np.isnan(scored.counts), scored.trusted == 1
    parted, shared = ~np.isnan(scored.parts), ~np.isnan(scored.other)
    known = not np.isnan(scored.trusted).all()
    other, own = scored.other[shared], value[shared]

    def hide_small(interval: Interval) -> Interval:
        if interval.items < MIN_ITEMS:
            return Interval.point_only(interval.items, interval.cells, interval.n_eff, interval.method)
        return with_t_ends(interval, lo, hi)

    return JudgeMeans(
        plain=with_t_ends(mean_by_item(value, item), lo, hi),
        sure=hide_small(mean_by_item(value[counted], item[counted], weight=scored.counts[counted]))
        if counted.any()
        else None,
        trusted=hide_small(mean_by_item(value[trusted], item[trusted])) if known else None,
        parts=hide_small(mean_by_item(scored.parts[parted], item[parted])) if parted.any() else None,
        other=with_t_ends(mean_by_item(other, item[shared]), lo, hi) if shared.any() else None,
        ahead=mean_by_item(own - other, item[shared]) if shared.any() else None,
    )

