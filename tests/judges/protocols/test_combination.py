"""Several samples of a judge as one answer, by hand."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.cards import card
from judges.params import Params
from judges.protocols.combination import (
    RULES,
    combination_rule,
    combine_samples,
    describe_samples,
    nearest_answer,
    rule_on_scale,
)
from judges.stats.agreement import kappa, kappa_from_sums
from judges.stats.intervals import (
    Cells,
    bootstrap_kappa,
    interval_from_moments,
    kappa_difference,
    kappa_influences,
    kappa_interval,
)
from judges.stats.self_consistency import SampledCells, explain, measure_self_consistency
from judges.types import Scale
from tests.judges.moments import moments, with_sizes
from tests.judges.replies import SHIPPED

ORDINAL, ORDERED = Scale("ordinal", 1, 5, na=True), Scale("ordered", categories=("poor", "good", "fine"))
TIE, FLAG = Scale("unordered", categories=("a", "tie", "b"), drawn="tie"), Scale("flag")


@pytest.mark.parametrize(
    ("samples", "first", "median", "mean", "vote"),
    [
        ([2.0], 2, 2, 2, 2),
        ([5.0, 1.0, 2.0], 5, 2, 2.666666667, 5),
        ([1.0, 4.0], 1, 2.5, 2.5, 1),
        ([4.0, 1.0, 1.0, 5.0], 4, 2.5, 2.75, 1),
        ([None, 4.0, 5.0], None, 4.5, 4.5, 4),
        ([None, 4.0], None, 4, 4, 4),
        ([None, None, 4.0], None, None, None, None),
        ([3.0, None, None], 3, None, None, None),
        ([None], None, None, None, None),
    ],
)
def test_by_hand(
    samples: list[float | None], first: float | None, median: float | None, mean: float | None, vote: float | None
) -> None:
    assert [combine_samples(samples, rule) for rule in RULES] == [first, median, mean, vote]


def test_a_drawn_vote_is_a_tie_where_there_is_one_else_what_was_said_first() -> None:
    drawn = TIE.tie_code
    assert drawn == 1 and FLAG.tie_code is None
    assert combine_samples([2.0, 0.0], "vote", drawn) == 1 and combine_samples([2.0, 0.0], "vote") == 2
    assert combine_samples([2.0, 0.0, 0.0], "vote", drawn) == 0
    assert combine_samples([2.0, 0.0, None], "vote", drawn) == 1, "n/a is no vote unless more than half say so"


def test_what_has_no_order_is_voted_on() -> None:
    for scale in (TIE, FLAG, Scale("turn")):
        assert [rule_on_scale(rule, scale) for rule in RULES] == ["first", "vote", "vote", "vote"]
    for scale in (ORDINAL, ORDERED, Scale("interval", 1, 5)):
        assert [rule_on_scale(rule, scale) for rule in RULES] == list(RULES)


def test_without_a_sample_there_is_nothing() -> None:
    with pytest.raises(ValueError, match="no sample"):
        combine_samples([], "median")


@given(st.lists(st.none() | st.integers(1, 5).map(float), min_size=1, max_size=7), st.sampled_from(RULES))
def test_the_order_matters_only_where_the_first_counts(samples: list[float | None], rule: str) -> None:
    combined = combine_samples(samples, rule, 3.0)
    assert combined is None or 1 <= combined <= 5
    if rule != "first":
        assert combine_samples(samples[::-1], rule, 3.0) == combined
    if len(set(samples)) == 1:
        assert combined == samples[0]


def test_the_rule_of_a_judge_is_what_it_says_or_what_its_card_has() -> None:
    rubric, dialogue = card("rubric_open_ended"), card("multi_turn_dialogue")
    assert combination_rule(rubric, {"samples": 5}) == "mean" and combination_rule(card("mt_bench"), {}) == "mean"
    assert combination_rule(dialogue, {"samples": 5}) == "median" == combination_rule(dialogue, {"combine": "middle"})
    assert combination_rule(rubric, {"combine": "first"}) == "first"
    assert {combination_rule(shipped, {}) for shipped in SHIPPED.values()} == {"mean", "median", "vote"}


def test_the_rule_is_part_of_what_a_judge_is_where_it_is_asked_several_times() -> None:
    once, five = Params(), Params(samples=5)
    assert once.identity("response") == Params(combine="mean").identity("response") and "combine" not in once.identity(
        "response"
    )
    assert five.identity("response")["combine"] == "median"
    assert len({str(Params(samples=5, combine=rule).identity("pair")) for rule in RULES}) == len(RULES)
    # As a run of before said it, whose judge keeps its id:
    assert "combine" not in Params(samples=5, combine="").identity("dialogue")


def test_it_stands_beside_the_name() -> None:
    assert (describe_samples(5, "median"), describe_samples(1, "mean"), describe_samples(3, "first")) == (
        "5 samples, median",
        "",
        "3 samples, the first one",
    )


def test_between_two_answers() -> None:
    assert [nearest_answer(x) for x in (1.0, 3.4, 3.5, 2.49, 0.5)] == [1, 3, 4, 2, 1]
    assert [ORDINAL.format(x) for x in (3.0, 3.4, 8 / 3, None)] == ["3", "3.4", "2.67", "n/a"]
    assert [ORDERED.format(x) for x in (0.0, 0.5, 1.6, 2.0)] == ["poor", "poor to good", "good to fine", "fine"]


# -- kappa of values between answers ----------------------------------------------------------------------------------


def halves(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 5, n)
    judge = np.clip(human[:, None] + rng.normal(0, 1, (n, 4)).round(), 0, 4).mean(axis=1)
    return np.arange(n) // 2, human, judge


def lin(x: np.ndarray, y: np.ndarray) -> float:
    return float(2 * np.cov(x, y, bias=True)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2))


@pytest.mark.parametrize("n", [80, 8000])
def test_kappa_of_fractions_is_lins_concordance(n: int) -> None:
    item, human, judge = halves(n, 3)
    interval = kappa_interval(Cells(item, human, judge), 5)
    assert interval.point == pytest.approx(lin(human, judge), abs=1e-12)
    assert interval.low is not None and interval.low < interval.point < (interval.high or 0)
    # The same interval on a scale of half the step, where every value is an answer.
    fine = kappa_interval(Cells(item, human * 4, (judge * 4).astype(int)), 17)
    assert (fine.low, fine.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_fractions_in_moments_influences_and_differences() -> None:
    item, human, judge = halves(120, 5)
    totals, cross, items = moments(item, human, judge)
    assert kappa_from_sums(totals) == pytest.approx(lin(human, judge), abs=1e-12)
    near = interval_from_moments(*with_sizes(totals, cross, items))
    point, slope = kappa_influences(Cells(item, human, judge), 5)
    by_item = np.bincount(item, slope)
    assert near.se == pytest.approx(np.sqrt(items / (items - 1) * by_item @ by_item)) and point == near.point
    first = np.floor(judge).astype(int)
    gap = kappa_difference(Cells(item, human, first), Cells(item, human, judge), 5, paired=True)
    table = np.bincount(human * 5 + first, minlength=25).reshape(5, 5)
    assert gap.point == pytest.approx(lin(human, judge) - (kappa(table, "quadratic") or nan), abs=1e-12)


def test_what_the_further_calls_bought_by_hand() -> None:
    """Two samples, off by one in opposite directions: each alone is imperfect, their mean is right."""
    human = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 2.0, 3.0, 4.0] * 6)
    first, second = human + np.where(human < 5, 1, 0), human - np.where(human > 1, 1, 0)
    judge = (first + second) / 2
    item = np.arange(len(human)) // 2
    flips = np.ones(24), np.full(24, 2.0)
    consistency = measure_self_consistency(
        SampledCells(item, human, judge, np.ones(len(human)), np.stack([first, second], axis=1)), flips, ORDINAL
    )
    assert consistency.singles == (pytest.approx(lin(human, first)), pytest.approx(lin(human, second)))
    assert consistency.single == pytest.approx((lin(human, first) + lin(human, second)) / 2)
    assert consistency.together.point == pytest.approx(lin(human, judge)) and consistency.gain.point == pytest.approx(
        lin(human, judge) - (consistency.single or 0)
    )
    assert consistency.gain.low is not None and 0 < consistency.gain.low < (consistency.gain.point or 0)
    assert consistency.flips.point == 0.5 and consistency.flaky
    assert "Flaky" in explain(consistency)[-1] and "+0." in explain(consistency)[0]
    same = SampledCells(item, human, human, np.ones(48), np.stack([human] * 2, axis=1))
    calm = measure_self_consistency(same, (np.zeros(24), flips[1]), ORDINAL)
    assert calm.gain.point == pytest.approx(0) and calm.flips.point == 0 and not calm.flaky


def test_fractions_are_refused_where_answers_have_no_order() -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        kappa_interval(Cells([0, 1], [0, 1], [0.5, 1]), 3, None)
    with pytest.raises(ValueError, match="from 0 to 4"):
        bootstrap_kappa(Cells([0, 1], [0, 1], [0.5, 4.5]), 5)
