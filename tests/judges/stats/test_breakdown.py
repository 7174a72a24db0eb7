"""Means by slice against hand arithmetic and known truth, and days as periods of time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from judges.stats.slices import ScoredCells, make_slicing, mean_of_slice, slice_means, time_periods
from judges.stats.uncertainty import wilson_interval


def cells(
    item: Any, judge: Any, human: Any = None, gold: Any = None, weight: Any = None, system: Any = None
) -> ScoredCells:
    """Cells of a scale of 1 to 5; without people, of no labels; without systems, of one."""
    value = np.asarray(judge, dtype=np.float64)
    known = np.zeros(len(value), dtype=bool) if gold is None else np.asarray(gold, dtype=bool)
    people = np.full(len(value), np.nan) if human is None else np.asarray(human, dtype=np.float64)
    heavy = known.astype(np.float64) * (1.0 if weight is None else np.asarray(weight))
    row = np.round(value).astype(np.int64)
    return ScoredCells(np.asarray(item, dtype=np.int64), value, row, people, known, heavy, known.astype(np.float64),
                 np.zeros(len(value), dtype=np.int64) if system is None else np.asarray(system))  # fmt: skip


def test_by_hand() -> None:
    # 1, 2, 3, 4: mean 2.5, spread 5/3, standard error sqrt(5/3/4) = .645497; t(.975, 3) = 3.182446: 2.5 +- 2.054260.
    scored = cells([0, 1, 2, 3, 8, 9, 7], [1, 2, 3, 4, 5, 5, 5])
    parts = make_slicing("topic", ["a", "a", "a", "a", "b", "b", "c"])
    assert parts is not None
    slice_a, slice_b, _ = slice_means(scored, parts, (1, 5), share=False)
    assert (slice_a.name, slice_a.judge.point, slice_a.judge.low) == ("a", 2.5, 1.0)
    assert slice_a.judge.high == pytest.approx(4.554260, abs=1e-6) and slice_a.mean.missing == 30
    assert (slice_b.judge.point, slice_b.judge.items, slice_b.mean) == (None, 2, None)
    # the mean of all, less that of a, would be the one score of b
    parts = make_slicing("topic", ["a", "a", "a", "a", "b"])
    assert parts is not None
    assert [s.judge.point for s in slice_means(cells(range(5), [1, 2, 3, 4, 5]), parts, (1, 5), False)] == [None, None]
    whole = mean_of_slice("all", cells([0, 0, 1], [1, 2, 5]), (1, 5), share=False)
    assert (whole.judge.point, whole.judge.items, whole.judge.cells, whole.mean) == (None, 2, 3, None)
    share = mean_of_slice("all", cells([0, 1, 2, 3], [1, 0, 0, 0]), (0, 1), share=True)
    assert (share.judge.low, share.judge.high) == pytest.approx((wilson_interval(1, 4).low, wilson_interval(1, 4).high))


def test_labels_of_one_system_do_not_speak_for_another() -> None:
    gold, value = np.arange(90) < 45, 1.0 + np.arange(90) % 5
    for system, refused in ((np.arange(90) // 45, True), (np.arange(90) % 2, False)):
        mean = mean_of_slice("all", cells(np.arange(90), value, value, gold, system=system), (1, 5), share=False).mean
        assert mean is not None and mean.refused == refused and (mean.interval.point is None) == refused
        assert mean.uncovered == (0.5 if refused else 0.0)


def test_intervals_of_slices_cover_where_the_correction_of_the_whole_does_not() -> None:
    """The judge is one step too kind in one slice and right in the other; labels are drawn with unequal chances."""
    rng, covered, lent, rounds = np.random.default_rng(3), np.zeros(2), 0, 200
    topic = np.repeat([0, 1], [300, 500])
    parts = make_slicing("topic", [("kind", "right")[n] for n in topic], order=("kind", "right"))
    assert parts is not None
    for _ in range(rounds):
        truth = np.clip(np.round(rng.normal(3, 1, 800)), 1, 5)  # 3 on average
        judge = np.clip(truth + (topic == 0) + rng.integers(-1, 2, 800), 1, 5)
        odds = np.where(rng.random(800) < 0.5, 0.3, 0.15)
        gold = rng.random(800) < odds
        scored = cells(np.arange(800), judge, np.where(gold, truth, np.nan), gold, 1 / odds)
        slices, whole = (
            slice_means(scored, parts, (1, 5), share=False),
            mean_of_slice("all", scored, (1, 5), share=False),
        )
        for n, part in enumerate(slices):
            i = part.mean.interval
            covered[n] += i.low <= 3 <= i.high
        shifted = slices[0].judge.point + whole.mean.interval.point - whole.judge.point
        lent += slices[0].mean.interval.low <= shifted <= slices[0].mean.interval.high
    assert (abs(covered / rounds - 0.95) < 0.035).all(), covered / rounds
    assert lent / rounds < 0.5, "the whole's correction carries the other slice's bias into this one"


def test_days_are_periods_that_have_items_enough() -> None:
    days = [f"2026-0{1 + n % 3}-{1 + n % 28:02d}" for n in range(120)]
    assert time_periods(days, 120, 40)[0] == "month" and time_periods(days, 9_000, 40)[0] == "week"
    assert time_periods(days, 9_000, 90)[0] == "day" and time_periods([*days, ""], 120, 40)[1][-1] == ""
    assert time_periods(["2026-01-31", "2026-02-01", "2026-02-02"], 90, 40) == (
        "day", ["2026-01-31", "2026-02-01", "2026-02-02"],
    )  # fmt: skip
    assert time_periods(["2026-02-01", "2026-02-02"], 9, 40) == ("week", ["2026-01-26", "2026-02-02"])
    assert time_periods(["2026-02-01", "2026-02-01"], 9, 40)[0] == "year"
