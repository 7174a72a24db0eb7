"""The cells of one dimension for `agree`: a judge's scores in them, and those that people answered, paired."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from judges.audits import AuditReply, Cell
from judges.params import CombinationRule
from judges.protocols.combination import combine_on_scale
from judges.stats.agreement import Floats
from judges.stats.calibration import PairedRatings
from judges.types import Dimension, Score, sort_of


@dataclass(frozen=True)
class JudgedCells:
    """The cells of a dimension that a judge scored, and those with gold.

    `scores` are by sample number in ascending order, and `judged` has the value that they combine to (None is n/a).
    `places` are the cells with gold, of items with a reply, and `ratings` pairs them with the judge in that order.
    """

    dimension: Dimension
    scores: Mapping[Cell, Mapping[int, Score]]
    judged: Mapping[Cell, float | None]
    places: Sequence[Cell]
    ratings: PairedRatings


def pair_cells(
    dimension: Dimension, people: Mapping[Cell, float | None], replies: Sequence[AuditReply], rule: CombinationRule,
    pool: Mapping[Cell, Sequence[float | None]],
) -> JudgedCells:  # fmt: skip
    """The cells of a dimension; several samples count as one answer.

    `people` is the gold of each cell, and `pool` are the answers that it comes from.
    """
    scores = scores_by_cell(dimension, replies)
    judged = {cell: combine_samples(samples, dimension, rule) for cell, samples in scores.items()}
    items, kind = {reply.item for reply in replies}, (dimension.name, dimension.sort)
    places = [cell for cell in people if cell[0] in items and (cell[2], sort_of(cell[1])) == kind]
    valued = [[value for value in pool[cell] if value is not None] for cell in places]
    ratings = PairedRatings(
        item_numbers(places),
        codes(people[cell] for cell in places),
        codes(judged.get(cell) for cell in places),
        np.array([cell in scores for cell in places], dtype=bool),
        np.ones(len(places)),
        None,
        codes(fmean(values) if values else None for values in valued),
        codes(len(values) / len(pool[cell]) for cell, values in zip(places, valued, strict=True)),
        np.array([len(pool[cell]) for cell in places], dtype=np.int64),
    )
    return JudgedCells(dimension, scores, judged, places, ratings)


def scores_by_cell(dimension: Dimension, replies: Iterable[AuditReply]) -> dict[Cell, dict[int, Score]]:
    """Return the scores of the replies in each cell of a dimension, by sample number in ascending order."""
    by_cell: dict[Cell, dict[int, Score]] = {}
    for reply in sorted(replies, key=lambda r: r.sample):
        for score in reply.reading.scores:
            if score.dimension == dimension.name and sort_of(score.unit) == dimension.sort:
                by_cell.setdefault((reply.item, score.unit, score.dimension), {})[reply.sample] = score
    return by_cell


def combine_samples(samples: Mapping[int, Score], dimension: Dimension, rule: CombinationRule) -> float | None:
    """The combined value of the samples of a cell; None is n/a."""
    return combine_on_scale([score.value for score in samples.values()], rule, dimension.scale)


def item_numbers(cells: Iterable[Cell]) -> NDArray[np.int64]:
    """The number of each cell's item, from 0 in the order in which items are met."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(item, len(numbers)) for item, *_ in cells], dtype=np.int64)


def codes(values: Iterable[float | None]) -> Floats:
    """Values as a column, nan for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
