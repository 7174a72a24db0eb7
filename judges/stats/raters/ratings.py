"""Single labels, in the form that figures about raters need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judges.gold import Resolve
from judges.stats import bins
from judges.stats.agreement import Codes, Floats, merge_rounded
from judges.stats.clustered import pairs_within
from judges.types import Scale


@dataclass(frozen=True)
class Ratings:
    """One row a label, at most one of a person in a cell, in the order of their making. All arrays have one length.

    `item`, `cell` and `person` are numbers from 0, each cell lying in one item; `value` is the answer by its row of the
    table, 0..K-1 (n/a is left out), and `exact` its code where a row is a bin (`judges.stats.bins`; None: the same).
    `judge` is the code of the judge's in that cell (it may lie between two), -1 where it gave none.
    `people` are the names by number.
    """

    item: Codes
    cell: Codes
    person: Codes
    value: Codes
    judge: Codes | NDArray[np.float64]
    people: tuple[str, ...]
    scale: Scale
    exact: Floats | None = None

    @property
    def code(self) -> Codes | Floats:
        """The code of every answer, which kappa goes by."""
        return self.value if self.exact is None else self.exact

    def __len__(self) -> int:
        return len(self.item)

    def where(self, keep: NDArray[np.bool_]) -> Ratings:
        """Some of the rows; the numbers stay what they are."""
        item, cell, person = self.item[keep], self.cell[keep], self.person[keep]
        exact = None if self.exact is None else self.exact[keep]
        return Ratings(item, cell, person, self.value[keep], self.judge[keep], self.people, self.scale, exact)

    def counts(self) -> Codes:
        """Return the number of people who gave each answer in each cell, (cells, K); cells are in order of number."""
        k, cells = bins.row_count(self.scale), int(self.cell.max(initial=-1)) + 1
        return np.bincount(self.cell * k + self.value, minlength=cells * k).reshape(cells, k).astype(np.int64)

    def others(self) -> Codes:
        """Return the number of other people who gave each answer in the cell of each row, (rows, K)."""
        counts = self.counts()[self.cell] if len(self) else np.zeros((0, bins.row_count(self.scale)), dtype=np.int64)
        counts[np.arange(len(self)), self.value] -= 1
        return counts

    def multi_rater_cells(self) -> Ratings:
        """The cells that at least two people labelled."""
        return self.where(np.bincount(self.cell)[self.cell] > 1 if len(self) else np.zeros(0, dtype=bool))

    def pairs(self) -> tuple[Codes, Codes]:
        """Every pair of labels of two people in one cell, once: their row numbers."""
        return pairs_within(self.cell)


def gold_without_self(ratings: Ratings, rule: Resolve = "median") -> Codes | Floats:
    """The gold of every row's cell made without the row's own label, as a code; -1 where the others leave none.

    It is what `judges.gold.resolve` makes of the others' answers, for all rows at once.
    """
    if not len(ratings):
        return ratings.value
    if rule == "mean" and ratings.scale.kind == "interval":
        mean = mean_without_self(ratings)
        return np.where(np.isnan(mean), -1.0, mean)
    majority = rule == "majority"
    if ratings.exact is not None:
        return _exactly(ratings.cell, ratings.exact, majority)
    scale, others = ratings.scale, ratings.others()
    answers = others.sum(axis=1)
    middle = (2 * others.cumsum(axis=1) >= answers[:, None]).argmax(axis=1)
    if scale.has_order and not majority:
        return np.where(answers > 0, middle, -1)
    top = others.max(axis=1)
    drawn = (others == top[:, None]).sum(axis=1) > 1
    instead = middle if scale.has_order else -1 if scale.tie_code is None else int(scale.tie_code)
    return np.where(answers == 0, -1, np.where(drawn, instead, others.argmax(axis=1)))


def _exactly(cell: Codes, code: Floats, majority: bool) -> Floats:
    """`gold_without_self` of codes that are no rows of a table, cell by cell."""
    gold = np.full(len(cell), -1.0)
    order = np.lexsort([code, cell])
    for rows in np.split(order, np.flatnonzero(np.diff(cell[order])) + 1):
        for place, row in enumerate(rows.tolist()):
            others = code[np.delete(rows, place)]
            if len(others):
                values, counts = np.unique(others, return_counts=True)
                often = values[counts == counts.max()]
                gold[row] = often[0] if majority and len(often) == 1 else others[(len(others) - 1) // 2]
    return gold


def mean_without_self(ratings: Ratings) -> Floats:
    """The mean of the other people's answers to every row's cell, as a code; nan if there are no others."""
    code = ratings.code.astype(np.float64)
    answers = np.bincount(ratings.cell)[ratings.cell] - 1
    total = np.bincount(ratings.cell, code)[ratings.cell] - code
    # A difference of sums is the others' sum but for its last digit, and may so lie off the scale.
    return np.where(answers > 0, merge_rounded(total / np.maximum(answers, 1)), np.nan)
