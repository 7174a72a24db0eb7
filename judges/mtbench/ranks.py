"""Ranks of models with their uncertainty, and how they change from one judge to another.

Questions are drawn with replacement, with a seed. Each draw gives every model a new mean and rank, so a question that
is hard for all models affects all of them in the same draw. Rank 1 is the best; equal means share the average of their
ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judges.mtbench.comparison import SharedRatings
from judges.mtbench.ratings import RatingTable
from judges.stats.agreement import Codes, Floats
from judges.stats.bootstrap import MAX_UNDEFINED, percentile_ends
from judges.stats.intervals import REPLICATES
from judges.stats.system_order import METHOD, draw_means, rank_means
from judges.stats.uncertainty import Interval


class ModelRank(NamedTuple):
    """A model's mean and its rank with its interval; `first`: the share of draws in which it is best (ties divide it).

    There are no ends and `first` is None if there is only one question.
    """

    model: str
    mean: float
    rank: Interval
    first: float | None


class ModelPair(NamedTuple):
    """Two models, the one with the higher mean before; `difference` is the difference of their means.

    `turned` is the share of draws with the opposite order (a tie counts half; None: not known).
    """

    higher: str
    lower: str
    difference: Interval
    turned: float | None

    @property
    def settled(self) -> bool:
        """Whether the interval of the difference excludes 0, for this pair alone and not for all pairs together."""
        return self.difference.low is not None and self.difference.low > 0


@dataclass(frozen=True)
class Ranking:
    """The models of a judge from the best on, and every two of them; `unsettled` are those whose order is open."""

    judge: str
    models: tuple[ModelRank, ...]
    pairs: tuple[ModelPair, ...]

    @property
    def unsettled(self) -> list[ModelPair]:
        """The pairs whose order is not settled, closest first."""
        open_pairs = (pair for pair in self.pairs if not pair.settled)
        return sorted(open_pairs, key=lambda pair: abs(pair.difference.point or 0))


class RankChange(NamedTuple):
    """A model's rank with one judge and another on the same cells, and the change (other - one) with its interval."""

    model: str
    one: float
    other: float
    change: Interval


class FlippedPair(NamedTuple):
    """Two models that one judge puts in one order and the other in the opposite; `one` and `other` are `a` - `b`.

    `likely` is the share of draws in which the judges disagree about them (None: not known). If the interval of the
    difference excludes 0 with both judges, they contradict each other; else it may be chance.
    """

    a: str
    b: str
    one: Interval
    other: Interval
    likely: float | None

    @property
    def settled(self) -> bool:
        """Whether both judges' differences leave 0 out."""
        return all(d.low is not None and d.high is not None and d.low * d.high > 0 for d in (self.one, self.other))


@dataclass(frozen=True)
class RankComparison:
    """Ranks with two judges on the cells they share: every model's change, and the pairs of models that flip."""

    models: tuple[RankChange, ...]
    flipped: tuple[FlippedPair, ...]


def rank_models(counted: RatingTable, judge: str, replicates: int = REPLICATES) -> Ranking:
    """The ranks of a judge's models by their means over all rows that count; empty where it has none."""
    own = counted.where(counted.judge == counted.judges.index(judge))
    models, (means,), (drawn,), items = _draws(own.question, own.model, [own.number], replicates)
    names = [own.models[n] for n in models]
    ranks, cells = rank_means(means), np.bincount(own.model, minlength=len(own.models))[models]
    best = drawn == drawn.max(axis=1, keepdims=True, initial=-np.inf)
    first = (best / best.sum(axis=1, keepdims=True)).mean(axis=0).tolist() if len(drawn) else [None] * len(names)
    ends = _ends(ranks, rank_means(drawn), items, cells)
    model_ranks = [ModelRank(*rank) for rank in zip(names, means.tolist(), ends, first, strict=True)]
    order = np.argsort(ranks, kind="stable")
    a, b = (order[side] for side in np.triu_indices(len(order), 1))
    gap = drawn[:, a] - drawn[:, b]
    turned = ((gap < 0).mean(axis=0) + (gap == 0).mean(axis=0) / 2).tolist() if len(gap) else [None] * len(a)
    ahead = _ends(means[a] - means[b], gap, items, np.minimum(cells[a], cells[b]))
    pairs = [
        ModelPair(names[higher], names[lower], *rest)
        for higher, lower, *rest in zip(a.tolist(), b.tolist(), ahead, turned, strict=True)
    ]
    return Ranking(judge, tuple(sorted(model_ranks, key=lambda model: model.rank.point or 0.0)), tuple(pairs))


def compare_ranks(shared: SharedRatings, replicates: int = REPLICATES) -> RankComparison:
    """Return the changes of models' ranks from one judge to the other, on cells that both rated; empty without any."""
    row = shared.one
    models, means, drawn, items = _draws(row.question, row.model, [row.number, shared.other.number], replicates)
    names, cells = [row.models[n] for n in models], np.full(len(models), len(row))
    ranks, other_ranks = rank_means(means)
    moved = _ends(other_ranks - ranks, rank_means(drawn[1]) - rank_means(drawn[0]), items, cells)
    changes = [RankChange(*change) for change in zip(names, ranks.tolist(), other_ranks.tolist(), moved, strict=True)]
    order = np.argsort(ranks, kind="stable")
    a, b = (order[side] for side in np.triu_indices(len(order), 1))
    flips = (means[0][a] - means[0][b]) * (means[1][a] - means[1][b]) < 0
    a, b = a[flips], b[flips]
    gaps = [draws[:, a] - draws[:, b] for draws in drawn]
    ends = [_ends(mean[a] - mean[b], gap, items, cells[a]) for mean, gap in zip(means, gaps, strict=True)]
    likely = (gaps[0] * gaps[1] < 0).mean(axis=0).tolist() if len(gaps[0]) else [None] * len(a)
    flipped = [
        FlippedPair(names[first], names[second], *rest)
        for first, second, *rest in zip(a.tolist(), b.tolist(), *ends, likely, strict=True)
    ]
    return RankComparison(tuple(sorted(changes, key=lambda change: change.one)), tuple(flipped))


def _draws(
    question: Codes, model: Codes, values: list[Floats], replicates: int
) -> tuple[list[int], Floats, Floats, int]:
    """Models that have rows; for each column of values their means, (values, models), and (values, draws, models).

    Draws in which a model has no row are left out. There are no draws if more than `MAX_UNDEFINED` are left out, or if
    there is only one question. The last value is the number of questions.
    """
    models, place = np.unique(model, return_inverse=True)
    which, at = np.unique(question, return_inverse=True)
    shape = len(which), len(models)

    def table(weight: Floats | None) -> Floats:
        bins = np.bincount(at * shape[1] + place, weight, minlength=shape[0] * shape[1])
        return bins.reshape(shape).astype(np.float64)

    means, drawn = draw_means(np.stack([*map(table, values), table(None)], axis=1), -1, replicates)
    full = drawn[np.isfinite(drawn).all(axis=(1, 2))]
    if len(full) < (1 - MAX_UNDEFINED) * len(drawn):
        full = full[:0]
    return models.tolist(), means, np.moveaxis(full, 0, 1), shape[0]


def _ends(points: Floats, drawn: Floats, items: int, cells: Codes) -> list[Interval]:
    """The percentile interval of every figure from its column of draws; without draws the points only.

    The ends are values of draws, so that a rank is never between two possible ranks.
    """
    if not len(drawn):
        return [
            Interval.point_only(items, n, float(items), METHOD, point)
            for point, n in zip(points.tolist(), cells.tolist(), strict=True)
        ]
    return [
        Interval(point, low, high, bound, items, n, float(items), METHOD, error)
        for point, low, high, bound, error, n in zip(
            points.tolist(), *percentile_ends(drawn, "nearest").tolist(), cells.tolist(), strict=True
        )
    ]
