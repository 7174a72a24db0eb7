"""The figures of a dimension: single cells and their sums give the same, and both what a pencil gives."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from judges.stats import calibration
from judges.stats.approval_check import check_dimension
from judges.stats.calibration import (
    DimensionResult,
    LabelCounts,
    LabelSums,
    PairedRatings,
    RatingSums,
    anchoring_difference,
    count_other_answers,
    has_kappa_of_moments,
    interval_from_sums,
    summarise,
)
from judges.stats.intervals import kappa_difference
from judges.stats.uncertainty import Interval
from judges.types import Dimension, Scale
from tests.judges.moments import moments

NAN = float("nan")
ORDINAL = Dimension("quality", "turn", Scale("ordinal", 1, 3, na=True), "")
VERDICT = Dimension("verdict", "pair", Scale("unordered", categories=("a", "tie", "b"), drawn="tie"), "")
FLAG = Dimension("drift", "side", Scale("flag"), "")
TABLE = [[2, 1, 0], [0, 2, 1], [1, 0, 2]]  # METHODS: observed 6, expected 12, kappa .5


def meeting(rows, item=None, weight=None):
    """Cells from (human, judge) pairs; judge "none" is no score, None is n/a. Every cell is an item of its own."""
    human = np.array([NAN if h is None else h for h, _ in rows], dtype=float)
    judge = np.array([NAN if j in (None, "none") else j for _, j in rows], dtype=float)
    scored = np.array([j != "none" for _, j in rows], dtype=bool)
    item = np.arange(len(rows)) if item is None else np.array(item)
    return PairedRatings(
        item, human, judge, scored, np.ones(len(rows)) if weight is None else np.array(weight, dtype=float)
    )


def rows_of(table, base=0):
    return [(i + base, j + base) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]


def sum_ratings(ratings, scale):
    """The sums of cells, by plain Python: what the database has to give."""
    groups = {}
    for h, j, s, w in zip(ratings.human, ratings.judge, ratings.scored, ratings.weight, strict=True):
        key = (None if np.isnan(h) else h, None if np.isnan(j) else j, bool(s))
        n, total = groups.get(key, (0, 0.0))
        groups[key] = (n + 1, total + w)
    both = ratings.scored & ~np.isnan(ratings.human) & ~np.isnan(ratings.judge)
    items, human, judge, weight = (x[both] for x in (ratings.item, ratings.human, ratings.judge, ratings.weight))
    x, y = human.astype(int) - scale.base, judge.astype(int) - scale.base
    means = [weight[items == g].mean() for g in np.unique(items)]
    if has_kappa_of_moments(scale):
        total, cross, count = moments(items, x, y, weight)
    else:
        k = scale.size
        own = [np.bincount(x[items == g] * k + y[items == g], weight[items == g], k * k) for g in np.unique(items)]
        total, cross = sum(own, np.zeros(k * k)), sum((np.outer(t, t) for t in own), np.zeros((k * k, k * k)))
        count = len(own)
    column = [np.array([NAN if k[n] is None else k[n] for k in groups], dtype=float) for n in (0, 1)]
    amounts = (np.array(v, dtype=float) for v in zip(*groups.values(), strict=True))
    items_ = len(np.unique(ratings.item))
    scored = np.array([k[2] for k in groups])
    return RatingSums(
        *column, scored, *amounts, count, items_, (sum(means), sum(m * m for m in means)), total, cross, people(ratings)
    )


def people(ratings):
    """What people said, by plain Python."""
    own = {}
    for item, human, judge, weight in zip(ratings.item, ratings.human, ratings.judge, ratings.weight, strict=True):
        if not np.isnan(human) and not np.isnan(judge):
            gap, cells = own.get(item, (0.0, 0.0))
            own[item] = (gap + weight * (judge - human), cells + weight)
    table = np.array(list(own.values())).reshape(-1, 2)
    nonempty = min(len(ratings), 1)
    return LabelSums(len(own), table.sum(axis=0), table.T @ table, LabelCounts(len(ratings), nonempty, nonempty, 0))


def test_the_table_of_methods_gives_one_half():
    summary = summarise(meeting(rows_of(TABLE, 1)), ORDINAL)
    assert summary.interval.point == 0.5
    assert summary.table.tolist() == TABLE
    assert summary.exact == pytest.approx(6 / 9)  # the diagonal
    assert summary.within_one == pytest.approx(8 / 9)  # all but the single 3 against 1
    assert summary.mean_difference == 0  # +1 +1 -2
    assert (summary.answers, summary.codes) == (("1", "2", "3"), (1.0, 2.0, 3.0))
    assert (summary.cells, summary.gold_cells, summary.gold_items, summary.unscored) == (9, 9, 9, 0)


def test_na_is_kept_apart_from_kappa_and_an_unscored_cell_from_both():
    ratings = meeting([*rows_of(TABLE, 1), (None, None), (None, 2), (1, None), (3, None), (2, "none"), (None, "none")])
    summary = summarise(ratings, ORDINAL)
    assert summary.interval.point == 0.5
    assert (summary.gold_cells, summary.cells, summary.unscored) == (15, 9, 2)
    assert (summary.na_human, summary.na_judge) == (2, 3)
    assert summary.na.cells == 13
    assert summary.na.agreement == pytest.approx(10 / 13)  # 9 scored by both, 1 n/a for both


def test_dropping_ties_takes_them_out_on_both_sides_and_out_of_the_scale():
    # people / judge: a a 3, a b 1, b a 1, b b 3, and ties here and there
    ratings = meeting([(0, 0)] * 3 + [(0, 2), (2, 0)] + [(2, 2)] * 3 + [(1, 1)] * 5 + [(1, 0), (2, 1)])
    summary = summarise(ratings, VERDICT, drop="tie")
    assert summary.table.tolist() == [[3, 1], [1, 3]]
    assert (summary.answers, summary.codes) == (("a", "b"), (0.0, 2.0))
    assert summary.interval.point == pytest.approx(0.5)  # agreement 6/8, by chance 1/2
    assert (summary.exact, summary.gold_cells) == (0.75, 8)
    assert summary.within_one is summary.mean_difference is summary.correlation is None  # no order, no distance
    assert summarise(ratings, VERDICT).cells == 15


def test_nothing_at_all_is_undefined_and_not_nought():
    summary = summarise(meeting([]), ORDINAL)
    assert (
        summary.interval.point is summary.exact is summary.within_one is summary.mean_difference is summary.ac is None
    )
    assert (summary.cells, summary.gold_items, summary.fragile) == (0, 0, False)


def test_one_value_for_nearly_all_is_fragile():
    assert summarise(meeting([(1, 1)] * 17 + [(1, 2), (2, 1), (3, 3)]), ORDINAL).fragile
    assert not summarise(meeting([(1, 1), (2, 2)]), ORDINAL).fragile


CASES = {"ordinal": ORDINAL, "unordered": VERDICT, "flag": FLAG}


@pytest.mark.parametrize("dimension", CASES.values(), ids=CASES.keys())
@given(data=some.data())
def test_sums_give_what_single_cells_give(dimension, data):
    scale = dimension.scale
    code = some.integers(scale.base, scale.base + scale.size - 1)
    answer = some.one_of(code, some.none()) if scale.na else code
    rows = data.draw(some.lists(some.tuples(answer, some.one_of(answer, some.just("none"))), min_size=1, max_size=40))
    item = data.draw(some.lists(some.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    by_item = data.draw(some.lists(some.sampled_from([1.0, 2.0, 1 / 0.3]), min_size=10, max_size=10))
    ratings = meeting(rows, item, [by_item[n] for n in item])
    one, other = summarise(ratings, dimension), summarise(sum_ratings(ratings, scale), dimension)
    for field in fields(one):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if field.name == "interval":
            for name in ("point", "items", "cells", "n_eff"):  # ends differ: one resamples, one linearises
                assert getattr(left, name) == pytest.approx(getattr(right, name)), name
        elif field.name == "bias":
            for name in ("point", "low", "high", "lower_bound", "se", "items", "cells", "n_eff"):
                expected = getattr(right, name)
                assert getattr(left, name) == (expected if expected is None else pytest.approx(expected)), name
        elif isinstance(left, (np.ndarray, float)):
            assert left == pytest.approx(right), field.name
        else:
            assert left == right, field.name


def test_sums_linearise_as_many_single_cells_do(monkeypatch):
    monkeypatch.setattr("judges.stats.intervals.LINEARISE_FROM", 2)
    rng = np.random.default_rng(5)
    for dimension in CASES.values():
        scale = dimension.scale
        human = rng.integers(0, scale.size, 200) + scale.base
        judge = np.where(rng.random(200) < 0.6, human, rng.integers(0, scale.size, 200) + scale.base)
        ratings = meeting(
            list(zip(human, judge, strict=True)), np.arange(200) // 4, rng.choice([1.0, 2.5], 50).repeat(4)
        )
        one, other = summarise(ratings, dimension).interval, interval_from_sums(sum_ratings(ratings, scale), scale)
        for name in ("point", "low", "high", "lower_bound", "se", "n_eff", "items", "cells"):
            assert getattr(one, name) == pytest.approx(getattr(other, name)), name
        assert one.method == other.method == "linearised"


def test_a_line_knows_whether_it_shows_what_the_gate_counts():
    summary = summarise(meeting(rows_of(TABLE, 1)), ORDINAL)
    other, decision = summarise(meeting(rows_of(TABLE, 1)), ORDINAL), check_dimension(summary.interval)
    assert DimensionResult(summary, summary, decision).gated and not DimensionResult(summary, other, decision).gated
    assert DimensionResult(summary, other, decision).key == "turn.quality"
    assert DimensionResult(summary, other, decision).title == "quality · turn"


def test_other_answers_are_counted_by_the_item():
    plain, few_items = (
        Interval(0.5, None, None, None, items, 90, n_eff, "hand") for items, n_eff in ((40, 30), (20, 30))
    )
    assert count_other_answers(plain, 0.9) == pytest.approx(3), "of answers to 30 items' worth, a tenth is another one"
    assert count_other_answers(few_items, 0.9) == pytest.approx(2) and count_other_answers(plain, None) == 0


def test_anchoring_is_assisted_minus_blind_whichever_way_it_is_computed():
    rng = np.random.default_rng(2)
    truth = rng.integers(1, 4, 400)

    def make_group(share):
        return meeting([(t if rng.random() < share else rng.integers(1, 4), t) for t in truth])

    blind, assisted = make_group(0.5), make_group(0.8)
    difference = anchoring_difference(blind, assisted, ORDINAL)
    point = summarise(assisted, ORDINAL).interval.point - summarise(blind, ORDINAL).interval.point
    assert difference.point == pytest.approx(point)
    assert difference.low > 0  # 400 items on each side: seeing the judge moved people
    codes = [(range(400), group.human - 1, group.judge - 1) for group in (blind, assisted)]
    assert difference == kappa_difference(*codes, 3), "the items of both groups are resampled"
    large = anchoring_difference(sum_ratings(blind, ORDINAL.scale), sum_ratings(assisted, ORDINAL.scale), ORDINAL)
    assert large.point == pytest.approx(point)
    assert (large.low, large.high) == pytest.approx((difference.low, difference.high), abs=0.02)
    mixed = anchoring_difference(sum_ratings(blind, ORDINAL.scale), meeting([]), ORDINAL)
    assert mixed.point is mixed.low is None
    assert calibration.anchoring_difference(meeting([]), meeting([]), ORDINAL).point is None
