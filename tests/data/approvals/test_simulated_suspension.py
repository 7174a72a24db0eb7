"""A small, seeded edition of tests/bench/simulations/suspension.py."""

from tests.bench.simulations.suspension import fallen, steady
from tests.bench.simulations.worlds import ORDINARY, world_of

FAIR, GOOD, BAD = (world_of(kappa, 3, ORDINARY) for kappa in (0.6, 0.75, 0.3))


def test_a_fair_judge_stays():
    found = steady(FAIR, 100, 20, 1)
    assert not any(one.suspended for one in found) and any(one.looked for one in found)


def test_a_fall_is_found_whatever_came_before():
    for items, still in ((300, 0), (100, 200)):
        found = fallen(GOOD, BAD, items, still, 150, 5, 2)
        assert all(one.suspended is not None and 0 < one.suspended <= 150 for one in found), (items, still)
