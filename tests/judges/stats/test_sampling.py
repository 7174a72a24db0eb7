"""The audit sample: allocation, successive draws, and that 1 over the probability brings the whole back."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import hypothesis
import pytest
from hypothesis import strategies as some

from judges.errors import BadStrata
from judges.stats import sampling


def population(**sizes: int) -> dict[str, str]:
    return {f"{stratum}{n}": stratum for stratum, size in sizes.items() for n in range(size)}


def test_allocation_in_proportion_by_hand() -> None:
    shares = {s.stratum: s for s in sampling.plan_draw(population(a=60, b=30, c=10), {}, 20, 0.2)}
    # 20 of 100: 12, 6, 2; a fifth of the 20 assisted, 4: exact 2.4, 1.2, .4, and the largest remainder is a's (or c's)
    assert {h: s.now for h, s in shares.items()} == {"a": 12, "b": 6, "c": 2}
    assert sum(s.now_assisted for s in shares.values()) == 4
    assert shares["a"].blind + shares["a"].assisted == pytest.approx(12 / 60)


def test_every_stratum_gets_a_blind_item_at_once_even_when_more_must_be_drawn() -> None:
    shares = sampling.plan_draw(population(a=1000, b=3, c=1), {}, 2, 0.5)
    assert [(s.stratum, s.now, s.now_assisted) for s in shares] == [("a", 1, 0), ("b", 1, 0), ("c", 1, 0)]


def test_a_later_draw_evens_out() -> None:
    strata = population(a=50, b=50)
    already = {f"a{n}": False for n in range(20)}
    shares = {s.stratum: s.now for s in sampling.plan_draw(strata, already, 20, 0.0)}
    assert shares == {"a": 0, "b": 20}


def test_all_that_is_left_and_then_nothing() -> None:
    strata = population(a=5, b=2)
    drawn = sampling.draw_sample(strata, {}, 100, 0.0, 1)
    assert sorted(d.item for d in drawn) == sorted(strata)
    assert {d.probability for d in drawn} == {1.0}
    assert sampling.draw_sample(strata, {d.item: d.assisted for d in drawn}, 10, 0.2, 2) == []
    assert sampling.draw_sample({}, {}, 10, 0.2, 2) == []


def test_the_same_seed_draws_the_same_and_the_order_of_the_items_does_not_matter() -> None:
    strata = population(a=40, b=40)
    turned = dict(reversed(strata.items()))
    assert sampling.draw_sample(strata, {}, 20, 0.2, 7) == sampling.draw_sample(turned, {}, 20, 0.2, 7)
    assert sampling.draw_sample(strata, {}, 20, 0.2, 7) != sampling.draw_sample(strata, {}, 20, 0.2, 8)


def test_the_strata_and_what_is_shown_with_the_judge_come_in_random_order() -> None:
    drawn = sampling.draw_sample(population(a=40, b=40), {}, 20, 0.5, 7)
    assert [d.place for d in drawn] == list(range(20))
    for mark in ([d.stratum == "b" for d in drawn], [d.assisted for d in drawn]):
        runs = 1 + sum(one != two for one, two in pairwise(mark))
        assert sum(mark) == 10 and runs > 4, "stratum by stratum there are two runs, or four"


@hypothesis.given(
    sizes=some.lists(some.integers(1, 60), min_size=1, max_size=12),
    draws=some.lists(some.tuples(some.integers(1, 60), some.floats(0, 0.95)), min_size=1, max_size=4),
)
def test_whatever_is_drawn(sizes: list[int], draws: list[tuple[int, float]]) -> None:
    strata = {f"{h}-{n}": f"s{h:02}" for h, size in enumerate(sizes) for n in range(size)}
    already: dict[str, bool] = {}
    for seed, (size, share) in enumerate(draws):
        drawn = sampling.draw_sample(strata, already, size, share, seed)
        assert not {d.item for d in drawn} & set(already)
        assert len({d.item for d in drawn}) == len(drawn)
        assert [d.place for d in drawn] == list(range(len(drawn)))
        expected = min(size, len(strata) - len(already))
        assert len(drawn) == expected or (expected < len(drawn) <= len(sizes) and not already)
        already |= {d.item: d.assisted for d in drawn}
        blind = Counter(strata[i] for i, assisted in already.items() if not assisted)
        with_judge = Counter(strata[i] for i, assisted in already.items() if assisted)
        total = Counter(strata.values())
        assert set(blind) == set(total), "a stratum without a blind item has no weight"
        for d in drawn:
            assert d.probability == pytest.approx((with_judge if d.assisted else blind)[d.stratum] / total[d.stratum])


def test_strata_are_the_systems_in_either_order_and_the_wave() -> None:
    items = [("1", "x", "", 0), ("2", "x", "y", 0), ("3", "y", "x", 0), ("4", "x", "", 2)]
    strata = sampling.assign_strata((i, sampling.system_pair(a, b), wave) for i, a, b, wave in items)
    assert strata["2"] == strata["3"] == "x ~ y"
    assert len({strata["1"], strata["2"], strata["4"]}) == 3


def test_many_small_groups_are_put_together() -> None:
    items = [(f"{n}", f"s{n % 90}" if n < 200 else "big", 0) for n in range(300)]
    strata = sampling.assign_strata(items)
    assert len(set(strata.values())) == sampling.MAX_STRATA
    assert strata["250"] == "big"
    assert sum(s == sampling.OTHER_STRATUM for s in strata.values()) > 100
    fewer = sampling.assign_strata([(f"{n}", f"s{n % sampling.MAX_STRATA}", 0) for n in range(300)])
    assert sampling.OTHER_STRATUM not in fewer.values()


def test_two_blind_items_of_every_stratum_where_the_sample_is_large_enough() -> None:
    shares = {s.stratum: s for s in sampling.plan_draw(population(a=1000, b=3, c=1), {}, 10, 0.5)}
    assert {h: s.now - s.now_assisted for h, s in shares.items() if h != "a"} == {"b": 2, "c": 1}
    later = sampling.plan_draw(population(a=9, b=9), {"b0": False, "b1": True}, 3, 0.0)
    assert {s.stratum: s.now for s in later} == {"a": 2, "b": 1}


def test_square_root_and_neyman_allocations_by_hand() -> None:
    sizes = {"a": 900, "b": 100}
    assert sampling.allocation_weights(sizes, "root") == {"a": 30.0, "b": 10.0}
    shares = sampling.plan_draw(population(**sizes), {}, 40, 0.0, sampling.allocation_weights(sizes, "root"))
    assert [(s.stratum, s.now, s.blind) for s in shares] == [("a", 30, 30 / 900), ("b", 10, 10 / 100)]
    neyman = sampling.allocation_weights(sizes, "neyman", {"a": 1.0, "b": 4.0})
    assert neyman == {"a": 900.0, "b": 400.0}
    # The average spread is 1.3 (by items): b cannot count with less than a quarter of it, whatever few labels say.
    assert sampling.allocation_weights(sizes, "neyman", {"a": 1.3, "b": 0.0})["b"] == pytest.approx(100 * 0.25 * 1.17)
    assert sampling.allocation_weights(sizes, "neyman", {}) == sampling.allocation_weights(sizes, "root")


def test_what_a_small_stratum_cannot_take_goes_to_the_others() -> None:
    assert sampling.allocate({"a": 1, "b": 1, "c": 2}, {"a": 5, "b": 100, "c": 100}, 65) == {
        "a": 5.0,
        "b": 20.0,
        "c": 40.0,
    }
    assert sampling.allocate({"a": 1}, {"a": 5}, 65) == {"a": 5.0}


def test_later_draws_come_to_the_allocation_that_is_asked_then() -> None:
    strata = population(a=900, b=100)
    first = sampling.draw_sample(strata, {}, 40, 0.0, 1)
    assert Counter(d.stratum for d in first) == {"a": 36, "b": 4}
    worth = sampling.allocation_weights({"a": 900, "b": 100}, "root")
    second = sampling.draw_sample(strata, {d.item: False for d in first}, 40, 0.0, 2, worth)
    assert Counter(d.stratum for d in second) == {"a": 24, "b": 16}
    assert {d.stratum: d.probability for d in second} == {"a": 60 / 900, "b": 20 / 100}


def test_bands_keep_equal_values_together() -> None:
    bands = sampling.assign_bands({"x": 1.0, "y": 5.0, "z": 1.0, "w": None}, "lowest score")
    assert bands == {"x": "lowest score 1", "y": "lowest score 5", "z": "lowest score 1", "w": "no lowest score"}
    figures = {f"{n}": 0.9 if n < 50 else n / 100 for n in range(100)}
    many = sampling.assign_bands(figures, "confidence")
    assert len(set(many.values())) <= sampling.MAX_BANDS
    for name in set(many.values()):
        inside = [figures[i] for i, band in many.items() if band == name]
        outside = [figures[i] for i, band in many.items() if band != name]
        assert not [o for o in outside if min(inside) <= o <= max(inside)], name
    close = sampling.assign_bands({f"{n}": 0.99 + n / 10_000 for n in range(90)}, "confidence")
    assert len(set(close.values())) == sampling.MAX_BANDS and close["0"] == "confidence 0.990 to 0.991"
    two = sampling.assign_bands({"x": 0.9961, "y": 0.9964}, "confidence")
    assert two == {"x": "confidence 0.9961", "y": "confidence 0.9964"}
    assert sampling.assign_bands({"a": None}, "confidence") == {"a": "no confidence"}


@pytest.mark.parametrize(
    ("design", "why"),
    [
        ({"by": "score"}, "need a judge"),
        ({"by": "confidence"}, "need a judge"),
        ({"by": "meta"}, "name of the field"),
        ({"by": "weather"}, "no strata by 'weather'"),
        ({"allocation": "neyman"}, "needs a judge and the dimension"),
    ],
)
def test_designs_that_cannot_be_are_refused(design: dict[str, str], why: str) -> None:
    with pytest.raises(BadStrata, match=why):
        sampling.SampleDesign(**design)  # type: ignore[arg-type]


def test_weights_bring_the_whole_back_over_successive_draws_of_a_growing_dataset() -> None:
    """The estimate of a mean from blind items, weighted with 1/pi, is right on average; unweighted it is not.

    Three systems of different quality, two of them drawn from the start and one that comes in later; the share that is
    shown with the judge changes between the draws. 600 repetitions; the mean of the estimates lies within 4 standard
    errors of the truth. Inclusion in each part is counted, too.
    """
    first = [(f"a{n}", "a", 0) for n in range(120)] + [(f"b{n}", "b", 0) for n in range(30)]
    later = [(f"a+{n}", "a", 1) for n in range(50)] + [(f"c{n}", "c", 1) for n in range(40)]
    value = {i: {"a": 1.0, "b": 5.0, "c": 9.0}[s] + (n % 7) / 3 for n, (i, s, _) in enumerate(first + later)}
    truth = sum(value.values()) / len(value)
    estimates, plain, counts = [], [], Counter[tuple[str, bool]]()
    pi: dict[tuple[str, bool], float] = {}
    for seed in range(600):
        first_draw = sampling.draw_sample(sampling.assign_strata(first), {}, 30, 0.2, seed)
        already = {d.item: d.assisted for d in first_draw}
        strata = sampling.assign_strata(first + later)
        second_draw = sampling.draw_sample(strata, already, 25, 0.6, 10_000 + seed)
        third_draw = sampling.draw_sample(
            strata, already | {d.item: d.assisted for d in second_draw}, 12, 0.0, 20_000 + seed
        )
        every = first_draw + second_draw + third_draw
        newest = {(d.stratum, d.assisted): d.probability for d in every}  # what the view draw_now holds
        blind = [d for d in every if not d.assisted]
        weights = [1 / newest[d.stratum, False] for d in blind]
        assert sum(weights) == pytest.approx(len(value))
        estimates.append(sum(w * value[d.item] for w, d in zip(weights, blind, strict=True)) / len(value))
        plain.append(sum(value[d.item] for d in blind) / len(blind))
        counts.update((d.item, d.assisted) for d in every)
        pi |= {(d.item, d.assisted): newest[d.stratum, d.assisted] for d in every}

    def off(series: list[float]) -> float:
        mean = sum(series) / len(series)
        return abs(mean - truth) / math.sqrt(sum((f - mean) ** 2 for f in series) / len(series) / (len(series) - 1))

    assert off(estimates) < 4
    assert off(plain) > 10, "without the weights it should be visibly wrong, or this test shows nothing"
    for key, p in pi.items():
        assert abs(counts[key] / 600 - p) < 5 * math.sqrt(p * (1 - p) / 600) + 1e-9, key
