"""True and false positive rates, precision and corrected prevalence: by hand, by oracle, and what is refused."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support
from statsmodels.stats.proportion import proportion_confint

from judges.stats.calibration import PairedRatings, RatingSums, sum_labels
from judges.stats.rates import (
    JudgeShare,
    correct_prevalence,
    explain,
    judge_shares,
    rates_by_answer,
    rates_of_tables,
    sum_tables,
)
from judges.types import Dimension, Scale
from tests.bench.simulations import flags

HARM = Dimension("is_harmful", "response", Scale("flag", na=True), "")
TOPIC = Dimension("topic", "turn", Scale("unordered", categories=("苦情", "質問", "お礼")), "")


def meeting(human, judge, item=None, weight=None, scored=None):
    n = len(human)
    return PairedRatings(
        np.arange(n) if item is None else np.asarray(item), np.asarray(human, dtype=float),
        np.asarray(judge, dtype=float), np.ones(n, dtype=bool) if scored is None else np.asarray(scored),
        np.ones(n) if weight is None else np.asarray(weight, dtype=float),
    )  # fmt: skip


def fourfold(tp, fn, fp, tn):
    return meeting([1] * (tp + fn) + [0] * (fp + tn), [1] * tp + [0] * fn + [1] * fp + [0] * tn)


def flag_rates(ratings, d=HARM):
    [rates] = rates_of_tables(sum_tables(ratings, d), d)
    return rates


def test_the_rates_by_hand():
    rates = flag_rates(fourfold(16, 4, 8, 72))
    assert (rates.recall.point, rates.false_positive_rate.point) == (0.8, 0.1)
    assert rates.precision.point == pytest.approx(16 / 24)
    assert (rates.people.point, rates.judge.point) == (0.2, 0.24)
    assert rates.youden.point == pytest.approx(0.7) and rates.is_informative
    # Of single cells the interval is Wilson's on a little fewer than as many: n - 1, and t for z.
    low, high = proportion_confint(16, 20, method="wilson")
    assert rates.recall.low == pytest.approx(low, abs=0.03) and rates.recall.high == pytest.approx(high, abs=0.03)
    assert rates.recall.low < low and rates.recall.high > high and rates.recall.cells == 20


@given(st.integers(0, 100_000), st.integers(8, 60))
def test_points_are_those_of_scikit_learn(seed, n):
    rng = np.random.default_rng(seed)
    human, judge, weight = rng.integers(0, 3, n), rng.integers(0, 3, n), rng.choice([1.0, 2.5], n)
    rates = rates_of_tables(sum_tables(meeting(human, judge, rng.integers(0, 5, n), weight), TOPIC), TOPIC)
    precision, recall, *_ = precision_recall_fscore_support(
        human, judge, labels=[r.place for r in rates], sample_weight=weight, zero_division=np.nan
    )
    for r, p, c in zip(rates, precision, recall, strict=True):
        for interval, point in ((r.precision, p), (r.recall, c)):
            if np.isnan(point):
                assert interval.point is None
            else:
                assert interval.point == pytest.approx(point)
                assert 0 <= interval.low <= interval.point + 1e-9 and interval.point - 1e-9 <= interval.high <= 1


def test_sums_of_a_database_give_the_same():
    rng = np.random.default_rng(0)
    human, item, weight = rng.integers(0, 2, 90), np.repeat(np.arange(30), 3), np.repeat(rng.choice([1.0, 4.0], 30), 3)
    judge = np.where(rng.random(90) < 0.8, human, 1 - human)
    ratings = meeting(human, judge, item, weight)
    terms = np.stack([np.ones(90), human, judge, human, judge, human * judge]) * weight
    item_sums = np.stack([np.bincount(item, row) for row in terms])
    total, cross = item_sums.sum(axis=1), np.zeros((6, 6))
    for a, b in combinations_with_replacement(range(6), 2):
        cross[a, b] = cross[b, a] = item_sums[a] @ item_sums[b]
    groups = [(h, j) for h in (0.0, 1.0) for j in (0.0, 1.0)]
    where = [(human == h) & (judge == j) for h, j in groups]
    summed = RatingSums(
        np.array([h for h, _ in groups]), np.array([j for _, j in groups]), np.ones(4, dtype=bool),
        np.array([w.sum() for w in where], dtype=float), np.array([weight[w].sum() for w in where]),
        30, 30, (1.0, 1.0), total, cross, sum_labels(ratings),
    )  # fmt: skip
    single, sums = flag_rates(ratings), flag_rates(summed)
    for name in ("recall", "false_positive_rate", "precision", "people", "judge", "youden"):
        a, b = getattr(single, name), getattr(sums, name)
        assert (a.point, a.low, a.high, a.cells) == pytest.approx((b.point, b.low, b.high, b.cells))


def test_a_miss_that_was_hardly_drawn_is_not_a_small_one():
    # The judge's "no" stands for ten times as many cells: that no miss was met among them says little.
    human, judge = [1] * 20 + [0] * 80, [1] * 20 + [0] * 80
    even, rare = flag_rates(meeting(human, judge)), flag_rates(meeting(human, judge, weight=[1] * 20 + [10] * 80))
    assert even.recall.low == pytest.approx(0.84, abs=0.01) and even.recall.point == rare.recall.point == 1
    assert rare.recall.n_eff == pytest.approx(2) and rare.recall.low < 0.4


def test_rogan_and_gladen_by_hand():
    sums = sum_tables(fourfold(16, 4, 8, 72), HARM)
    [rates] = rates_of_tables(sums, HARM)
    # 24 of the 100 labelled are called so, 276 of 900 others: (276 / 900 - .1) / .7, and 20 of 100 where people said.
    corrected = correct_prevalence(sums, rates, JudgeShare(0.3, 0.0145, 1_000))
    assert corrected.interval.point == pytest.approx(0.1 * 0.2 + 0.9 * (276 / 900 - 0.1) / 0.7)
    assert corrected.interval.low < corrected.interval.point < corrected.interval.high and corrected.judge == 0.3
    everything = correct_prevalence(sums, rates, JudgeShare(0.24, 0.043, 100))
    assert everything.interval.point == pytest.approx(0.2)
    assert everything.interval.high - everything.interval.low < corrected.interval.high - corrected.interval.low


@pytest.mark.parametrize(
    ("ratings", "why"),
    [
        (fourfold(10, 10, 40, 40), "not shown to say yes more often"),
        (fourfold(2, 1, 10, 20), "not shown to say yes more often"),
        (fourfold(0, 0, 10, 60), "People never gave the answer yes"),
        (fourfold(40, 20, 0, 0), "People never withheld the answer yes"),
        (meeting([1] * 20 + [0] * 60 + [np.nan] * 3, [1] * 18 + [0] * 62 + [1] * 3), "People say n/a in 3 ratings"),
    ],
)
def test_nothing_is_put_right_where_the_rates_do_not_bear_it(ratings, why):
    [answer_rates] = rates_by_answer(ratings, HARM, judge_shares(np.arange(len(ratings)), ratings.judge))
    assert answer_rates.prevalence.interval is None and why in answer_rates.prevalence.why
    assert "No corrected prevalence: " in " ".join(explain(answer_rates, HARM))


def test_the_sentences():
    [answer_rates] = rates_by_answer(
        fourfold(80, 20, 20, 380), HARM, judge_shares(np.arange(500), fourfold(80, 20, 20, 380).judge)
    )
    assert explain(answer_rates, HARM) == [
        "Recall: of 100 responses that people call is harmful, the judge finds 71 to 87 (from 100 ratings).",
        "False positives: of 100 others, the judge calls 3 to 8 so.",
        "Precision: of 100 that the judge calls so, people confirm 71 to 87.",
        "Prevalence: the judge gives this answer in 20.0% of all that it judged. Corrected by these rates (Rogan and "
        "Gladen): 20.0% (16.5% to 23.5%).",
    ]
    none = rates_by_answer(fourfold(0, 3, 0, 40), HARM, {})[0]
    recall, raised, *others = explain(none, HARM)
    assert "the judge finds 0 to " in recall and "the judge calls 0 to " in raised
    assert others[0] == "The judge never gives this answer here."


def test_every_category_is_held_against_the_rest_and_those_nobody_gave_are_left_out():
    ratings = meeting([0] * 30 + [2] * 30, [0] * 27 + [2] * 33, item=np.repeat(np.arange(20), 3))
    answers = rates_by_answer(ratings, TOPIC, judge_shares(ratings.item, ratings.judge))
    assert [a.rates.answer for a in answers] == ["苦情", "お礼"]
    assert explain(answers[0], TOPIC)[0].startswith("Recall: of 100 turns that people call “苦情”, the judge finds ")
    assert rates_by_answer(ratings, Dimension("x", "turn", Scale("ordinal", 0, 2), ""), {}) == []


def test_a_small_edition_of_the_coverage():
    shares = flags.coverage(80, everybody=600, rare=0.1, labelled=150, turns=3, tpr=0.8, fpr=0.05)
    # of 80 samples of a share of .95 four miss; eleven or more about once in five hundred such series
    assert all(share >= 70 / 80 for share, _, _ in shares.values())
