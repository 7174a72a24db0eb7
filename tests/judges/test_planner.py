"""Sample sizes: the root-n law by hand, and a plan that keeps its promise in simulation."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.agreement import cross_table, kappa
from judges.intervals import linearised, moments
from judges.planner import more_for_bound, more_for_width, more_range
from judges.uncertainty import Interval, quantile

quick = settings(deadline=None, max_examples=60)


def interval(point, bound, half=0.1, items=100, high=None, se=None):
    high = point + half if high is None else high
    return Interval(point, point - half, high, bound, items, items, float(items), "linearised", se)


NOTHING = Interval(None, None, None, None, 50, 50, 50.0, "cluster bootstrap")
POINT_ONLY = replace(NOTHING, point=0.7)


def test_more_for_the_bound_by_hand():
    # the bound lies .2 below the point and .1 below is wanted: four times the items
    assert more_for_bound(interval(0.6, 0.4), 0.5, power=0.5) == 300
    # with power .8: ((1.6449 + .8416) / 1.6449 * 2)^2 = 9.1405 -> 915 items, 815 more
    assert more_for_bound(interval(0.6, 0.4), 0.5) == 815


@pytest.mark.parametrize(
    ("found", "threshold", "more"),
    [
        (interval(0.7, 0.55), 0.5, 0),
        (interval(0.7, 0.5), 0.5, 0),
        (interval(0.5, 0.4), 0.5, None),
        (interval(0.4, 0.3), 0.5, None),
        (NOTHING, 0.5, None),
        (POINT_ONLY, 0.5, None),
    ],
)
def test_more_for_the_bound_is_zero_when_reached_and_none_when_it_cannot_be_told(found, threshold, more):
    assert more_for_bound(found, threshold) == more


@quick
@given(point=st.floats(0.51, 1), gap=st.floats(0.001, 0.6), items=st.integers(30, 5000))
def test_more_for_the_bound_grows_with_the_level_and_the_power(point, gap, items):
    found = interval(point, point - gap, items=items)
    wanted = [more_for_bound(found, 0.5, level, power) for level, power in ((0.9, 0.8), (0.95, 0.8), (0.95, 0.9))]
    assert wanted == sorted(wanted)


@quick
@given(point=st.floats(0.55, 1), gap=st.floats(0.01, 0.6), items=st.integers(30, 5000))
def test_at_the_planned_size_the_bound_would_touch_the_threshold(point, gap, items):
    more = more_for_bound(interval(point, point - gap, items=items), 0.5, power=0.5)
    if more:
        shrunk = gap * (items / (items + more)) ** 0.5
        one_less = gap * (items / (items + more - 1)) ** 0.5
        assert point - shrunk >= 0.5 - 1e-9 and point - one_less < 0.5 + 1e-9


def test_more_for_the_width_by_hand():
    # half of it: four times the items
    assert more_for_width(interval(0.6, 0.5, half=0.1), 0.05, power=0.5) == 300
    # with power .8: 100 (2 (1 + .8416 / 10))^2 = 470.2 -> 471 items, 371 more
    assert more_for_width(interval(0.6, 0.5, half=0.1), 0.05) == 371
    assert more_for_width(interval(0.6, 0.5, half=0.1), 0.1) == 0
    assert more_for_width(interval(0.6, 0.5, half=0.1), 0.2) == 0


def test_an_end_cut_off_at_one_does_not_make_the_plan_cheap():
    whole = more_for_width(interval(0.9, 0.7, half=0.196, high=1.096, se=0.1), 0.05)
    cut = more_for_width(interval(0.9, 0.7, half=0.196, high=1.0, se=0.1), 0.05)
    assert cut == pytest.approx(whole, abs=1)


def test_without_an_interval_there_is_no_plan():
    assert more_for_width(NOTHING, 0.05) is None and more_for_width(POINT_ONLY, 0.05) is None


@pytest.mark.parametrize("half_width", [0, -0.1, float("nan")])
def test_no_width_is_refused(half_width):
    with pytest.raises(ValueError):
        more_for_width(interval(0.6, 0.5), half_width)


def draw(items, seed):
    """Three turns an item; the judge's mood lasts for the item, so that items are what counts."""
    rng = np.random.default_rng(seed)
    good, mood = rng.normal(size=(2, items, 1))
    human = np.clip(np.rint(2 + good + 0.5 * rng.normal(size=(items, 3))), 0, 4).astype(int)
    judge = np.clip(np.rint(2 + good + 0.7 * mood + 0.5 * rng.normal(size=(items, 3))), 0, 4).astype(int)
    return np.repeat(np.arange(items), 3), human.ravel(), judge.ravel()


def test_a_plan_for_eight_in_ten_passes_about_eight_times_in_ten():
    _, human, judge = draw(300_000, 1)
    truth = kappa(cross_table(human, judge, 5), "quadratic")
    threshold = truth - 0.05
    # A pilot that saw just the truth, with the error that 2,000 such items really have.
    pilot = linearised(*moments(*draw(2000, 2)))
    pilot = replace(pilot, point=truth, lower_bound=truth - (pilot.point - pilot.lower_bound))
    small = replace(pilot, items=80, lower_bound=truth - (truth - pilot.lower_bound) * (2000 / 80) ** 0.5)
    planned = small.items + more_for_bound(small, threshold)
    passed = np.mean([linearised(*moments(*draw(planned, 10 + i))).lower_bound >= threshold for i in range(300)])
    assert passed == pytest.approx(0.8, abs=0.08)


def test_a_range_of_further_items():
    def standing(z, items=100):
        point = 0.5 + z * 0.08
        bound = point - quantile(0.95) * 0.08
        return Interval(point, point - 0.16, point + 0.16, bound, items, items, items, "x", 0.08)

    assert more_range(standing(2.6), 0.5, 2.57) == (0, 0)
    for z in (0.0, 0.3, -1.0):
        assert more_range(standing(z), 0.5, 2.57) is None, "at the threshold more labels settle nothing"
    low, high = more_range(standing(1.8), 0.5, 2.57)
    # if kappa stays where it is, 100 (2.57 / 1.8)^2 - 100 = 104 more do; some come earlier by luck, some later
    assert 1 <= low < 104 < high <= 900
    twice = more_range(standing(1.8, 200), 0.5, 2.57)
    assert twice == pytest.approx((2 * low, 2 * high), rel=0.1)
    nearer = more_range(standing(2.3), 0.5, 2.57)
    assert nearer[0] <= low and nearer[1] < high
    assert more_range(Interval(None, None, None, None, 100, 100, 100.0, "x"), 0.5, 2.0) is None
