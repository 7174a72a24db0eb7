"""Two judges on the same answers, without any human label: rating against rating, and which models change places.

A cell is one turn of one sample of a model's answer that both judges rated; several ratings of a judge are averaged.
Failed judgments are not ratings here, whatever a protocol counts. Intervals are clustered by question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges.mtbench.means import question_mean, shared_turns
from judges.mtbench.ratings import HIGHEST, LOWEST, RatingTable
from judges.stats.clustered import share_by_item
from judges.stats.concordance import concordance
from judges.stats.intervals import Cells, kappa_interval
from judges.stats.uncertainty import Interval

MAX_DISAGREEMENTS = 20
"""So many of the largest disagreements are listed."""


class SharedRatings(NamedTuple):
    """The ratings of the cells that two judges share, a row each, in the same order.

    `number` is the mean of a judge's ratings of the cell, 1 to 10; the other columns are those of the first of them.
    """

    one: RatingTable
    other: RatingTable

    def where(self, keep: NDArray[np.bool_]) -> SharedRatings:
        """Some of the cells."""
        return SharedRatings(self.one.where(keep), self.other.where(keep))


class PairAgreement(NamedTuple):
    """The agreement of two judges on some cells; `difference` is other - one, in points of the scale.

    `kappa` is quadratic-weighted on the scale 1 to 10. An undefined figure has no point.
    """

    cells: int
    one: Interval
    other: Interval
    difference: Interval
    equal: Interval
    within_one: Interval
    pearson: Interval
    spearman: Interval
    kendall: Interval
    kappa: Interval
    mae: Interval


class Disagreement(NamedTuple):
    """A turn of an answer on which two judges differ; `places` are those of both judgments in `Bench.ratings`."""

    question: str
    category: str
    model: str
    choice: int
    turn: int
    one: float
    other: float
    places: tuple[int, int]


@dataclass(frozen=True)
class RatingComparison:
    """Two judges on their shared cells: all cells, by turn and category, and the largest disagreements.

    `alone` counts the turns of answers to which only `one`, or only `other`, gave a rating.
    """

    one: str
    other: str
    shared: SharedRatings
    alone: tuple[int, int]
    overall: PairAgreement
    turns: Mapping[int, PairAgreement]
    categories: Mapping[str, PairAgreement]
    largest: tuple[Disagreement, ...]


def share_ratings(table: RatingTable, judge: str, other: str) -> SharedRatings:
    """The cells that two judges share, in the order of questions, models, turns and samples."""
    tables = []
    for rows in shared_turns(table, judge, other):
        rows = rows.where(rows.reason == 0)
        _, first, group = np.unique(rows.cell_key, return_index=True, return_inverse=True)
        tables.append(replace(rows.where(first), number=np.bincount(group, rows.number) / np.bincount(group)))
    return SharedRatings(*tables)


def compare_two_judges(
    table: RatingTable, judge: str, other: str, largest: int = MAX_DISAGREEMENTS
) -> RatingComparison:
    """All figures of two judges that the table has rows of; without shared cells nothing has a point."""
    shared = share_ratings(table, judge, other)
    rated = [
        len(np.unique(table.where((table.judge == table.judges.index(name)) & (table.reason == 0)).answer_key))
        for name in (judge, other)
    ]
    row = shared.one
    return RatingComparison(
        judge,
        other,
        shared,
        (rated[0] - len(row), rated[1] - len(row)),
        pair_agreement(shared),
        {turn: pair_agreement(shared.where(row.turn == turn)) for turn in row.turns},
        {row.categories[n]: pair_agreement(shared.where(row.category == n)) for n in np.unique(row.category).tolist()},
        _largest(shared, largest),
    )


def pair_agreement(shared: SharedRatings) -> PairAgreement:
    """All figures of some cells.

    Shares have Wilson's interval and means Student's, both by questions (`judges.stats.clustered`); correlations and
    the mean absolute error are linearised over questions (`judges.stats.concordance`), kappa is resampled by questions
    (`judges.stats.intervals`).
    """
    question, x, y = shared.one.question, shared.one.number, shared.other.number
    gap = np.abs(y - x)
    figures = concordance(Cells(question, x, y))
    steps = int(HIGHEST - LOWEST) + 1
    return PairAgreement(
        len(x),
        question_mean(x, question, (LOWEST, HIGHEST)),
        question_mean(y, question, (LOWEST, HIGHEST)),
        question_mean(y - x, question),
        share_by_item(gap == 0, question),
        share_by_item(gap <= 1, question),
        figures.pearson,
        figures.spearman,
        figures.kendall,
        kappa_interval(Cells(question, x - LOWEST, y - LOWEST), steps, "quadratic"),
        figures.mae,
    )


class QuestionGap(NamedTuple):
    """Two judges on the cells of one question: the means of both, and the shares that are equal or within one point."""

    question: str
    category: str
    cells: int
    one: float
    other: float
    equal: float
    within_one: float


def question_gaps(shared: SharedRatings) -> list[QuestionGap]:
    """Every question that both judges rated, in the order of the files; a single one has no interval."""
    row, x, y = shared.one, shared.one.number, shared.other.number
    gap = np.abs(y - x)
    which, first, place = np.unique(row.question, return_index=True, return_inverse=True)
    cells = np.bincount(place)
    columns = [np.bincount(place, value) / cells for value in (x, y, gap == 0, gap <= 1)]
    return [
        QuestionGap(row.questions[n], row.categories[row.category[at]], int(count), *map(float, figures))
        for n, at, count, *figures in zip(which, first, cells, *columns, strict=True)
    ]


def _largest(shared: SharedRatings, limit: int) -> tuple[Disagreement, ...]:
    """The cells that differ most, larger differences first, equal ones in the order of the cells."""
    row, other = shared
    gap = np.abs(other.number - row.number)
    order = [n for n in np.argsort(-gap, kind="stable")[:limit].tolist() if gap[n] > 0]
    return tuple(
        Disagreement(
            row.questions[row.question[n]], row.categories[row.category[n]], row.models[row.model[n]],
            int(row.choice[n]), int(row.turn[n]), float(row.number[n]), float(other.number[n]),
            (int(row.place[n]), int(other.place[n])),
        )
        for n in order
    )  # fmt: skip
