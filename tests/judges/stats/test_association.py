"""Shares of a variance and logistic regression by hand arithmetic."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from judges.audits.reference_penalty import word_overlap
from judges.stats.association import probability_at_zero, r_squared, share_explained_by_first
from judges.stats.concordance import pearson
from judges.stats.intervals import Cells


def test_squares_of_intervals() -> None:
    rng = np.random.default_rng(5)
    r = pearson(Cells(range(50), rng.normal(size=50), rng.normal(size=50)))
    square = r_squared(r)
    assert r.low is not None and r.high is not None and r.low < 0 < r.high
    assert square.low == 0.0
    assert square.high == pytest.approx(max(r.low**2, r.high**2))
    assert r_squared(pearson(Cells(range(3), [1, 1, 1], [1, 2, 3]))).point is None


def test_what_the_first_explains_alone() -> None:
    # A 2 x 2 design, first and rest uncorrelated, outcome their sum: R2 of each alone .5, together 1.
    first, rest = [0, 0, 1, 1] * 10, [0, 1, 0, 1] * 10
    part, both = share_explained_by_first([a + b for a, b in zip(first, rest, strict=True)], first, rest, range(40))
    assert (part.point, both) == (pytest.approx(0.5), pytest.approx(1.0))
    assert part.low is not None and part.high is not None and part.low < 0.5 < part.high
    alone, _ = share_explained_by_first(first, first, rest, range(40))
    assert alone.point == pytest.approx(1.0)
    nothing, none = share_explained_by_first([1] * 40, first, rest, range(40))
    assert nothing.point is None and none == 0.0
    assert share_explained_by_first([], [], [], [])[0].point is None


def test_chances_where_the_lead_is_zero() -> None:
    # Nothing to control: 30 of 40, logit 1.0986; the prior (sd 2.5) draws it in by about 2 %.
    even = probability_at_zero([[0.0]] * 40, [1] * 30 + [0] * 10)
    assert even.point == pytest.approx(0.75, abs=0.01)
    assert even.low < 0.65 < 0.83 < even.high < 0.87
    # At the mode the score of the rows and the slope of the prior are equal: 30 - 40 p = b / 2.5^2, and the curvature
    # there is 40 p (1 - p) + 1 / 2.5^2.
    logit, high = (log(share / (1 - share)) for share in (even.point, even.high))
    assert 30 - 40 * even.point == pytest.approx(logit / 6.25)
    assert high - logit == pytest.approx(1.959964 / sqrt(40 * even.point * (1 - even.point) + 1 / 6.25), abs=1e-6)
    # Wins follow the lead, which favours each side equally often: at no lead it is even.
    lead = [[float(k % 5 - 2)] for k in range(100)]
    follows = probability_at_zero(lead, [k % 5 > 2 or (k % 5 == 2 and k % 2 == 0) for k in range(100)])
    assert follows.point == pytest.approx(0.5, abs=0.02)
    always = probability_at_zero(lead, [1] * 100)
    assert always.low > 0.9 and always.high <= 1.0
    with pytest.raises(ValueError, match="One row"):
        probability_at_zero([[1.0]], [])


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("A cat sat.", "the cat sat", 2 / 3),
        ("x", "", None),
        ("x", "...", None),
        ("Ｃａｔ", "cat", 1.0),
        # 東京 京駅 of 東京 京は: one of two pairs; は駅 is none of the reference's
        ("東京駅", "東京は", 1 / 2),
        ("空", "空", 1.0),
    ],
)
def test_overlap_of_words(output: str, reference: str, expected: float | None) -> None:
    assert word_overlap(output, reference) == (None if expected is None else pytest.approx(expected))
