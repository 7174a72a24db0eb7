"""Which verdicts need no person: the tests by oracle, the sequence by hand, and what cannot be told in sentences."""

from __future__ import annotations

from math import comb, fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.stats.auto_accept import (
    MAX_THRESHOLDS,
    BadTarget,
    ConfidenceRatings,
    agreement_at,
    binomial_agreement,
    candidate_thresholds,
    explain,
    fewest_items,
    find_threshold,
    reaches_target,
    share_above,
)
from tests.bench.simulations import trust


def verdicts(confidence, agree, item=None, weight=None):
    n = len(confidence)
    return ConfidenceRatings(
        np.arange(n) if item is None else np.asarray(item), np.asarray(confidence, dtype=float),
        np.asarray(agree, dtype=float), np.ones(n) if weight is None else np.asarray(weight, dtype=float),
    )  # fmt: skip


def sure_and_unsure(sure=100, right=95, unsure=100, less=60):
    """Some items at .9 of which so many are right, and some at .4."""
    agree = [n < right for n in range(sure)] + [n < less for n in range(unsure)]
    return verdicts([0.9] * sure + [0.4] * unsure, agree)


def tail(k, n, chance):
    """P(X >= k) of n independent trials, term by term."""
    return fsum(comb(n, i) * chance**i * (1 - chance) ** (n - i) for i in range(k, n + 1))


@given(st.integers(1, 200), st.data(), st.sampled_from([0.6, 0.8, 0.9, 0.95]), st.sampled_from([0.05, 0.1]))
def test_independent_items_are_tested_by_the_exact_binomial(n, data, target, delta):
    k = data.draw(st.integers(0, n))
    agreement = binomial_agreement(verdicts([0.5] * n, [i < k for i in range(n)]), delta)
    assert reaches_target(agreement, target, delta) == (tail(k, n, target) <= delta)
    assert tail(k, n, agreement.lower_bound) == pytest.approx(delta, rel=1e-9) if k else agreement.lower_bound == 0


def test_the_sequence_by_hand():
    # 95 of 100 right at .9: P(X >= 95 | .8) = 2e-5; with the others 155 of 200: P(X >= 155 | .8) = .84.
    acceptance = find_threshold(sure_and_unsure(), 0.8, 0.1)
    assert [(s.threshold, s.passed) for s in acceptance.steps] == [(0.9, True), (0.4, False)]
    assert acceptance.chosen is acceptance.steps[0] and acceptance.spared.point == 0.5
    assert acceptance.chosen.agreement.point == 0.95 and acceptance.overall.point == 155 / 200
    assert explain(acceptance).startswith("50% of items (43% to 57%) can be accepted without review: where the judge")
    assert explain(acceptance).endswith("The other 50% go to people.")


def test_a_failure_ends_the_sequence_though_more_items_would_pass():
    ratings = verdicts([0.9] * 60 + [0.8] * 300, [n < 45 for n in range(60)] + [n < 285 for n in range(300)])
    acceptance = find_threshold(ratings, 0.8, 0.1)
    assert [s.passed for s in acceptance.steps] == [False, None]
    assert acceptance.chosen is None and "on the 60 items" in acceptance.why and "75%" in acceptance.why


def test_ties_of_confidence_are_taken_together():
    rng = np.random.default_rng(0)
    levels = rng.integers(1, 4, 400) / 4
    acceptance = find_threshold(verdicts(levels, rng.random(400) < 0.95), 0.8, 0.1)
    assert {s.threshold for s in acceptance.steps} <= {0.25, 0.5, 0.75}
    assert [s.agreement.items for s in acceptance.steps] == [
        int((levels >= s.threshold).sum()) for s in acceptance.steps
    ]


def test_all_items_are_tried_where_they_are_only_enough_for_full_agreement():
    # Of 140 items 40 have a confidence: more than the 30 that could pass, and fewer than the first threshold includes.
    ratings = verdicts([0.9] * 20 + [0.5] * 20 + [np.nan] * 100, [True] * 140)
    assert fewest_items(0.8, 0.1) == 30
    assert candidate_thresholds(ratings, 0.8, 0.1) == [0.5]


@given(st.integers(0, 1_000_000), st.integers(30, 300), st.booleans())
def test_thresholds_never_look_at_agreement_and_go_downward(seed, n, weighted):
    rng = np.random.default_rng(seed)
    confidence, weight = np.round(rng.random(n), 2), (rng.choice([1.0, 5.0], n) if weighted else np.ones(n))
    tried = [candidate_thresholds(verdicts(confidence, rng.random(n) < p, weight=weight), 0.8, 0.1) for p in (0.1, 0.9)]
    assert tried[0] == tried[1] == sorted(tried[0], reverse=True)
    assert len(tried[0]) <= MAX_THRESHOLDS + 1
    if tried[0]:
        assert tried[0][-1] == confidence.min()


def test_an_item_is_as_sure_as_its_least_sure_cell_and_weighs_what_it_stands_for():
    ratings = verdicts([0.9, 0.9, 0.3], [1, 1, 0], item=[0, 0, 1], weight=[1, 1, 3])
    assert share_above(ratings, 0.5).point == pytest.approx(0.25)
    assert agreement_at(ratings, 0.5, 0.1).agreement.point == 1.0


def test_cells_of_one_item_are_worth_less_than_as_many_items():
    rng = np.random.default_rng(3)
    right = rng.random(60) < 0.85
    alone = binomial_agreement(verdicts(np.ones(600), rng.random(600) < 0.85), 0.1)
    clustered = binomial_agreement(verdicts(np.ones(600), np.repeat(right, 10), item=np.repeat(np.arange(60), 10)), 0.1)
    assert alone.n_eff == 600 and 45 < clustered.n_eff < 66
    halves = binomial_agreement(verdicts(np.ones(20), [1, 0] * 10, item=np.repeat(np.arange(10), 2)), 0.1)
    assert (halves.point, halves.n_eff) == (0.5, 10), "items that are all alike leave no spread to go by"
    always = binomial_agreement(verdicts(np.ones(600), np.ones(600), item=np.repeat(np.arange(60), 10)), 0.1)
    assert always.n_eff == pytest.approx(60) and always.lower_bound == pytest.approx(0.1 ** (1 / 60), abs=1e-6)


@pytest.mark.parametrize(
    ("ratings", "why"),
    [
        (verdicts([np.nan] * 50, [1] * 50), "no confidence for any"),
        (verdicts([], []), "No item has both gold and a score"),
        (verdicts([0.7] * 200, [1] * 200), "confidence is the same for all items"),
        (verdicts(np.linspace(0, 1, 29), [1] * 29), "30 items with a confidence are needed"),
        (verdicts([*np.linspace(0.1, 1, 20), *[np.nan] * 80], [1] * 100), "there are 20"),
        (verdicts(np.linspace(0, 1, 300), [0, 1] * 150), "No threshold is shown to reach 80%"),
    ],
)
def test_what_cannot_be_spared_is_told_in_a_sentence(ratings, why):
    acceptance = find_threshold(ratings, 0.8, 0.1)
    assert (
        acceptance.chosen is None
        and acceptance.spared is None
        and why in acceptance.why
        and explain(acceptance) == acceptance.why
    )


def test_items_without_a_confidence_are_never_spared():
    ratings = verdicts([0.9] * 100 + [np.nan] * 100, [1] * 200)
    acceptance = find_threshold(ratings, 0.8, 0.1)
    assert acceptance.chosen.threshold == 0.9 and acceptance.spared.point == 0.5


@pytest.mark.parametrize(("target", "delta"), [(0.4, 0.1), (1.0, 0.1), (0.8, 0.0), (0.8, 0.9), (float("nan"), 0.1)])
def test_what_makes_no_sense_is_refused(target, delta):
    with pytest.raises(BadTarget, match="such as"):
        find_threshold(sure_and_unsure(), target, delta)


def test_a_chance_of_one_half_is_told_as_one_just_below():
    """There the quantiles that the bound is made of are 0."""
    ratings = verdicts([0.9] * 60, [n % 7 > 1 for n in range(60)], item=[n // 3 for n in range(60)])
    even, below = (binomial_agreement(ratings, delta) for delta in (0.5, 0.5 - 1e-5))
    assert even.n_eff == pytest.approx(below.n_eff, rel=1e-3)
    assert even.lower_bound == pytest.approx(below.lower_bound, abs=1e-3)


def test_the_fewest_items():
    assert [fewest_items(t, 0.1) for t in (0.8, 0.9, 0.95, 0.99)] == [30, 30, 45, 230]


def test_a_small_edition_of_the_guarantee():
    share_, _ = trust.broken(trust.flat(0.8), 0.8, 0.1, 60, items=100, turns=3)
    assert share_ <= 14 / 60  # of 60 samples at 10 % six; fifteen or more about once in two thousand series
    assert trust.broken(trust.cliff(0.8), 0.8, 0.1, 20, items=400, turns=1)[1] > 0.3


def test_of_unequal_weights_too_few_items_are_as_many_as_they_are_worth():
    weight = np.array([1.0] * 39 + [60.0])
    why = find_threshold(verdicts(np.linspace(0.5, 1, 40), np.ones(40), weight=weight)).why
    assert why.startswith("Too few labels: 30 items with a confidence") and "there are 40, worth 2 by weight." in why
