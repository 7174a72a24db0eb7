"""How far people agree with each other in each dimension: what a judge can be asked for at most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from data.annotators import annotators
from data.store import Store, each_remembered, remembered
from judges.stats.raters import human_ceiling as ceilings
from judges.stats.raters.human_ceiling import Ceiling
from judges.stats.uncertainty import Interval
from judges.types import Dimension

TABLES = ("item", "judge", "card", "score", "label", "setting", "adjudication", "item_use")
"""What a ceiling rests on."""
MOST = 5_000
Resting = Literal["blind", "here"]
"""All blind labels, or only those that were given here."""


def measure_ceiling(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, resting: Resting = "blind"
) -> Ceiling | None:
    """How far people agree with each other on the same blind items, and the judge with them.

    None where no two have labelled one cell.
    """

    def make() -> Ceiling | None:
        return ceilings.ceiling(annotators.labels(store, dataset_id, dimension, resting, judge_id).ratings)

    return remembered(store, ("ceiling", dataset_id, judge_id, dimension, resting), TABLES, make)


def kappas_between_people(
    store: Store, dataset_id: str, judge_id: str, asked: Sequence[Dimension], resting: Resting = "blind"
) -> dict[Dimension, Interval | None]:
    """Kappa between two people in each of several dimensions.

    It is all that is shown beside a threshold; of more than
    `MOST` items that several people labelled it rests on so many, drawn at random.
    """

    def make(places: Sequence[int]) -> list[Interval | None]:
        few = [annotators.labels(store, dataset_id, asked[n], resting, judge_id, MOST) for n in places]
        return [ceilings.between(one.ratings) for one in few]

    keys = [("between", dataset_id, judge_id, d, resting) for d in asked]
    return dict(zip(asked, each_remembered(store, keys, TABLES, make), strict=True))
