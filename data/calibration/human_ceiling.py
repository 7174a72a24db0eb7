"""The agreement of people with each other in each dimension: the most that can be asked of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from data.annotators import annotators
from data.records.access import allow
from data.store import Store, cache_each, cache_result
from judges.stats.raters import alternative_annotator
from judges.stats.raters import human_ceiling as stats_human_ceiling
from judges.stats.raters.alternative_annotator import AlternativeAnnotatorTest
from judges.stats.raters.human_ceiling import HumanCeiling
from judges.stats.uncertainty import Interval
from judges.types import Dimension

MAX_ITEMS = 5_000
BlindLabelSet = Literal["blind", "here"]
"""All blind labels, or only those that were given here."""


@allow("annotator")
@cache_result
def measure_ceiling(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, label_set: BlindLabelSet = "blind"
) -> HumanCeiling | None:
    """Return the agreement of people with each other on the same blind items, and that of the judge with them.

    None if no two people have labelled the same cell.
    """
    return stats_human_ceiling.measure_ceiling(
        annotators.dimension_labels(store, dataset_id, dimension, label_set, judge_id).ratings
    )


@allow("annotator")
def kappas_between_people(
    store: Store, dataset_id: str, judge_id: str, dimensions: Sequence[Dimension], label_set: BlindLabelSet = "blind"
) -> dict[Dimension, Interval | None]:
    """Return kappa between two people in each of several dimensions.

    Only this is shown with a threshold. If several people labelled more than `MAX_ITEMS` items, it uses that many,
    drawn at random.
    """

    def make(places: Sequence[int]) -> list[Interval | None]:
        on = label_set, judge_id, MAX_ITEMS
        per_dimension = (annotators.dimension_labels(store, dataset_id, dimensions[n], *on) for n in places)
        return [stats_human_ceiling.kappa_between_people(labels.ratings) for labels in per_dimension]

    keys = [("between", dataset_id, judge_id, d, label_set) for d in dimensions]
    return dict(zip(dimensions, cache_each(store, keys, make), strict=True))


@allow("annotator")
@cache_result
def alternative_annotator_test(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, epsilon: float
) -> AlternativeAnnotatorTest | None:
    """The alternative-annotator test with that handicap, on blind labels.

    None where it cannot be tried: fewer than three people, or no score of the judge.
    """
    ceiling = measure_ceiling(store, dataset_id, judge_id, dimension)
    if ceiling is None or ceiling.judge is None or ceiling.people < alternative_annotator.MIN_PEOPLE:
        return None
    labels = annotators.dimension_labels(store, dataset_id, dimension, "blind", judge_id)
    return alternative_annotator.run_test(labels.ratings, epsilon)
