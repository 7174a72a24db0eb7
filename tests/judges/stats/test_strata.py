"""Strata in the error of kappa: by hand, against resampling, and that nothing changes where there is but one."""

from math import sqrt

import numpy as np
import pytest

from judges.stats import strata
from judges.stats.intervals import Cells, interval_from_moments, kappa_interval, linearised_kappa
from judges.stats.sequential import z_from_threshold
from judges.stats.uncertainty import reciprocal_lower_end
from tests.judges.moments import moments


def sample(items=240, seed=3):
    """Single turns, parted by the judge's answer, with unequal weights by stratum."""
    rng = np.random.default_rng(seed)
    judge = rng.choice(5, items, p=[0.1, 0.1, 0.2, 0.2, 0.4])
    human = np.clip(judge + rng.choice([-2, -1, 0, 0, 0, 1], items), 0, 4)
    return np.arange(items), human, judge, np.array([1.0, 1.5, 2.0, 3.0, 6.0])[judge]


def test_the_variance_within_strata_by_hand():
    influence, stratum = np.array([1.0, 3.0, -2.0, -2.0, 4.0]), np.array([0, 0, 1, 1, 1])
    # 2/1 (1 + 1) + 3/2 (4 + 4 + 16): means are 2 and 0
    assert strata.error_of_influences(influence, stratum) == pytest.approx(sqrt(4 + 36))
    assert strata.error_of_influences(influence) == pytest.approx(sqrt(5 / 4 * (1 + 9 + 4 + 4 + 16)))
    assert strata.error_of_influences(np.array([1.0])) is None


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ([5, 5], [0, 1]),
        ([1, 2, 9, 1], [0, 0, 1, 1]),
        ([0, 0, 4, 4], [0, 0, 0, 1]),
        ([3, 1, 1, 3], [0, 1, 1, 1]),
        ([9], None),
        ([2, 4], None),
        ([], None),
    ],
)
def test_small_strata_go_with_their_neighbour(sizes, groups):
    collapsed = strata.collapse_strata(sizes)
    assert (None if collapsed is None else collapsed.tolist()) == groups


def test_one_stratum_is_none_and_names_of_strata_do_not_matter():
    item, human, judge, weight = sample()
    plain = kappa_interval(Cells(item, human, judge, weight), 5)
    assert kappa_interval(Cells(item, human, judge, weight, np.full(len(item), 7)), 5) == plain
    stratified = kappa_interval(Cells(item, human, judge, weight, judge), 5)
    assert kappa_interval(Cells(item, human, judge, weight, judge * 11 - 3), 5) == stratified
    assert (
        stratified.point == plain.point
        and stratified.se < plain.se
        and stratified.high - stratified.low < plain.high - plain.low
    )
    turned = np.random.default_rng(0).permutation(len(item))
    again = kappa_interval(Cells(item, human[turned], judge[turned], weight[turned], judge[turned]), 5)
    assert (again.low, again.high) == pytest.approx((stratified.low, stratified.high))
    with pytest.raises(ValueError, match="one length"):
        kappa_interval(Cells(item, human, judge, stratum=judge[1:]), 5)


def test_sums_by_stratum_give_the_error_of_single_cells(monkeypatch):
    item, human, judge, weight = sample()
    monkeypatch.setattr("judges.stats.intervals.LINEARISE_FROM", 2)
    cells = kappa_interval(Cells(item, human, judge, weight, judge), 5)
    sums = [moments(item[at], human[at], judge[at], weight[at]) for at in (judge == h for h in range(5))]
    cross = strata.products_within_strata([g for _, _, g in sums], [t for t, _, _ in sums], [c for _, c, _ in sums])
    interval = interval_from_moments(sum(t for t, _, _ in sums), cross, *[len(item)] * 3)
    assert interval.se == pytest.approx(cells.se)
    single = strata.products_within_strata([2, 1], np.ones((2, 1)), np.ones((2, 1, 1)))
    assert single.tolist() == [[2.0]], "a single stratum is left as it is"


def test_the_error_is_what_stratified_samples_really_vary_by():
    """600 stratified samples of 140 from one population: the mean of the variances against the variance of kappa."""
    rng = np.random.default_rng(9)
    judge = rng.choice(5, 50_000, p=[0.05, 0.05, 0.1, 0.2, 0.6])
    human = np.clip(judge + rng.choice([-2, -1, 0, 0, 0, 0, 1], 50_000), 0, 4)
    members, sizes = [np.flatnonzero(judge == h) for h in range(5)], [20, 20, 25, 30, 45]
    stratum = np.repeat(np.arange(5), sizes)
    weight = np.array([len(m) / n for m, n in zip(members, sizes, strict=True)])[stratum]
    points, errors = [], []
    for _ in range(600):
        places = np.concatenate([rng.choice(m, n) for m, n in zip(members, sizes, strict=True)])
        total, _, _ = moments(np.arange(len(places)), human[places], judge[places], weight)
        sums = [
            moments(np.arange(n), human[places][at], judge[places][at], weight[at])
            for n, at in zip(sizes, (stratum == h for h in range(5)), strict=True)
        ]
        cross = strata.products_within_strata(sizes, [t for t, _, _ in sums], [c for _, c, _ in sums])
        interval = interval_from_moments(total, cross, *[len(places)] * 3)
        points.append(interval.point)
        errors.append(interval.se)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(points), rel=0.1)


def test_lower_ends_of_strata_are_cautious():
    # r = 2 * .1 / .4 = .5; (.6 - .5) / .5 = .2, where a normal kappa has .4
    assert reciprocal_lower_end(0.6, 0.1, 2.0) == pytest.approx(0.2)
    assert reciprocal_lower_end(0.6, 0.3, 2.0) == -1.0 and reciprocal_lower_end(1.0, 0.1, 2.0) == 1.0
    item, human, judge, weight = sample(60)
    interval = kappa_interval(Cells(item, human, judge, weight, judge), 5)
    assert interval.strata and interval.lower_bound <= reciprocal_lower_end(interval.point, interval.se, 1.6448536)


def test_lower_ends_and_distance_of_strata_are_the_same_from_the_size_on_from_which_kappa_is_linearised():
    item, human, judge, weight = sample(60)
    drawn, linear = (f(Cells(item, human, judge, weight, judge), 5) for f in (kappa_interval, linearised_kappa))
    assert linear.strata and linear.se == pytest.approx(drawn.se)
    assert linear.lower_bound == pytest.approx(reciprocal_lower_end(linear.point, linear.se, 1.6448536))
    assert linear.low == pytest.approx(reciprocal_lower_end(linear.point, linear.se, 1.959964))
    assert z_from_threshold(linear, 0.5) == pytest.approx(z_from_threshold(drawn, 0.5))
    assert not linearised_kappa(Cells(item, human, judge, weight), 5).strata
    same = linearised_kappa(Cells(item, human, human, weight, judge), 5)
    assert same.low == linearised_kappa(Cells(item, human, human, weight), 5).low, "the rule of three has no strata"
