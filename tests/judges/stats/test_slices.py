"""Slices, growth, confidence and judges side by side: hand arithmetic, and oracles."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from judges.stats.agreement import cross_table, kappa
from judges.stats.clustered import weighted_share
from judges.stats.comparison import (
    JudgePair,
    SharedCells,
    adjust_pairs,
    compare_judges,
    more_items_to_separate,
    two_sided_p,
)
from judges.stats.confidence import ConfidenceCells, auroc, confidence_calibration
from judges.stats.intervals import Cells, interval_from_moments, kappa_influences, kappa_interval
from judges.stats.sample_size import curve_sizes, extrapolate_interval, kappa_by_size
from judges.stats.slices import (
    Slicing,
    difference_tests,
    distinct_slicings,
    f_survival,
    length_thirds,
    make_slicing,
    slice_kappa,
)
from judges.stats.uncertainty import Interval
from tests.judges.moments import moments, with_sizes


def make_cells(items, per_item, right, seed, k=5, share=0.0):
    """Cells of a judge that is right with that chance; a share of items is one case in all of its cells."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(items), per_item)
    human = np.where(rng.random(items)[item] < share, rng.integers(0, k, items)[item], rng.integers(0, k, len(item)))
    known = np.where(rng.random(items)[item] < share, rng.random(items)[item], rng.random(len(item))) < right
    return Cells(item, human, np.where(known, human, rng.integers(0, k, len(item))))


# -- slices -----------------------------------------------------------------------------------------------------------


@given(st.floats(0, 60), st.integers(1, 500))
def test_the_tail_of_f_with_two_degrees_of_freedom_by_formula(x, rest):
    assert f_survival(x, 2, rest) == pytest.approx((1 + 2 * x / rest) ** (-rest / 2), rel=1e-11)


@pytest.mark.parametrize(
    ("x", "df", "rest", "tail"), [(4.9646, 1, 10, 0.05), (2.7109, 5, 20, 0.05), (4.5097, 3, 30, 0.01), (-1e-9, 3, 9, 1)]
)
def test_the_tail_of_f_as_its_printed_tables_have_it(x, df, rest, tail):
    assert f_survival(x, df, rest) == pytest.approx(tail, abs=5e-6)


@pytest.mark.parametrize(("df", "rest"), [(0, 9), (9, 0)])
def test_the_tail_of_f_without_a_degree_of_freedom_is_refused(df, rest):
    with pytest.raises(ValueError, match=f"at least 1 degree of freedom on both sides; got {df} and {rest}"):
        f_survival(1.0, df, rest)


def test_influences_give_the_linearised_variance():
    cells = make_cells(200, 3, 0.6, 1)
    weight = np.repeat(np.random.default_rng(2).integers(1, 4, 200), 3).astype(float)
    weighted = Cells(cells.item, cells.human, cells.judge, weight)
    point, influence = kappa_influences(weighted, 5)
    whole = interval_from_moments(*with_sizes(*moments(*weighted[:4])))
    by_item = np.bincount(cells.item, influence)
    assert point == pytest.approx(whole.point)
    assert np.sqrt(200 / 199 * by_item @ by_item) == pytest.approx(whole.se)


def test_two_slices_are_compared_as_two_independent_kappas_are():
    good, poor = make_cells(100, 1, 0.9, 3), make_cells(100, 1, 0.4, 4)
    codes = [np.concatenate([good[n], poor[n]]) for n in (1, 2)]
    both = Cells(np.arange(200), *codes)
    parting = Slicing("half", np.repeat([0, 1], 100), ("good", "poor"))
    [sliced] = slice_kappa(both, 5, "quadratic", [parting])
    errors, points = [], []
    for side in (good, poor):
        tables = [cross_table(*(np.delete(codes, n) for codes in side[1:3]), 5) for n in range(100)]
        points.append(kappa(cross_table(*side[1:3], 5), "quadratic"))
        moved = [(kappa(t, "quadratic") - points[-1]) / (1 - points[-1]) for t in tables]  # the jackknife's own
        errors.append(99 / 100 * sum(m**2 for m in moved))
    hand = np.log((1 - points[0]) / (1 - points[1])) ** 2 / sum(errors)
    assert sliced.test.slices == 2
    assert sliced.test.p == pytest.approx(scipy.stats.f.sf(hand, 1, 99))
    assert [s.interval.point for s in sliced.slices] == pytest.approx(points)


def test_small_slices_and_those_without_spread_are_not_tested():
    cells = make_cells(100, 1, 0.7, 5)
    small = Slicing("few", (np.arange(100) >= 29).astype(np.int64), ("29 items", "71 items"))
    [sliced] = slice_kappa(cells, 5, "quadratic", [small])
    assert sliced.test is None
    assert sliced.slices[0].interval.is_too_small
    same = Cells(np.arange(100), cells.human, np.where(np.arange(100) < 50, cells.human, cells.judge))
    [sliced] = slice_kappa(same, 5, "quadratic", [Slicing("half", np.repeat([0, 1], 50), ("all right", "rest"))])
    assert sliced.slices[0].interval.point == 1
    assert sliced.test is None


def test_a_slice_of_full_agreement_is_not_tested_whatever_its_weights():
    """With weights that are no whole numbers its kappa is 1 up to rounding only."""
    cells, weight = make_cells(100, 1, 0.7, 5), np.random.default_rng(1).uniform(0.1, 3.7, 100)
    judge = np.where(np.arange(100) < 50, cells.human, cells.judge)
    [sliced] = slice_kappa(
        Cells(np.arange(100), cells.human, judge, weight), 5, "quadratic",
        [Slicing("half", np.repeat([0, 1], 50), ("all right", "rest"))],
    )  # fmt: skip
    assert sliced.slices[0].interval.point == pytest.approx(1) and sliced.test is None


def test_the_test_of_slices_holds_its_level_where_most_answers_are_the_same():
    """Five slices of 32 items with the same agreement, 70 % of whose answers are one: on kappa itself 15 % differed."""
    rng, ends = np.random.default_rng(6), scipy.stats.norm.ppf([0.02, 0.05, 0.1, 0.3]) * np.sqrt(1.36)
    fifths, differences = Slicing("five", np.arange(160) % 5, tuple("abcde")), 0
    for _ in range(300):
        quality = rng.normal(size=160)
        human, judge = (np.searchsorted(ends, quality + 0.6 * rng.normal(size=160)) for _ in range(2))
        [tested] = difference_tests(Cells(np.arange(160), human, judge), 5, "quadratic", [fifths])
        differences += tested.p <= 0.05
    assert differences <= 36  # 8 % of 300 and two and a half standard errors


def test_the_test_of_slices_holds_its_level_on_clustered_turns_and_holm_holds_that_of_many():
    """Two cuts of judges that are alike everywhere: by item, and by turn within items that are one case."""
    alone = together = 0
    for seed in range(300):
        cells = make_cells(90, 4, 0.6, 1000 + seed, share=0.5)
        cuts = [Slicing("system", cells.item % 2, ("a", "b")), Slicing("turn", np.tile([0, 1, 0, 1], 90), ("1", "2"))]
        tests = difference_tests(cells, 5, "quadratic", cuts)
        alone += tests[1].p <= 0.05
        together += any(a.adjusted <= 0.05 for a in tests)
        assert all(a.adjusted >= a.p for a in tests)
    assert 4 <= alone <= 28  # .05 of 300 is 15, and 4 to 28 is three and a half standard errors about it
    assert together <= 28


def test_leniency_of_a_slice_is_the_weighted_mean_difference():
    """Judge above human by 1, 0, 2 and -1, weighing 3, 1, 1 and 1: (3 + 0) / 4 and (2 - 1) / 2; nobody in the third."""
    cells = Cells(np.arange(4), np.array([1, 2, 1, 3]), np.array([2, 2, 3, 2]), np.array([3.0, 1.0, 1.0, 1.0]))
    parting = Slicing("system", np.array([0, 0, 1, 1]), ("a", "b", "c"))
    assert [s.bias for s in slice_kappa(cells, 5, "quadratic", [parting])[0].slices] == [0.75, 0.5, None]
    assert {s.bias for s in slice_kappa(cells, 5, None, [parting])[0].slices} == {None}  # answers without an order
    half = np.array([1.0, 1.0, 0.5, 1.0])  # of two people on the third cell one said n/a: (1 - 1) / 1.5
    assert [s.bias for s in slice_kappa(cells, 5, "quadratic", [parting], None, half)[0].slices] == [0.75, 0.0, None]


def test_cuts_have_an_order_a_rest_and_no_doubles():
    assert make_slicing("one", ["a"] * 3) is None
    assert make_slicing("none", ["", "", "a"]) is None
    slicing = make_slicing("many", [*"aaabbc", "d", ""], max_slices=3)
    assert (slicing.names, slicing.code.tolist()) == (("a", "b", "all others"), [0, 0, 0, 1, 1, 2, 2, -1])
    called_so = make_slicing("strata", ["all others"] * 9 + [*"aaabbbccd", ""], max_slices=3)
    assert called_so.names == ("a", "b", "all others"), "one slice of that name"
    assert called_so.code.tolist() == [2] * 9 + [0] * 3 + [1] * 3 + [2] * 3 + [-1]
    assert make_slicing("order", ["late", "early", "late"], order=("early", "late")).code.tolist() == [1, 0, 1]
    first, same, other = (
        Slicing(n, np.array(c), ("x", "y")) for n, c in (("1", [0, 1, 0]), ("2", [1, 0, 1]), ("3", [0, 0, 1]))
    )
    assert [c.by for c in distinct_slicings([first, same, other])] == ["1", "3"]
    assert length_thirds(np.array([1.0, 2, 3, np.nan])).tolist() == [0, 1, 2, -1]
    assert length_thirds(np.arange(12.0)).tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert make_slicing("coded", ["a", "b"], np.array([1, 1, 0, -1])).code.tolist() == [0, 0, 1, -1]


# -- growth -----------------------------------------------------------------------------------------------------------


def test_the_curve_goes_through_the_first_items_and_ends_at_the_whole():
    cells = make_cells(300, 2, 0.7, 6)
    steps = kappa_by_size(cells, 5, "quadratic")
    assert [s.items for s in steps] == curve_sizes(300)
    assert (steps[0].items, steps[-1].items) == (10, 300)
    early = np.asarray(cells.item) < 10
    assert steps[0].point == pytest.approx(kappa(cross_table(cells.human[early], cells.judge[early], 5), "quadratic"))
    whole = interval_from_moments(*with_sizes(*moments(*cells[:3])))
    assert (steps[-1].point, steps[-1].low, steps[-1].high) == pytest.approx((whole.point, whole.low, whole.high))
    assert kappa_by_size(Cells(*[np.zeros(0, dtype=np.int64)] * 3), 5, "quadratic") == []
    assert curve_sizes(7) == [7]
    constant = kappa_by_size(Cells(np.arange(20), np.full(20, 3), np.full(20, 3)), 5, "quadratic")
    assert all(s.point is None for s in constant)


def test_four_times_the_items_are_expected_to_halve_the_error():
    now = Interval(0.6, 0.4, 0.8, 0.43, 100, 100, 100.0, "linearised", 0.1)
    last = extrapolate_interval(now, 400)[-1]
    assert (last.items, last.se, last.low) == (400, pytest.approx(0.05), pytest.approx(0.6 - 1.959964 * 0.05))
    assert extrapolate_interval(now, 100) == []


def test_a_judge_that_never_differed_has_a_band_that_narrows_and_no_line():
    answers = np.tile([0, 1, 2, 2, 4], 20)
    cells = Cells(np.arange(100), answers, answers)
    steps, whole = kappa_by_size(cells, 5, "quadratic"), kappa_interval(cells, 5, "quadratic")
    assert {(s.point, s.high) for s in steps} == {(1.0, 1.0)}
    assert (steps[-1].low, steps[-1].lower_bound) == (whole.low, whole.lower_bound)
    assert [s.low for s in steps] == sorted(s.low for s in steps) and -1 < steps[0].low < steps[-1].low < 1
    twice = np.tile(answers, 2)
    [*_, last] = kappa_by_size(Cells(np.arange(200), twice, twice), 5, "quadratic")
    ahead = extrapolate_interval(whole, 200)[-1]
    assert (ahead.low, ahead.lower_bound) == pytest.approx((last.low, last.lower_bound))


# -- confidence -------------------------------------------------------------------------------------------------------


def test_the_calibration_error_by_hand():
    # .9 sure in 4 cells, 3 right; .5 sure in 4, 1 right: (.5 |.9 - .75| + .5 |.5 - .25|) = .2
    sure = ConfidenceCells(np.arange(8), np.repeat([0.9, 0.5], 4), np.array([0, 0, 0, 2, 0, 1, 1, 3.0]), np.ones(8))
    calibration = confidence_calibration(sure)
    assert calibration.ece == pytest.approx(0.2)
    assert [(level.low, level.stated, level.accuracy.point, level.near.point) for level in calibration.levels] == [
        (0.5, 0.5, 0.25, 0.75), (0.9, 0.9, 0.75, 0.75),
    ]  # fmt: skip
    assert (calibration.stated, calibration.accuracy.point) == pytest.approx((0.7, 0.5))
    # right ones: .9 .9 .9 .5, wrong ones: .9 .5 .5 .5: (3 * (.5 + 3) + 3 * .5) / 16 = .75
    assert calibration.auroc.point == pytest.approx(0.75)
    assert confidence_calibration(ConfidenceCells(*[np.zeros(0)] * 4)) is None


def test_a_calibrated_judge_has_about_the_error_that_chance_gives_and_many_values_make_tenths():
    rng = np.random.default_rng(7)
    calibrations = []
    for _ in range(40):
        stated = rng.uniform(0, 1, 400)
        off = (rng.random(400) > stated).astype(float)
        calibrations.append(confidence_calibration(ConfidenceCells(np.arange(400), stated, off, np.ones(400))))
    assert len(calibrations[0].levels) == 10
    assert np.mean([calibration.ece for calibration in calibrations]) == pytest.approx(
        np.mean([calibration.ece_if_calibrated for calibration in calibrations]), rel=0.15
    )


def test_auroc_is_that_of_scikit_learn_with_the_error_of_delong():
    rng = np.random.default_rng(8)
    confidence, off = rng.choice([0.2, 0.5, 0.8, 0.9], 150), rng.integers(0, 3, 150).astype(float)
    weight = rng.uniform(1, 3, 150)
    area = auroc(ConfidenceCells(np.arange(150), confidence, off, weight))
    assert area.point == pytest.approx(roc_auc_score(off == 0, confidence, sample_weight=weight))
    plain = auroc(ConfidenceCells(np.arange(150), confidence, off, np.ones(150)))
    yes, no = confidence[off == 0], confidence[off > 0]
    above = (yes[:, None] > no) + 0.5 * (yes[:, None] == no)
    delong = above.mean(1).var(ddof=1) / len(yes) + above.mean(0).var(ddof=1) / len(no)
    assert plain.se**2 == pytest.approx(delong)
    t = scipy.stats.t.ppf(0.975, min(len(yes), len(no)) - 1)
    assert (plain.low, plain.high) == pytest.approx((plain.point - t * plain.se, plain.point + t * plain.se))
    assert auroc(ConfidenceCells(np.arange(3), np.ones(3), np.zeros(3), np.ones(3))) is None


def test_auroc_of_hardly_any_wrong_cells_has_wide_ends_or_none():
    def area(confidence, off):
        return auroc(ConfidenceCells(np.arange(len(off)), np.array(confidence), np.array(off), np.ones(len(off))))

    one = area([0.9] * 20 + [0.7] * 9 + [0.8], [0.0] * 29 + [1.0])
    assert one.point == pytest.approx(20 / 29) and (one.low, one.high, one.se) == (None, None, None)
    perfect = area([0.1, 0.2, 0.8, 0.9], [1.0, 1.0, 0.0, 0.0])
    assert perfect.point == 1 and perfect.low is None
    rng, verdicts = np.random.default_rng(2), 0
    for _ in range(300):  # confidence of no use, one wrong rating in 20
        figure = area(rng.integers(1, 10, 60) / 10, (rng.random(60) < 0.05).astype(float))
        verdicts += figure is not None and figure.low is not None and not figure.low <= 0.5 <= figure.high
    assert verdicts <= 24  # .05 of 300 is 15; with the normal quantile it was 80


def test_a_share_of_doubled_cells_is_as_sure_as_that_of_single_ones():
    yes = np.array([1.0] * 30 + [0.0] * 10)
    single = weighted_share(np.arange(40), yes, np.ones(40))
    double = weighted_share(np.repeat(np.arange(40), 2), np.repeat(yes, 2), np.ones(80))
    assert (single.low, single.high) == pytest.approx((double.low, double.high))
    assert (double.n_eff, double.cells) == (pytest.approx(39), 80)  # p q / se^2 with G / (G - 1)
    every = weighted_share(np.repeat(np.arange(40), 2), np.ones(80), np.ones(80))
    assert (every.point, every.high, every.n_eff) == (1.0, 1.0, 40)
    assert every.low == pytest.approx(40 / (40 + 1.959964**2))  # Wilson at p = 1: n / (n + z^2)


# -- judges side by side ----------------------------------------------------------------------------------------------


def test_kappas_differences_and_agreement_of_judges_on_the_same_cells():
    good, poor = make_cells(150, 2, 0.8, 9), make_cells(150, 2, 0.4, 9)
    seats = SharedCells(
        np.asarray(good.item), np.asarray(good.human), {"a": good.judge, "b": poor.judge, "c": good.judge}, None
    )
    comparison = compare_judges(seats, "a", 5, "quadratic")
    assert comparison.kappas["a"] == kappa_interval(Cells(*good[:3]), 5)
    assert comparison.kappas["b"].point == pytest.approx(kappa(cross_table(good.human, poor.judge, 5), "quadratic"))
    assert comparison.between["a", "b"].point == pytest.approx(
        kappa(cross_table(good.judge, poor.judge, 5), "quadratic")
    )
    assert comparison.between["a", "c"].point == 1
    worse, same = adjust_pairs(comparison.pairs)
    assert worse.difference.point == pytest.approx(comparison.kappas["b"].point - comparison.kappas["a"].point)
    assert (worse.verdict, same.verdict) == ("worse", "cannot tell")
    assert worse.adjusted == pytest.approx(2 * worse.p)  # the smaller of two, by Holm
    assert (same.difference.point, same.p, same.more_items) == (0.0, 1.0, None)


def gap(point, se, items=100):
    return Interval(
        point, point - 1.959964 * se, point + 1.959964 * se, point - 1.6 * se, items, items, float(items),
        "linearised", se,
    )  # fmt: skip


def test_what_chance_among_many_could_do_is_no_difference_and_the_planner_says_what_would_tell():
    pairs = [
        JudgePair("a", name, g, two_sided_p(g))
        for name, g in zip("bcd", (gap(0.1, 0.045), gap(0.02, 0.05), gap(0.5, 0.1, 20)), strict=True)
    ]
    adjusted = adjust_pairs(pairs)
    assert adjusted[0].p == pytest.approx(2 * scipy.stats.norm.sf(0.1 / 0.045), rel=1e-6)
    assert adjusted[0].adjusted == pytest.approx(2 * adjusted[0].p)  # d has too few items and is not tested
    assert [p.verdict for p in adjusted] == ["cannot tell", "cannot tell", "too few items"]
    assert adjust_pairs(pairs[:1])[0].verdict == "better"
    # without luck (1.96 / 1.6)^2 = 1.5 times as many items; a difference of .4 errors would take 24 times as many
    low, high = more_items_to_separate(gap(0.08, 0.05))
    assert 0 < low < 50 < high < 900
    assert more_items_to_separate(gap(0.02, 0.05)) is None and more_items_to_separate(gap(0.0, 0.05)) is None
    assert two_sided_p(Interval(None, None, None, None, 5, 5, 5.0, "linearised")) is None
    assert two_sided_p(Interval(0.4, 0.4, 0.4, 0.4, 50, 50, 50.0, "linearised", 0.0)) == 0
    assert two_sided_p(Interval(0.0, 0.0, 0.0, 0.0, 50, 50, 50.0, "linearised", 0.0)) == 1


@pytest.mark.parametrize("point", [0.3, -0.3])
def test_p_is_that_of_the_end_toward_zero_so_that_verdict_and_interval_say_the_same(point: float) -> None:
    """Few people gave another answer: the interval reaches further toward 0 than 1.96 standard errors do."""
    low, high = (-0.05, 0.4) if point > 0 else (-0.4, 0.05)
    difference = Interval(point, low, high, low, 30, 30, 30.0, "cluster bootstrap", 0.1)
    [pair] = adjust_pairs([JudgePair("a", "b", difference, two_sided_p(difference))])
    assert pair.p == pytest.approx(2 * scipy.stats.norm.sf(1.959964 * 0.3 / 0.35), rel=1e-5)  # |d| / se gave .003
    assert pair.verdict == "cannot tell" and pair.more_items is not None
    clear = replace(difference, low=0.01, high=0.5) if point > 0 else replace(difference, low=-0.5, high=-0.01)
    [pair] = adjust_pairs([JudgePair("a", "b", clear, two_sided_p(clear))])
    assert pair.verdict == ("better" if point > 0 else "worse")


def test_judges_on_few_items_with_one_common_answer_differ_only_where_their_interval_excludes_zero() -> None:
    rng, ends = np.random.default_rng(4), scipy.stats.norm.ppf([0.01, 0.03, 0.06, 0.15])
    for _ in range(40):
        quality = rng.normal(size=40)
        one, other, people = (np.searchsorted(ends * 1.17, quality + 0.6 * rng.normal(size=40)) for _ in range(3))
        [pair] = compare_judges(
            SharedCells(np.arange(40), people, {"a": one, "b": other}, None), "a", 5, "quadratic"
        ).pairs
        low, high = pair.difference.low, pair.difference.high
        if low is None or high is None:
            assert pair.p is None
        else:
            assert (pair.p <= 0.05) == (not low <= 0 <= high) or 0 in (low, high)
