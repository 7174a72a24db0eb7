"""Small, seeded editions of tests/bench/simulations: worlds whose truth is known."""

from math import sqrt

import pytest

from tests.bench.simulations.intervals import anchored, by_need, coverage
from tests.bench.simulations.worlds import ORDINARY, SKEWED, World, truth

HALF = World(5, ORDINARY, 0.92)
"""A judge whose true kappa is about .5, over five turns a dialogue."""


def test_the_world_is_what_it_is_taken_for():
    assert truth(HALF) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("world", [World(0, ORDINARY, 0.92), World(3, SKEWED, 0.6)], ids=["1 to 10 turns", "skewed"])
def test_intervals_hold_the_truth(world):
    found = coverage(world, 50, 40)
    # of 40 samples of a share of .95 two miss; seven or more do so about once in two hundred such series
    assert found.interval >= 34 / 40 and found.bound >= 34 / 40 and found.percentile <= found.interval


@pytest.fixture
def linearised(monkeypatch):
    """Intervals by linearisation whatever the number of items: as good in these worlds, and quick."""
    monkeypatch.setattr("judges.intervals.LINEARISE_FROM", 2)


def test_weights_repair_a_sample_drawn_by_need_and_nothing_else_does(linearised):
    real = truth(HALF)
    weighted, _ = by_need(HALF, 40, items=1_000)
    plain, _ = by_need(HALF, 40, weighted=False, items=1_000)
    assert abs(weighted.mean() - real) < 0.01 + 3 * weighted.std() / sqrt(len(weighted))
    assert plain.mean() < real - 0.05


def test_labels_that_follow_the_judge_are_found_out(linearised):
    pull = 0.2
    assert truth(HALF, pull=pull) - truth(HALF) == pytest.approx(0.1, abs=0.02)
    assert anchored(HALF, pull, 400, 150, 25)[1] > 0.4
    assert anchored(HALF, 0.0, 400, 150, 25)[1] <= 4 / 25
