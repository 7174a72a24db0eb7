"""The answers on which two judges differ most, as a list that a person may see."""

from __future__ import annotations

from data.mtbench.figures import compared_judges
from data.mtbench.mtbench import item_ids
from data.records import exposure
from data.records.access import allow
from data.store import Store
from judges.mtbench.comparison import MAX_DISAGREEMENTS, Disagreement
from judges.mtbench.protocol import Parse


@allow("annotator")
def largest_disagreements(
    store: Store, person: str, dataset_id: str, parse: Parse, judge: str, other: str, limit: int = MAX_DISAGREEMENTS
) -> list[tuple[Disagreement, str]]:
    """(what differs, its item), the largest first.

    Items that may still come to this person to be answered blind are left out; that the others are shown is recorded.
    """
    items, waits = item_ids(store, dataset_id), exposure.blind_pending(store, person)
    every = compared_judges(store, dataset_id, parse, judge, other).largest
    placed = [(difference, items[difference.question, difference.model, difference.choice]) for difference in every]
    shown = [(difference, item) for difference, item in placed if item not in waits][:limit]
    exposure.record_exposures(store, person, {item: (judge, other) for _, item in shown}, "comparison")
    return shown
