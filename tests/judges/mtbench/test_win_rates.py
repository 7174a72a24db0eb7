"""Wins, losses and ties by hand."""

from __future__ import annotations

import pytest

from judges.mtbench.ratings import read_ratings
from judges.mtbench.records import Bench, Game
from judges.mtbench.rows import INCONSISTENT
from judges.mtbench.win_rates import decide_games, verdicts_from_ratings, win_rates
from tests.judges.mtbench.benches import bench

GAMES = (
    Game("j", "1", 1, "a", "b", "ab", "a"), Game("j", "1", 1, "a", "b", "ba", "a"),  # a wins
    Game("j", "1", 2, "a", "b", "ab", "a"), Game("j", "1", 2, "a", "b", "ba", "b"),  # differ: tie
    Game("j", "2", 1, "a", "b", "ab", "tie"), Game("j", "2", 1, "a", "b", "ba", "b"),  # differ: tie
    Game("j", "2", 2, "a", "b", "ab", "b"), Game("j", "2", 2, "a", "b", "ba", "", error="api_error"),  # out
    Game("j", "3", 1, "a", "b", "", "b"),  # b wins, over both orders
    Game("j", "3", 1, "a", "c", "ab", "b"),  # c wins, one order only
)  # fmt: skip


def test_verdicts_over_both_orders_and_what_became_of_the_others():
    verdicts = decide_games(Bench(games=GAMES))
    columns = zip(verdicts.question, verdicts.turn, verdicts.a, verdicts.b, verdicts.score, strict=True)
    assert [
        (verdicts.questions[q], t, verdicts.models[a] + verdicts.models[b], score) for q, t, a, b, score in columns
    ] == [
        ("1", 1, "ab", 1), ("1", 2, "ab", 0.5), ("2", 1, "ab", 0.5), ("3", 1, "ab", 0), ("3", 1, "ac", 0),
    ]  # fmt: skip
    [count] = verdicts.counts
    assert (count.decided, count.inconsistent, count.failed, count.single) == (5, 2, 1, 1)


def test_a_verdict_over_both_orders_can_say_that_they_do_not_agree():
    games = [Game("j", question, 1, "a", "b", "", "tie", text) for question, text in (("1", INCONSISTENT), ("2", ""))]
    [count] = decide_games(Bench(games=tuple(games))).counts
    assert (count.decided, count.inconsistent, count.single) == (2, 1, 0)


def test_a_pair_that_was_judged_again_has_a_verdict_each_time():
    """A row whose second game failed, the same row asked again, and one more in which the orders differ."""
    games = [
        Game("j", "1", 1, "a", "b", order, winner, error="failed" * (not winner))
        for row in (("a", ""), ("a", "a"), ("a", "b")) for order, winner in zip(("ab", "ba"), row, strict=True)
    ]  # fmt: skip
    for listed in (games, [*games[::2], *games[1::2]]):
        verdicts = decide_games(Bench(games=tuple(listed)))
        [count] = verdicts.counts
        assert (count.decided, count.inconsistent, count.failed, count.single) == (2, 1, 1, 0)
        assert [(rate.model, rate.adjusted.point) for rate in win_rates(verdicts)] == [("a", 0.75), ("b", 0.25)]


def test_win_loss_tie_and_adjusted_by_hand():
    rates = {rate.model: rate for rate in win_rates(decide_games(Bench(games=GAMES)))}
    a = rates["a"]
    assert (a.games, a.win.point, a.loss.point, a.tie.point, a.adjusted.point) == pytest.approx((5, 0.2, 0.4, 0.4, 0.4))
    assert (rates["b"].games, rates["b"].win.point, rates["b"].adjusted.point) == pytest.approx((4, 0.25, 0.5))
    assert list(rates) == ["c", "b", "a"]
    assert a.adjusted.items == 3 and a.win.low < 0.2 < a.win.high
    pairs = {
        (rate.model, rate.against): rate.adjusted.point for rate in win_rates(decide_games(Bench(games=GAMES)), True)
    }
    assert pairs == {("a", "b"): 0.5, ("b", "a"): 0.5, ("a", "c"): 0.0, ("c", "a"): 1.0}


def test_names_in_the_other_order_are_sorted_and_the_winner_turned():
    verdicts = decide_games(Bench(games=(Game("j", "1", 1, "z", "b", "", "a"),)))
    [z, b] = win_rates(verdicts)
    assert (z.model, z.win.point, b.model, b.loss.point) == ("z", 1.0, "b", 1.0)


def test_pairs_from_single_ratings():
    rows = [
        ("j", 1, "z", 1, 8), ("j", 1, "y", 1, 6), ("j", 1, "z", 2, None), ("j", 1, "y", 2, 6),
        ("j", 2, "z", 1, 5), ("j", 2, "y", 1, 5), ("j", 2, "x", 1, 7), ("k", 2, "x", 1, 1),
        ("j", 3, "z", 1, 5), ("j", 3, "z", 1, 6), ("j", 3, "y", 1, 6),
    ]  # fmt: skip
    verdicts = verdicts_from_ratings(read_ratings(bench(rows)))
    scores = {
        (verdicts.questions[q], verdicts.models[a], verdicts.models[b]): score
        for q, a, b, score in zip(verdicts.question, verdicts.a, verdicts.b, verdicts.score, strict=True)
    }
    assert scores == {
        ("1", "y", "z"): 0.0, ("2", "y", "z"): 0.5, ("2", "x", "z"): 1.0, ("2", "x", "y"): 1.0, ("3", "y", "z"): 1.0,
    }  # fmt: skip
    rates = {rate.model: rate.adjusted.point for rate in win_rates(verdicts)}
    assert rates == pytest.approx({"x": 1.0, "y": (0 + 0.5 + 0 + 1) / 4, "z": (1 + 0.5 + 0 + 0) / 4})


def test_without_games_there_are_no_rates():
    assert win_rates(decide_games(Bench())) == [] and win_rates(verdicts_from_ratings(read_ratings(Bench()))) == []
