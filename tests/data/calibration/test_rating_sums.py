"""Sums of ratings: what stands in them is what stood in the cells."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from data.calibration.rating_sums import sum_ratings
from judges.stats.calibration import PairedRatings
from judges.types import Dimension, Scale

WIT = Dimension("wit", "response", Scale("interval", 0, 1000, 0.5, na=True), "How witty?")
answers = some.none() | some.integers(0, 12).map(float) | some.integers(0, 2_000).map(lambda n: n / 2)


@given(some.lists(some.tuples(answers, answers, some.booleans()), min_size=1, max_size=25))
def test_pairs_of_answers_are_counted_whatever_their_scale(
    rows: list[tuple[float | None, float | None, bool]],
) -> None:
    """Whole and half points, few and many, n/a of people and of the judge, and cells that it did not score."""
    n = len(rows)
    human, judge = (np.array([row[k] for row in rows], dtype=np.float64) for k in (0, 1))
    scored, people = np.array([row[2] for row in rows]), np.ones(n, dtype=np.int64)
    share, waits = np.where(np.isnan(human), 0.0, 1.0), np.zeros(n, dtype=bool)
    cells = PairedRatings(np.arange(n), human, judge, scored, np.ones(n), None, human, share, people, waits)
    sums = sum_ratings(cells, WIT)
    codes = zip(sums.human.tolist(), sums.judge.tolist(), sums.scored.tolist(), sums.cells.tolist(), strict=True)
    counts = {(_or_none(one), _or_none(other), bool(did)): int(count) for one, other, did, count in codes}
    assert counts == Counter(rows)
    assert sums.weight.tolist() == sums.cells.tolist() and sums.gold_items == n


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value
