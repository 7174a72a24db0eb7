"""The rule of gold by hand, and the arrays of `without_self` held to it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from judges.gold import distance, needs_adjudication, resolve
from judges.stats import bins
from judges.stats.raters.ratings import Ratings, gold_without_self
from judges.types import Scale

ORDINAL = Scale("ordinal", 1, 5, na=True)
ORDERED = Scale("ordered", categories=("poor", "fair", "good"))
TONE = Scale("interval", 0, 1)
POINTS = Scale("interval", 0, 3, step=0.5)
CHOICE = Scale("unordered", categories=("a", "tie", "b"), drawn="tie", na=True)
PLAIN = Scale("unordered", categories=("x", "y", "z"), na=True)
FLAG = Scale("flag")
TURN = Scale("turn")


@pytest.mark.parametrize(("values", "scale", "rule", "expected"), [
    ((), ORDINAL, "median", None),
    ((4.0,), ORDINAL, "mean", (4.0, "one")), ((None,), CHOICE, "median", (None, "one")),
    ((3.0, 3.0), ORDINAL, "majority", (3.0, "agreed")), ((None, None), PLAIN, "median", (None, "agreed")),
    ((5.0, 2.0), ORDINAL, "median", (2.0, "median")), ((5.0, 2.0), ORDINAL, "mean", (2.0, "median")),
    ((5.0, 2.0), ORDINAL, "majority", (2.0, "median")),  # a drawn vote of answers in order: the lower median
    ((2.0, 4.0, 5.0, 5.0), ORDINAL, "majority", (5.0, "majority")),
    ((None, None, 3.0), ORDINAL, "median", (None, "majority")), ((None, 3.0), ORDINAL, "median", (3.0, "median")),
    ((0.25, 0.5), TONE, "mean", (0.375, "mean")), ((0.1, 0.1, 0.1, None), TONE, "mean", (0.1, "mean")),
    ((0.0, 2.0), CHOICE, "median", (1.0, "drawn")), ((0.0, 2.0), PLAIN, "median", None),
    ((None, 2.0), CHOICE, "median", (1.0, "drawn")),  # without order n/a is an answer like any other
    ((0.0, 2.0, 2.0), CHOICE, "mean", (2.0, "majority")), ((None, None, 1.0), PLAIN, "median", (None, "majority")),
    ((0.0, 1.0), FLAG, "median", None), ((0.0, 3.0, 3.0), TURN, "median", (3.0, "majority")),
])  # fmt: skip
def test_what_people_say_comes_to_by_the_rule(values, scale, rule, expected):
    assert resolve(values, scale, rule) == expected


@pytest.mark.parametrize(("scale", "values", "steps", "expected"), [
    (ORDINAL, (3.0, 5.0), None, False),  # without a limit nothing waits
    (ORDINAL, (3.0, 5.0), 2, False), (ORDINAL, (3.0, 5.0), 1, True), (ORDINAL, (3.0, 4.0), 0, True),
    (ORDINAL, (3.0, 3.0), 0, False), (ORDINAL, (5.0,), 0, False), (ORDINAL, (2.0, 3.0, 4.0), 1, True),
    (ORDINAL, (None, 3.0), 4, True), (ORDINAL, (None, None), 0, False),  # n/a and a value: whatever the limit
    (CHOICE, (0.0, 2.0), 0, True), (CHOICE, (0.0, 2.0), 1, True),  # a drawn vote of two
    (CHOICE, (0.0, 0.0, 2.0), 0, True), (CHOICE, (0.0, 0.0, 2.0), 1, False),  # two of three are a majority
    (CHOICE, (0.0, 1.0, 2.0), 3, True), (CHOICE, (1.0, 1.0), 0, False),
    (FLAG, (0.0, 1.0), 1, True), (FLAG, (0.0, 1.0, 1.0), 1, False), (TURN, (1.0, 9.0, 9.0), 1, False),
])  # fmt: skip
def test_when_somebody_has_to_decide(scale, values, steps, expected):
    assert needs_adjudication(values, scale, steps) is expected


def test_how_far_people_disagree():
    assert distance((2.0, 3.0, 5.0), ORDINAL) == 3 / 4  # three of the four steps from 1 to 5
    assert distance((0.5, 2.0), POINTS) == 1.5 / 3
    assert distance((None, 3.0), ORDINAL) == distance((0.0, 1.0), FLAG) == 1
    assert distance((4.0, 4.0), ORDINAL) == distance((None, None), ORDINAL) == distance((), ORDINAL) == 0


@pytest.mark.parametrize("rule", ["median", "mean", "majority"])
@pytest.mark.parametrize("scale", [ORDINAL, ORDERED, CHOICE, PLAIN, FLAG, POINTS, TONE], ids=lambda s: s.kind)
@given(data=some.data())
def test_without_oneself_is_the_rule_for_the_others(scale, rule, data):
    """The arrays say of every row what the rule says of the other people of its cell."""
    answers = [n / 20 for n in range(21)] if bins.is_binned(scale) else bins.row_values(scale)
    answer_lists = some.lists(some.sampled_from(answers), min_size=1, max_size=6)
    cells = data.draw(some.lists(answer_lists, min_size=1, max_size=5))
    rows = data.draw(some.permutations([(n, p, v) for n, votes in enumerate(cells) for p, v in enumerate(votes)]))
    cell, person = (np.array([row[at] for row in rows], dtype=np.int64) for at in (0, 1))
    values = [row[2] for row in rows]
    exact = np.asarray(bins.to_codes(values, scale), dtype=np.float64) if bins.is_binned(scale) else None
    nobody = np.full(len(rows), -1)
    ratings = Ratings(cell, cell, person, bins.row_numbers(values, scale), nobody, tuple("abcdef"), scale, exact)
    codes = gold_without_self(ratings, rule)
    for (n, p, _), code in zip(rows, codes.tolist(), strict=True):
        gold = resolve([v for q, v in enumerate(cells[n]) if q != p], scale, rule)
        expected = -1 if gold is None else float(bins.to_codes([gold.value], scale)[0])
        assert code == pytest.approx(expected, abs=1e-9)
