"""Ranks of models, and how they change between judges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from judges.mtbench.comparison import share_ratings
from judges.mtbench.ranks import compare_ranks, rank_models
from judges.mtbench.ratings import ReadingRules, count_ratings, read_ratings
from tests.judges.mtbench.benches import bench


def count_rows(rows, **rules):
    return count_ratings(read_ratings(bench(rows)), ReadingRules(**rules))


def test_a_model_that_is_always_better_is_first_for_sure():
    rows = [("j", q, m, 1, value + q % 2) for q in range(30) for m, value in (("a", 3), ("b", 8), ("c", 5))]
    ranking = rank_models(count_rows(rows), "j")
    assert [(row.model, row.rank.point, row.first) for row in ranking.models] == [("b", 1, 1), ("c", 2, 0), ("a", 3, 0)]
    assert all(row.rank.low == row.rank.high for row in ranking.models)
    assert ranking.unsettled == [] and [p.turned for p in ranking.pairs] == [0, 0, 0]
    assert ranking.pairs[0].difference.point == 3.0


def test_equal_models_share_rank_and_chance_and_their_order_is_open():
    rows = [("j", q, m, 1, 5 + q % 3) for q in range(12) for m in "ab"] + [("j", q, "c", 1, 1) for q in range(12)]
    ranking = rank_models(count_rows(rows), "j")
    ranks = {row.model: (row.rank.point, row.first) for row in ranking.models}
    assert ranks == {"a": (1.5, 0.5), "b": (1.5, 0.5), "c": (3, 0)}
    [open_] = ranking.unsettled
    assert (open_.higher, open_.lower, open_.turned, open_.difference.point) == ("a", "b", 0.5, 0.0)


def test_draws_are_those_of_questions_and_ranks_those_of_scipy():
    rng = np.random.default_rng(2)
    values = np.clip(np.round(rng.normal(6, 2, size=(20, 5))), 1, 10)
    rows = [("j", q, f"m{m}", 1, values[q, m]) for q in range(20) for m in range(5)]
    ranking = rank_models(count_rows(rows), "j")
    ranks = {f"m{m}": rank for m, rank in enumerate(rankdata(-values.mean(axis=0)))}
    assert {row.model: row.rank.point for row in ranking.models} == ranks
    again = np.random.default_rng(11)
    drawn = np.stack([rankdata(-values[again.integers(0, 20, 20)].mean(axis=0)) for _ in range(2000)])
    for row in ranking.models:
        own = drawn[:, int(row.model[1])]
        assert (row.rank.low, row.rank.high) == pytest.approx(np.quantile(own, [0.025, 0.975]), abs=1.01)
        assert row.first == pytest.approx((own == 1).mean() + (own == 1.5).mean() / 2, abs=0.04)
    assert sum(row.first for row in ranking.models) == pytest.approx(1)
    assert {pair.turned > 0.025 for pair in ranking.pairs if not pair.settled} == {True}


def test_the_order_of_rows_and_names_of_questions_change_nothing():
    rng = np.random.default_rng(4)
    rows = [("j", q, m, 1, int(rng.integers(1, 11))) for q in range(15) for m in "abc"]
    shuffled = [(j, f"x{99 - q}", m, t, v) for j, q, m, t, v in (rows[n] for n in rng.permutation(len(rows)))]
    one, other = rank_models(count_rows(rows), "j"), rank_models(count_rows(shuffled), "j")
    assert [(r.model, r.rank.low, r.rank.high) for r in one.models] == [
        (r.model, r.rank.low, r.rank.high) for r in other.models
    ]


def test_one_question_gives_ranks_without_ends():
    ranking = rank_models(count_rows([("j", 1, "a", 1, 3), ("j", 1, "b", 1, 5)]), "j")
    assert [(row.model, row.rank.point, row.rank.low, row.first) for row in ranking.models] == [
        ("b", 1, None, None), ("a", 2, None, None),
    ]  # fmt: skip
    assert not ranking.pairs[0].settled and ranking.pairs[0].turned is None


def test_a_judge_of_whom_nothing_counts_has_no_ranks():
    ranking = rank_models(count_rows([("j", 1, "a", 1, None)]), "j")
    assert ranking.models == () and ranking.pairs == ()


def test_ranks_that_change_and_pairs_that_flip():
    rows = []
    for q in range(30):
        for judge, values in (("j", {"a": 9, "b": 6, "c": 5}), ("k", {"a": 9, "b": 4, "c": 7})):
            rows += [(judge, q, m, 1, value - q % 2) for m, value in values.items()]
    comparison = compare_ranks(share_ratings(read_ratings(bench(rows)), "j", "k"))
    assert [(c.model, c.one, c.other, c.change.point) for c in comparison.models] == [
        ("a", 1, 1, 0), ("b", 2, 3, 1), ("c", 3, 2, -1),
    ]  # fmt: skip
    [flip] = comparison.flipped
    assert (flip.a, flip.b, flip.one.point, flip.other.point, flip.likely) == ("b", "c", 1.0, -3.0, 1.0)
    assert flip.settled and comparison.models[1].change.low == 1


def test_a_flip_by_chance_is_not_settled():
    rng = np.random.default_rng(8)
    rows = [(judge, q, m, 1, int(rng.integers(1, 11))) for q in range(20) for judge in "jk" for m in "abcd"]
    comparison = compare_ranks(share_ratings(read_ratings(bench(rows)), "j", "k"))
    assert comparison.flipped and not any(flip.settled for flip in comparison.flipped)
    assert all(0 < flip.likely < 1 for flip in comparison.flipped)


def test_judges_that_share_nothing_have_no_changes():
    comparison = compare_ranks(share_ratings(read_ratings(bench([("j", 1, "a", 1, 3), ("k", 2, "a", 1, 3)])), "j", "k"))
    assert comparison.models == () and comparison.flipped == ()


def test_the_ends_of_a_rank_are_ranks_that_can_be():
    """Interpolated percentiles gave ends such as 18.9875 where equal means share a rank."""
    rng = np.random.default_rng(5)
    rows = [("j", q, f"m{m}", 1, int(np.clip(rng.normal(5, 2), 1, 10))) for q in range(10) for m in range(6)]
    ends = [end for row in rank_models(count_rows(rows), "j", 399).models for end in (row.rank.low, row.rank.high)]
    assert ends and all((2 * end).is_integer() for end in ends)


def test_a_model_with_one_question_is_in_too_few_draws_for_ends_and_one_with_most_is_not():
    rows = [("j", q, "a", 1, 5 + q % 2) for q in range(20)] + [("j", 0, "b", 1, 9)]
    ranking = rank_models(count_rows(rows), "j")
    assert [(row.model, row.rank.low, row.first) for row in ranking.models] == [("b", None, None), ("a", None, None)]
    more = [("j", q, "b", 1, 9) for q in range(1, 5)]
    # With 5 of 20 questions it is missing in (15/20)^20, .3 % of the draws.
    ranking = rank_models(count_rows(rows + more), "j")
    assert [(row.model, row.rank.low, row.first) for row in ranking.models] == [("b", 1.0, 1.0), ("a", 2.0, 0.0)]
