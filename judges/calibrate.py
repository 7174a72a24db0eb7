"""Gold and scores of one dimension, turned into the figures of the calibration page.

They come as single cells (`Meeting`), or, where there are very many, as the sums that a database makes of them
(`Sums`); the figures are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import hypot
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges import agreement
from judges.gate import Decision, Policy, decide_together
from judges.intervals import Cells, difference, from_cells, linearised, linearised_table
from judges.types import Dimension, Scale
from judges.uncertainty import Interval, quantile

Floats = NDArray[np.float64]
FRAGILE = 0.8
"""Above this share of one value kappa says little, and the page warns."""


@dataclass(frozen=True)
class Meeting:
    """The cells of one dimension that have gold: item numbers, codes of people and judge (nan = n/a), whether the judge

    gave any score there, and the weight of each cell, the items that it stands for. All arrays have one length.
    """

    item: NDArray[np.int64]
    human: Floats
    judge: Floats
    scored: NDArray[np.bool_]
    weight: Floats

    def __len__(self) -> int:
        return len(self.item)

    def without(self, code: float | None) -> Meeting:
        """The cells in which neither people nor judge say `code`, as when ties are dropped (S2); None drops nothing."""
        if code is None:
            return self
        keep = (self.human != code) & (self.judge != code)
        return Meeting(self.item[keep], self.human[keep], self.judge[keep], self.scored[keep], self.weight[keep])


@dataclass(frozen=True)
class Sums:
    """The same cells summed up, so that their number does not matter.

    One row for every combination that occurs: codes of people and judge (nan = n/a), whether scored, how many cells,
    and their summed weight. Of the cells that both scored: the number of `items`, sum and sum of squares of the items'
    mean weights, and what an item gives to kappa, totalled over items (`total`) and as cross-products (`cross`): the
    six moments of `judges.intervals.moments` (codes from 0) where the scale's kappa is a function of them, else its
    K x K table by rows (`judges.intervals.linearised_table`). `gold_items` counts the items of all cells.
    """

    human: Floats
    judge: Floats
    scored: NDArray[np.bool_]
    cells: Floats
    weight: Floats
    items: int
    gold_items: int
    mean_weight: tuple[float, float]
    total: Floats
    cross: Floats


class Tally(NamedTuple):
    """Cells, or groups of equal cells: codes (nan = n/a), whether scored, how many cells, their summed weight."""

    human: Floats
    judge: Floats
    scored: NDArray[np.bool_]
    cells: Floats
    weight: Floats


@dataclass(frozen=True)
class Summary:
    """The figures of one judge and dimension. `table` holds weights and `counts` cells, rows = people, columns = judge;

    `codes` and `answers` name their rows, as stored and in words. `interval` is kappa by the scale's weights, clustered
    by item; what is None is undefined. `na` counts cells that the judge replied to, `unscored` those it did not.
    """

    dimension: Dimension
    codes: tuple[float, ...]
    answers: tuple[str, ...]
    table: Floats
    counts: Floats
    interval: Interval
    exact: float | None
    within_one: float | None
    mean_difference: float | None
    correlation: float | None
    commonest: float | None
    ac: float | None
    na: agreement.NaAgreement
    na_human: int
    na_judge: int
    gold_items: int
    gold_cells: int
    unscored: int

    @property
    def cells(self) -> int:
        """Cells in which both people and judge gave a value of the scale: what every figure rests on."""
        return int(self.counts.sum())

    @property
    def fragile(self) -> bool:
        """Whether one value is so common that kappa alone would mislead."""
        return self.commonest is not None and self.commonest > FRAGILE


@dataclass(frozen=True)
class Line:
    """A dimension on the calibration page: the figures on the chosen basis, those on the gate's, and its decision."""

    shown: Summary
    gate: Summary
    decision: Decision

    @property
    def dimension(self) -> Dimension:
        """What was asked, and of which unit."""
        return self.shown.dimension

    @property
    def gated(self) -> bool:
        """Whether the figures shown are those that the gate counts."""
        return self.shown is self.gate

    @property
    def key(self) -> str:
        """Its name in addresses: turn.helpfulness."""
        return f"{self.dimension.sort}.{self.dimension.name}"


def by_moments(scale: Scale) -> bool:
    """Whether the scale's kappa is a function of six moments: quadratic weights, and two values, where plain kappa

    is the same as the quadratic one.
    """
    return scale.weights == "quadratic" or scale.size == 2


def scored_cells(meeting: Meeting, scale: Scale) -> tuple[Cells, int]:
    """The cells in which both people and judge gave a value of the scale, as codes 0..K-1, and K."""
    both = meeting.scored & ~np.isnan(meeting.human) & ~np.isnan(meeting.judge)
    human = (meeting.human[both] - scale.base).astype(np.int64)
    judge = (meeting.judge[both] - scale.base).astype(np.int64)
    weight = meeting.weight[both]
    return Cells(meeting.item[both], human, judge, None if np.all(weight == 1) else weight), scale.size


def summarise(given: Meeting | Sums, dimension: Dimension, drop: str = "", seed: int = 0) -> Summary:
    """All figures of one dimension. `drop` names a category that is left out on both sides ("tie": the S2 figures);

    cells that were summed up (`Sums`) have to be summed without it.
    """
    scale = dimension.scale
    code = float(scale.categories.index(drop)) if drop else None
    if isinstance(given, Sums):
        tally = Tally(given.human, given.judge, given.scored, given.cells, given.weight)
        return _figures(tally, dimension, code, from_sums(given, scale), given.gold_items)
    given = given.without(code)
    cells, k = scored_cells(given, scale)
    interval = from_cells(cells.item, cells.human, cells.judge, k, scale.weights, cells.weight, seed=seed)
    tally = Tally(given.human, given.judge, given.scored, np.ones(len(given)), given.weight)
    return _figures(tally, dimension, code, interval, len(np.unique(given.item)))


def from_sums(sums: Sums, scale: Scale) -> Interval:
    """Kappa with its interval by items, linearised, n_eff as Kish has it over the items' mean weights."""
    weight, squared = sums.mean_weight
    n_eff = weight**2 / squared if squared > 0 else 0.0
    both = sums.scored & ~np.isnan(sums.human) & ~np.isnan(sums.judge)
    cells = round(float(sums.cells[both].sum()))
    if by_moments(scale):
        return linearised(sums.total, sums.cross, sums.items, cells=cells, n_eff=n_eff)
    table = sums.total.reshape(scale.size, scale.size)
    return linearised_table(table, sums.cross, sums.items, scale.weights, cells=cells, n_eff=n_eff)


def _figures(tally: Tally, dimension: Dimension, dropped: float | None, interval: Interval, items: int) -> Summary:
    """Everything that one table gives. A dropped category has an empty row and column, which are taken out."""
    scale = dimension.scale
    k, base = scale.size, scale.base
    human_na, judge_na, seen = np.isnan(tally.human), np.isnan(tally.judge), tally.scored
    both = seen & ~human_na & ~judge_na
    human, judge = ((side[both] - base).astype(np.int64) for side in (tally.human, tally.judge))
    table, counts = (_table(human, judge, amount[both], k) for amount in (tally.weight, tally.cells))
    keep = [n for n in range(k) if dropped is None or n + base != dropped]
    table, counts = table[np.ix_(keep, keep)], counts[np.ix_(keep, keep)]
    ordered = scale.weights is not None

    def cells(where: NDArray[np.bool_]) -> int:
        return round(float(tally.cells[where].sum()))

    return Summary(
        dimension=dimension,
        codes=tuple(float(n + base) for n in keep),
        answers=tuple(scale.answers[n] for n in keep),
        table=table,
        counts=counts,
        interval=interval,
        exact=agreement.exact(table),
        within_one=agreement.within_one(table) if ordered else None,
        mean_difference=agreement.mean_difference(table) if ordered else None,
        correlation=agreement.correlation(table) if ordered else None,
        commonest=agreement.commonest_share(table),
        ac=agreement.gwet_ac(table, scale.weights),
        na=agreement.na_agreement(
            cells(both), cells(seen & ~human_na & judge_na), cells(seen & human_na & ~judge_na),
            cells(seen & human_na & judge_na),
        ),
        na_human=cells(seen & human_na),
        na_judge=cells(seen & judge_na),
        gold_items=items,
        gold_cells=cells(np.ones(len(seen), dtype=bool)),
        unscored=cells(~seen),
    )  # fmt: skip


def _table(human: NDArray[np.int64], judge: NDArray[np.int64], amount: Floats, k: int) -> Floats:
    return np.bincount(human * k + judge, amount, minlength=k * k).reshape(k, k).astype(np.float64)


def decisions(summaries: Iterable[Summary], policy: Policy) -> dict[tuple[str, str], Decision]:
    """The gate's state of every (unit sort, dimension), decided together (Holm)."""
    keys = {f"{s.dimension.sort}.{s.dimension.name}": s for s in summaries}
    decided = decide_together({key: s.interval for key, s in keys.items()}, policy)
    return {(keys[key].dimension.sort, keys[key].dimension.name): decision for key, decision in decided.items()}


def lines(shown: Sequence[Summary], gate: Sequence[Summary], policy: Policy) -> list[Line]:
    """What the calibration page lists: figures on any basis beside the states that the gate's own basis gives."""
    states = decisions(gate, policy)
    return [
        Line(one, other, states[other.dimension.sort, other.dimension.name])
        for one, other in zip(shown, gate, strict=True)
    ]


def anchoring(blind: Meeting | Sums, assisted: Meeting | Sums, dimension: Dimension) -> Interval:
    """Kappa of assisted minus kappa of blind labels (METHODS 7), two groups of items resampled apart.

    From summed cells, and so for large groups: difference of the points, errors added as they are independent.
    """
    scale = dimension.scale
    if isinstance(blind, Meeting) and isinstance(assisted, Meeting):
        (first, k), (second, _) = scored_cells(blind, scale), scored_cells(assisted, scale)
        return difference(first, second, k, scale.weights)
    one, two = (summarise(group, dimension).interval for group in (blind, assisted))
    smaller = min(one.items, two.items), min(one.cells, two.cells), min(one.n_eff, two.n_eff)
    if one.point is None or two.point is None:
        return Interval(None, None, None, None, *smaller, "linearised")
    point = two.point - one.point
    if one.se is None or two.se is None:
        return Interval(point, None, None, None, *smaller, "linearised")
    se = hypot(one.se, two.se)
    low, high = max(-2.0, point - quantile(0.975) * se), min(2.0, point + quantile(0.975) * se)
    return Interval(point, low, high, point - quantile(0.95) * se, *smaller, "linearised", se)
