"""Votes on pairs by hand: agreement with ties counted and dropped, kappa, majority, turned names."""

from __future__ import annotations

from itertools import count

import pytest
from sklearn.metrics import cohen_kappa_score

from judges.mtbench.records import Bench, Game, Vote
from judges.mtbench.votes import CODES, MAJORITY, SETUPS, majority, vote_agreement

COUNTED, DROPPED = SETUPS
_PEOPLE = count()


def vote(group, question, winner, a="x", b="y", turn=1):
    return Vote(f"{group}_{next(_PEOPLE)}", group, str(question), turn, a, b, winner)


VOTES = (
    vote("expert", 1, "a"), vote("expert", 1, "a"), vote("expert", 1, "tie"),
    vote("expert", 2, "b"), vote("author", 2, "a"),
    vote("expert", 3, "a", "y", "x"),  # turned: b
    vote("author", 4, "tie"), vote("author", 5, "b"),
)  # fmt: skip
GAMES = (
    Game("j", "1", 1, "x", "y", "", "a"), Game("j", "2", 1, "x", "y", "", "b"), Game("j", "3", 1, "x", "y", "", "b"),
    Game("j", "4", 1, "x", "y", "ab", "a"), Game("j", "4", 1, "x", "y", "ba", "b"),  # differ: tie
)  # fmt: skip


def agreements():
    return {(f.one, f.other, f.turn, f.setup): f for f in vote_agreement(Bench(votes=VOTES, games=GAMES))}


def test_a_judge_with_people_ties_counted_and_dropped():
    s1, s2 = agreements()["j", "expert", 1, COUNTED], agreements()["j", "expert", 1, DROPPED]
    assert (s1.pairs, s1.equal.point, s2.pairs, s2.equal.point) == (5, 0.8, 4, 1.0)
    assert s2.kappa.point == 1.0 and not s1.between
    assert s1.kappa.point == pytest.approx(cohen_kappa_score(["a", "a", "t", "b", "b"], ["a", "a", "a", "b", "b"]))
    author = agreements()["j", "author", 1, COUNTED]
    assert (author.pairs, author.equal.point) == (2, 0.5)


def test_votes_are_compared_with_the_first_verdict_on_a_pair():
    games = (Game("j", "4", 1, "x", "y", "", "a"), Game("j", "4", 1, "x", "y", "", "tie"))
    [agreement, *_] = vote_agreement(Bench(votes=(vote("author", 4, "a"),), games=games))
    assert (agreement.pairs, agreement.equal.point) == (1, 1.0)


def test_people_with_each_other():
    s1, s2 = agreements()["expert", "expert", 1, COUNTED], agreements()["expert", "expert", 1, DROPPED]
    assert (s1.pairs, s1.equal.point, s2.pairs, s2.equal.point) == (3, pytest.approx(1 / 3), 1, 1.0)
    assert s1.between and s1.kappa.cells == 6
    both_ways = (["a", "a", "a", "a", "t", "t"], ["a", "t", "t", "a", "a", "a"])
    assert s1.kappa.point == pytest.approx(cohen_kappa_score(*both_ways))
    across = agreements()["expert", "author", 1, COUNTED]
    assert (across.pairs, across.equal.point) == (1, 0.0)
    assert ("author", "author", 1, COUNTED) not in agreements()


def test_nobody_is_compared_with_themselves():
    same = vote("expert", 1, "a")
    votes = (same, same, vote("expert", 1, "b"), same._replace(group="author"), vote("author", 1, "a"))
    pairs = {(f.one, f.other): f.pairs for f in vote_agreement(Bench(votes=votes)) if f.setup == COUNTED}
    assert pairs == {("expert", "expert"): 2, ("expert", "author"): 4, ("author", "author"): 1}


def test_a_majority_that_is_drawn_is_a_tie():
    assert majority([0, 0, 1]) == 0 and majority([0, 2]) == majority([0, 0, 2, 2, 1]) == CODES["tie"]
    agreement = agreements()["j", MAJORITY, 1, COUNTED]
    # 1: a and a; 2: drawn, so tie, and b; 3: b and b; 4: tie and tie.
    assert (agreement.pairs, agreement.equal.point) == (4, 0.75)
    assert (agreements()["j", MAJORITY, 1, DROPPED].pairs, agreements()["j", MAJORITY, 1, DROPPED].equal.point) == (
        2,
        1.0,
    )


def test_turns_apart_and_together():
    votes = (*VOTES, vote("expert", 1, "b", turn=2))
    games = (*GAMES, Game("j", "1", 2, "x", "y", "", "b"))
    every = {f[:4]: f.pairs for f in vote_agreement(Bench(votes=votes, games=games))}
    assert [every["j", "expert", turn, COUNTED] for turn in (None, 1, 2)] == [6, 5, 1]
    assert [every["j", MAJORITY, turn, COUNTED] for turn in (None, 1, 2)] == [5, 4, 1]
    assert {turn for _, _, turn, _ in agreements()} == {1}


def test_names_in_the_other_order_are_turned_in_games_and_votes_alike():
    games = (Game("j", "1", 1, "y", "x", "", "b"),)
    [agreement, *_] = vote_agreement(Bench(votes=VOTES[:1], games=games))
    assert agreement.equal.point == 1.0


def test_without_votes_or_a_common_pair_there_is_nothing():
    assert vote_agreement(Bench(games=GAMES)) == []
    alone = vote_agreement(Bench(votes=VOTES[-1:], games=GAMES))
    assert alone == []
