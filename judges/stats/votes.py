"""Votes on pairs: how often a judge agrees with single people, and people with each other, as in MT-Bench.

Every vote counts by itself (a majority is another figure, `judges.stats.calibration`). S1 counts ties, S2 leaves out
every vote of a pair of votes in which either is a tie. Source: Zheng et al. 2023, Judging LLM-as-a-Judge, table 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judges.stats.agreement import Floats
from judges.stats.clustered import share_from_counts
from judges.stats.uncertainty import Interval

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Votes:
    """Votes on pairs, one row a vote.

    A row has the item, the part of the dataset and the group of the voter (all numbers), and the value 0..K-1; `judge`
    has the judge's value of the row's item, -1 where it gave none. `parts` and `groups` are the names of those numbers.
    """

    item: Codes
    part: Codes
    group: Codes
    value: Codes
    judge: Codes
    parts: tuple[str, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True)
class VoteAgreement:
    """The agreement of `one` with `other` in a part ("" = all).

    It is the share of pairs of votes that are equal, with ties counted (`s1`) and dropped (`s2`), each with Wilson's
    interval on as many pairs as the clustered error is worth: votes on one item are not independent, and m people make
    m (m - 1) / 2 pairs of them.
    """

    one: str
    other: str
    part: str
    s1: Interval
    s2: Interval


JUDGE = ""
"""The judge's name in `Agreement.one`; a group of people is never nameless."""


def agreement_table(votes: Votes, k: int, tie: float | None) -> list[VoteAgreement]:
    """Judge against every group of people and every group within itself, for all parts together and for each part.

    `k` values, `tie` the code of the tie (None: there is none, and S2 equals S1). Rows without a pair are left out.
    """
    parts = [("", np.ones(len(votes.item), dtype=bool))]
    if len(votes.parts) > 1:
        parts += [(name, votes.part == n) for n, name in enumerate(votes.parts)]
    agreements = []
    for against_judge in (True, False):
        for number, group in enumerate(votes.groups):
            for part, within in parts:
                chosen = within & (votes.group == number)
                if against_judge:
                    s1, s2 = (pairs_with_judge(votes, chosen, drop) for drop in (None, tie))
                else:
                    s1, s2 = (pairs_of_people(votes, chosen, k, drop) for drop in (None, tie))
                if s1[1].any():
                    side = JUDGE if against_judge else group
                    agreements.append(VoteAgreement(side, group, part, share_from_counts(*s1), share_from_counts(*s2)))
    return agreements


def pairs_with_judge(votes: Votes, chosen: NDArray[np.bool_], drop: float | None) -> tuple[Floats, Floats]:
    """The equal pairs and all pairs of a person's vote and the judge's value, for every item that has such a pair.

    Pairs in which either is `drop` are left out.
    """
    value, judge = votes.value[chosen], votes.judge[chosen]
    kept = judge >= 0
    if drop is not None:
        kept &= (value != drop) & (judge != drop)
    _, item = np.unique(votes.item[chosen][kept], return_inverse=True)
    return np.bincount(item, (value == judge)[kept]).astype(np.float64), np.bincount(item).astype(np.float64)


def pairs_of_people(votes: Votes, chosen: NDArray[np.bool_], k: int, drop: float | None) -> tuple[Floats, Floats]:
    """(equal, all) pairs of two people's votes on one item, for every item that has such a pair.

    Those in which either vote is `drop` are left out. With c_v votes for value v: sum_v c_v (c_v - 1) / 2 equal pairs
    of m (m - 1) / 2, m = sum_v c_v.
    """
    item, value = votes.item[chosen], votes.value[chosen]
    if drop is not None:
        item, value = item[value != drop], value[value != drop]
    _, item = np.unique(item, return_inverse=True)
    counts = np.bincount(item * k + value, minlength=k * (int(item.max(initial=-1)) + 1)).reshape(-1, k)
    voters = counts.sum(axis=1)
    equal, pairs = (counts * (counts - 1)).sum(axis=1) / 2, voters * (voters - 1) / 2
    return equal[pairs > 0], pairs[pairs > 0]
