"""Gold and scores of one dimension, turned into the figures of the calibration page.

They come as single cells (`PairedRatings`) or, if there are very many, as sums from a database (`RatingSums`); the
figures are the same.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judges.rounding import NO_SPREAD, STEP_ROUNDING
from judges.stats import agreement, bins
from judges.stats.agreement import Floats
from judges.stats.approval_check import CheckResult
from judges.stats.concordance import pearson
from judges.stats.intervals import Cells, interval_from_moments, interval_from_table, kappa_difference, kappa_interval
from judges.stats.strata import widen_for_strata
from judges.stats.uncertainty import Interval, independent_difference, symmetric_interval
from judges.types import Dimension, Scale

FRAGILE_SHARE = 0.8
"""Above this share of one value kappa says little, and the page warns."""


class GoldAndScores:
    """The common arrays of single cells and sums of cells, of one length."""

    human: Floats
    judge: Floats
    scored: NDArray[np.bool_]

    @property
    def has_both(self) -> NDArray[np.bool_]:
        """A mask of the cells that both people and judge gave a value of the scale."""
        return self.scored & ~np.isnan(self.human) & ~np.isnan(self.judge)


@dataclass(frozen=True)
class PairedRatings(GoldAndScores):
    """The ratings of one dimension that have gold, as arrays of one length.

    They are the item's number, the codes of people and judge (nan = n/a), whether the judge gave any score, the weight
    of each rating (the number of items that it represents), and the code of the stratum that its item was drawn from
    (None: no strata).

    For ratings that several people labelled: the `mean` of their values (nan: n/a only), the `share` of them who gave a
    value, the number of `people`, and whether it `waits` for adjudication. Without these arrays, each rating has one
    person.
    """

    item: NDArray[np.int64]
    human: Floats
    judge: Floats
    scored: NDArray[np.bool_]
    weight: Floats
    stratum: NDArray[np.int64] | None = None
    mean: Floats | None = None
    share: Floats | None = None
    people: NDArray[np.int64] | None = None
    waits: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.item)

    @property
    def cells(self) -> Floats:
        """The number of cells that each row represents."""
        return np.ones(len(self))

    @property
    def average(self) -> Floats:
        """The mean of people's values in each cell (nan: n/a only)."""
        return self.human if self.mean is None else self.mean

    def where(self, keep: NDArray[np.bool_]) -> PairedRatings:
        """Some of the cells."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        subset: dict[str, Any] = {name: None if column is None else column[keep] for name, column in columns.items()}
        return PairedRatings(**subset)

    def drop_code(self, code: float | None) -> PairedRatings:
        """The cells in which neither people nor judge say `code`, as when ties are dropped (S2); None drops nothing."""
        if code is None:
            return self
        return self.where((self.human != code) & (self.judge != code))


class LabelCounts(NamedTuple):
    """The numbers of people who labelled the cells with gold.

    `labels` is the sum over all cells, `fewest` and `most` are numbers of one cell. `waiting` cells wait for somebody
    who adjudicates.
    """

    labels: int
    fewest: int
    most: int
    waiting: int


class LabelSums(NamedTuple):
    """People's answers to the cells with gold, in addition to the gold value of each cell.

    `total` (D, V) and `cross` (2, 2) are sums over the items, and of their products, of D = sum w s (judge - mean) and
    V = sum w s over the cells that the judge gave a value, s being the share of people who gave one and `mean` theirs;
    `items` are those that have such a cell.
    """

    items: int
    total: Floats
    cross: Floats
    people: LabelCounts


@dataclass(frozen=True)
class RatingSums(GoldAndScores):
    """The same cells as sums, so that their number does not affect speed.

    One row for every combination that occurs: codes of people and judge (nan = n/a), whether scored, how many cells,
    and their summed weight. Of the cells that both scored: the number of `items`, sum and sum of squares of the items'
    mean weights, and what an item gives to kappa, totalled over items (`total`) and as cross-products (`cross`): the
    six moments of `intervals.interval_from_moments` (codes from 0) where the scale's kappa is a function of them, else
    its K x K table by rows (`judges.stats.intervals.interval_from_table`). `gold_items` counts the items of all cells.
    `strata`: items were drawn from several strata, and `cross` is within them.
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
    label_sums: LabelSums
    strata: bool = False


@dataclass(frozen=True)
class Summary:
    """The figures of one judge and dimension.

    `table` holds weights and `counts` ratings, rows = people, columns = judge; `codes` and `answers` name their rows,
    as stored and in words. `interval` is kappa by the scale's weights, clustered by item; what is None is undefined.
    `na` counts ratings that the judge replied to, `unscored` those it did not. `rounded` counts those in which several
    samples of the judge combined to a value between two answers: kappa, bias and correlation use that value, figures of
    the table the nearest answer.

    On interval scales (`binned`) rows are bins; `exact` and `within_one` go by the values, one being a step, or a tenth
    of a scale without steps.

    `bias` is the mean of judge - people in steps of an ordered scale (units of an interval scale), with its interval by
    item. It uses the mean of what the people of a rating said: the median, which kappa uses, would bias it.
    """

    dimension: Dimension
    codes: tuple[float, ...]
    answers: tuple[str, ...]
    table: Floats
    counts: Floats
    interval: Interval
    exact: float | None
    within_one: float | None
    bias: Interval
    correlation: float | None
    commonest: float | None
    ac: float | None
    na: agreement.NaAgreement
    na_human: int
    na_judge: int
    gold_items: int
    gold_cells: int
    unscored: int
    people: LabelCounts
    rounded: int = 0

    @property
    def mean_difference(self) -> float | None:
        """The point of `bias`, above 0 if the judge scores higher; None if answers have no order."""
        return self.bias.point

    @property
    def cells(self) -> int:
        """The cells in which both people and judge gave a value of the scale: the basis of every figure."""
        return int(self.counts.sum())

    @property
    def binned(self) -> bool:
        """Whether a row of the table holds many answers."""
        return bins.is_binned(self.dimension.scale)

    @property
    def fragile(self) -> bool:
        """Whether one value is so common that kappa alone would be misleading."""
        return self.commonest is not None and self.commonest > FRAGILE_SHARE


@dataclass(frozen=True)
class DimensionResult:
    """A dimension on the calibration page: figures on the chosen basis, those of the approval check, and its result."""

    shown: Summary
    gate: Summary
    check: CheckResult

    @property
    def dimension(self) -> Dimension:
        """The question that was asked, and the sort of its unit."""
        return self.shown.dimension

    @property
    def gated(self) -> bool:
        """Whether the figures shown are those of the approval check."""
        return self.shown is self.gate

    @property
    def bound(self) -> float | None:
        """The lower bound of the figures shown: the approval check's if they are its figures, else one-sided 95%."""
        return self.check.bound if self.gated else self.shown.interval.lower_bound

    @property
    def title(self) -> str:
        """Its name and unit in words: helpfulness · turn."""
        return self.dimension.title_with_sort

    @property
    def key(self) -> str:
        """Its name in addresses: turn.helpfulness."""
        return f"{self.dimension.sort}.{self.dimension.name}"


def count_other_answers(kappa: Interval, commonest: float | None) -> float:
    """The items' worth of ratings with an answer other than the most frequent: (1 - its share) min(items, n_eff).

    If nearly all answers are the same, kappa of a few items is mostly luck, and its standard error does not show it. 0
    without ratings.
    """
    return 0.0 if commonest is None else (1 - commonest) * min(kappa.items, kappa.n_eff)


def has_kappa_of_moments(scale: Scale) -> bool:
    """Whether the scale's kappa is a function of six moments."""
    return agreement.is_kappa_of_moments(bins.code_count(scale), scale.weights)


def kappa_cells(ratings: PairedRatings, scale: Scale) -> tuple[Cells, int]:
    """The cells in which both people and judge gave a value of the scale, as codes 0..K-1, and K.

    Values between two codes, from combined samples, are kept.
    """
    item, human, judge, weight, stratum = value_cells(ratings)
    human, judge = (bins.to_codes(side, scale) for side in (human, judge))
    return Cells(item, human, judge, weight, stratum), bins.code_count(scale)


def value_cells(ratings: PairedRatings) -> Cells:
    """The same as values of their scale."""
    return Cells(ratings.item, ratings.human, ratings.judge, ratings.weight, ratings.stratum).where(ratings.has_both)


def summarise(ratings: PairedRatings | RatingSums, dimension: Dimension, drop: str = "") -> Summary:
    """All figures of one dimension.

    `drop` names a category that is left out on both sides ("tie": figures with ties dropped). `RatingSums` must already
    be summed without it.
    """
    scale = dimension.scale
    code = float(scale.categories.index(drop)) if drop else None
    if isinstance(ratings, RatingSums):
        return _figures(
            ratings, dimension, code, interval_from_sums(ratings, scale), ratings.gold_items, ratings.label_sums
        )
    ratings = ratings.drop_code(code)
    cells, k = kappa_cells(ratings, scale)
    interval = kappa_interval(cells, k, scale.weights)
    return _figures(ratings, dimension, code, interval, len(np.unique(ratings.item)), sum_labels(ratings))


def sum_labels(ratings: PairedRatings) -> LabelSums:
    """People's answers to single cells, summed up."""
    mean = ratings.average
    share = (~np.isnan(mean)).astype(np.float64) if ratings.share is None else ratings.share
    people = np.ones(len(ratings), dtype=np.int64) if ratings.people is None else ratings.people
    complete = ratings.scored & ~np.isnan(ratings.judge) & ~np.isnan(mean)
    part = np.where(complete, ratings.weight * share, 0.0)
    gaps = part * np.where(complete, ratings.judge - mean, 0.0)
    own = np.stack([np.bincount(ratings.item, column).astype(np.float64) for column in (gaps, part)])
    fewest, most = (int(people.min()), int(people.max())) if len(people) else (0, 0)
    many = LabelCounts(int(people.sum()), fewest, most, 0 if ratings.waits is None else int(ratings.waits.sum()))
    return LabelSums(int((own[1] > 0).sum()), own.sum(axis=1), own @ own.T, many)


def bias(label_sums: LabelSums, n_eff: float, cells: int) -> Interval:
    """The mean of judge - people, D / V, with its interval over items, linearised, by Student's t.

        SE^2 = n / (n - 1) sum over items (D_i - D / V V_i)^2 / V^2

    No figures without a cell; no ends if there is only one item or nothing varies. Source: Binder 1983.
    """
    on = label_sums.items, cells, n_eff, "linearised"
    if label_sums.total[1] <= 0:
        return Interval.point_only(*on)
    point = float(label_sums.total[0] / label_sums.total[1])
    among = np.array([1.0, -point])
    squares = float(among @ label_sums.cross @ among)
    if label_sums.items < 2 or squares <= NO_SPREAD * float(np.abs(among) @ np.abs(label_sums.cross) @ np.abs(among)):
        return Interval.point_only(*on, point)
    se = sqrt(squares * label_sums.items / (label_sums.items - 1)) / float(label_sums.total[1])
    return symmetric_interval(point, se, *on, freedom=max(1.0, n_eff - 1))


def interval_from_sums(sums: RatingSums, scale: Scale) -> Interval:
    """Kappa with its interval by items, linearised, n_eff as Kish has it over the items' mean weights."""
    weight, squared = sums.mean_weight
    n_eff = weight**2 / squared if squared > 0 else 0.0
    size = sums.items, round(float(sums.cells[sums.has_both].sum())), n_eff
    if has_kappa_of_moments(scale):
        interval = interval_from_moments(sums.total, sums.cross, *size)
    else:
        table = sums.total.reshape(scale.size, scale.size)
        interval = interval_from_table(table, sums.cross, *size, scale.weights)
    return widen_for_strata(interval) if sums.strata else interval


def _figures(
    tally: PairedRatings | RatingSums, dimension: Dimension, dropped: float | None, interval: Interval, items: int,
    label_sums: LabelSums,
) -> Summary:  # fmt: skip
    """Everything that one table gives. A dropped category has an empty row and column, which are taken out."""
    scale = dimension.scale
    human_na, judge_na, seen, complete = np.isnan(tally.human), np.isnan(tally.judge), tally.scored, tally.has_both
    between = complete & bins.is_between_answers(tally.judge, scale)
    human, judge = (bins.row_numbers(side[complete], scale) for side in (tally.human, tally.judge))
    k = bins.row_count(scale)
    table, counts = (agreement.cross_table(human, judge, k, amount[complete]) for amount in (tally.weight, tally.cells))
    exactly = tally.human[complete], tally.judge[complete], tally.weight[complete]
    codes, answers = bins.row_values(scale), bins.row_labels(scale)
    keep = [n for n, code in enumerate(codes) if code != dropped]
    table, counts = table[np.ix_(keep, keep)], counts[np.ix_(keep, keep)]
    ordered, shares = scale.has_order, _near_shares(*exactly, scale) if bins.is_binned(scale) else None

    def cells(where: NDArray[np.bool_]) -> int:
        return round(float(tally.cells[where].sum()))

    return Summary(
        dimension=dimension,
        codes=tuple(codes[n] for n in keep),
        answers=tuple(answers[n] for n in keep),
        table=table,
        counts=counts,
        interval=interval,
        exact=shares[0] if shares else agreement.share_within(table, 0),
        within_one=shares[1] if shares else agreement.share_within(table, 1) if ordered else None,
        bias=bias(label_sums if ordered else _NO_LABELS, interval.n_eff, cells(complete)),
        correlation=pearson(Cells(np.flatnonzero(complete), *exactly)).point if ordered else None,
        commonest=agreement.commonest_share(table),
        ac=bins.gwet_ac(table, scale),
        na=agreement.na_agreement(
            cells(complete), cells(seen & ~human_na & judge_na), cells(seen & human_na & ~judge_na),
            cells(seen & human_na & judge_na),
        ),
        na_human=cells(seen & human_na),
        na_judge=cells(seen & judge_na),
        gold_items=items,
        gold_cells=cells(np.ones(len(seen), dtype=bool)),
        unscored=cells(~seen),
        people=label_sums.people,
        rounded=cells(between),
    )  # fmt: skip


_NO_LABELS = LabelSums(0, np.zeros(2), np.zeros((2, 2)), LabelCounts(0, 0, 0, 0))


def _near_shares(human: Floats, judge: Floats, weight: Floats, scale: Scale) -> tuple[float | None, float | None]:
    """Shares of cells with equal answers, and with answers at most one code apart, where a table is too coarse."""
    if not len(human):
        return None, None
    gap = np.abs(bins.nearest_answers(judge, scale) - bins.nearest_answers(human, scale)) / bins.code_step(scale)
    shares = [float(np.average(gap <= steps + STEP_ROUNDING, weights=weight)) for steps in (0, 1)]
    return shares[0], shares[1]


def anchoring_difference(
    blind: PairedRatings | RatingSums, assisted: PairedRatings | RatingSums, dimension: Dimension
) -> Interval:
    """Kappa of assisted minus kappa of blind labels, the two groups of items resampled separately.

    From summed cells, and so for large groups: difference of the points, errors added as they are independent.
    """
    scale = dimension.scale
    if isinstance(blind, PairedRatings) and isinstance(assisted, PairedRatings):
        (first, k), (second, _) = kappa_cells(blind, scale), kappa_cells(assisted, scale)
        return kappa_difference(first, second, k, scale.weights)
    blind_kappa, assisted_kappa = (summarise(group, dimension).interval for group in (blind, assisted))
    return independent_difference(blind_kappa, assisted_kappa, "linearised", -2.0, 2.0)
