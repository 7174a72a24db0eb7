"""The cells of one judge and dimension summed up: what single cells become where they are very many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from numpy.typing import NDArray

from judges.stats import bins
from judges.stats.calibration import LabelCounts, LabelSums, RatingSums, has_kappa_of_moments
from judges.stats.strata import products_within_strata
from judges.types import Dimension

Floats = NDArray[np.float64]
COLUMNS = "item_id, human, judge, scored, weight, mean, share, people, waits"
"""The columns of `data.calibration.calibration.paired_cells_sql` that are summed up; items are numbers from 0."""


def sum_ratings(cells: pandas.DataFrame, dimension: Dimension) -> RatingSums:
    """The sums of a frame of those columns; by the column `stratum`, a code, where it has one."""
    item = cells["item_id"].to_numpy(dtype=np.int64)
    human, judge, mean = (cells[c].to_numpy(dtype=np.float64, na_value=np.nan) for c in ("human", "judge", "mean"))
    weight, share = (cells[c].to_numpy(dtype=np.float64) for c in ("weight", "share"))
    scored, people = cells["scored"].to_numpy(dtype=bool), cells["people"].to_numpy(dtype=np.int64)
    per_item = np.bincount(item)
    single = bool(len(item)) and int(per_item.max()) == 1

    def by_item(values: Floats) -> Floats:
        return values if single else np.bincount(item, values, len(per_item)).astype(np.float64, copy=False)

    ok = scored & ~np.isnan(human) & ~np.isnan(judge)
    counted, own = np.where(ok, weight, 0.0), by_item(ok.astype(np.float64))
    met = own > 0
    average = by_item(counted)[met] / own[met]
    part = np.where(np.isnan(judge) | np.isnan(mean), 0.0, weight * share)
    v = by_item(part)
    gap = by_item(np.where(part > 0, part * np.where(part > 0, judge - mean, 0.0), 0.0))
    each = _terms(dimension, human, judge, counted, ok)
    terms = np.stack([by_item(term) for term in each]) if len(item) else np.zeros((len(each), 0))
    strata: list[Any] = [slice(None)]
    if "stratum" in cells:
        code = np.zeros(len(per_item), dtype=np.int64)
        code[item] = cells["stratum"].to_numpy(dtype=np.int64)
        code = code[item] if single else code
        there = np.ones(len(item), dtype=bool) if single else per_item > 0
        strata = [np.flatnonzero(there & (code == one)) for one in np.unique(code[there])] or strata
    totals = np.array([terms[:, rows].sum(axis=1) for rows in strata])
    cross = np.array([terms[:, rows] @ terms[:, rows].T for rows in strata])
    items = np.array([float(np.count_nonzero(met[rows])) for rows in strata])
    kinds, first, cell = _kinds(human, judge, scored)
    return RatingSums(
        human=human[first],
        judge=judge[first],
        scored=scored[first],
        cells=np.bincount(cell, minlength=kinds).astype(np.float64),
        weight=np.bincount(cell, weight, kinds).astype(np.float64),
        items=int(items.sum()),
        gold_items=int(np.count_nonzero(per_item)),
        mean_weight=(float(average.sum()), float(average @ average)),
        total=totals.sum(axis=0),
        cross=products_within_strata(items, totals, cross),
        said=LabelSums(
            int(np.count_nonzero(v > 0)),
            np.array([gap.sum(), v.sum()]),
            np.array([[gap @ gap, gap @ v], [gap @ v, v @ v]]),
            LabelCounts(
                int(people.sum()), int(people.min()) if len(people) else 0,
                int(people.max(initial=0)), int(np.count_nonzero(cells["waits"].to_numpy(dtype=bool))),
            ),
        ),
    )  # fmt: skip


def _kinds(human: Floats, judge: Floats, scored: NDArray[np.bool_]) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """How many combinations of values occur, the first cell of each, and the number of every cell's."""
    one, _ = pandas.factorize(human, use_na_sentinel=False)
    other, others = pandas.factorize(judge, use_na_sentinel=False)
    cell, found = pandas.factorize((one.astype(np.int64) * len(others) + other) * 2 + scored)
    first = np.zeros(len(found), dtype=np.int64)
    first[cell[::-1]] = np.arange(len(cell))[::-1]
    return len(found), first, cell


def _terms(dimension: Dimension, human: Floats, judge: Floats, weight: Floats, ok: NDArray[np.bool_]) -> list[Floats]:
    """What each cell gives to its item's sums: weighted moments, or one place of the table."""
    scale = dimension.scale
    if has_kappa_of_moments(scale):
        x, y = (np.where(ok, side - bins.origin(scale), 0.0) for side in (human, judge))
        wx, wy = weight * x, weight * y
        return [weight, wx, wy, wx * x, wy * y, wx * y]
    codes: Any = range(scale.base, scale.base + scale.size)
    return [np.where((human == h) & (judge == j), weight, 0.0) for h in codes for j in codes]
