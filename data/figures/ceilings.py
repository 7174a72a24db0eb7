"""How far people agree with each other in each dimension: what a judge can be asked for at most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from data import annotators
from data.store import Store, remembered
from judges.raters import ceiling as ceilings
from judges.raters.ceiling import Ceiling
from judges.types import Dimension

TABLES = ("item", "judge", "card", "score", "label", "setting", "adjudication", "item_use")
"""What a ceiling rests on."""
Resting = Literal["blind", "here"]
"""All blind labels, or only those that were given here."""


def ceiling(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, resting: Resting = "blind"
) -> Ceiling | None:
    """How far people agree with each other on the same blind items, and the judge with them; None where no two have

    labelled one cell.
    """

    def make() -> Ceiling | None:
        return ceilings.ceiling(annotators.labels(store, dataset_id, dimension, resting, judge_id).ratings)

    return remembered(store, ("ceiling", dataset_id, judge_id, dimension, resting), TABLES, make)


def ceiling_of_each(
    store: Store, dataset_id: str, judge_id: str, asked: Sequence[Dimension], resting: Resting = "blind"
) -> dict[Dimension, Ceiling | None]:
    """The same of several dimensions."""
    return {d: ceiling(store, dataset_id, judge_id, d, resting) for d in asked}
