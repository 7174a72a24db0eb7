"""Even shares: by weight, at random by a seed, nobody twice, nobody barred."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from data.assignments.shares import fair_quotas, spread_items

NAMES = [f"p{n}" for n in range(6)]


@given(st.integers(0, 200), st.integers(1, 6), st.integers(0, 80))
def test_equal_weights_differ_by_at_most_one(seats: int, count: int, most: int) -> None:
    quotas = fair_quotas(seats, dict.fromkeys(NAMES[:count], 1.0), most)
    assert max(quotas.values()) - min(quotas.values()) <= 1
    assert sum(quotas.values()) == min(seats, most * count) and max(quotas.values()) <= most


@given(st.integers(0, 500), st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.7]), min_size=1, max_size=6))
@example(10, [0.5, 0.5, 2.0])
def test_quotas_lie_within_one_of_the_exact_share(seats: int, weights: list[float]) -> None:
    weight_by_name = dict(zip(NAMES, weights, strict=False))
    quotas = fair_quotas(seats, weight_by_name, 10_000)
    for name, weight in weight_by_name.items():
        exact = seats * weight / sum(weights) if sum(weights) else 0
        assert abs(quotas[name] - exact) < 1
    assert sum(quotas.values()) == (seats if sum(weights) else 0)


ITEMS = st.dictionaries(st.integers(0, 40).map("i{}".format), st.integers(0, 3), max_size=25)


@given(ITEMS, st.integers(1, 6), st.integers(0, 9))
def test_each_item_has_as_many_different_people_as_it_needs(needs: dict[str, int], count: int, seed: int) -> None:
    weights = dict.fromkeys(NAMES[:count], 1.0)
    shares = spread_items(needs, weights, {}, seed)
    sizes = [len(share) for share in shares.values()]
    assert max(sizes) - min(sizes) <= 1
    assert all(len(share) == len(set(share)) for share in shares.values())
    for item, n in needs.items():
        assert sum(item in share for share in shares.values()) == min(n, count)
    again = spread_items(dict(reversed(needs.items())), weights, {}, seed)
    assert {n: sorted(share) for n, share in shares.items()} == {n: sorted(share) for n, share in again.items()}


@given(ITEMS, st.integers(1, 5), st.integers(0, 9), st.randoms(use_true_random=False))
def test_nobody_gets_what_they_are_barred_from(needs: dict[str, int], count: int, seed: int, rng: object) -> None:
    names = NAMES[:count]
    barred = {item: {name for name in names if rng.random() < 0.4} for item in needs}  # type: ignore[attr-defined]
    shares = spread_items(needs, dict.fromkeys(names, 1.0), barred, seed)
    for item, n in needs.items():
        has = {name for name, share in shares.items() if item in share}
        assert not has & barred[item] and len(has) == min(n, count - len(barred[item]))


def test_what_one_may_not_have_is_handed_on_so_that_shares_stay_even() -> None:
    # p0 may only have the first two, which p1 and p2 are as ready to take.
    needs = {f"i{n}": 1 for n in range(6)}
    barred = {f"i{n}": {"p0"} for n in range(2, 6)}
    for seed in range(30):
        shares = spread_items(needs, dict.fromkeys(NAMES[:3], 1.0), barred, seed)
        assert [len(share) for share in shares.values()] == [2, 2, 2]


def test_of_several_who_have_too_much_each_hands_on_no_more_than_that() -> None:
    four = ("p1 p2", "p3", "p1 p2", "p0 p3", "p0 p2", "p3", "p1 p3", "p1 p3")
    five = ("p0 p1 p4", "p2 p4", "p0 p3 p4", "p1 p2", "p0 p1 p2")
    for able, sizes in ((four, [2] * 4), (five, [1] * 5)):
        names = NAMES[: len(sizes)]
        barred = {f"i{n}": set(names) - set(may.split()) for n, may in enumerate(able)}
        for seed in range(10):
            shares = spread_items(dict.fromkeys(barred, 1), dict.fromkeys(names, 1.0), barred, seed)
            assert [len(share) for share in shares.values()] == sizes


def test_seeds_differ_and_somebody_away_takes_nothing() -> None:
    needs = {f"i{n}": 1 for n in range(40)}
    weights = {"p0": 1.0, "p1": 2.0, "p2": 0.0}
    first, second = (spread_items(needs, weights, {}, seed) for seed in (1, 2))
    assert first != second and [len(share) for share in first.values()] == [13, 27, 0]
