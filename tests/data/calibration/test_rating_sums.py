"""Sums of ratings: what stands in them is what stood in the cells."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from data.calibration.rating_sums import _find_places, sum_ratings
from judges.stats.calibration import PairedRatings, interval_from_sums, kappa_cells
from judges.stats.intervals import linearised_kappa
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


def test_answers_that_all_differ_take_no_room_for_the_pairs_that_do_not_occur() -> None:
    """Of any number as answer, people and judge may both have as many as there are cells."""
    n, rng = 3_000, np.random.default_rng(0)
    human, judge = rng.random(n), rng.random(n)
    none, people = np.zeros(n, dtype=bool), np.ones(n, dtype=np.int64)
    cells = PairedRatings(np.arange(n), human, judge, ~none, np.ones(n), None, human, np.ones(n), people, none)
    tracemalloc.start()
    try:
        sums = sum_ratings(cells, Dimension("d", "response", Scale("interval", 0, 1), ""))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(sums.cells) == n and peak < 20 << 20


@pytest.mark.parametrize("scale", [Scale("ordinal", 1, 5), Scale("unordered", categories=("a", "b", "c", "d", "e"))])
@pytest.mark.parametrize("units", [1, 2])
def test_the_interval_of_sums_knows_of_strata_as_that_of_single_cells_does(scale: Scale, units: int) -> None:
    rng, n = np.random.default_rng(5), 90
    judge = rng.choice(5, n).astype(np.float64)
    human = np.where(rng.random(n) < 0.6, judge, rng.choice(5, n))
    item, first = np.arange(n) // units, judge[np.arange(n) // units * units]  # an item's strata and weights are one
    lowest, weight = scale.base, 1.0 + first
    for stratum in (first.astype(np.int64), np.zeros(n, dtype=np.int64), None):
        cells = PairedRatings(
            item, human + lowest, judge + lowest, np.ones(n, dtype=bool), weight, stratum, human + lowest,
            np.ones(n), np.ones(n, dtype=np.int64), np.zeros(n, dtype=bool),
        )  # fmt: skip
        one = linearised_kappa(*kappa_cells(cells, scale), scale.weights)
        other = interval_from_sums(sum_ratings(cells, Dimension("d", "response", scale, "")), scale)
        assert other.strata == one.strata == (stratum is not None and bool(stratum.any()))
        assert (other.point, other.low, other.high) == pytest.approx((one.point, one.low, one.high))
        assert (other.lower_bound, other.se) == pytest.approx((one.lower_bound, one.se))


def test_what_was_scored_without_a_label_has_no_place_among_the_labelled() -> None:
    places, matches = _find_places(np.array([2, 5, 9]), np.array([5, 1, 9, 10, 2]))
    assert places.tolist() == [1, 2, 0] and matches.tolist() == [True, False, True, False, True]


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value
