"""Whether a judge puts systems in the order in which people put them, on the same ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from judges.stats.agreement import Floats
from judges.stats.bootstrap import percentile_interval, resample_from_seed
from judges.stats.intervals import REPLICATES, Cells
from judges.stats.uncertainty import Interval

MIN_SYSTEMS = 3
"""Systems from which their order has a correlation: of two there is one pair, in the same order or the other."""
METHOD = "cluster bootstrap, percentile"
"""The `Interval.method` of the intervals of means' ranks."""
_EQUAL_DECIMALS = 9  # decimals to which equal means are equal: they differ by rounding alone
_MAX_SIGNS_IN_MEMORY = 1 << 22  # signs of pairs of systems held in memory at a time


class RankedSystem(NamedTuple):
    """A system with its ratings, the means of people and judge over them, and its rank by each; rank 1 is highest."""

    name: str
    cells: int
    items: int
    human: float
    judge: float
    human_rank: Interval
    judge_rank: Interval


@dataclass(frozen=True)
class SystemOrder:
    """Systems from people's highest mean down, and how far the judge's means put them in the same order.

    `pairs` counts the pairs of systems, `flipped` those that judge and people put in opposite orders. The correlations
    are of the two lists of means, without a point for fewer than `MIN_SYSTEMS` systems, or where all means of a side
    are equal.
    """

    systems: tuple[RankedSystem, ...]
    kendall: Interval
    spearman: Interval
    flipped: int

    @property
    def pairs(self) -> int:
        """The pairs of systems."""
        return comb(len(self.systems), 2)


def order_systems(cells: Cells, system: ArrayLike, names: Sequence[str], cluster: ArrayLike) -> SystemOrder:
    """The order of systems by their weighted mean ratings, people's beside the judge's.

    `system` has the code of each cell's system in `names`, `cluster` what is drawn together: the item, or the question
    that several systems answered. On the means m of people and n of the judge, over the pairs of systems,

        tau_b = sum sign(m_i - m_j) sign(n_i - n_j) / sqrt(A B)

    with A, B the pairs that differ in m, in n; rho is Pearson's correlation of the ranks, equal means sharing the
    middle. The intervals are percentiles over clusters drawn with replacement, seeded, the same draws for all systems;
    a draw that lacks a system, or in which a side is constant, is left out, and with too many of these there are no
    ends. Source: Kendall 1945; Spearman 1904; Efron and Tibshirani 1993.
    """
    code, names, item = np.asarray(system, dtype=np.int64), list(names), np.asarray(cells.item)
    human, judge = (np.asarray(side, dtype=np.float64) for side in (cells.human, cells.judge))
    weight = np.ones(len(code)) if cells.weight is None else np.asarray(cells.weight, dtype=np.float64)
    _, group = np.unique(np.asarray(cluster), return_inverse=True)
    groups, count = int(group.max(initial=-1)) + 1, len(names)
    sums = np.zeros((groups, 3, count))
    for row, amount in enumerate((weight, weight * human, weight * judge)):
        np.add.at(sums[:, row], (group, code), amount)
    means, drawn = draw_means(sums, 0, REPLICATES)
    (tau, rho, ranks), (taus, rhos, drawn_ranks) = _orders(means[None]), _orders(drawn)
    sign = np.sign(means[:, :, None] - means[:, None, :])
    systems = []
    for n, name in enumerate(names):
        own = code == n
        by_side = [
            _interval(ranks[:, side, n], drawn_ranks[:, side, n], len(np.unique(group[own])), int(own.sum()))
            for side in (0, 1)
        ]
        items = len(np.unique(item[own]))
        systems.append(
            RankedSystem(name, int(own.sum()), items, float(means[0, n]), float(means[1, n]), *by_side)
        )
    systems.sort(key=lambda ranked: (-ranked.human, ranked.name))
    factor = np.nan if count < MIN_SYSTEMS else 1.0
    kendall, spearman = (
        _interval(factor * point, draws, groups, len(code)) for point, draws in ((tau, taus), (rho, rhos))
    )
    return SystemOrder(tuple(systems), kendall, spearman, int((sign[0] * sign[1] < 0).sum()) // 2)


def draw_means(sums: Floats, weight: int, replicates: int) -> tuple[Floats, Floats]:
    """The systems' means, (values, systems), and those of draws of clusters, (draws, values, systems).

    `sums` are those of each cluster, (clusters, 1 + values, systems): of the weights, at the place `weight`, and of
    the values. A mean without weight is nan. There are no draws of fewer than two clusters.
    """
    clusters, *shape = sums.shape
    times = replicates if clusters > 1 else 0
    totals = sums.sum(axis=0)[None]
    if times:
        totals = np.concatenate([totals, resample_from_seed(sums.reshape(clusters, -1), times, 0).reshape(-1, *shape)])
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.round(np.delete(totals, weight, axis=1) / totals[:, weight, None], _EQUAL_DECIMALS)
    return means[0], means[1:]


def rank_means(means: Floats) -> Floats:
    """The rank of every mean among those of the last axis, 1 the highest, equal ones in the middle."""
    above, below = (compare(means[..., None, :], means[..., None]).sum(axis=-1) for compare in (np.greater, np.less))
    return np.asarray((means.shape[-1] + 1 + above - below) / 2, dtype=np.float64)


def _orders(means: Floats) -> tuple[Floats, Floats, Floats]:
    """Tau-b and rho of each draw, and the ranks (draws, 2, systems), 1 the highest; nan where they do not exist."""
    draws, _, count = means.shape
    tau, rho, ranks = np.full(draws, np.nan), np.full(draws, np.nan), np.full(means.shape, np.nan)
    complete = np.flatnonzero(np.isfinite(means).all(axis=(1, 2)))
    step = max(1, _MAX_SIGNS_IN_MEMORY // max(1, count * count))
    for start in range(0, len(complete), step):
        at = complete[start : start + step]
        sign = np.sign(means[at, :, :, None] - means[at, :, None, :])
        ranks[at] = rank_means(means[at])
        away = ranks[at] - (count + 1) / 2
        for out, sides in ((tau, sign.reshape(len(at), 2, -1)), (rho, away)):
            numerator, (a, b) = (sides[:, 0] * sides[:, 1]).sum(axis=1), np.square(sides).sum(axis=2).T
            defined = (a > 0) & (b > 0)
            out[at[defined]] = np.clip(numerator[defined] / np.sqrt(a[defined] * b[defined]), -1.0, 1.0)
    return tau, rho, ranks


def _interval(point: Floats, draws: Floats, groups: int, cells: int) -> Interval:
    """A figure with the percentiles of its draws; without ends where too many of these do not exist."""
    known = bool(np.isfinite(point).all())
    point_interval = Interval.point_only(groups, cells, float(groups), METHOD, float(point[0]) if known else None)
    return percentile_interval(point_interval, draws) if known and len(draws) else point_interval


def as_json(system_order: SystemOrder) -> dict[str, object]:
    """The same as values of JSON."""
    return {
        "systems": len(system_order.systems), "pairs": system_order.pairs, "pairs_flipped": system_order.flipped,
        "kendall": {"point": system_order.kendall.point, "interval": system_order.kendall.ends},
        "spearman": {"point": system_order.spearman.point, "interval": system_order.spearman.ends},
        "means": [
            {
                "system": system.name, "ratings": system.cells, "items": system.items,
                "people": system.human, "judge": system.judge,
                "people_rank": system.human_rank.point, "people_rank_interval": system.human_rank.ends,
                "judge_rank": system.judge_rank.point, "judge_rank_interval": system.judge_rank.ends,
            }
            for system in system_order.systems
        ],
    }  # fmt: skip
