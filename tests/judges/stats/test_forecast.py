"""What a sample is foretold to tell, against samples that are really drawn from imagined people's labels."""

import numpy as np
import pytest

from judges.stats import forecast, sampling
from judges.stats.agreement import cross_table, kappa
from judges.stats.intervals import Cells

SIZES = {"1": 200, "2": 300, "3": 500, "4": 2_000, "5": 7_000}


def population(per_stratum=400, weights="quadratic"):
    judge = np.concatenate([np.full(min(n, per_stratum), h) for h, n in enumerate(SIZES.values())])
    return forecast.ScoredPopulation(np.arange(len(judge)), judge, judge, np.array(list(SIZES.values())), 5, weights)


def test_imagined_people_agree_as_assumed_and_a_simple_sample_varies_as_foretold():
    """Labels of a whole population at kappa .6: 2,000 simple samples of 150 against S / sqrt(n)."""
    spread = forecast.simulate_spread(population(), 0.6)
    error = forecast.sample_errors(spread, SIZES, None, [150])[0]
    rng, judge = np.random.default_rng(2), np.repeat(np.arange(5), list(SIZES.values()))
    unordered = forecast.ScoredPopulation(np.arange(len(judge)), judge, judge, np.array(list(SIZES.values())), 5, None)
    # Unordered: people say what the judge says with probability .6, else anything as often as it is given.
    loose = forecast.simulate_spread(unordered, 0.6)
    shares = np.bincount(judge) / len(judge)
    human = np.where(rng.random(len(judge)) < 0.6, judge, rng.choice(5, len(judge), p=shares))
    points = []
    for _ in range(2_000):
        places = rng.integers(0, len(judge), 150)
        points.append(kappa(cross_table(human[places], judge[places], 5), None))
    assert np.std(points) == pytest.approx(forecast.sample_errors(loose, SIZES, None, [150])[0], rel=0.12)
    assert 0.03 < error < 0.2


def test_allocations_are_foretold_by_the_sum_over_strata():
    spread = forecast.InfluenceSpread(0.6, np.array([2.0, 1.0]), 1.5)
    sizes, worth = {"a": 100, "b": 900}, {"a": 1.0, "b": 3.0}
    # 40 items fall 10 and 30: (.1 * 2)^2 / 10 + (.9 * 1)^2 / 30
    assert forecast.sample_errors(spread, sizes, worth, [40])[0] == pytest.approx((0.04 / 10 + 0.81 / 30) ** 0.5)
    assert forecast.sample_errors(spread, sizes, None, [36])[0] == pytest.approx(0.25)


def test_strata_by_score_tell_more_and_a_better_judge_needs_fewer_labels():
    spreads = [forecast.simulate_spread(population(), a) for a in (0.6, 0.7)]

    def predict(rule, assumed=spreads):
        worth = (
            None
            if rule is None
            else sampling.allocation_weights(SIZES, rule, dict(zip(SIZES, spreads[0].strata, strict=True)))
        )
        return forecast.forecast(assumed, SIZES, worth, 100, 0.5, 2.57, 50, 1_000)

    simple, root, neyman = predict(None), predict("root"), predict("neyman")
    assert root.half_width[1] < 0.75 * simple.half_width[1] and neyman.half_width[1] < 0.75 * simple.half_width[1]
    assert root.free[1] < 0.6 * (simple.free[1] or 1_000) and root.fixed[1] < root.free[1]
    assert predict("root", spreads[1:]).free[1] < predict("root", spreads[:1]).free[1]
    at = forecast.forecast([forecast.simulate_spread(population(), 0.51)], SIZES, None, 100, 0.5, 2.57, 50, 1_000)
    assert at.free[1] is None and at.fixed == (1_000, None), "at the threshold no number will do"


def test_labels_count_beside_what_is_imagined():
    imagined = forecast.InfluenceSpread(0.6, np.array([1.0, 1.0]), 1.0)
    rng = np.random.default_rng(4)
    judge = rng.integers(0, 5, 400)
    stratum = (judge > 2).astype(np.int64)
    human = np.where(stratum == 0, rng.integers(0, 5, 400), judge)  # people differ in the first stratum only
    spread = forecast.blend_spread(imagined, Cells(np.arange(400), human, judge), stratum, 5, "quadratic")
    assert spread[0] > 2 * spread[1]
    none = forecast.blend_spread(
        imagined, Cells(np.arange(2), [4, 4], [4, 4]), np.zeros(2, dtype=np.int64), 5, "quadratic"
    )
    assert none.tolist() == [1.0, 1.0], "without a kappa there is nothing to learn"


def test_a_judge_that_says_one_thing_has_no_outlook_and_kappas_lie_between_0_and_1():
    same = forecast.ScoredPopulation(
        np.arange(9), np.full(9, 4), np.zeros(9, dtype=np.int64), np.array([9]), 5, "quadratic"
    )
    assert forecast.simulate_spread(same, 0.6) is None
    for bad in (0.0, 1.0, -0.2):
        with pytest.raises(ValueError, match="between 0 and 1"):
            forecast.simulate_spread(population(), bad)


def test_a_judge_at_the_threshold_passes_by_chance_where_somebody_looks_often():
    # At one look one judge in twenty does; at the looks from 100 to 10,000 items, whose errors are a tenth as large
    # at the end, more than one in ten: a Brownian motion starts anew 4.6 times (ln 100).
    spread = forecast.InfluenceSpread(0.5, np.ones(1), 1.0)
    often, once = (forecast.forecast([spread], {"a": 10_000}, None, 400, 0.5, 1.645, n, 10_000) for n in (100, 10_000))
    assert often.half_width == once.half_width == pytest.approx((1.96 / 20, 1.96 / 20), rel=1e-4)
    assert 100 <= often.free[0] < 10_000 == once.free[0] and often.free[1] is once.free[1] is None
    assert often.fixed == once.fixed == (10_000, None)
