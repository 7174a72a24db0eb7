"""Agreement of votes: counted by hand, and against a plain double loop."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from judges.stats.uncertainty import wilson_interval
from judges.stats.votes import JUDGE, Votes, agreement_table, pairs_of_people, pairs_with_judge

A, TIE, B = 0, 1, 2


def votes(rows, parts=("turn 1", "turn 2"), groups=("expert", "author")):
    """Votes from rows of (item, part, group, value, judge)."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    return Votes(*columns, parts, groups)


# item 0 (turn 1): experts a, a, b, judge a; item 1 (turn 1): experts tie, b, judge tie; item 2 (turn 2): no judge
ROWS = [
    (0, 0, 0, A, A), (0, 0, 0, A, A), (0, 0, 0, B, A),
    (1, 0, 0, TIE, TIE), (1, 0, 0, B, TIE),
    (2, 1, 0, B, -1), (2, 1, 0, B, -1), (2, 1, 1, A, -1),
]  # fmt: skip


def test_by_hand():
    table = {(a.one, a.other, a.part): (a.s1, a.s2) for a in agreement_table(votes(ROWS), TIE)}
    s1, s2 = table[JUDGE, "expert", ""]
    assert (s1.point, s1.cells) == (3 / 5, 5)  # a a and the tie agree, both b do not
    assert (s2.point, s2.cells) == (2 / 3, 3)  # item 1 is out: the judge says tie
    s1, s2 = table["expert", "expert", ""]
    assert (s1.point, s1.cells) == (2 / 5, 5)  # aa of aa ab ab; none of tie-b; bb
    assert (s2.point, s2.cells) == (2 / 4, 4)
    s1, _ = table["expert", "expert", "turn 2"]
    assert (s1.point, s1.cells) == (1, 1)
    assert not {k for k in table if k[1] == "author"}  # one author alone, and no judge there: no pair, no row
    assert (JUDGE, "expert", "turn 2") not in table
    assert s1.low < 1  # Wilson: one pair proves little


def test_ten_people_of_one_mind_on_each_item_are_worth_an_item_not_45_pairs():
    # 40 items, half of them with ten equal votes, half with five a and five b: 45 and 20 of 45 pairs are equal
    rows = [(n, 0, 0, A if n % 2 or v < 5 else B, A) for n in range(40) for v in range(10)]
    people = next(a for a in agreement_table(votes(rows, ("",)), TIE) if a.one)
    p, spread = 65 / 90, 25 / 90  # each item lies 25 / 90 from the mean: se^2 = 40 / 39 * spread^2 / 40
    worth = p * (1 - p) * 39 / spread**2
    assert (people.s1.point, people.s1.items, people.s1.cells) == (p, 40, 1800)
    wilson = wilson_interval(p * worth, worth)
    assert np.allclose([people.s1.low, people.s1.high], [wilson.low, wilson.high]) and worth < 102


def test_a_single_part_is_not_listed_twice_and_nothing_gives_nothing():
    assert [a.part for a in agreement_table(votes([(0, 0, 0, A, A)], ("",)), TIE)] == [""]
    assert agreement_table(votes([]), TIE) == []


row = some.tuples(
    some.integers(0, 5), some.just(0), some.integers(0, 1), some.integers(0, 2), some.integers(-1, 2)
)  # fmt: skip


@given(some.lists(row, max_size=30))
def test_as_a_double_loop_has_it(rows):
    own = [r for r in rows if r[2] == 0]
    for drop in (None, TIE):
        pairs = [(r[3], r[4]) for r in own if r[4] >= 0 and drop not in (r[3], r[4])]
        ours = pairs_with_judge(votes(rows), 0).without(drop)
        assert (sum(ours.one == ours.other), len(ours.item)) == (sum(x == y for x, y in pairs), len(pairs))
        pairs = [(r[3], q[3]) for r, q in combinations(own, 2) if r[0] == q[0] and drop not in (r[3], q[3])]
        ours = pairs_of_people(votes(rows), 0).without(drop)
        assert (sum(ours.one == ours.other), len(ours.item)) == (sum(x == y for x, y in pairs), len(pairs))


def test_without_a_tie_both_figures_are_the_same():
    for agreement in agreement_table(votes(ROWS), None):
        assert agreement.s1 == agreement.s2
