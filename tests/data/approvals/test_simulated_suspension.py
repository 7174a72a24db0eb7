"""A small, seeded edition of tests/bench/simulations/suspension.py."""

from tests.bench.simulations.suspension import simulate_fall, simulate_steady
from tests.bench.simulations.worlds import ORDINARY, world_of

FAIR, GOOD, BAD = (world_of(kappa, 3, ORDINARY) for kappa in (0.6, 0.75, 0.3))


def test_a_fair_judge_stays():
    runs = simulate_steady(FAIR, 100, 20, 1)
    assert not any(run.suspended for run in runs) and any(run.looked for run in runs)


def test_a_fall_is_found_whatever_came_before():
    for items, still in ((300, 0), (100, 200)):
        runs = simulate_fall(GOOD, BAD, items, still, 150, 5, 2)
        assert all(run.suspended is not None and 0 < run.suspended <= 150 for run in runs), (items, still)
