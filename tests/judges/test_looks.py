"""Boundaries for looking again and again, held against normal quantiles, published tables and random walks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from judges.looks import boundary, chance, planned, planned_chance


def test_one_look_asks_the_normal_quantile():
    assert boundary(0.05, 100, 100) == planned(0.05, [100]) == pytest.approx(norm.ppf(0.95))
    assert chance(1.3, 50, 50) == planned_chance(1.3, [50]) == pytest.approx(norm.sf(1.3))


@pytest.mark.parametrize(("looks", "asked"), [(2, 1.875), (3, 1.992), (4, 2.067), (5, 2.122)])
def test_even_looks_have_pococks_boundaries(looks, asked):
    """The one-sided constants of Pocock 1977 for .05."""
    assert planned(0.05, [100 * (n + 1) for n in range(looks)]) == pytest.approx(asked, abs=0.002)


def test_two_uneven_looks_are_a_normal_integral():
    joint = multivariate_normal([0, 0], [[1, np.sqrt(150 / 400)], [np.sqrt(150 / 400), 1]])
    for z in (0.5, 1.7, 2.4):
        assert planned_chance(z, [150, 400]) == pytest.approx(1 - joint.cdf([z, z]), abs=1e-4)


@pytest.mark.parametrize(("first", "last"), [(100, 1000), (30, 300), (100, 130)])
def test_looking_all_the_time_passes_no_more_often_than_is_said(first, last):
    walk = np.cumsum(np.random.default_rng(4).normal(size=(20_000, last)).astype(np.float32), axis=1)
    most = (walk / np.sqrt(np.arange(1, last + 1)))[:, first - 1 :].max(axis=1)
    for z in (2.0, 2.5, 3.0):
        share = float((most >= z).mean())  # looked at item by item, a little rarer than without a pause
        assert 0.85 * chance(z, first, last) < share + 0.002 and share < chance(z, first, last) + 0.004


@given(st.floats(1e-5, 0.5), st.integers(20, 300), st.integers(1, 20))
def test_boundary_and_chance_undo_each_other(alpha, first, times):
    z = boundary(alpha, first, first * times)
    assert chance(z, first, first * times) == pytest.approx(alpha, rel=0.02)
    assert z >= norm.isf(alpha) - 1e-6


def test_longer_looking_asks_more():
    bounds = [boundary(0.05, 100, last) for last in (100, 200, 600, 1000, 10_000)]
    assert bounds == sorted(bounds) and bounds[-1] < 3.2
    assert chance(-1, 100, 1000) > 0.98 and chance(9, 100, 1000) == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: boundary(0.05, 200, 100), "200 to 100"),
        (lambda: boundary(0.7, 100, 200), "0.7"),
        (lambda: planned(0.05, [100, 100]), "100, 100"),
        (lambda: planned(0.05, []), "none"),
    ],
)
def test_what_makes_no_sense_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
