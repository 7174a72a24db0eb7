"""Small, seeded editions of tests/bench/simulations: worlds whose truth is known."""

from math import sqrt

import pytest

from judges.stats.sequential import anytime_boundary
from tests.bench.simulations import means, people, strata
from tests.bench.simulations.intervals import anchoring_shares, by_need, coverage
from tests.bench.simulations.worlds import ORDINARY, SKEWED, World, truth

HALF = World(5, ORDINARY, 0.92)
"""A judge whose true kappa is about .5, over five turns a dialogue."""


def test_the_world_is_what_it_is_taken_for():
    assert truth(HALF) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("world", [World(0, ORDINARY, 0.92), World(3, SKEWED, 0.6)], ids=["1 to 10 turns", "skewed"])
def test_intervals_hold_the_truth(world):
    shares = coverage(world, 50, 40)
    # of 40 samples of a share of .95 two miss; seven or more do so about once in two hundred such series
    assert shares.interval >= 34 / 40 and shares.bound >= 34 / 40 and shares.percentile <= shares.interval


@pytest.fixture
def linear_intervals(monkeypatch):
    """Intervals by linearisation whatever the number of items: as good in these worlds, and quick."""
    monkeypatch.setattr("judges.stats.intervals.LINEARISE_FROM", 2)


def test_weights_repair_a_sample_drawn_by_need_and_nothing_else_does(linear_intervals):
    real = truth(HALF)
    weighted, _ = by_need(HALF, 40, items=1_000)
    plain, _ = by_need(HALF, 40, weighted=False, items=1_000)
    assert abs(weighted.mean() - real) < 0.01 + 3 * weighted.std() / sqrt(len(weighted))
    assert plain.mean() < real - 0.05


def test_labels_that_follow_the_judge_are_found_out(linear_intervals):
    pull = 0.2
    assert truth(HALF, pull=pull) - truth(HALF) == pytest.approx(0.1, abs=0.02)
    assert anchoring_shares(HALF, pull, 400, 150, 25)[1] > 0.4
    assert anchoring_shares(HALF, 0.0, 400, 150, 25)[1] <= 4 / 25


def test_draws_by_score_tell_more_and_strata_belong_into_the_error():
    world = strata.KnownJudge(0.7, SKEWED)
    points = {allocation: strata.courses(world, allocation, 400, 6, [100])[0][0] for allocation in ("simple", "root")}
    assert points["root"].std() < 0.8 * points["simple"].std()
    assert abs(points["root"].mean() - world.truth) < 0.02
    errors = {
        stratified: strata.courses(world, "root", 400, 6, [100], stratified)[1][0].mean()
        for stratified in (True, False)
    }
    assert errors[True] < 0.95 * errors[False]
    share, _, _ = strata.intervals(world, "root", 100, 40, 1)
    assert share >= 34 / 40


def test_looking_at_draws_by_score_approves_few_that_should_not_be():
    looks = [100, 150, 200, 300, 400]
    edge = strata.courses(strata.KnownJudge(0.5, SKEWED), "root", 400, 3, looks)
    assert (strata.standing(*edge, True) >= anytime_boundary(0.05, 100, 1_000)).any(axis=0).mean() <= 0.05
    good = strata.courses(strata.KnownJudge(0.7, SKEWED), "root", 400, 3, looks)
    assert (strata.standing(*good, True) >= anytime_boundary(0.05, 100, 1_000)).any(axis=0).mean() > 0.8


def test_corrected_shares_of_rare_failures_hold_the_truth():
    share, width = means.rare(0.03, 4, 0.8, 50, 120)
    assert share >= 0.87 and width < 1.2  # without the error that no label has shown it was .80 to .83 of such samples


def test_the_mean_of_a_cell_is_unbiased_and_its_lower_median_is_not():
    figures = people.figures(ORDINARY, people.UNEQUAL, 60)
    points, share, corrected = figures["mean of each rating"]
    assert abs(points.mean()) < 4 * points.std() / sqrt(60) and min(share, corrected) > 0.86
    assert figures["lower median"][0].mean() > 0.2 and figures["each label once"][2] < 0.6
