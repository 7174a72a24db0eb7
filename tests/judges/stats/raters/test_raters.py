"""People as raters: tables by hand, oracles, and planted people who are found."""

from dataclasses import replace
from itertools import permutations
from math import pi, sqrt, tan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from judges.stats.intervals import Cells, kappa_interval
from judges.stats.raters import alternative_annotator, rater_flags
from judges.stats.raters.alpha import alpha_interval
from judges.stats.raters.dawid_skene import fit_dawid_skene
from judges.stats.raters.human_ceiling import explain, measure_ceiling
from judges.stats.raters.rater_flags import RaterShift, RaterWork
from judges.stats.raters.ratings import gold_without_self
from judges.stats.uncertainty import Interval, t_quantile
from judges.types import Scale
from tests.judges.stats.raters.planted import FIVE, PLAIN, VERDICT, plant_ratings, ratings

# -- Student ----------------------------------------------------------------------------------------------------------


@given(some.floats(0.001, 0.999))
def test_student_with_one_and_two_degrees_of_freedom_by_formula(p):
    assert t_quantile(p, 1) == pytest.approx(tan(pi * (p - 0.5)), rel=1e-12, abs=1e-12)
    assert t_quantile(p, 2) == pytest.approx((2 * p - 1) / sqrt(2 * p * (1 - p)), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("p", "freedom", "printed"),
    [(0.95, 5, 2.015), (0.975, 10, 2.228), (0.975, 30, 2.042), (0.995, 60, 2.660), (0.95, 120, 1.658)],
)
def test_student_as_its_printed_tables_have_it(p, freedom, printed):
    assert t_quantile(p, freedom) == pytest.approx(printed, abs=5e-4) == -t_quantile(1 - p, freedom)


def test_student_refuses():
    with pytest.raises(ValueError, match="above 0"):
        t_quantile(0.5, 0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        t_quantile(1.0, 3)


def test_the_test_of_a_persons_wins_by_formula():
    # With two degrees of freedom P(T <= t) = 1/2 + t / (2 sqrt(2 + t^2)); here the mean is 0, the spread 1.
    t = -0.2 * sqrt(3)
    p_value = alternative_annotator._p_value
    assert p_value(np.array([-1.0, 0.0, 1.0]), 0.2) == pytest.approx(0.5 + t / (2 * sqrt(2 + t * t)), abs=1e-14)
    assert (p_value(np.full(30, 0.1), 0.2), p_value(np.full(30, 0.3), 0.2)) == (0.0, 1.0)


# -- what others make of a cell ---------------------------------------------------------------------------------------


def test_gold_without_oneself_by_hand():
    # cell 0: 0 0 3 -> without the first 0: {0, 3}, lower median 0; without the 3: 0. cell 1: one person, none.
    first = ratings([(0, 0, "a", 0), (0, 0, "b", 0), (0, 0, "c", 3), (1, 0, "a", 2)], FIVE)
    assert gold_without_self(first).tolist() == [0, 0, 0, -1]
    # 4 4 1 1 by majority: without a 4 the 1s win, without a 1 the 4s do
    second = ratings([(0, 0, p, v) for p, v in zip("abcd", (4, 4, 1, 1), strict=True)], FIVE)
    assert gold_without_self(second, "majority").tolist() == [1, 1, 4, 4]
    drawn = [(0, 0, "a", 0), (0, 0, "b", 2), (0, 0, "c", 0)]
    assert gold_without_self(ratings(drawn, VERDICT)).tolist() == [1, 0, 1]  # b and c draw: a tie
    assert gold_without_self(ratings(drawn, PLAIN)).tolist() == [-1, 0, -1]  # no gold where nothing stands for a draw


def test_the_mean_without_oneself_lies_on_the_scale():
    """7.6 + 10 - 7.6 is a little more than 10, which is the last code of a scale of any number from 0 to 100."""
    two = ratings([(0, 0, "a", 7), (0, 0, "b", 10)], Scale("interval", 0, 100))
    exact = replace(two, exact=np.array([7.6, 10.0]))
    assert gold_without_self(exact, "mean").tolist() == [10.0, 7.6]


# -- the ceiling ------------------------------------------------------------------------------------------------------


def test_the_ceiling_is_kappa_of_all_ordered_pairs():
    sample = plant_ratings({"a": 0.9, "b": 0.7, "c": 0.6}, items=40)
    rows = list(zip(sample.cell.tolist(), sample.person.tolist(), sample.value.tolist(), strict=True))
    pairs = [(v, w) for c, p, v in rows for d, q, w in rows if c == d and p != q]
    expected = cohen_kappa_score(*zip(*pairs, strict=True), weights="quadratic", labels=range(5))
    ceiling = measure_ceiling(sample)
    assert ceiling.between.point == pytest.approx(expected)
    assert (ceiling.between.cells, ceiling.between.items, ceiling.people, ceiling.cells) == (40 * 2 * 3, 40, 3, 80)
    judged = [(v, j) for v, j in zip(sample.value.tolist(), sample.judge.tolist(), strict=True)]
    direct = cohen_kappa_score(*zip(*judged, strict=True), weights="quadratic", labels=range(5))
    assert ceiling.judge.point == pytest.approx(direct)  # all cells have three people, so all count alike
    assert ceiling.difference.point == pytest.approx(direct - expected)
    assert ceiling.alpha == alpha_interval(sample)
    assert ceiling.alpha.low < ceiling.alpha.point < ceiling.alpha.high


def test_two_people_by_hand():
    # pairs (0,0) (1,1) (0,1) on a flag: both ways the table is [[2, 1], [1, 2]], 1 - 6 * 2 / (3*3 + 3*3) = 1/3
    rows = [(n, 0, p, v) for n, pair in enumerate([(0, 0), (1, 1), (0, 1)]) for p, v in zip("ab", pair, strict=True)]
    ceiling = measure_ceiling(ratings(rows, Scale("flag")))
    assert ceiling.between.point == pytest.approx(1 / 3)
    assert ceiling.judge is None and "no score there" in explain(ceiling)


@pytest.mark.parametrize("people", [2, 3])
def test_people_who_never_differ_have_the_ends_of_one_label_apart(people):
    """Two people's pairs stand in the table in both directions: a label apart moves both; of three, four rows."""
    answers, names = [0] * 20 + [1] * 30, "abc"[:people]
    rows = [(n, 0, name, value) for n, value in enumerate(answers) for name in names]
    judge = {(n, 0): value for n, value in enumerate(answers)}
    ceiling = measure_ceiling(ratings(rows, Scale("flag"), judge))
    # Kappa of n pairs, both ways: expected 2 n (2/5)(3/5) of 2 n rows, so a label apart, 2 (m - 1) rows, takes
    # 2 (m - 1) / (2 n 12/25), with n = 50 m (m - 1) / 2 pairs.
    pairs = 50 * people * (people - 1) / 2
    loss = 2 * (people - 1) / (2 * pairs * 12 / 25)
    assert (ceiling.between.point, ceiling.between.high) == (1.0, 1.0)
    assert ceiling.between.low == pytest.approx(1 + np.log(0.025) * loss)
    assert ceiling.between.lower_bound == pytest.approx(1 + np.log(0.05) * loss)
    if people == 2:  # one person beside the other, or beside the judge: the same table
        direct = kappa_interval(Cells(np.arange(50), answers, answers), 2, None)
        assert ceiling.between.ends == ceiling.judge.ends == pytest.approx(direct.ends)
    # A score of the judge apart moves all rows of its cell, one of 50: expected 12/25 of the rows.
    assert ceiling.judge.low == pytest.approx(1 + np.log(0.025) / (50 * 12 / 25))


def test_the_sentence_says_who_agrees_better():
    people = {"a": 0.9, "b": 0.9, "c": 0.9}
    assert "a better judge is possible" in explain(measure_ceiling(plant_ratings(people, judge=None)))
    assert "may be chance" in explain(measure_ceiling(plant_ratings(people, judge=0.9)))
    assert "better than they do with each other" in explain(
        measure_ceiling(plant_ratings(dict.fromkeys("abc", 0.3), judge=1.0))
    )
    assert "too few to compare" in explain(measure_ceiling(plant_ratings(people, items=12)))
    assert "no item has blind labels of two people" in explain(measure_ceiling(plant_ratings({"a": 0.9})))
    same = ratings([(n, 0, p, 1) for n in range(40) for p in "ab"], FIVE, {(n, 0): 1 for n in range(40)})
    assert "undefined" in explain(measure_ceiling(same))
    nearly = [(n, 0, p, 1 + (p == "b" and n == 0)) for n in range(40) for p in "ab"]
    why = explain(measure_ceiling(ratings(nearly, FIVE, {(n, 0): 1 for n in range(40)})))
    assert why.endswith("Nearly all values on 40 items are the same, so kappa has no interval: no conclusion.")


# -- the alternative-annotator test -----------------------------------------------------------------------------------


def wins_by_definition(sample, epsilon):
    """(person, W_judge, W_person, p) of every person, straight from the definition."""
    rows = list(
        zip(*(a.tolist() for a in (sample.item, sample.cell, sample.person, sample.value, sample.judge)), strict=True)
    )
    for number, name in enumerate(sample.people):
        items = {}
        for item, cell, person, value, judge in rows:
            others = [v for _, c, p, v, _ in rows if c == cell and p != number]
            if person != number or not others or judge < 0:
                continue
            if sample.scale.weights:
                s = lambda x, o=others: round(-np.sqrt(np.mean([(x - r) ** 2 for r in o])), 12)  # noqa: E731
            else:
                s = lambda x, o=others: np.mean([x == r for r in o])  # noqa: E731
            items.setdefault(item, []).append((s(judge) >= s(value), s(value) >= s(judge)))
        means = np.array([np.mean(w, axis=0) for w in items.values()])
        d = means[:, 1] - means[:, 0]
        p = stats.ttest_1samp(d, epsilon, alternative="less").pvalue
        yield name, means[:, 0].mean(), means[:, 1].mean(), p


@pytest.mark.parametrize("scale", [FIVE, VERDICT], ids=["rmse", "match"])
def test_the_test_is_its_definition_with_scipys_t(scale):
    sample = plant_ratings({"a": 0.8, "b": 0.6, "c": 0.7, "d": 0.5}, items=35, scale=scale, judge=0.7)
    result = alternative_annotator.run_test(sample, 0.15)
    for annotator, (name, judge, person, p) in zip(result.people, wins_by_definition(sample, 0.15), strict=True):
        assert (annotator.name, annotator.items, annotator.cells) == (name, 35, 70)
        assert (annotator.judge, annotator.person, annotator.p) == pytest.approx((judge, person, p))
    assert result.rho == pytest.approx(np.mean([annotator.judge for annotator in result.people]))
    assert result.omega == sum(annotator.adjusted <= 0.05 for annotator in result.people) / 4


def test_a_good_judge_passes_and_a_random_one_does_not():
    people = dict.fromkeys("abcd", 0.7)
    good, bad = (
        alternative_annotator.run_test(plant_ratings(people, items=120, judge=judge), 0.2) for judge in (0.9, None)
    )
    assert good.passed and good.omega == 1.0 and good.rho > 0.75
    assert not bad.passed and bad.omega == 0.0 and bad.rho < 0.5


def test_too_few_items_or_people_decide_nothing():
    two = alternative_annotator.run_test(plant_ratings({"a": 0.9, "b": 0.9}, judge=1.0))
    assert len(two.people) == 2 and not two.enough and not two.passed
    short = alternative_annotator.run_test(plant_ratings(dict.fromkeys("abc", 0.9), items=29, judge=1.0))
    assert short.people == () and short.left_out == (("a", 29), ("b", 29), ("c", 29)) and short.omega is None
    same = ratings([(n, 0, p, n % 5) for n in range(40) for p in "abc"], FIVE, {(n, 0): n % 5 for n in range(40)})
    assert [annotator.p for annotator in alternative_annotator.run_test(same).people] == [
        0.0,
        0.0,
        0.0,
    ]  # all tie: no spread at all, d = 0 < .2
    assert [annotator.p for annotator in alternative_annotator.run_test(same, 0.0).people] == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="handicap"):
        alternative_annotator.run_test(same, 1.5)


def test_the_limits_of_the_test_are_the_methods():
    assert (
        list(alternative_annotator.EPSILONS) == [0.2, 0.15, 0.1]
        and alternative_annotator.run_test(plant_ratings({"a": 0.9})).epsilon == 0.2
    )
    least = alternative_annotator.run_test(plant_ratings(dict.fromkeys("abc", 0.9), items=30, judge=1.0))
    assert (
        [annotator.items for annotator in least.people] == [30] * 3
        and least.left_out == ()
        and least.enough
        and least.passed
    )
    nobody = alternative_annotator.run_test(plant_ratings({"a": 0.9}))
    assert (nobody.people, nobody.omega, nobody.rho, nobody.passed) == ((), None, None, False)
    with pytest.raises(ValueError, match="below 1"):
        alternative_annotator.run_test(plant_ratings({"a": 0.9}), 1.0)
    win, loss = (alternative_annotator.AnnotatorTest("a", 30, 30, 0.9, 0.5, p, p) for p in (0.05, 0.0501))
    assert (win.won, loss.won) == (True, False)
    for people, omega, passed in (((win, loss) * 2, 0.5, True), ((win, win, loss, loss, loss), 0.4, False)):
        test = alternative_annotator.AlternativeAnnotatorTest(people, (), 0.2)
        assert (test.omega, test.passed) == (pytest.approx(omega), passed)


def test_who_labels_alone_is_neither_tested_nor_left_out():
    rows = [(n, 0, p, n % 5) for n in range(40) for p in "acd"] + [(n, 1, "b", 1) for n in range(40)]
    judge = {(n, unit): n % 5 for n in range(40) for unit in range(2)}
    test = alternative_annotator.run_test(ratings(rows, FIVE, judge))
    assert ([annotator.name for annotator in test.people], test.left_out) == (["a", "c", "d"], ())


# -- Dawid and Skene --------------------------------------------------------------------------------------------------

ANAESTHETISTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212
1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111
1111111 1121121 1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1211111
2322222 1211111 2222222""".split()
"""Table 1 of Dawid and Skene 1979: 45 patients; the first anaesthetist three times, four others once each."""


def test_the_anaesthetists_of_1979():
    """Prevalences (table 2) and the first observer's error rates (table 3) to the printed digits."""
    rows = [(n, max(0, place - 2), int(code) - 1) for n, p in enumerate(ANAESTHETISTS) for place, code in enumerate(p)]
    fit = fit_dawid_skene(*(np.array(column) for column in zip(*rows, strict=True)), 4)
    assert fit.prior.round(2).tolist() == [0.40, 0.42, 0.11, 0.07]
    assert fit.error[0].round(2).tolist() == [
        [0.89, 0.11, 0.00, 0.00],
        [0.07, 0.88, 0.05, 0.00],
        [0.00, 0.34, 0.66, 0.00],
        [0.00, 0.00, 0.56, 0.44],
    ]
    best = (fit.posterior.argmax(axis=1) + 1).tolist()
    assert best[:6] == [1, 4, 2, 2, 2, 2]  # table 4: the third patient is a 2, though three of seven said 1
    assert fit.posterior[:6].max(axis=1).round(2).tolist() == [1.0] * 6


def test_it_climbs_to_a_maximum_of_the_likelihood():
    sample = plant_ratings({"a": 0.9, "b": 0.7, "c": 0.5}, items=60, scale=PLAIN)
    columns = sample.cell, sample.person, sample.value
    fit = fit_dawid_skene(*columns, 3)
    assert fit.posterior.sum(axis=1) == pytest.approx(np.ones(120))
    assert fit.error.sum(axis=2) == pytest.approx(np.ones((3, 3)))
    by_hand = 0.0
    for cell in range(120):
        mask = sample.cell == cell
        by_hand += np.log(sum(
            fit.prior[j] * np.prod(fit.error[sample.person[mask], j, sample.value[mask]]) for j in range(3)
        ))  # fmt: skip
    rng = np.random.default_rng(1)
    for _ in range(20):  # no step to the side is higher
        error = fit.error * rng.uniform(0.97, 1.03, fit.error.shape)
        error /= error.sum(axis=2, keepdims=True)
        logs = np.log(error)[sample.person, :, sample.value]
        joint = np.stack([np.bincount(sample.cell, logs[:, j]) for j in range(3)], axis=1) + np.log(fit.prior)
        assert np.log(np.exp(joint).sum(axis=1)).sum() <= by_hand + 1e-9


def test_a_noisy_person_is_found_and_a_shifted_one_read_aright():
    rng = np.random.default_rng(5)
    rows, truths = [], rng.integers(0, 3, 200)
    for n, truth in enumerate(truths):
        for p in range(3):
            rows.append((n, p, int(truth) if rng.random() < 0.85 else int(rng.integers(3))))
        rows.append((n, 3, int(rng.integers(3))))  # says anything
        rows.append((n, 4, (int(truth) + 1) % 3))  # always takes one for the next
    cell, person, value = (np.array(column) for column in zip(*rows, strict=True))
    fit = fit_dawid_skene(cell, person, value, 3)
    assert (fit.accuracy[:3] > 0.8).all() and fit.accuracy[3] < 0.45 and fit.accuracy[4] < 0.05
    assert (fit.posterior.argmax(axis=1) == truths).mean() > 0.97
    # somebody with one label, a wrong one, is loss for much like the rest: (3 * .9 + .33 + 0) / 5 = .61
    more = np.append(cell, 0), np.append(person, 5), np.append(value, (truths[0] + 1) % 3)
    assert fit_dawid_skene(*more, 3, lent=4.0).accuracy[5] == pytest.approx(0.61 - 0.12 / 3, abs=0.06)


def test_it_refuses_nothing_and_codes_off_the_scale():
    none = np.zeros(0, dtype=np.int64)
    with pytest.raises(ValueError, match="no label"):
        fit_dawid_skene(none, none, none, 3)
    with pytest.raises(ValueError, match="from 0 to 2"):
        fit_dawid_skene(np.array([0]), np.array([0]), np.array([3]), 3)


@given(some.permutations(range(4)))
def test_names_of_people_and_cells_do_not_matter(order):
    sample = plant_ratings({"a": 0.9, "b": 0.6, "c": 0.7, "d": 0.8}, items=15, scale=PLAIN)
    renumbered = np.array(order)
    one, other = (fit_dawid_skene(sample.cell, p, sample.value, 3) for p in (sample.person, renumbered[sample.person]))
    assert other.accuracy[renumbered] == pytest.approx(one.accuracy)


# -- habits -----------------------------------------------------------------------------------------------------------


def interval(point, low, high, items=50):
    return Interval(point, low, high, low, items, items, float(items), "cluster bootstrap")


GOOD = interval(0.7, 0.6, 0.8)


def sorts(work, agreement=GOOD, leniency=None, course=None):
    return [remark.sort for remark in rater_flags.flag_rater(work, agreement, leniency, course)]


def test_accepting_everything_in_two_seconds_is_said():
    fast = RaterWork(
        40, 20, assisted=40, scores_shown=40, scores_kept=38, seconds=(1.9,) * 20, assisted_seconds=(1.9,) * 20
    )
    assert sorts(fast) == ["accepts"]  # 38 of 40 = .95
    [remark] = rater_flags.flag_rater(fast, GOOD, None, None)
    assert "an acceptance rate of 95% with a median of 1.9 seconds per item" in remark.text
    less = RaterWork(
        40, 20, assisted=40, scores_shown=40, scores_kept=37, seconds=(2.5,) * 20, assisted_seconds=(1.9,) * 20
    )
    assert sorts(less) == ["fast"]
    slow = RaterWork(
        40, 20, assisted=40, scores_shown=40, scores_kept=40, seconds=(9.0,) * 20, assisted_seconds=(9.0,) * 20
    )
    assert sorts(slow) == []
    short = RaterWork(
        38, 19, assisted=38, scores_shown=38, scores_kept=38, seconds=(1.0,) * 19, assisted_seconds=(1.0,) * 19
    )
    assert sorts(short) == []
    assert (slow.pace, slow.accepted, slow.hasty, RaterWork().pace, RaterWork().accepted) == (9.0, 1.0, 0.0, None, None)


def test_apart_lenient_and_drifting_people_are_said():
    assert sorts(RaterWork(), interval(0.05, -0.1, 0.29)) == ["apart"]
    assert sorts(RaterWork(), interval(0.05, -0.1, 0.31)) == sorts(RaterWork(), interval(0.05, -0.1, 0.29, 19)) == []
    assert sorts(RaterWork(), leniency=RaterShift(0.8, 0.1, 50)) == ["lenient"]
    assert sorts(RaterWork(), leniency=RaterShift(-0.8, 0.1, 50)) == ["lenient"]
    assert (
        sorts(RaterWork(), leniency=RaterShift(0.8, 0.3, 50))
        == sorts(RaterWork(), leniency=RaterShift(0.4, 0.01, 50))
        == []
    )
    assert sorts(RaterWork(), course=RaterShift(-0.3, 0.05, 60)) == ["drift"]


def test_shift_and_drift_by_hand():
    # mean 1, variance ((1 + 1) / 2), se sqrt(2 / 3 / ... ): values 0 1 2 -> variance 1, se sqrt(1/3)
    assert rater_flags.mean_shift([0.0, 1.0, 2.0]) == RaterShift(1.0, pytest.approx((1 / 3) ** 0.5), 3)
    assert rater_flags.mean_shift([]) is None and rater_flags.mean_shift([2.0]) == RaterShift(2.0, None, 1)
    # 21 items: first third all 1, last third 0 0 0 0 0 0 1: 1/7 - 1; variance of the last 1/7, se sqrt(1/7/7) = 1/7
    drift = rater_flags.agreement_drift([1.0] * 14 + [0.0] * 6 + [1.0])
    assert (drift.size, drift.se, drift.items) == pytest.approx((1 / 7 - 1, 1 / 7, 21))
    assert rater_flags.agreement_drift([1.0] * 19) is None


def test_a_change_counts_only_beside_that_of_the_others():
    down, less, up, unsure = (
        RaterShift(-0.4, 0.05, 60),
        RaterShift(-0.2, 0.05, 60),
        RaterShift(0.3, 0.05, 60),
        RaterShift(-0.1, 0.05, 60),
    )
    assert rater_flags.common_shift(down, less) == less and rater_flags.common_shift(less, down) == less
    assert (
        rater_flags.common_shift(down, up)
        is rater_flags.common_shift(down, unsure)
        is rater_flags.common_shift(None, down)
        is None
    )


def test_pairs_are_every_two_people_of_a_cell_once():
    sample = plant_ratings({"a": 0.9, "b": 0.9, "c": 0.9, "d": 0.9}, items=3)
    first, second = sample.pairs()
    pairs = set(
        zip(sample.cell[first].tolist(), sample.person[first].tolist(), sample.person[second].tolist(), strict=True)
    )
    assert len(first) == 6 * 6 and (sample.cell[first] == sample.cell[second]).all()
    assert pairs | {(c, q, p) for c, p, q in pairs} == {
        (c, p, q) for c in range(6) for p, q in permutations(range(4), 2)
    }
