"""Whether a judge's values of a dimension may be given out in people's place."""

from __future__ import annotations

from data import approvals
from data.store import Store
from judges.types import Dimension


def approved(store: Store, dataset_id: str, judge_id: str, dimension: Dimension) -> str | None:
    """Under which policy a judge's values of a dimension are approved.

    Under what a judge's values of a dimension are approved now: "" is the policy of today, else a sentence on the
    older, looser one that the approval met; None where no approval holds.
    """
    key = (dataset_id, judge_id, dimension.sort, dimension.name)
    held = [one for one in approvals.approved(store, dataset_id) if one.key == key]
    return next((told for _, told in approvals.older(store, held)), "") if held else None
