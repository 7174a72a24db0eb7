"""The figures behind a tile of the dashboard as CSV: a row for every slice, with every digit."""

from __future__ import annotations

from data.dashboard import sentences
from data.dashboard.breakdown import Breakdown
from data.dashboard.dashboard import Tile
from data.reports import tables
from judges.stats.slices import MeanSlice

COLUMNS = (
    "dimension", "unit", "system", "of", "by", "slice", "items", "ratings", "judge", "judge low", "judge high",
    "corrected", "low", "high", "people", "labelled items", "effective items", "remark", "older policy",
)  # fmt: skip


def breakdown_csv(tile: Tile, breakdown: Breakdown, system: str, outcome: int) -> str:
    """The slices, after all of them together."""
    by = f"{breakdown.field.title} ({breakdown.step})" if breakdown.step else breakdown.field.title
    ahead = [tile.approval.dimension, tile.approval.sort, system or "all", tile.dimension.describe_mean(outcome), by]
    totals = [breakdown.whole] if breakdown.whole is not None else []
    return tables.as_csv(
        COLUMNS,
        [[*ahead, *_row(mean_slice), tile.policy_today.warning] for mean_slice in (*totals, *breakdown.slices)],
    )


def _row(mean_slice: MeanSlice) -> list[object]:
    own, mean = mean_slice.judge, mean_slice.mean
    interval = mean.interval if mean is not None else None
    figures = [interval.point, interval.low, interval.high] if interval is not None else [None] * 3
    labels = [mean.people, mean.n, interval.n_eff] if mean is not None and interval is not None else [None] * 3
    return [
        mean_slice.name, own.items, own.cells, own.point, own.low, own.high, *figures, *labels,
        sentences.explain_missing_figure(mean_slice),
    ]  # fmt: skip
