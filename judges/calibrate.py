"""Gold and scores of one dimension, turned into the figures of the calibration page."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from judges import agreement
from judges.gate import Decision, Policy, decide_together
from judges.intervals import Cells, Interval, difference, from_cells
from judges.types import Dimension, Scale

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Meeting:
    """The cells of one dimension that have gold: item numbers, codes of people and judge (nan = n/a), whether the judge

    gave any score there, and the weight 1/pi of each cell. All arrays have one length.
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
class Summary:
    """The figures of one judge and dimension. `table` holds weights and `counts` cells, rows = people, columns = judge.

    `interval` is kappa by the scale's weights, clustered by item; None-valued figures are undefined. `unscored` counts
    cells with gold and no score.
    """

    dimension: Dimension
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
    gold_items: int
    gold_cells: int
    unscored: int


def scored_cells(meeting: Meeting, scale: Scale) -> tuple[Cells, int]:
    """The cells in which both people and judge gave a value of the scale, as codes 0..K-1, and K."""
    both = meeting.scored & ~np.isnan(meeting.human) & ~np.isnan(meeting.judge)
    human = (meeting.human[both] - scale.base).astype(np.int64)
    judge = (meeting.judge[both] - scale.base).astype(np.int64)
    weight = meeting.weight[both]
    return Cells(meeting.item[both], human, judge, None if np.all(weight == 1) else weight), scale.size


def summarise(meeting: Meeting, dimension: Dimension, drop: str = "", seed: int = 0) -> Summary:
    """All figures of one dimension. `drop` names a category that is left out on both sides ("tie": the S2 figures)."""
    scale = dimension.scale
    if drop:
        code = scale.categories.index(drop)
        meeting = meeting.without(float(code))
    cells, k = scored_cells(meeting, scale)
    table = agreement.cross_table(cells.human, cells.judge, k, cells.weight)
    counts = agreement.cross_table(cells.human, cells.judge, k)
    answers = tuple(scale.answers)
    if drop:
        keep = [n for n in range(k) if n != code]
        table, counts, answers = table[np.ix_(keep, keep)], counts[np.ix_(keep, keep)], tuple(answers[n] for n in keep)
        squeeze = np.zeros(k, dtype=np.int64)
        squeeze[keep] = np.arange(len(keep))
        cells, k = Cells(cells.item, squeeze[cells.human], squeeze[cells.judge], cells.weight), len(keep)  # type: ignore[index]
    ordered = scale.weights is not None
    human_na, judge_na = np.isnan(meeting.human), np.isnan(meeting.judge)
    seen = meeting.scored
    return Summary(
        dimension=dimension,
        answers=answers,
        table=table,
        counts=counts,
        interval=from_cells(cells.item, cells.human, cells.judge, k, scale.weights, cells.weight, seed=seed),
        exact=agreement.exact(table),
        within_one=agreement.within_one(table) if ordered else None,
        mean_difference=agreement.mean_difference(table) if ordered else None,
        correlation=agreement.correlation(table) if ordered else None,
        commonest=agreement.commonest_share(table),
        ac=agreement.gwet_ac(table, scale.weights),
        na=agreement.na_agreement(
            float((seen & human_na & judge_na).sum()),
            float((seen & human_na & ~judge_na).sum()),
            float((seen & ~human_na & judge_na).sum()),
            float((seen & ~human_na & ~judge_na).sum()),
        ),
        gold_items=len(np.unique(meeting.item)),
        gold_cells=len(meeting),
        unscored=int((~seen).sum()),
    )


def decisions(summaries: list[Summary], policy: Policy) -> dict[tuple[str, str], Decision]:
    """The gate's state of every (unit sort, dimension), decided together (Holm)."""
    named = {f"{s.dimension.sort}|{s.dimension.name}": s.interval for s in summaries}
    return {tuple(key.split("|", 1)): d for key, d in decide_together(named, policy).items()}  # type: ignore[misc]


def anchoring(blind: Meeting, assisted: Meeting, dimension: Dimension) -> Interval:
    """Kappa of assisted minus kappa of blind labels (METHODS 7), two groups of items resampled apart."""
    (first, k), (second, _) = scored_cells(blind, dimension.scale), scored_cells(assisted, dimension.scale)
    found = difference(first, second, k, dimension.scale.weights)
    return replace(found, items=min(found.items, len(np.unique(assisted.item))))
