"""Whether a judge's values of a dimension may be given out in people's place."""

from __future__ import annotations

from data import approvals
from data.store import Store
from judges.types import Dimension


def approved(store: Store, dataset_id: str, judge_id: str, dimension: Dimension) -> bool:
    """Whether a lead's approval of (judge, dimension, dataset) holds now."""
    found = approvals.approved(store, dataset_id)
    return any((a.judge, a.sort, a.dimension) == (judge_id, dimension.sort, dimension.name) for a in found)
