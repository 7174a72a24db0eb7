"""Codes, rows and bins of scales: where values stand, and that nothing is lost between them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from judges.stats import bins
from judges.stats.calibration import PairedRatings, Summary, summarise
from judges.types import Dimension, Scale

HALF, UNIT, FINE = Scale("interval", 1, 5, step=0.5), Scale("interval", 0, 1), Scale("interval", 0, 100, step=1)
BELOW = Scale("interval", -2.5, 0.3, step=0.1)


def figures(scale: Scale, human: object, judge: object) -> Summary:
    x, y = np.asarray(human, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    cells = PairedRatings(np.arange(len(x)), x, y, np.ones(len(x), dtype=bool), np.ones(len(x)))
    return summarise(cells, Dimension("tone", "response", scale, "?"))


def test_a_row_each_where_answers_are_few_and_ten_bins_where_they_are_many() -> None:
    assert bins.row_labels(HALF) == ("1", "1.5", "2", "2.5", "3", "3.5", "4", "4.5", "5")
    assert bins.row_labels(UNIT)[0] == "0–0.1" and bins.row_labels(FINE)[9] == "90–100"
    assert (bins.row_count(HALF), bins.row_count(UNIT), bins.row_count(FINE), bins.row_count(Scale("turn"))) == (
        9,
        10,
        10,
        0,
    )
    assert bins.row_count(Scale("interval", 0, 10, step=1)) == 11  # as on an ordinal scale of 0 to 10
    assert bins.row_numbers([0, 0.0999, 0.1, 0.3, 0.999, 1], UNIT).tolist() == [0, 0, 1, 3, 9, 9]
    assert (bins.describe_step(HALF), bins.describe_step(UNIT), bins.describe_step(Scale("ordinal", 1, 5))) == (
        "0.5",
        "0.1",
        "one step",
    )


@pytest.mark.parametrize("scale", [HALF, UNIT, FINE, BELOW, Scale("ordinal", 1, 5), Scale("flag")], ids=str)
def test_codes_lie_in_reach_and_lead_back(scale: Scale) -> None:
    ends = (bins.first_value(scale), bins.first_value(scale) + bins.scale_width(scale))
    values = np.linspace(*ends, 29) if scale.kind == "interval" else np.arange(ends[0], ends[1] + 1)
    codes = np.asarray(bins.to_codes(values, scale), dtype=np.float64)
    assert codes.min() == 0 and codes.max() == bins.code_count(scale) - 1
    assert bins.from_codes(codes, scale) == pytest.approx(values)
    rows = bins.row_numbers(values, scale)
    assert rows.min() == 0 and rows.max() == bins.row_count(scale) - 1
    assert bins.row_numbers(bins.row_values(scale), scale).tolist() == list(range(bins.row_count(scale)))


@given(st.floats(0, 1), st.sampled_from([HALF, UNIT, FINE, BELOW]))
def test_the_ends_of_a_row_hold_just_its_values(part: float, scale: Scale) -> None:
    value = scale.snap(scale.lo + part * bins.scale_width(scale))
    ends = [bins.row_ends(at, scale) for at in bins.row_values(scale)]
    holding = [n for n, (low, high) in enumerate(ends) if low <= value < high]
    assert holding == bins.row_numbers([value], scale).tolist()


def test_steps_apart_count_tenths_on_fine_scales() -> None:
    assert bins.steps_apart([1, 1, 3], [1, 2.5, np.nan], HALF).tolist()[:2] == [0, 3]
    assert bins.steps_apart([0.2, 0.2, 0.2], [0.3, 0.31, 0.5], UNIT).tolist() == [0, 1, 2]
    assert bins.is_between_answers([1.5, 1.75, np.nan], HALF).tolist() == [False, True, False]
    assert not bins.is_between_answers([0.123], UNIT).any()
    assert bins.nearest_answers([1, 1.24, 1.25, 4.9], HALF).tolist() == [1, 1, 1.5, 5], "a value halfway goes up"
    assert bins.nearest_answers([2.4, np.nan], Scale("ordinal", 1, 5)).tolist()[:1] == [2]
    assert bins.nearest_answers([0.123], UNIT).tolist() == [0.123]


def test_half_points_have_the_kappa_of_whole_ones(rng: np.random.Generator) -> None:
    x, y = rng.integers(0, 9, 200), rng.integers(0, 9, 200)
    y[:120] = np.clip(x[:120] + rng.integers(-1, 2, 120), 0, 8)
    summary, whole = figures(HALF, 1 + x / 2, 1 + y / 2), figures(Scale("ordinal", 0, 8), x, y)
    assert summary.interval == whole.interval
    assert summary.interval.point == pytest.approx(cohen_kappa_score(x, y, weights="quadratic"))
    assert (summary.counts == whole.counts).all() and summary.within_one == whole.within_one
    assert summary.mean_difference == pytest.approx((whole.mean_difference or 0) / 2)


def test_continuous_values_keep_their_digits_and_are_binned_in_the_table_alone(rng: np.random.Generator) -> None:
    x = rng.uniform(0, 1, 300)
    y = np.clip(x + rng.normal(0, 0.2, 300) + 0.03, 0, 1)
    summary = figures(UNIT, x, y)
    lin = 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    assert summary.interval.point == pytest.approx(lin, abs=1e-12)
    assert summary.counts.shape == (10, 10) and summary.counts.sum() == 300 and summary.binned
    assert summary.counts[0, 0] == ((x < 0.1) & (y < 0.1)).sum()
    assert summary.ac is None and figures(HALF, 1 + x.round(), 1 + y.round()).ac is not None
    assert summary.within_one == pytest.approx((np.abs(x - y) <= 0.1).mean())
    stretched = figures(Scale("interval", -500, 500), 1000 * x - 500, 1000 * y - 500)
    assert stretched.interval.point == pytest.approx(lin, abs=1e-12)
    assert stretched.interval.low == pytest.approx(summary.interval.low or 0, abs=1e-9)


def test_a_judge_that_copies_people_is_not_certain_for_it(rng: np.random.Generator) -> None:
    # Where nothing was ever met, the rule of three says what may still be: a cell a tenth of the scale apart.
    x = rng.uniform(0, 1, 120)
    interval = figures(UNIT, x, x).interval
    assert interval.point == 1 and interval.low is not None and interval.lower_bound is not None
    assert interval.low < interval.lower_bound < 1
    fewer = figures(UNIT, x[:40], x[:40]).interval
    assert fewer.lower_bound is not None and fewer.lower_bound < interval.lower_bound


def test_one_value_throughout_is_undefined() -> None:
    summary = figures(UNIT, np.full(50, 0.37), np.full(50, 0.37))
    assert summary.interval.point is None and summary.commonest == 1


def test_what_counts_as_equal_is_said_where_it_is_not_plain() -> None:
    assert bins.describe_equality(UNIT) == "Answers at most 0.1 apart count as equal in these shares."
    assert bins.describe_equality(HALF) == bins.describe_equality(Scale("ordinal", 1, 5)) == ""


def test_samples_say_the_same_within_a_tenth_of_a_scale_of_any_number_and_else_as_the_nearest_answer() -> None:
    share, points, rating = Scale("interval", 0, 1), Scale("interval", 0, 100), Scale("ordinal", 1, 5)
    half = Scale("interval", 1, 3, step=0.5)
    assert bins.agreeing_share([0.2, 0.5, 0.6, None], 0.5, share) == 0.5
    assert bins.agreeing_share([70, 72, 80, 82.5], 72, points) == 0.75
    assert bins.agreeing_share([3, 4, 4, 3], 3.5, rating) == bins.agreeing_share([1, 1.5, 1.5, 1], 1.25, half) == 0.5
    assert bins.agreeing_share([None, 3, None], None, rating) == pytest.approx(2 / 3)
    assert [bins.differ(samples, share) for samples in ([0.5, 0.6], [0.5, 0.65], [0.5, None], [None, None])] == [
        False, True, True, False,
    ]  # fmt: skip
    assert bins.differ([3, 4], rating) and not bins.differ([3, 3], rating) and bins.differ([1, 1.5], half)
