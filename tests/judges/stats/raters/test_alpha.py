"""Krippendorff's alpha: his own data, hand arithmetic, and its interval against one made sample by sample."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from judges.stats import intervals
from judges.stats.agreement import cross_table, kappa
from judges.stats.intervals import LINEARISE_FROM
from judges.stats.raters import human_ceiling
from judges.stats.raters.alpha import alpha_interval, unrelated_people_error
from judges.types import Scale
from tests.judges.stats.raters.planted import FIVE, PLAIN, plant_ratings, ratings

TEN = Scale("interval", 0, 10)

RELIABILITY_DATA = [  # Krippendorff 2011, section C: four observers, twelve units, 0 = no answer
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]
SCALES = {"nominal": Scale("unordered", categories=tuple("vwxyz")), "ordinal": FIVE, "interval": TEN}


def ratings_of(counts, scale):
    """Ratings with so many answers of each value in each unit."""
    return ratings(
        [
            (unit, 0, f"person {n:02}", value)
            for unit, row in enumerate(np.asarray(counts).tolist())
            for n, value in enumerate(np.repeat(range(len(row)), row))
        ],
        scale,
    )  # fmt: skip


def alpha_of(counts, level="ordinal"):
    return alpha_interval(ratings_of(counts, SCALES[level])).point


def counts_of(data, k=5):
    return np.array([[sum(row[u] == v for row in data) for v in range(1, k + 1)] for u in range(len(data[0]))])


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_own_data(level, published):
    assert alpha_of(counts_of(RELIABILITY_DATA), level) == pytest.approx(published, abs=0.0005)


def test_alpha_leaves_out_what_cannot_be_paired():
    counts = counts_of(RELIABILITY_DATA)
    lonely = np.vstack([counts, [[0, 0, 0, 0, 1]] * 50, [[0] * 5] * 50])
    assert alpha_of(lonely) == pytest.approx(alpha_of(counts))


def test_alpha_of_two_people_by_hand():
    # units (0,0), (0,1), (1,1), n = 6 answers, three of each value. Observed: o_01 = o_10 = 1, sum 2.
    # Expected: 2*3*3 = 18.  alpha = 1 - 5 * 2 / 18 = 4/9
    for level in SCALES:
        assert alpha_of([[2, 0], [1, 1], [0, 2]], level) == pytest.approx(4 / 9)


@pytest.mark.parametrize("counts", [[[3, 0], [2, 0]], [[1, 0], [0, 1]]])
def test_alpha_is_undefined_when_constant_or_unpairable(counts):
    assert [alpha_of(counts, level) for level in SCALES] == [None] * 3


@given(arrays(np.int64, st.tuples(st.integers(1, 12), st.integers(2, 5)), elements=st.integers(0, 3)))
def test_alpha_is_at_most_one_and_that_of_a_turned_scale(counts):
    assume(counts.any())
    for level in SCALES:
        value = alpha_of(counts, level)
        assert value is None or value <= 1
        if level != "interval":
            assert alpha_of(np.pad(counts, ((0, 0), (0, 5 - counts.shape[1])))[:, ::-1], level) == (
                None if value is None else pytest.approx(value)
            )


# --- the interval ----------------------------------------------------------------------------------------------------


def alpha_of_pairs(pairs, weight, level):
    """Alpha of (first, second, share) rows of items, each so often: its formula, with distances written out."""
    first, second, share, item = (np.array(column) for column in zip(*pairs, strict=True))
    share = share * weight[item]
    values = np.arange(5)
    count = np.array([share[first == v].sum() for v in values])

    def distance(c, k):
        low, high = min(c, k), max(c, k)
        if level == "ordinal":
            return 0.0 if c == k else (count[low : high + 1].sum() - (count[low] + count[high]) / 2) ** 2
        return float(c != k) if level == "nominal" else float((c - k) ** 2)

    table = np.array([[distance(c, k) for k in values] for c in values])
    return 1 - (count.sum() - 1) * (share * table[first, second]).sum() / (count @ table @ count)


@pytest.mark.parametrize("level", ["ordinal", "nominal", "interval"])
def test_the_interval_is_the_farther_of_percentile_and_studentised_ends(level):
    """Every sample is made anew from pairs of labels, and its error from how alpha moves with each item's weight."""
    sample = plant_ratings({"a": 0.7, "b": 0.6, "c": 0.5}, items=12, cells=2, scale=FIVE, seed=4)
    sample = ratings(
        [
            (item, cell, "abc"[person], value)
            for item, cell, person, value in zip(sample.item, sample.cell, sample.person, sample.value, strict=True)
            if person < 2 or cell % 2
        ],
        SCALES[level],
    )  # fmt: skip
    rows = list(zip(sample.item, sample.cell, sample.person, sample.value, strict=True))
    sizes = np.bincount(sample.cell)
    pairs = [(v, w, 1 / (sizes[c] - 1), i) for i, c, p, v in rows for _, d, q, w in rows if c == d and p != q]

    def with_error(weight):
        alpha, eps = alpha_of_pairs(pairs, weight, level), 1e-5
        slopes = [(alpha_of_pairs(pairs, weight + eps * np.eye(12)[n], level) - alpha) / eps for n in range(12)]
        return alpha, np.sqrt(12 / 11 * (weight * np.square(slopes)).sum())

    point, error = with_error(np.ones(12))
    rng = np.random.default_rng(5)
    drawn = np.array([with_error(np.bincount(rng.integers(0, 12, 12), minlength=12)) for _ in range(600)])
    f, to = -np.log(1 - point), -np.log(1 - drawn[:, 0])
    t = (to - f) / (drawn[:, 1] / (1 - drawn[:, 0]))
    ends = 1 - np.exp(-(f - np.quantile(t, [0.975, 0.025]) * error / (1 - point)))
    low, high = np.quantile(drawn[:, 0], [0.025, 0.975])
    interval = alpha_interval(sample)
    assert interval.point == pytest.approx(point) and interval.se == pytest.approx(error, rel=1e-3)
    assert interval.low == pytest.approx(min(low, ends[0]), abs=0.06)  # other draws, and fewer of them
    assert interval.high == pytest.approx(max(high, ends[1]), abs=0.03)
    assert (interval.items, interval.cells, interval.n_eff) == (12, 24, 12.0)


@pytest.mark.parametrize("scale", [FIVE, PLAIN, TEN], ids=["ordinal", "nominal", "interval"])
def test_alpha_of_two_items_has_ends_where_it_exists(scale):
    # Items say (0, 0) and (2, 2): alpha is 1 where both are drawn, undefined where one is drawn twice (half).
    two = ratings([(n, 0, p, 2 * n) for n in range(2) for p in "ab"], scale)
    alpha = alpha_interval(two)
    assert (alpha.point, alpha.low, alpha.items) == (1.0, None, 2) and alpha.undefined == pytest.approx(0.5, abs=0.1)
    assert alpha_interval(two.where(two.item == 0)).point is None


def test_people_who_never_differ_have_the_ends_of_one_label_apart():
    # 50 items of two labels, 20 of value 0 and 30 of value 3. n = 100, E = 2 * 40 * 60 d; a label apart adds 2 d to O,
    # so alpha falls by 99 * 2 / 4800, whatever d; on an interval scale it falls by a step, 1 of 3^2 = 9.
    rows = [(n, 0, name, 0 if n < 20 else 3) for n in range(50) for name in "ab"]
    for level, loss in (("ordinal", 99 / 2400), ("nominal", 99 / 2400), ("interval", 11 / 2400)):
        alpha = alpha_interval(ratings(rows, SCALES[level]))
        assert (alpha.point, alpha.high) == (1.0, 1.0)
        assert alpha.low == pytest.approx(1 + np.log(0.025) * loss)
        assert alpha.lower_bound == pytest.approx(1 + np.log(0.05) * loss)


def test_many_items_are_linearised_with_the_error_of_the_bootstrap():
    large = plant_ratings({"a": 0.8, "b": 0.6}, items=LINEARISE_FROM, cells=1)
    linearised, bootstrap = alpha_interval(large), alpha_interval(large.where(large.item < LINEARISE_FROM - 1))
    assert (linearised.method, bootstrap.method) == ("linearised", "cluster bootstrap, percentile and studentised")
    assert linearised.ends == pytest.approx(bootstrap.ends, abs=0.003)
    assert linearised.low == pytest.approx(linearised.point - 1.959964 * linearised.se)


@pytest.mark.parametrize("level", ["ordinal", "nominal", "interval"])
@pytest.mark.parametrize("sizes", [(2,), (3,), (2, 4)])
def test_the_error_of_people_who_have_nothing_to_do_with_each_other(level, sizes, monkeypatch):
    """Answers are put together at random, in cells of one size or of two: alpha and kappa spread as the error says."""
    monkeypatch.setattr(intervals, "LINEARISE_FROM", 2)
    rng, people = np.random.default_rng(3), np.resize(sizes, 120)
    unit = np.repeat(np.arange(120), people)
    name = np.concatenate([np.arange(m) for m in people])
    answers, alphas, kappas = rng.choice(5, len(unit), p=[0.6, 0.2, 0.1, 0.05, 0.05]), [], []
    for _ in range(300):
        sample = ratings(
            [(u, 0, f"{n}", v) for u, n, v in zip(unit, name, rng.permutation(answers), strict=True)], SCALES[level]
        )
        alphas.append(alpha_interval(sample).point)
        first, second = sample.pairs()
        table = cross_table(sample.value[first], sample.value[second], 5)
        kappas.append(kappa(table + table.T, sample.scale.weights))
    assert unrelated_people_error(sample) == pytest.approx(np.std(alphas), rel=0.15)
    assert unrelated_people_error(sample, by_answer=False) == pytest.approx(np.std(kappas), rel=0.15)


@pytest.mark.parametrize(("items", "differing"), [(100, 5), (300, 5), (100, 10), (LINEARISE_FROM, 5)])
@pytest.mark.parametrize("level", ["ordinal", "nominal", "interval"])
def test_few_answers_that_never_meet_do_not_exclude_that_people_are_unrelated(items, differing, level):
    values = np.full((items, 2), 4)
    values[:differing, 0], values[differing : 2 * differing, 1] = 2, 3
    sample = ratings(
        [(unit, 0, name, values[unit, n]) for unit in range(items) for n, name in enumerate("ab")], SCALES[level]
    )
    for figure in (alpha_interval(sample), human_ceiling.kappa_between_people(sample)):
        assert figure.low < figure.lower_bound < figure.point < 0 < figure.high
