"""Votes on pairs: how often a judge agrees with single people, and people with each other, as in MT-Bench.

Every vote counts by itself (a majority is another figure, `judges.stats.calibration`). S1 counts ties, S2 leaves out
every vote of a pair of votes in which either is a tie. Source: Zheng et al. 2023, Judging LLM-as-a-Judge, table 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges.stats.agreement import Codes
from judges.stats.clustered import pairs_within, share_by_item
from judges.stats.uncertainty import Interval


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


class VotePairs(NamedTuple):
    """Two votes side by side, one row a pair: its item and part of the dataset, and both values. All are numbers."""

    item: Codes
    part: Codes
    one: Codes
    other: Codes

    def where(self, keep: NDArray[np.bool_]) -> VotePairs:
        """Some of the pairs."""
        return VotePairs(*(column[keep] for column in self))

    def within(self, part: int | None) -> VotePairs:
        """The pairs of a part; all of them for None."""
        return self if part is None else self.where(self.part == part)

    def without(self, tie: float | None) -> VotePairs:
        """The pairs of which neither is a tie; all of them for None."""
        return self if tie is None else self.where((self.one != tie) & (self.other != tie))

    @property
    def equal(self) -> Interval:
        """The share of pairs that are equal, by item."""
        return share_by_item(self.one == self.other, self.item)


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
"""The judge's name in `VoteAgreement.one`; a group of people is never nameless."""


def agreement_table(votes: Votes, tie: float | None) -> list[VoteAgreement]:
    """Judge against every group of people and every group within itself, for all parts together and for each part.

    `tie` is the code of the tie (None: there is none, and S2 equals S1). Rows without a pair are left out.
    """
    parts = [(None, ""), *(enumerate(votes.parts) if len(votes.parts) > 1 else ())]
    sides = [(JUDGE, name, pairs_with_judge(votes, n)) for n, name in enumerate(votes.groups)]
    sides += [(name, name, pairs_of_people(votes, n)) for n, name in enumerate(votes.groups)]
    return [
        VoteAgreement(one, other, name, pairs.equal, pairs.without(tie).equal)
        for one, other, all_pairs in sides
        for part, name in parts
        if len((pairs := all_pairs.within(part)).item)
    ]


def pairs_with_judge(votes: Votes, group: int) -> VotePairs:
    """Every vote of a person of a group beside the judge's value of the item."""
    pairs = VotePairs(votes.item, votes.part, votes.value, votes.judge)
    return pairs.where((votes.group == group) & (votes.judge >= 0))


def pairs_of_people(votes: Votes, group: int) -> VotePairs:
    """Every two votes of a group on one item, once."""
    own = np.flatnonzero(votes.group == group)
    one, other = (own[side] for side in pairs_within(votes.item[own]))
    return VotePairs(votes.item[one], votes.part[one], votes.value[one], votes.value[other])
