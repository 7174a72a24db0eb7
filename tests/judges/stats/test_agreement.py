"""Agreement: hand arithmetic beside the assertion, scikit-learn as oracle, and the properties every table must have."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score

from judges.stats.agreement import (
    check_codes,
    commonest_share,
    cross_table,
    disagreement_weights,
    effective_size,
    gwet_ac,
    kappa,
    kappa_from_sums,
    marginals,
    na_agreement,
    share_within,
)

quick = settings(deadline=None, max_examples=50)

def exact_agreement(table):
    return share_within(table, 0)


def agreement_within_one(table):
    return share_within(table, 1)


HAND = [[2, 1, 0], [0, 2, 1], [1, 0, 2]]
WEIGHTS = [None, "linear", "quadratic"]
FIGURES = [
    kappa,
    exact_agreement,
    agreement_within_one,
    marginals,
    commonest_share,
    gwet_ac,
]


@st.composite
def tables(draw, low=2, high=6, top=12):
    k = draw(st.integers(low, high))
    return draw(arrays(np.int64, (k, k), elements=st.integers(0, top))).astype(float)


def rows(table):
    """The cells of a table of counts, one row each: human codes and judge codes."""
    table = np.asarray(table).astype(int)
    human, judge = np.nonzero(table)
    times = table[human, judge]
    return np.repeat(human, times), np.repeat(judge, times)


# --- kappa -----------------------------------------------------------------------------------------------------------


def test_the_hand_table_has_quadratic_kappa_exactly_one_half():
    # observed sum(C*D): 1 (row 0) + 1 (row 1) + 4 (row 2) = 6
    # expected: r = c = (3,3,3), n = 9: 3*3*(1+4+1+1+4+1)/9 = 12;  1 - 6/12 = .5, exactly: a gate stands at .5
    assert kappa(HAND, "quadratic") == 0.5


def test_the_hand_table_by_the_other_weights():
    # plain: 3 of 9 off the diagonal = 3, expected 9*6/9 = 6;      1 - 3/6 = .5
    # linear: observed 1+1+2 = 4, expected 9*(1+2+1+1+2+1)/9 = 8;  1 - 4/8 = .5
    assert kappa(HAND) == 0.5
    assert kappa(HAND, "linear") == 0.5


def test_a_lopsided_hand_table():
    # [[4,1],[2,3]]: p_o = .7; p_e = .5*.6 + .5*.4 = .5; kappa = .2/.5 = .4
    assert kappa([[4, 1], [2, 3]]) == pytest.approx(0.4)


def test_observed_ranks_are_the_trap_that_the_full_scale_avoids():
    # On a scale 1..5 where nobody gave 3 or 4, the one disagreement pair is 2 against 5.
    human, judge = [1, 1, 2, 2, 5, 5], [1, 1, 2, 5, 2, 5]
    # full scale: observed (2-5)^2 + (5-2)^2 = 18; expected: margins 2,2,2 at 1,2,5: 2*2*2*(1+16+9)/6 = 208/6
    #   1 - 18 * 6 / 208 = .4808
    # ranks of what occurred (1,2,5 -> 0,1,2): observed 1+1 = 2; expected 2*2*2*(1+4+1)/6 = 8; 1 - 2/8 = .75
    ours = kappa(cross_table(np.array(human) - 1, np.array(judge) - 1, 5), "quadratic")
    assert ours == pytest.approx(1 - 108 / 208)
    assert cohen_kappa_score(human, judge, weights="quadratic") == pytest.approx(0.75)
    assert cohen_kappa_score(human, judge, weights="quadratic", labels=[1, 2, 3, 4, 5]) == pytest.approx(ours)


@pytest.mark.parametrize("weights", WEIGHTS)
@quick
@given(table=tables())
def test_kappa_is_scikit_learns_on_the_full_scale(table, weights):
    ours = kappa(table, weights)
    assume(ours is not None)
    human, judge = rows(table)
    expected = cohen_kappa_score(human, judge, weights=weights, labels=list(range(len(table))))
    assert ours == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("weights", WEIGHTS)
@quick
@given(table=tables(), scale=st.floats(1e-3, 1e6))
def test_kappa_is_symmetric_and_blind_to_the_unit_of_the_weights(table, weights, scale):
    ours = kappa(table, weights)
    if ours is None:
        assert kappa(table.T, weights) is None and kappa(table * scale, weights) is None
    else:
        assert -1 - 1e-9 <= ours <= 1
        assert kappa(table.T, weights) == pytest.approx(ours, abs=1e-12)
        assert kappa(table * scale, weights) == pytest.approx(ours, abs=1e-9)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@quick
@given(table=tables())
def test_turning_the_scale_round_or_adding_an_unused_end_changes_nothing(table, weights):
    ours = kappa(table, weights)
    padded = np.pad(table, ((1, 2), (1, 2)))
    expected = None if ours is None else pytest.approx(ours, abs=1e-12)
    assert kappa(table[::-1, ::-1], weights) == expected
    assert kappa(padded, weights) == expected


@quick
@given(table=tables())
def test_plain_kappa_does_not_know_an_order(table):
    shuffle = np.random.default_rng(1).permutation(len(table))
    ours = kappa(table)
    assert kappa(table[np.ix_(shuffle, shuffle)]) == (None if ours is None else pytest.approx(ours, abs=1e-12))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    "table",
    [np.zeros((5, 5)), np.zeros((0, 0)), [[7]], [[0, 0, 0], [0, 40, 0], [0, 0, 0]], [[1 / 3, 0], [0, 0]]],
    ids=["empty", "no values", "one value", "all the same", "all the same, weighted"],
)
def test_without_expected_disagreement_kappa_is_undefined(table, weights):
    assert kappa(table, weights) is None


def test_one_constant_side_is_no_agreement_beyond_chance_and_is_defined():
    # human always 1, judge 1 or 2: observed 3, expected 10*3/10 = 3 -> 0: here chance disagreement does exist
    assert kappa([[0, 0, 0], [0, 7, 3], [0, 0, 0]], "quadratic") == 0.0


def test_scikit_learn_says_nan_or_zero_where_kappa_is_undefined():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(cohen_kappa_score([4, 4, 4], [4, 4, 4], labels=[1, 2, 3, 4, 5]))
    assert kappa(cross_table([3, 3, 3], [3, 3, 3], 5)) is None


@pytest.mark.parametrize(
    ("table", "weights", "says"),
    [
        ([[1, 2, 3], [4, 5, 6]], None, "square"),
        ([1, 2, 3], None, "square"),
        ([[1, -1], [0, 1]], None, "negative"),
        ([[1, float("nan")], [0, 1]], None, "finite"),
        ([[1, float("inf")], [0, 1]], None, "finite"),
        ([[1, 0], [0, 1]], "cubic", "linear"),
        ([[1, 0], [0, 1]], "none", "linear"),
    ],
)
def test_a_bad_table_is_refused_with_a_sentence(table, weights, says):
    with pytest.raises(ValueError, match=says) as refusal:
        kappa(table, weights)
    assert str(refusal.value).endswith(".")


# --- six sums --------------------------------------------------------------------------------------------------------


def six_sums(x, y, w):
    return np.array([w.sum(), w @ x, w @ y, w @ (x * x), w @ (y * y), w @ (x * y)])


@quick
@given(table=tables(high=10), shift=st.integers(-3, 10))
def test_six_sums_give_the_same_kappa_as_the_table_in_any_coding(table, shift):
    human, judge = rows(table)
    sums = six_sums(human + float(shift), judge + float(shift), np.ones(len(human)))
    ours = kappa(table, "quadratic")
    assert kappa_from_sums(sums) == (None if ours is None else pytest.approx(ours, abs=1e-9))


def test_six_sums_are_lins_concordance():
    rng = np.random.default_rng(3)
    x, y = rng.integers(1, 6, 400), rng.integers(1, 6, 400)
    y = np.where(rng.random(400) < 0.5, x, y)
    lin = 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    assert kappa_from_sums(six_sums(x, y, np.ones(400))) == pytest.approx(lin)


@quick
@given(value=st.integers(0, 9), weight=st.lists(st.floats(0.01, 1e4), min_size=1, max_size=50))
def test_six_sums_of_a_constant_are_undefined_under_rounding(value, weight):
    x = np.full(len(weight), float(value))
    assert kappa_from_sums(six_sums(x, x, np.array(weight))) is None


def test_one_disagreement_in_ten_million_is_not_mistaken_for_rounding():
    n = 10_000_000.0
    # all (9, 9) but one (9, 8): x constant, so cov = 0 and kappa = 0, and it is defined
    sums = [n, 9 * n, 9 * n - 1, 81 * n, 81 * n - 17, 81 * n - 9]
    assert kappa_from_sums(sums) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("sums", [[1, 2, 3], [1, 2, 3, 4, 5, float("nan")]])
def test_bad_sums_are_refused(sums):
    with pytest.raises(ValueError, match="Six finite sums"):
        kappa_from_sums(sums)


# --- the table from cells --------------------------------------------------------------------------------------------


def test_rows_are_the_human_and_columns_the_judge():
    table = cross_table([0, 0, 2], [1, 1, 0], 3)
    assert table.tolist() == [[0, 2, 0], [0, 0, 0], [1, 0, 0]]
    assert table.dtype == np.float64


def test_weights_are_summed():
    assert cross_table([0, 0], [1, 1], 2, [2.5, 4]).tolist() == [[0, 6.5], [0, 0]]


def test_no_cells_make_an_empty_table():
    assert cross_table([], [], 5).tolist() == np.zeros((5, 5)).tolist()


def test_small_integers_do_not_overflow():
    # int8 holds up to 127, and 11 * 12 + 11 = 143
    codes_of = np.array([11], dtype=np.int8)
    assert cross_table(codes_of, codes_of, 12)[11, 11] == 1


def test_flags_may_be_booleans():
    assert cross_table([True, False], [True, True], 2).tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize(
    ("human", "judge", "weight", "says"),
    [
        ([0, 5], [0, 1], None, "human codes must lie on the scale"),
        ([0, 1], [-1, 1], None, "judge codes must lie on the scale"),
        ([0, 1], [1], None, "same cells"),
        ([0.0, 1.0], [1, 1], None, "whole numbers"),
        (["1"], [1], None, "whole numbers"),
        ([0, 1], [1, 1], [1.0], "one weight"),
        ([0, 1], [1, 1], [1.0, 0.0], "positive"),
        ([0, 1], [1, 1], [1.0, float("nan")], "positive"),
    ],
)
def test_bad_cells_are_refused_with_a_sentence(human, judge, weight, says):
    with pytest.raises(ValueError, match=says) as refusal:
        cross_table(human, judge, 5, weight)
    assert str(refusal.value).endswith(".")


def test_codes_beyond_a_machine_word_are_off_the_scale():
    with pytest.raises(ValueError, match="lie on the scale"):
        check_codes(np.array([2**63 + 1], dtype=np.uint64), 5, "human")


# --- the figures beside kappa ----------------------------------------------------------------------------------------


def test_the_hand_table_by_every_other_figure():
    assert share_within(HAND, 0) == pytest.approx(6 / 9)
    assert share_within(HAND, 1) == pytest.approx(8 / 9)  # all but the one (2, 0)
    assert commonest_share(HAND) == pytest.approx(1 / 3)
    assert [m.tolist() for m in marginals(HAND)] == [[pytest.approx(1 / 3)] * 3] * 2


def test_the_commonest_share_counts_both_sides():
    # human: 9 of 10 are value 0; judge: 7 of 10; both: 16 of 20
    assert commonest_share([[7, 2], [0, 1]]) == pytest.approx(0.8)


@pytest.mark.parametrize("table", [np.zeros((5, 5)), np.zeros((0, 0))])
@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.__name__)
def test_every_figure_of_an_empty_table_is_none(figure, table):
    assert figure(table) is None


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("table", [[[1, 2]], [[1, -2], [1, 1]], [[1, float("nan")], [0, 1]]])
def test_every_figure_refuses_a_bad_table(figure, table):
    with pytest.raises(ValueError):
        figure(table)


@quick
@given(table=tables())
def test_no_figure_is_ever_nan(table):
    for figure in FIGURES:
        value = figure(table)
        assert value is None or np.isfinite(value).all()


# --- Gwet ------------------------------------------------------------------------------------------------------------


def test_ac1_on_the_table_where_kappa_breaks_down():
    # Gwet 2008's kind of case: [[118, 5], [2, 0]], n 125, p_a = 118/125 = .944
    # pi = ((123+120)/250, (2+5)/250) = (.972, .028); p_e = 2 * .972 * .028 = .054432
    # AC1 = (.944 - .054432) / (1 - .054432) = .9408, while kappa is below 0
    table = [[118, 5], [2, 0]]
    assert gwet_ac(table) == pytest.approx((0.944 - 0.054432) / (1 - 0.054432))
    assert kappa(table) < 0


def test_ac2_by_hand():
    # HAND, quadratic: W = [[1,.75,0],[.75,1,.75],[0,.75,1]], sum 6; p_a = (6 + .75*2 + 0)/9 = 7.5/9
    # pi = 1/3 each; p_e = 6/(3*2) * 3*(1/3)(2/3) = 2/3; AC2 = (7.5/9 - 6/9)/(1 - 6/9) = .5
    assert gwet_ac(HAND, "quadratic") == pytest.approx(0.5)


def test_ac_of_two_constant_sides_is_one_by_its_formula_where_kappa_is_undefined():
    table = [[0, 0, 0], [0, 9, 0], [0, 0, 0]]
    assert gwet_ac(table, "quadratic") == 1.0
    assert kappa(table, "quadratic") is None


@pytest.mark.parametrize("weights", WEIGHTS)
@quick
@given(table=tables())
def test_ac_is_symmetric_and_at_most_one(table, weights):
    assume(table.sum() > 0)
    value = gwet_ac(table, weights)
    assert value <= 1 + 1e-12
    assert gwet_ac(table.T, weights) == pytest.approx(value)


# --- n/a, weights ----------------------------------------------------------------------------------------------------


def test_na_is_measured_apart():
    na = na_agreement(both=60, human_only=10, judge_only=20, neither=10)
    assert na.cells == 100
    assert na.agreement == pytest.approx(0.7)
    # the human scored 60 + 10, the judge 60 + 20: p_e = .7*.8 + .3*.2 = .62; kappa = (.7 - .62)/.38
    assert na.kappa == pytest.approx(0.08 / 0.38)


def test_na_that_nobody_used_has_no_kappa():
    na = na_agreement(50, 0, 0, 0)
    assert (na.agreement, na.kappa) == (1, None)


def test_na_of_nothing_is_undefined():
    na = na_agreement(0, 0, 0, 0)
    assert (na.agreement, na.kappa) == (None, None)


def test_kish_by_hand():
    assert effective_size([3, 1, 1, 1]) == pytest.approx(36 / 12)  # (3+1+1+1)^2 / (9+1+1+1)
    assert effective_size([]) == 0.0


@quick
@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=60), st.floats(1e-3, 1e3))
def test_kish_is_between_one_and_the_number_and_blind_to_the_unit(weights, scale):
    n_eff = effective_size(weights)
    assert 1 - 1e-9 <= n_eff <= len(weights) + 1e-9
    assert effective_size([w * scale for w in weights]) == pytest.approx(n_eff)


@pytest.mark.parametrize("weights", [[1, -1], [1, float("nan")], [float("inf")]])
def test_kish_refuses_what_are_no_weights(weights):
    with pytest.raises(ValueError):
        effective_size(weights)


@quick
@given(k=st.integers(1, 11))
def test_costs_are_distances(k):
    for weights in WEIGHTS:
        cost = disagreement_weights(k, weights)
        assert cost.shape == (k, k) and (cost == cost.T).all() and (np.diag(cost) == 0).all()
        assert (cost[~np.eye(k, dtype=bool)] > 0).all()
