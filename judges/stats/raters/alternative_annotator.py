"""The alternative-annotator test: could the judge replace one of the people (docs/methods.md)?

Each person is left out in turn; then the judge and that person are compared by their distance to the others. Source:
Calderon, Reichart and Dror 2025, The Alternative Annotator Test for LLM-as-a-Judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from judges.rounding import ROUNDING
from judges.stats import bins
from judges.stats.agreement import Floats
from judges.stats.multiple_testing import benjamini_yekutieli
from judges.stats.raters.ratings import Ratings

EPSILONS = {0.2: "experts", 0.15: "skilled people", 0.1: "a crowd"}
"""The handicap of a person, because a person's labels cost more than a judge's -> the kind of people."""
MIN_ITEMS = 30
"""Items that a person must share with others, and the judge have scored."""
MIN_PEOPLE = 3
ALPHA = 0.05
PASSING_RATE = 0.5
"""The winning rate from which the judge may replace one of the people."""


@dataclass(frozen=True)
class AnnotatorTest:
    """The judge against one person.

    The share of ratings, averaged by item, where the judge (`judge`) and the person (`person`) is at least as close to
    the others, ties counting for both; `p` one-sided, `adjusted` over all people.
    """

    name: str
    items: int
    cells: int
    judge: float
    person: float
    p: float
    adjusted: float

    @property
    def won(self) -> bool:
        """Whether the judge is shown to be as good as this person, after the handicap."""
        return self.adjusted <= ALPHA


@dataclass(frozen=True)
class AlternativeAnnotatorTest:
    """The whole test: everyone tested, those left out with the items they share, and the handicap."""

    people: tuple[AnnotatorTest, ...]
    left_out: tuple[tuple[str, int], ...]
    epsilon: float

    @property
    def enough(self) -> bool:
        """Whether there were enough people for a conclusion."""
        return len(self.people) >= MIN_PEOPLE

    @property
    def omega(self) -> float | None:
        """The winning rate: the share of people that the judge is as good as."""
        return sum(person.won for person in self.people) / len(self.people) if self.people else None

    @property
    def rho(self) -> float | None:
        """The average advantage: the chance that the judge is at least as close to the others as a person is."""
        return sum(person.judge for person in self.people) / len(self.people) if self.people else None

    @property
    def passed(self) -> bool:
        """Whether the judge may replace one of the people."""
        return self.enough and self.omega is not None and self.omega >= PASSING_RATE


def run_test(ratings: Ratings, epsilon: float = 0.2) -> AlternativeAnnotatorTest:
    """The test on cells that the judge scored and at least two people labelled.

        S(x) = share of the others who say x, or -sqrt(mean (x - r)^2) where answers are ordered
        W_judge = [S(judge) >= S(person)],  W_person = [S(person) >= S(judge)],  d = W_person - W_judge
        H0: mean d >= epsilon against H1: mean d < epsilon,  t = (mean d - epsilon) / (sd / sqrt(n))

    Cells of one item are not independent: each W is averaged over a person's cells of an item first, and n counts
    items. The p-values are adjusted by Benjamini and Yekutieli. ValueError for a handicap outside 0..1.
    """
    if not 0 <= epsilon < 1:
        raise ValueError(f"The handicap is at least 0 and below 1, such as .2; got {epsilon}.")
    used = ratings.where(ratings.judge >= 0).multi_rater_cells()
    judge, person = _wins(used)
    rows: list[tuple[str, int, int, float, float, float]] = []
    left_out = []
    for number, name in enumerate(ratings.people):
        mask = used.person == number
        if not mask.any():
            continue
        _, item = np.unique(used.item[mask], return_inverse=True)
        cells = np.bincount(item)
        by_judge, by_person = (np.bincount(item, won[mask]) / cells for won in (judge, person))
        if len(cells) < MIN_ITEMS:
            left_out.append((name, len(cells)))
            continue
        p = _p_value(by_person - by_judge, epsilon)
        rows.append((name, len(cells), int(mask.sum()), float(by_judge.mean()), float(by_person.mean()), p))
    adjusted = benjamini_yekutieli([row[-1] for row in rows])
    return AlternativeAnnotatorTest(
        tuple(AnnotatorTest(*row, q) for row, q in zip(rows, adjusted, strict=True)), tuple(left_out), epsilon
    )


def _wins(used: Ratings) -> tuple[Floats, Floats]:
    """W of the judge and of the person, a row each. Whole numbers are compared, so that ties are exact."""
    others, k = used.others(), bins.row_count(used.scale)
    if used.exact is not None:  # sum of (said - v)^2 over the others, from n, sum v and sum v^2 of them
        n = np.bincount(used.cell)[used.cell] - 1
        s, q = (np.bincount(used.cell, used.exact**p)[used.cell] - used.exact**p for p in (1, 2))
        judge, person = (-np.round(n * values**2 - 2 * values * s + q, 9) for values in (used.judge, used.exact))
    elif used.scale.has_order:
        # All are compared with the same people, so sums of squares have the order of their root mean squares.
        judge, person = (
            -(others * (values[:, None] - np.arange(k)) ** 2).sum(axis=1) for values in (used.judge, used.value)
        )
    else:
        rows = np.arange(len(used))
        judge, person = (others[rows, values] for values in (used.judge, used.value))
    return (judge >= person).astype(np.float64), (person >= judge).astype(np.float64)


def _p_value(differences: Floats, epsilon: float) -> float:
    """One-sided p of "the mean is at least epsilon" in a t-test."""
    from scipy.special import stdtr

    n, gap, spread = len(differences), float(differences.mean()) - epsilon, float(differences.std(ddof=1))
    if spread < ROUNDING:
        return 0.0 if gap < 0 else 1.0
    return float(stdtr(n - 1, gap / (spread / sqrt(n))))


def as_json(test: AlternativeAnnotatorTest) -> dict[str, object]:
    """The test as values of JSON, people without their names."""
    return {
        "epsilon": test.epsilon, "people": len(test.people), "left_out": len(test.left_out), "omega": test.omega,
        "rho": test.rho, "passed": test.passed,
        "tests": [
            {"items": a.items, "judge": a.judge, "person": a.person, "p": a.p, "p_by": a.adjusted} for a in test.people
        ],
    }  # fmt: skip
