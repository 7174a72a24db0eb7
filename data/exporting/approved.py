"""Whether a judge's values of a dimension may be given out in people's place."""

from __future__ import annotations

from data.approvals import approvals
from data.store import Store
from judges.types import Dimension


def approval_basis(store: Store, dataset_id: str, judge_id: str, dimension: Dimension) -> str | None:
    """Under what a judge's values of a dimension are approved: "" is the policy of today, which they meet.

    Else how the approval compares with it, in sentences; None where no approval holds.
    """
    key = (dataset_id, judge_id, dimension.sort, dimension.name)
    held = [one for one in approvals.active_approvals(store, dataset_id) if one.key == key]
    return approvals.compare_with_today(store, held)[key].told if held else None
