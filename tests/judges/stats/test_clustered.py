"""Shares, means and differences by item, against hand arithmetic."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from judges.stats.clustered import mean_by_item, newcombe_difference, share_by_item
from judges.stats.uncertainty import independent_difference, wilson_interval


def test_one_cell_an_item_is_plain_wilson() -> None:
    share = share_by_item([True] * 3 + [False] * 7, range(10))
    plain, none = wilson_interval(3, 10), wilson_interval(0, 0)
    assert (none.point, none.items, none.cells, none.n_eff) == (None, 0, 0, 0)
    assert (share.point, share.low, share.high) == (plain.point, plain.low, plain.high)


def test_cells_that_go_together_are_worth_one() -> None:
    # 10 items of 4 cells, all alike within an item, 5 items hit: p = .5; squares = 10 * (2)^2 = 40;
    # var = 10/9 * 40 / 1600 = .02778; n_eff = .25 / .02778 = 9.
    hits = [k < 5 for k in range(10) for _ in range(4)]
    share = share_by_item(hits, [k for k in range(10) for _ in range(4)])
    assert share.n_eff == pytest.approx(9)
    assert (share.low, share.high) == (
        pytest.approx(wilson_interval(4.5, 9).low),
        pytest.approx(wilson_interval(4.5, 9).high),
    )
    assert (share.items, share.cells) == (10, 40)


def test_items_that_agree_with_themselves_do_not_claim_certainty() -> None:
    # Each item has one hit of two cells: no spread. The floor is one item turning: squares >= (20/10)^2 = 4;
    # var = 10/9 * 4 / 400 = .01111, n_eff = .25 / .01111 = 22.5.
    share = share_by_item([True, False] * 10, [k for k in range(10) for _ in range(2)])
    assert share.n_eff == pytest.approx(22.5)
    assert share.low is not None and share.low < 0.5


@pytest.mark.parametrize("value", [True, False])
def test_all_or_none_counts_items(value: bool) -> None:
    share = share_by_item([value] * 30, [k // 3 for k in range(30)])
    assert share.n_eff == 10
    assert (share.low, share.high) == (wilson_interval(10 * value, 10).low, wilson_interval(10 * value, 10).high)


def test_nothing_has_no_share_and_no_mean() -> None:
    assert share_by_item([], []).point is None
    assert mean_by_item([], []).point is None
    assert newcombe_difference(share_by_item([], []), wilson_interval(1, 2)).point is None
    assert mean_by_item([3.0], [0]).low is None


def test_lengths_have_to_agree() -> None:
    with pytest.raises(ValueError, match="number of its item"):
        share_by_item([True], [0, 1])


def test_the_mean_by_item() -> None:
    # Items (1, 3), (2, 2), (5, 5): mean 3; sums less 3 * 2: -2, -2, 4: squares 24; var = 3/2 * 24 / 36 = 1.
    mean = mean_by_item([1, 3, 2, 2, 5, 5], [0, 0, 1, 1, 2, 2])
    assert mean.point == 3
    assert mean.se == pytest.approx(1)
    assert mean.low == pytest.approx(3 - 1.959964)


def test_differences() -> None:
    a, b = mean_by_item([0, 2], [0, 1]), mean_by_item([3, 5], [0, 1])  # se of each: sqrt(2 * 2) / 2 = 1
    difference = independent_difference(a, b, "difference of means")
    assert (difference.point, difference.se) == (3, pytest.approx(sqrt(2)))
    # Newcombe 1998, table II: 56 of 70 against 48 of 80: .2, .0524 to .3339
    published = newcombe_difference(wilson_interval(48, 80), wilson_interval(56, 70))
    assert published.point == pytest.approx(0.2)
    assert (published.low, published.high) == (pytest.approx(0.0524, abs=1e-4), pytest.approx(0.3339, abs=1e-4))


def test_clustered_shares_cover_what_they_say() -> None:
    """In 300 draws of 60 items whose 5 cells share a chance, the interval holds the true share about 95% of times."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(300):
        chance = rng.beta(2, 3, 60)
        share = share_by_item((rng.random((60, 5)) < chance[:, None]).ravel(), np.repeat(np.arange(60), 5))
        assert share.low is not None and share.high is not None
        covered += share.low <= 0.4 <= share.high
    assert 0.91 <= covered / 300 <= 0.99
