"""Boundaries for looking again and again, held against normal quantiles, published tables and random walks."""

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from judges.stats.sequential import (
    LookPlan,
    anytime_boundary,
    anytime_p,
    lower_bound_at,
    z_from_threshold,
)
from judges.stats.uncertainty import Interval


def test_one_look_asks_the_normal_quantile():
    assert anytime_boundary(0.05, 100, 100) == LookPlan((100,)).boundary(0.05, 100) == pytest.approx(norm.ppf(0.95))
    assert anytime_p(1.3, 50, 50) == LookPlan((50,)).p_value(1.3, 50) == pytest.approx(norm.sf(1.3))


@pytest.mark.parametrize(("looks", "limit"), [(2, 1.875), (3, 1.992), (4, 2.067), (5, 2.122)])
def test_even_looks_have_pococks_boundaries(looks, limit):
    """The one-sided constants of Pocock 1977 for .05."""
    assert LookPlan(tuple(100 * (n + 1) for n in range(looks))).boundary(0.05, 100) == pytest.approx(limit, abs=0.002)


def test_two_uneven_looks_are_a_normal_integral():
    joint = multivariate_normal([0, 0], [[1, np.sqrt(150 / 400)], [np.sqrt(150 / 400), 1]])
    for z in (0.5, 1.75, 2.375):
        assert LookPlan((150, 400)).p_value(z, 150) == pytest.approx(1 - joint.cdf([z, z]), abs=1e-4)


@pytest.mark.parametrize(("first", "last"), [(100, 1000), (30, 300), (100, 130)])
def test_looking_all_the_time_passes_no_more_often_than_is_said(first, last):
    walk = np.cumsum(np.random.default_rng(4).normal(size=(20_000, last)).astype(np.float32), axis=1)
    most = (walk / np.sqrt(np.arange(1, last + 1)))[:, first - 1 :].max(axis=1)
    for z in (2.0, 2.5, 3.0):
        share = float((most >= z).mean())  # looked at item by item, a little rarer than without a pause
        assert 0.85 * anytime_p(z, first, last) < share + 0.002 and share < anytime_p(z, first, last) + 0.004


@pytest.mark.parametrize("alpha", [0.4, 0.05, 1e-3, 1e-6])
@pytest.mark.parametrize(("first", "times"), [(100, 10), (30, 3), (100, 1)])
def test_boundary_and_chance_undo_each_other(alpha, first, times):
    z = anytime_boundary(alpha, first, first * times)
    assert anytime_p(z, first, first * times) == pytest.approx(alpha, rel=0.02)
    assert z >= norm.isf(alpha) - 1e-6


def test_longer_looking_asks_more():
    bounds = [anytime_boundary(0.05, 100, last) for last in (100, 200, 600, 1000, 10_000)]
    assert bounds == sorted(bounds) and bounds[-1] < 3.2
    assert anytime_p(-1, 100, 1000) == 1 and anytime_p(9, 100, 1000) < 1e-9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: anytime_boundary(0.05, 200, 100), "200 to 100"),
        (lambda: anytime_boundary(0.7, 100, 200), "0.7"),
        (lambda: LookPlan((100, 100)), "100, 100"),
        (lambda: LookPlan(()), "none"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("strata", [False, True])
@pytest.mark.parametrize("z", [1.645, 2.59, 4.0, -2.59])
@pytest.mark.parametrize("kappa", [0.45, 0.6, 0.8, 0.97])
def test_bound_and_distance_undo_each_other(kappa, z, strata):
    interval = Interval(kappa, None, None, None, 100, 100, 100.0, "", (1 - kappa) / 7, strata=strata)
    low = lower_bound_at(interval, z)
    assert z_from_threshold(interval, low) == pytest.approx(z, abs=1e-6)
    assert (low < kappa) == (z > 0)


def test_high_thresholds_ask_more_than_a_logarithm_does():
    # kappa .8 -+ .05: (1 - (.2 / .3)^.5) / .5 * 4, with strata (1 - (.2 / .3)^1.5) / 1.5 * 4
    interval = Interval(0.8, None, None, None, 100, 100, 100.0, "", 0.05)
    assert z_from_threshold(replace(interval, se=None, lower_bound=None), 0.7) is None, "a kappa without an error"
    assert z_from_threshold(interval, 0.7) == pytest.approx(8 * (1 - sqrt(2 / 3)))
    on_record = replace(interval, se=None, lower_bound=0.8 - 1.6448536 * 0.05)  # as decisions on record have it
    assert z_from_threshold(on_record, 0.7) == pytest.approx(8 * (1 - sqrt(2 / 3)))
    assert z_from_threshold(replace(interval, strata=True), 0.7) == pytest.approx(4 / 1.5 * (1 - (2 / 3) ** 1.5))
    assert z_from_threshold(interval, 0.5) == pytest.approx(4 * log(2.5)) and z_from_threshold(
        interval, 0.9
    ) == pytest.approx(-4 * log(2))
