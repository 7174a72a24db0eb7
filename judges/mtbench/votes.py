"""Votes of people on pairs of answers: with each other, with judges, and by majority (Zheng et al. 2023, table 5).

A pair is two models' answers to one question up to one turn, names in sorted order and the winner turned with them.
Ties are either counted or dropped; if dropped, pairs of votes with a tie are left out. Intervals are clustered by
question.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations, product
from typing import Literal, NamedTuple

import numpy as np

from judges.mtbench.records import Bench, Winner
from judges.mtbench.win_rates import SCORES, decide_games, sort_names
from judges.stats.intervals import Cells, kappa_interval
from judges.stats.uncertainty import Interval
from judges.stats.votes import VotePairs

Key = tuple[str, int, str, str]
"""A pair: question, turn, and two models in sorted order."""
Setup = Literal["ties counted", "ties dropped"]
SETUPS: dict[Setup, str] = {
    "ties counted": "S1 in the MT-Bench paper", "ties dropped": "S2 in the MT-Bench paper",
}  # fmt: skip
MAJORITY = "majority"
"""Stands in the place of a group: the verdict that most voters of all groups gave; where several did, a tie."""
CODES: dict[Winner, int] = {"a": 0, "tie": 1, "b": 2}
_NAMES: dict[float, Winner] = {score: name for name, score in SCORES.items()}


class VerdictAgreement(NamedTuple):
    """The share of equal verdicts of two sides on pairs of answers, and (unweighted) kappa, over `pairs` of votes.

    `one` is a judge or a group of people, `other` a group or `MAJORITY`; `turn` None means all turns. `between`: both
    sides are people.
    """

    one: str
    other: str
    turn: int | None
    setup: Setup
    pairs: int
    equal: Interval
    kappa: Interval
    between: bool = False


def vote_agreement(bench: Bench) -> list[VerdictAgreement]:
    """Judges with every group and with the majority of all, then people with each other; each turn, and all of them.

    Groups without a common pair are left out. A vote by a voter's group is that of `Vote.group` ("people" where it is
    none). [] without votes.
    """
    by_pair: dict[Key, list[tuple[str, str, int]]] = defaultdict(list)
    for vote in bench.votes:
        a, b, winner = sort_names(vote.a, vote.b, vote.winner)
        if winner:
            by_pair[vote.question, vote.turn, a, b].append((vote.voter, vote.group or "people", CODES[winner]))
    named = {group for votes in by_pair.values() for _, group, _ in votes}
    groups = sorted(named, key=lambda name: (name != "expert", name))
    agreements: list[VerdictAgreement] = []
    for judge, verdicts in _verdicts(bench).items():
        for group in groups:
            agreements += _figures(judge, group, [
                (key[0], key[1], value, verdicts[key])
                for key, votes in by_pair.items() if key in verdicts for _, voters, value in votes if voters == group
            ])  # fmt: skip
        agreements += _figures(judge, MAJORITY, [
            (key[0], key[1], majority([value for *_, value in votes]), verdicts[key])
            for key, votes in by_pair.items() if key in verdicts
        ])  # fmt: skip
    for n, side in enumerate(groups):
        for other in groups[n:]:
            rows = [
                (key[0], key[1], x, y)
                for key, votes in by_pair.items()
                for x, y in _pairs_of_votes(votes, side, other)
            ]  # fmt: skip
            agreements += [f._replace(between=True) for f in _figures(side, other, rows, both_ways=side == other)]
    return agreements


def majority(values: Sequence[int]) -> int:
    """The verdict with the most votes; a tie if several verdicts have the most."""
    (first, most), *rest = Counter(values).most_common()
    return CODES["tie"] if rest and rest[0][1] == most else first


def _verdicts(bench: Bench) -> dict[str, dict[Key, int]]:
    """The verdict of every judge on every pair, over both orders; the first of several."""
    games = decide_games(bench)
    verdicts: dict[str, dict[Key, int]] = {}
    columns = (games.judge, games.question, games.turn, games.a, games.b, games.score)
    for judge, question, turn, a, b, score in zip(*(column.tolist() for column in columns), strict=True):
        key = games.questions[question], turn, games.models[a], games.models[b]
        verdicts.setdefault(games.judges[judge], {}).setdefault(key, CODES[_NAMES[score]])
    return verdicts


def _pairs_of_votes(votes: list[tuple[str, str, int]], side: str, other: str) -> list[tuple[int, int]]:
    """Every two votes of different people on a pair of answers, one of each group; within a group each two once."""
    first, second = ([(voter, value) for voter, group, value in votes if group == name] for name in (side, other))
    pairs = combinations(first, 2) if side == other else product(first, second)
    return [(x, y) for (voter, x), (other_voter, y) in pairs if voter != other_voter]


def _figures(
    side: str, other: str, verdicts: list[tuple[str, int, int, int]], both_ways: bool = False
) -> list[VerdictAgreement]:
    """The figures of two sides, over all turns and, where there are several, by turn.

    `verdicts` are theirs side by side: question, turn, and both as codes; `both_ways` where they have no order.
    """
    if not verdicts:
        return []
    names = {question: n for n, question in enumerate(dict.fromkeys(row[0] for row in verdicts))}
    rows = np.array([(names[question], turn, x, y) for question, turn, x, y in verdicts], dtype=np.int64)
    pairs = VotePairs(*rows.T)
    turns: list[int | None] = [None, *np.unique(pairs.part).tolist()]
    agreements = []
    for turn in turns if len(turns) > 2 else turns[1:]:
        for setup in SETUPS:
            among = pairs.within(turn).without(CODES["tie"] if setup == "ties dropped" else None)
            question, _, x, y = among
            # People have no order: each pair of votes counts both ways, half each.
            if both_ways:
                question, x, y = np.tile(question, 2), np.concatenate([x, y]), np.concatenate([y, x])
            weight = np.full(len(x), 0.5 if both_ways else 1.0)
            kappa = kappa_interval(Cells(question, x, y, weight), len(CODES), None)
            agreements.append(VerdictAgreement(side, other, turn, setup, len(among.item), among.equal, kappa))
    return agreements
