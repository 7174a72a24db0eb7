"""Sample sizes: the root-n law by hand, and a plan that keeps its promise in simulation."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.stats.sample_size import MOST_TIMES, more_items_for_threshold, more_items_for_width, more_items_for_z
from judges.stats.uncertainty import Interval

quick = settings(deadline=None, max_examples=60)


def interval(point, bound, half=0.1, items=100, high=None, se=None):
    high = point + half if high is None else high
    return Interval(point, point - half, high, bound, items, items, float(items), "linearised", se)


NOTHING = Interval(None, None, None, None, 50, 50, 50.0, "cluster bootstrap")
POINT_ONLY = replace(NOTHING, point=0.7)


@quick
@given(z=st.floats(0.85, 2.5), items=st.integers(30, 3000), needed=st.floats(2.51, 4))
def test_a_range_holds_the_number_that_is_needed_without_luck(z, items, needed):
    item_range = more_items_for_z(z, items, needed)
    plain = items * ((needed / z) ** 2 - 1)
    if (needed / z) ** 2 > MOST_TIMES:
        assert item_range is None
    else:
        low, high = item_range
        assert 1 <= low <= plain + 1 and plain - 1 <= high <= (MOST_TIMES - 1) * items + 1


def test_three_of_five_collections_need_a_number_in_the_range():
    """A judge that now lies 1.9 errors above on 150 items, whose truth is anywhere that this allows."""
    rng, (low, high) = np.random.default_rng(6), more_items_for_z(1.9, 150, 2.59)
    needs = []
    for _ in range(3000):
        drift = (1.9 + rng.normal()) / np.sqrt(150)  # a flat prior: the truth in errors of one item
        more = np.cumsum(drift + rng.normal(size=1350))
        at = np.arange(151, 1501)
        enough = (1.9 * np.sqrt(150) + more) / np.sqrt(at) >= 2.59
        # the forecast is of the size at which a look passes likely, and not of the first of many looks that does
        needs.append(enough[[low - 1, high - 1]])
    by_low, by_high = np.mean(needs, axis=0)
    assert by_low == pytest.approx(0.2, abs=0.03) and by_high == pytest.approx(0.8, abs=0.03)


def test_nothing_is_promised_where_nothing_is_known():
    assert more_items_for_z(-0.5, 100, 2.5) is more_items_for_z(0.5, 100, 2.5) is more_items_for_z(1.0, 0, 2.5) is None
    assert more_items_for_z(2.6, 100, 2.5) == (0, 0)
    assert more_items_for_threshold(NOTHING, 0.5, 2.5) is more_items_for_threshold(POINT_ONLY, 0.5, 2.5) is None


def test_more_for_the_width_by_hand():
    # half of it: four times the items
    assert more_items_for_width(interval(0.6, 0.5, half=0.1), 0.05, power=0.5) == (300, 300)
    # with power .8: 100 (2 (1 -+ .8416 / 10))^2 = 335.5 and 470.2 -> 336 and 471 items
    assert more_items_for_width(interval(0.6, 0.5, half=0.1), 0.05) == (236, 371)
    assert more_items_for_width(interval(0.6, 0.5, half=0.1), 0.1) == (0, 0)
    assert more_items_for_width(interval(0.6, 0.5, half=0.1), 0.2) == (0, 0)


def test_an_end_cut_off_at_one_does_not_make_the_plan_cheap():
    whole = more_items_for_width(interval(0.9, 0.7, half=0.196, high=1.096, se=0.1), 0.05)
    cut = more_items_for_width(interval(0.9, 0.7, half=0.196, high=1.0, se=0.1), 0.05)
    assert cut == pytest.approx(whole, abs=1)


def test_without_an_interval_there_is_no_plan():
    assert more_items_for_width(NOTHING, 0.05) is None and more_items_for_width(POINT_ONLY, 0.05) is None


@pytest.mark.parametrize("half_width", [0, -0.1, float("nan")])
def test_no_width_is_refused(half_width):
    with pytest.raises(ValueError):
        more_items_for_width(interval(0.6, 0.5), half_width)
