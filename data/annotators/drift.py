"""One person compared with the others: agreement over time, the table of both, and the cells behind it."""

from __future__ import annotations

from datetime import datetime

import numpy as np

from data.annotators.annotators import DimensionLabels, expose_labels, is_order_known
from data.records import exposure
from data.records.access import allow
from data.store import Store
from judges.stats.agreement import Codes
from judges.stats.bins import is_same_answer, row_count

_MAX_PERIODS = 12


def agreement_over_time(labels: DimensionLabels, person: int) -> list[tuple[str, float, int]]:
    """Return how a person's agreement with the others changed over time.

    Each point is (when, share of equal answers, labels): one or more weeks if the labels span three weeks or more, else
    a group of equally many labels. There are at most 12 points, and none if the order is unknown.
    """
    mask = (labels.ratings.person == person) & (labels.others >= 0)
    if not mask.any() or not is_order_known(labels, mask):
        return []
    equal = is_same_answer(labels.ratings.code, labels.others, labels.ratings.scale)[mask].astype(np.float64)
    day = labels.made_at[mask].astype("datetime64[D]").astype(np.int64)
    week = (day + 3) // 7  # the first day of 1970 was a Thursday; weeks begin on Mondays
    weeks = np.unique(week)
    if len(weeks) >= 3:
        group = np.searchsorted(weeks, week) * min(_MAX_PERIODS, len(weeks)) // len(weeks)
    else:
        parts = min(_MAX_PERIODS, max(1, len(equal) // 10))
        group = np.arange(len(equal)) * parts // len(equal)
    points = []
    for part in np.unique(group):
        at = group == part
        begin: datetime = labels.made_at[mask][at][0].astype(datetime)
        when = f"{begin:%Y-%m-%d}" if len(weeks) >= 3 else f"from label {int(np.flatnonzero(at)[0]) + 1:,}"
        points.append((when, float(equal[at].mean()), int(at.sum())))
    return points


def table_with_others(labels: DimensionLabels, person: int) -> Codes:
    """The K x K table of a person's labels (columns) against gold made without them (rows)."""
    mask, k = (labels.ratings.person == person) & (labels.others >= 0), row_count(labels.ratings.scale)
    place = labels.rows[mask] * k + labels.ratings.value[mask]
    return np.bincount(place, minlength=k * k).reshape(k, k).astype(np.int64)


@allow("researcher")
def find_cells(
    store: Store, actor: str, labels: DimensionLabels, person: int, other_value: int, own: int, limit: int = 500
) -> list[tuple[str, str, str]]:
    """Return (item, name, unit), by name, of cells with the others' gold `other_value` and the person's label `own`.

    Items that the actor may still get to answer blind are left out. That the rest are shown is recorded.
    """
    ratings = labels.ratings
    mask = (ratings.person == person) & (labels.rows == other_value) & (ratings.value == own)
    cells = [(*labels.items[item], unit) for item, unit in (labels.cells[n] for n in ratings.cell[mask].tolist())]
    hidden = exposure.blind_pending(store, actor)
    cells = sorted((cell for cell in cells if cell[0] not in hidden), key=lambda c: c[1:])[:limit]
    may = expose_labels(store, actor, (cell[0] for cell in cells))
    return [cell for cell in cells if cell[0] in may]
