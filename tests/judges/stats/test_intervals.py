"""Intervals: items are clusters, both roads agree, and the nominal coverage is kept where independent rows lose it."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from judges.stats import bootstrap, intervals
from judges.stats.agreement import cross_table, kappa
from judges.stats.bootstrap import item_sums
from judges.stats.intervals import (
    BOOTSTRAP,
    LINEARISE_FROM,
    Cells,
    bootstrap_kappa,
    interval_from_moments,
    interval_from_table,
    kappa_difference,
    kappa_interval,
    linearised_kappa,
    unrelated_error,
)
from judges.stats.uncertainty import wilson_interval
from tests.judges.large_sample import fleiss_cohen_everitt
from tests.judges.moments import moments, with_sizes

WEIGHTS = [None, "linear", "quadratic"]
quick = settings(deadline=None, max_examples=40)


def dialogues(items, turns, seed, k=5, leniency=0.9, quality=0.9):
    """Codes 0..k-1 of a human and a judge over `turns` cells an item; the judge has a mood that lasts for an item."""
    rng = np.random.default_rng(seed)
    shape = (items, turns)
    good = quality * rng.normal(size=(items, 1))
    mood = leniency * rng.normal(size=(items, 1))
    middle = (k - 1) / 2
    human = np.clip(np.rint(middle + good + 0.6 * rng.normal(size=shape)), 0, k - 1).astype(int)
    judge = np.clip(np.rint(middle + good + mood + 0.6 * rng.normal(size=shape)), 0, k - 1).astype(int)
    return np.repeat(np.arange(items), turns), human.ravel(), judge.ravel()


def table_moments(item, human, judge, k, weight=None):
    """The plain way: one table an item, then their cross-products."""
    weight = np.ones(len(item)) if weight is None else weight
    tables = np.zeros((item.max() + 1, k, k))
    np.add.at(tables, (item, human, judge), weight)
    flat = tables.reshape(len(tables), -1)
    return tables.sum(axis=0), flat.T @ flat, len(tables)


def figures(interval):
    return interval.point, interval.low, interval.high, interval.lower_bound, interval.se


# --- bootstrap -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_bootstrap_is_kappa_and_its_error_of_the_tables_of_the_items_drawn(weights):
    item, human, judge = dialogues(60, 4, seed=1)
    weight = np.repeat(np.random.default_rng(2).choice([1.0, 3.0], 60), 4)
    item_tables = np.zeros((60, 5, 5))
    np.add.at(item_tables, (item, human, judge), weight)
    sums = item_sums(item, human, judge, weight, 60, 5, weights)
    item_tables = item_tables[np.lexsort(np.round(sums / sums.max(axis=0), 9).T[::-1])]
    ours = bootstrap_kappa(Cells(item, human, judge, weight), 5, weights, replicates=300, seed=3)

    def table_interval(tables):
        flat = tables.reshape(len(tables), -1)
        return interval_from_table(*with_sizes(tables.sum(axis=0), flat.T @ flat, len(tables)), weights)

    whole, draws = table_interval(item_tables), np.random.default_rng(3).integers(0, 60, size=(300, 60))
    drawn = [table_interval(item_tables[draw]) for draw in draws]
    kappas = np.array([replicate.point for replicate in drawn])
    assert ours.point == pytest.approx(whole.point)
    assert ours.se == pytest.approx(whole.se)
    # f = -log(1 - kappa) has the error se / (1 - kappa)
    f, error = -np.log(1 - whole.point), whole.se / (1 - whole.point)
    t = [(-np.log(1 - replicate.point) - f) * (1 - replicate.point) / replicate.se for replicate in drawn]
    low, high, bound = (1 - np.exp(-(f - q * error)) for q in np.quantile(t, [0.975, 0.025, 0.95]))
    percentiles = np.quantile(kappas, [0.025, 0.975, 0.05])
    assert ours.low == pytest.approx(min(low, percentiles[0]))
    assert ours.high == pytest.approx(max(high, percentiles[1]))
    assert ours.lower_bound == pytest.approx(min(bound, percentiles[2]))


def test_the_bootstrap_spreads_as_multinomial_counts_do():
    item, human, judge = dialogues(80, 4, seed=1)
    tables = np.zeros((80, 5, 5))
    np.add.at(tables, (item, human, judge), 1)
    counts = np.random.default_rng(4).multinomial(80, np.full(80, 1 / 80), 4000)
    drawn = [kappa(table, "quadratic") for table in np.tensordot(counts, tables, 1)]
    ours = bootstrap_kappa(Cells(item, human, judge), 5, replicates=4000)
    assert ours.se == pytest.approx(np.std(drawn), rel=0.06)
    assert ours.lower_bound == pytest.approx(np.quantile(drawn, 0.05), abs=0.2 * ours.se)


def test_the_ends_are_in_order_and_the_one_sided_bound_is_within():
    interval = bootstrap_kappa(Cells(*dialogues(100, 5, seed=2)), 5)
    assert interval.low < interval.lower_bound < interval.point < interval.high
    assert (interval.items, interval.cells, interval.n_eff, interval.method) == (100, 500, 100.0, BOOTSTRAP)


def test_the_same_seed_gives_the_same_interval_and_another_another():
    cells = dialogues(50, 3, seed=3)
    assert bootstrap_kappa(Cells(*cells), 5, seed=7) == bootstrap_kappa(Cells(*cells), 5, seed=7)
    assert bootstrap_kappa(Cells(*cells), 5, seed=7).low != bootstrap_kappa(Cells(*cells), 5, seed=8).low


def test_bounding_the_memory_does_not_change_the_interval(monkeypatch):
    cells = dialogues(70, 3, seed=4)
    whole = bootstrap_kappa(Cells(*cells), 5, replicates=300)
    monkeypatch.setattr(bootstrap, "_MAX_DRAWS_IN_MEMORY", 1000)
    bootstrap._draw_counts.cache_clear()
    assert bootstrap_kappa(Cells(*cells), 5, replicates=300) == whole


def test_draws_that_are_kept_and_draws_that_are_too_many_to_keep_give_the_same(monkeypatch):
    cells, seed = dialogues(70, 3, seed=4), 12
    cached = [bootstrap_kappa(Cells(*cells), 5, replicates=300, seed=seed) for _ in range(2)]
    monkeypatch.setattr(bootstrap, "_MAX_CACHED_DRAWS", 0)
    assert cached == [bootstrap_kappa(Cells(*cells), 5, replicates=300, seed=seed)] * 2


@pytest.mark.parametrize("road", [bootstrap_kappa, kappa_interval])
def test_item_numbers_order_of_rows_and_unit_of_weights_do_not_matter(road):
    item, human, judge = dialogues(60, 4, seed=5)
    plain = road(Cells(item, human, judge), 5)
    names = np.sort(np.random.default_rng(0).choice(10**12, 60, replace=False)) - 10**11
    assert figures(road(Cells(names[item], human, judge), 5)) == pytest.approx(figures(plain))
    assert figures(road(Cells(item * 2 + 1, human, judge), 5)) == pytest.approx(figures(plain))
    assert figures(road(Cells((item + 3).astype(np.uint64), human, judge), 5)) == pytest.approx(figures(plain))
    shuffle = np.random.default_rng(1).permutation(len(item))
    assert figures(road(Cells(item[shuffle], human[shuffle], judge[shuffle]), 5)) == pytest.approx(figures(plain))
    assert figures(road(Cells(item, human, judge, np.full(240, 1 / 0.3)), 5)) == pytest.approx(figures(plain))


def test_a_cell_of_weight_two_moves_the_point_like_two_cells_of_one_item():
    twice = bootstrap_kappa(Cells([0, 1, 1, 2], [0, 1, 1, 2], [0, 2, 2, 2]), 3)
    once = bootstrap_kappa(Cells([0, 1, 2], [0, 1, 2], [0, 2, 2], [1, 2, 1]), 3)
    assert figures(once) == pytest.approx(figures(twice))
    # Kish over items with weights 1, 2, 1: 16 / 6; two cells of weight 1 weigh an item no more than one does
    assert once.n_eff == pytest.approx(16 / 6) and twice.n_eff == 3
    assert (once.cells, twice.cells) == (3, 4)


def test_copying_every_turn_does_not_shrink_the_interval():
    item, human, judge = dialogues(80, 1, seed=6)
    once = bootstrap_kappa(Cells(item, human, judge), 5)
    copied = bootstrap_kappa(Cells(np.tile(item, 10), np.tile(human, 10), np.tile(judge, 10)), 5)
    assert figures(copied) == pytest.approx(figures(once))
    assert fleiss_cohen_everitt(cross_table(np.tile(human, 10), np.tile(judge, 10), 5)) < once.se**2 / 5


@pytest.mark.parametrize("weights", WEIGHTS)
def test_constant_answers_have_no_point_and_no_interval(weights):
    interval = bootstrap_kappa(Cells(np.arange(200), np.full(200, 4), np.full(200, 4)), 5, weights)
    assert figures(interval) == (None,) * 5
    assert interval.undefined == 1.0 and interval.items == 200


def test_undefined_replicates_are_left_out_and_reported():
    # Six of 200 items carry the only other value; a replicate misses them all with (1 - 6/200)^200 = .0023
    human = np.zeros(200, dtype=int)
    human[:6] = 3
    interval = bootstrap_kappa(Cells(np.arange(200), human, human), 5, replicates=4000)
    assert 0 < interval.undefined < 0.01
    # Never a disagreement: with probability .025 there are still as many as -log(.025) = 3.689 to come in such a lot.
    # One step apart each: n O / E = 200 * 3.689 / (2 * 6 * 194 * 9) = .0352; one-sided 200 * 2.996 / 20952 = .0286
    assert (interval.low, interval.lower_bound, interval.high) == pytest.approx((1 - 0.0352, 1 - 0.0286, 1.0), abs=5e-5)


def test_few_disagreements_leave_room_for_as_many_as_a_rare_event_allows():
    # One of 50 pairs differs: kappa .96. Counts of one reach exactly 5.57 at .025 (Poisson), and 1 - kappa as far.
    human = np.arange(50) % 2
    judge = human.copy()
    judge[0] = 1
    interval = bootstrap_kappa(Cells(np.arange(50), human, judge), 2, None)
    assert interval.point == pytest.approx(0.96)
    assert 5 * 0.04 < 1 - interval.low < 8 * 0.04
    assert 3.5 * 0.04 < 1 - interval.lower_bound < 6 * 0.04


def test_many_undefined_replicates_leave_a_point_and_no_interval():
    # One item carries the only other value: (1 - 1/200)^200 = .37 of the replicates are undefined
    human = np.zeros(200, dtype=int)
    human[0] = 3
    interval = bootstrap_kappa(Cells(np.arange(200), human, human), 5)
    assert interval.point == 1.0 and interval.low is None and interval.lower_bound is None
    assert interval.undefined == pytest.approx(0.37, abs=0.05)


@pytest.mark.parametrize("road", [bootstrap_kappa, kappa_interval])
def test_no_cells_and_one_item_have_no_interval(road):
    none = road(Cells([], [], []), 5)
    assert figures(none) == (None,) * 5 and (none.items, none.cells, none.n_eff) == (0, 0, 0.0)
    single = road(Cells([0, 0, 0], [0, 1, 2], [0, 1, 1]), 5)
    assert single.point is not None and single.low is None and single.lower_bound is None
    assert single.is_too_small


@pytest.mark.parametrize(("items", "verdictless"), [(29, True), (30, False)])
def test_fewer_than_thirty_items_give_no_verdict(items, verdictless):
    assert kappa_interval(Cells(*dialogues(items, 10, seed=7)), 5).is_too_small is verdictless


@pytest.mark.parametrize(
    ("cells", "options", "says"),
    [
        (([0, 1], [0, 1], [0, 5]), {}, "judge codes must lie on the scale"),
        (([0, 1], [0, 1], [0]), {}, "one length"),
        (([0, 1], [0, 1], [0, 1], [1, 0]), {}, "positive"),
        (([0.5, 1], [0, 1], [0, 1]), {}, "whole numbers"),
        (([0, 1], [0, 1], [0, 1]), {"weights": "cubic"}, "Weights are"),
        (([0, 1], [0, 1], [0, 1]), {"replicates": 1}, "replicates"),
    ],
)
def test_bad_cells_are_refused_with_a_sentence(cells, options, says):
    with pytest.raises(ValueError, match=says):
        bootstrap_kappa(Cells(*cells), 5, **options)


# --- linearised ------------------------------------------------------------------------------------------------------


@quick
@given(
    table=arrays(np.int64, st.integers(2, 5).map(lambda k: (k, k)), elements=st.integers(0, 9)),
    weights=st.sampled_from(WEIGHTS),
)
def test_with_one_cell_an_item_the_sandwich_is_fleiss_cohen_everitt(table, weights):
    variance, items = fleiss_cohen_everitt(table, weights), int(table.sum())
    assume(variance is not None and items > 1)
    # One cell an item: sum_g t_g t_g' is the table itself on the diagonal.
    interval = interval_from_table(*with_sizes(table, np.diag(table.ravel()), items), weights)
    assert interval.se == pytest.approx(sqrt(variance * items / (items - 1)), abs=1e-7)
    assert interval.point == kappa(table, weights)


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@quick
@given(table=arrays(np.int64, st.integers(2, 5).map(lambda k: (k, k)), elements=st.integers(0, 30)))
def test_fleiss_cohen_everitt_is_statsmodels(table):
    assume(kappa(table) is not None)
    assert fleiss_cohen_everitt(table) == pytest.approx(cohens_kappa(table).var_kappa, abs=1e-12)
    for weights in ("linear", "quadratic"):
        assert fleiss_cohen_everitt(table, weights) == pytest.approx(
            cohens_kappa(table, wt=weights).var_kappa, abs=1e-12
        )


def test_fleiss_cohen_everitt_by_hand():
    # [[4,1],[2,3]] / 10: kappa .4, p_e .5, rows (.5,.5), columns (.6,.4); W = identity, so wbar_i = c_i, wbar_j = r_j.
    # (0,0): .4 [1 - (.6+.5)*.6]^2 = .4 * .34^2 = .04624    (1,1): .3 [1 - (.4+.5)*.6]^2 = .3 * .46^2 = .06348
    # (0,1): .1 [(.6+.5)*.6]^2 = .04356                     (1,0): .2 [(.4+.5)*.6]^2 = .05832        sum .2116
    # minus [.4 - .5*.6]^2 = .01 -> .2016; / (10 * .25) = .08064
    assert fleiss_cohen_everitt([[4, 1], [2, 3]]) == pytest.approx(0.08064)


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@quick
@given(table=arrays(np.int64, st.integers(2, 5).map(lambda k: (k, k)), elements=st.integers(0, 30)))
def test_the_error_of_unrelated_sides_is_statsmodels(table):
    assume(kappa(table) not in (None, 1) and all((table.sum(axis=axis) > 0).sum() > 1 for axis in (0, 1)))
    items = int(table.sum())
    human, judge = (np.repeat(np.indices(table.shape)[side].ravel(), table.ravel()) for side in (0, 1))
    for weights in WEIGHTS:
        expected = cohens_kappa(table, wt=weights).std_kappa0 * sqrt(items / (items - 1))
        assert unrelated_error_of(Cells(np.arange(items), human, judge), len(table), weights) == pytest.approx(expected)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("turns", [1, 3])
def test_the_error_of_unrelated_sides_is_that_of_items_put_together_at_random(weights, turns):
    item, human, _ = dialogues(150, turns, seed=6)
    _, other, _ = dialogues(150, turns, seed=7)
    rng, points = np.random.default_rng(8), []
    for _ in range(400):
        judge = other.reshape(150, turns)[rng.permutation(150)].ravel()
        points.append(kappa(cross_table(human, judge, 5), weights))
    assert unrelated_error_of(Cells(item, human, judge), 5, weights) == pytest.approx(np.std(points), rel=0.15)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(("items", "differing"), [(100, 5), (300, 5), (100, 10), (LINEARISE_FROM, 5)])
def test_few_answers_that_never_meet_do_not_exclude_that_the_sides_are_unrelated(items, differing, weights):
    human, judge = np.full(items, 4), np.full(items, 4)
    human[:differing], judge[differing : 2 * differing] = 2, 3
    interval = kappa_interval(Cells(np.arange(items), human, judge), 5, weights)
    assert interval.low < interval.lower_bound < interval.point < 0 < interval.high


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("road", [bootstrap_kappa, linearised_kappa])
def test_the_ends_of_a_constant_side_are_zero_without_rounding(road, weights):
    human = np.random.default_rng(4).integers(0, 5, 69)
    interval = road(Cells(np.arange(69) // 2, human, np.full(69, 3)), 5, weights)
    assert (interval.low, interval.point, interval.high) == (0, 0, 0)


def unrelated_error_of(cells, k, weights):
    """The error that `kappa_interval` compares kappa with."""
    with pytest.MonkeyPatch.context() as patch:
        errors = []

        def keep(*sides, **sizes):
            errors.append(unrelated_error(*sides, **sizes))
            return errors[-1]

        patch.setattr("judges.stats.intervals.unrelated_error", keep)
        linearised_kappa(cells, k, weights)
    return errors[0]


def test_fleiss_cohen_everitt_of_an_undefined_kappa_is_none():
    assert fleiss_cohen_everitt([[5, 0], [0, 0]], "quadratic") is None


@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("weighted", [False, True])
def test_six_sums_tables_and_cells_give_one_interval(k, weighted):
    item, human, judge = dialogues(LINEARISE_FROM, 3, seed=8, k=k)
    weight = np.repeat(np.random.default_rng(1).uniform(1, 5, LINEARISE_FROM), 3) if weighted else None
    sums = interval_from_moments(*with_sizes(*moments(item, human, judge, weight)))
    shifted = interval_from_moments(*with_sizes(*moments(item, human + 1, judge + 1, weight)))
    table = interval_from_table(*with_sizes(*table_moments(item, human, judge, k, weight)), "quadratic")
    cells = kappa_interval(Cells(item, human, judge, weight), k)
    assert cells.method == sums.method == "linearised"
    for other in (shifted, table, cells):
        assert figures(other) == pytest.approx(figures(sums), rel=1e-7)
        assert (other.items, other.n_eff) == (sums.items, pytest.approx(sums.n_eff))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_sandwich_is_the_jackknife_to_first_order(weights):
    item, human, judge = dialogues(300, 4, seed=9)
    total, cross, items = table_moments(item, human, judge, 5)
    item_tables = np.zeros((items, 5, 5))
    np.add.at(item_tables, (item, human, judge), 1)
    left_out = np.array([kappa(total - table, weights) for table in item_tables])
    jackknife = sqrt((items - 1) / items * ((left_out - left_out.mean()) ** 2).sum())
    assert interval_from_table(*with_sizes(total, cross, items), weights).se == pytest.approx(jackknife, rel=0.02)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_bootstrap_and_linearised_agree_at_two_thousand_items(weights):
    item, human, judge = dialogues(2000, 3, seed=10)
    weight = np.repeat(np.random.default_rng(2).choice([1.0, 4.0], 2000), 3)
    boot = bootstrap_kappa(Cells(item, human, judge, weight), 5, weights)
    line = interval_from_table(*with_sizes(*table_moments(item, human, judge, 5, weight)), weights)
    assert boot.point == pytest.approx(line.point)
    assert boot.se == pytest.approx(line.se, rel=0.08)
    for end in ("low", "high", "lower_bound"):
        assert getattr(boot, end) == pytest.approx(getattr(line, end), abs=0.25 * line.se)
    assert boot.n_eff == pytest.approx(line.n_eff)


def test_from_cells_changes_roads_at_its_constant():
    assert kappa_interval(Cells(*dialogues(LINEARISE_FROM - 1, 1, seed=11)), 5).method == BOOTSTRAP
    assert kappa_interval(Cells(*dialogues(LINEARISE_FROM, 1, seed=11)), 5).method == "linearised"


def test_n_eff_of_items_of_unequal_length_is_their_number_unless_they_are_weighted_unequally():
    rng = np.random.default_rng(12)
    item = np.repeat(np.arange(4000), rng.integers(1, 12, 4000))
    human, judge = rng.integers(0, 5, (2, len(item)))
    interval = kappa_interval(Cells(item, human, judge), 5)
    assert (interval.items, interval.n_eff, interval.cells) == (4000, 4000.0, len(item))


def test_the_weight_of_an_item_is_that_of_its_cells_however_many():
    # items of 5, 1 and 2 cells with weights 1, 3, 1: Kish (1 + 3 + 1)^2 / (1 + 9 + 1)
    item, weight = [0] * 5 + [1] + [2] * 2, [1] * 5 + [3] + [1] * 2
    interval = bootstrap_kappa(Cells(item, [0, 1, 2, 0, 1, 2, 0, 1], [0, 1, 2, 1, 1, 2, 0, 0], weight), 3)
    assert interval.n_eff == pytest.approx(25 / 11)


def test_perfect_agreement_has_no_width_and_stays_within_the_scale():
    item, human, _ = dialogues(LINEARISE_FROM, 2, seed=13)
    interval = kappa_interval(Cells(item, human, human), 5)
    assert (interval.point, interval.high) == (1.0, 1.0) and 0.999 < interval.low < interval.lower_bound < 1
    wide = interval_from_moments(*with_sizes(*moments([0, 1, 2, 3], [0, 1, 4, 4], [0, 1, 4, 3])))
    assert wide.high == 1.0 and wide.low < wide.point - wide.se  # the end is cut, the error is not
    poor = interval_from_moments(*with_sizes(*moments([0, 1, 2, 3], [0, 4, 4, 0], [4, 0, 1, 4])))
    assert poor.point - 1.64 * poor.se < -1 and poor.low == poor.lower_bound == -1.0


@pytest.mark.parametrize("k", [2, 3, 5])
def test_full_agreement_of_many_items_has_the_ends_of_the_rule_of_three(k):
    """One rare answer, met once: -log(.05) of its likes that are missed would leave no agreement beyond chance."""
    human = np.zeros(LINEARISE_FROM, dtype=np.int64)
    human[0] = 1
    weights = "quadratic" if k == 5 else None
    cells = Cells(np.arange(LINEARISE_FROM), human, human)
    for interval in (
        kappa_interval(cells, k, weights),
        interval_from_table(*with_sizes(*table_moments(*cells[:3], k)), weights),
        *([] if k == 3 else [interval_from_moments(*with_sizes(*moments(*cells[:3])))]),
    ):
        once = LINEARISE_FROM / (2 * (LINEARISE_FROM - 1))
        assert (interval.point, interval.high) == (1.0, 1.0)
        assert interval.lower_bound == pytest.approx(1 + np.log(0.05) * once)
        assert interval.low == pytest.approx(1 + np.log(0.025) * once)


def test_linearised_without_expected_disagreement_is_none_throughout():
    weight = np.random.default_rng(3).uniform(1, 9, 4000)
    for interval in (
        interval_from_moments(*with_sizes(*moments(np.arange(4000), *np.full((2, 4000), 4), weight))),
        kappa_interval(Cells(np.arange(4000), np.full(4000, 4), np.full(4000, 4), weight), 5),
        interval_from_table(np.diag([0, 7, 0]), np.diag([0, 0, 0, 0, 7, 0, 0, 0, 0]), 7, 7, 7.0),
    ):
        assert figures(interval) == (None,) * 5


def test_moments_by_hand():
    # item 0: (1,2), (3,3) -> n 2, Sx 4, Sy 5, Sxx 10, Syy 13, Sxy 11; item 1: (2,1) twice-weighted -> 2, 4, 2, 8, 2, 4
    sums, cross, items = moments([0, 0, 1], [1, 3, 2], [2, 3, 1], [1, 1, 2])
    first, second = [2, 4, 5, 10, 13, 11], [2, 4, 2, 8, 2, 4]
    assert sums.tolist() == [4, 8, 7, 18, 15, 15] and items == 2
    assert cross.tolist() == (np.outer(first, first) + np.outer(second, second)).tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda: interval_from_moments([1, 2, 3], np.eye(6), 5, 5, 5.0),
        lambda: interval_from_moments(np.ones(6), np.eye(5), 5, 5, 5.0),
        lambda: interval_from_table(np.eye(3), np.eye(3), 5, 5, 5.0),
    ],
)
def test_bad_moments_are_refused(call):
    with pytest.raises(ValueError):
        call()


# --- coverage --------------------------------------------------------------------------------------------------------


def test_cluster_intervals_cover_and_independent_rows_do_not():
    _, human, judge = dialogues(400_000, 5, seed=1000)
    truth = kappa(cross_table(human, judge, 5), "quadratic")
    simulations, clustered, bounded, independent = 200, 0, 0, 0
    for seed in range(simulations):
        item, human, judge = dialogues(60, 5, seed)
        interval = bootstrap_kappa(Cells(item, human, judge), 5, replicates=600, seed=seed)
        clustered += interval.low <= truth <= interval.high
        bounded += interval.lower_bound <= truth
        half = 1.96 * sqrt(fleiss_cohen_everitt(cross_table(human, judge, 5), "quadratic"))
        independent += abs(interval.point - truth) <= half
    assert 0.88 <= clustered / simulations <= 0.99
    assert 0.88 <= bounded / simulations <= 0.99
    assert independent / simulations < 0.85
    assert independent < clustered - 0.08 * simulations


# --- differences -----------------------------------------------------------------------------------------------------


def test_two_groups_differ_with_the_errors_of_both():
    a, b = dialogues(400, 3, seed=20), dialogues(300, 3, seed=21, leniency=0.1, quality=1.5)
    difference, kappa_a, kappa_b = kappa_difference(a, b, 5), kappa_interval(Cells(*a), 5), kappa_interval(Cells(*b), 5)
    assert difference.point == pytest.approx(kappa_b.point - kappa_a.point) and difference.low > 0
    assert difference.se == pytest.approx(sqrt(kappa_a.se**2 + kappa_b.se**2), rel=0.08)
    assert (difference.items, difference.cells, difference.n_eff) == (300, 900, 300.0)


def test_turning_a_difference_round_turns_its_sign():
    a, b = dialogues(200, 3, seed=22), dialogues(200, 3, seed=23)
    forward, back = kappa_difference(a, b, 5), kappa_difference(b, a, 5)
    assert forward.point == pytest.approx(-back.point)
    assert forward.low == pytest.approx(-back.high, abs=0.2 * forward.se)


@pytest.mark.parametrize("items", [500, LINEARISE_FROM])
def test_a_judge_does_not_differ_from_itself_when_paired(items):
    cells = dialogues(items, 3, seed=24)
    difference = kappa_difference(Cells(*cells), Cells(*cells), 5, paired=True)
    assert (difference.point, difference.low, difference.high) == (0.0, 0.0, 0.0)
    assert kappa_difference(cells, cells, 5).low < -0.01


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_differences_by_bootstrap_and_linearised_agree(monkeypatch, paired, weights):
    item, human, judge = dialogues(1500, 3, seed=25)
    other = np.where(np.random.default_rng(4).random(len(item)) < 0.7, judge, human)
    # Each side lacks some items, and weights them.
    a = Cells(item[:-60], human[:-60], judge[:-60], np.ones(len(item) - 60) + item[:-60] % 2)
    b = Cells(item[90:], human[90:], other[90:], np.ones(len(item) - 90) + item[90:] % 2)
    boot = kappa_difference(a, b, 5, weights, paired=paired)
    monkeypatch.setattr(intervals, "LINEARISE_FROM", 10)
    line = kappa_difference(a, b, 5, weights, paired=paired)
    assert (boot.method, line.method) == (BOOTSTRAP, "linearised")
    assert boot.point == pytest.approx(line.point) and boot.items == line.items == 1470
    assert boot.se == pytest.approx(line.se, rel=0.08)
    for end in ("low", "high", "lower_bound"):
        assert getattr(boot, end) == pytest.approx(getattr(line, end), abs=0.25 * line.se)


def test_pairing_uses_what_two_judges_share():
    item, human, judge = dialogues(300, 3, seed=26)
    other = np.where(np.random.default_rng(5).random(len(item)) < 0.9, judge, human)
    a, b = (item, human, judge), (item, human, other)
    assert kappa_difference(a, b, 5, paired=True).se < 0.6 * kappa_difference(a, b, 5).se


def test_a_difference_from_an_undefined_kappa_is_undefined():
    constant = (np.arange(50), np.full(50, 2), np.full(50, 2))
    for paired in (True, False):
        assert figures(kappa_difference(constant, dialogues(50, 1, seed=27), 5, paired=paired)) == (None,) * 5


# --- shares and the interval itself ----------------------------------------------------------------------------------


@quick
@given(n=st.integers(1, 3000), share=st.floats(0, 1))
def test_wilson_is_statsmodels(n, share):
    successes = round(share * n)
    interval = wilson_interval(successes, n)
    assert (interval.low, interval.high) == pytest.approx(
        proportion_confint(successes, n, 0.05, method="wilson"), abs=1e-9
    )
    assert interval.lower_bound == pytest.approx(proportion_confint(successes, n, 0.1, method="wilson")[0], abs=1e-9)
    assert 0 <= interval.low <= interval.point + 1e-12 and interval.point - 1e-12 <= interval.high <= 1


def test_wilson_by_hand():
    # 0 of 10: high = z^2/n / (1 + z^2/n) with z^2 = 3.8415: .38415 / 1.38415 = .2775
    interval = wilson_interval(0, 10)
    assert (interval.point, interval.low) == (0.0, 0.0) and interval.high == pytest.approx(0.2775, abs=5e-5)


def test_wilson_of_nothing_is_none_and_more_than_all_is_refused():
    assert figures(wilson_interval(0, 0)) == (None,) * 5
    for successes, n in ((3, 2), (-1, 2), (0, -1), (float("nan"), 2)):
        with pytest.raises(ValueError):
            wilson_interval(successes, n)
