"""Two judges on the same answers, without any human label: rating against rating, and which models change places.

A cell is one turn of one sample of a model's answer that both judges rated; several ratings of a judge are averaged.
Failed judgments are not ratings here, whatever a protocol counts. Intervals are clustered by question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges.mtbench.means import question_mean, shared_turns
from judges.mtbench.ratings import HIGHEST, LOWEST, RatingTable
from judges.stats.agreement import Codes, Floats
from judges.stats.clustered import share_by_item
from judges.stats.concordance import concordance
from judges.stats.intervals import Cells, kappa_interval
from judges.stats.uncertainty import Interval

MAX_DISAGREEMENTS = 20
"""So many of the largest disagreements are listed."""


@dataclass(frozen=True)
class SharedRatings:
    """The cells that two judges share, as columns of one length.

    `row` says whose they are (the rows of `one`); `one` and `other` are the ratings, 1 to 10, and `places` the places
    in `Bench.ratings` of the first judgment of each, (cells, 2).
    """

    row: RatingTable
    one: Floats
    other: Floats
    places: Codes

    def where(self, keep: NDArray[np.bool_]) -> SharedRatings:
        """Some of the cells."""
        return SharedRatings(self.row.where(keep), self.one[keep], self.other[keep], self.places[keep])


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
    cells = []
    for rows in shared_turns(table, judge, other):
        rows = rows.where(rows.reason == 0)
        _, first, group = np.unique(rows.cell_key, return_index=True, return_inverse=True)
        mean = np.bincount(group, rows.number) / np.bincount(group)
        cells.append((rows.where(first), np.asarray(mean, dtype=np.float64)))
    (row, x), (other_row, y) = cells
    return SharedRatings(row, x, y, np.stack([row.place, other_row.place], axis=1))


def compare_two_judges(
    table: RatingTable, judge: str, other: str, largest: int = MAX_DISAGREEMENTS
) -> RatingComparison:
    """All figures of two judges that the table has rows of; without shared cells nothing has a point."""
    shared = share_ratings(table, judge, other)
    rated = [
        len(np.unique(table.where((table.judge == table.judges.index(name)) & (table.reason == 0)).answer_key))
        for name in (judge, other)
    ]
    row = shared.row
    return RatingComparison(
        judge,
        other,
        shared,
        (rated[0] - len(shared.one), rated[1] - len(shared.one)),
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
    question, x, y = shared.row.question, shared.one, shared.other
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
    row, gap = shared.row, np.abs(shared.other - shared.one)
    which, first, place = np.unique(row.question, return_index=True, return_inverse=True)
    cells = np.bincount(place)
    columns = [np.bincount(place, value) / cells for value in (shared.one, shared.other, gap == 0, gap <= 1)]
    return [
        QuestionGap(row.questions[n], row.categories[row.category[at]], int(count), *map(float, figures))
        for n, at, count, *figures in zip(which, first, cells, *columns, strict=True)
    ]


def _largest(shared: SharedRatings, limit: int) -> tuple[Disagreement, ...]:
    """The cells that differ most, larger differences first, equal ones in the order of the cells."""
    gap, row = np.abs(shared.other - shared.one), shared.row
    order = [n for n in np.argsort(-gap, kind="stable")[:limit].tolist() if gap[n] > 0]
    return tuple(
        Disagreement(
            row.questions[row.question[n]], row.categories[row.category[n]], row.models[row.model[n]],
            int(row.choice[n]), int(row.turn[n]), float(shared.one[n]), float(shared.other[n]),
            (int(shared.places[n, 0]), int(shared.places[n, 1])),
        )
        for n in order
    )  # fmt: skip
