"""What a report looks into one dimension with: people beside the judge, slices, growth with gold, confidence."""

from __future__ import annotations

from dataclasses import dataclass, field

from data import annotators
from data.figures import ceilings, certainty, slices
from data.gold import Basis
from data.store import Store
from judges.figures.curve import curve
from judges.figures.reliability import Reliability, reliability
from judges.figures.slices import Sliced, sliced
from judges.raters import alternative
from judges.raters.alternative import Test
from judges.raters.ceiling import Ceiling
from judges.types import Dimension
from judges.uncertainty import Interval

EPSILON = 0.2
"""The handicap of the alternative-annotator test in a report: that for experts, the strictest on the people's side."""


@dataclass(frozen=True)
class Depth:
    """How far people agree with each other (None: no cell has two of them), the test whether the judge could stand in

    for one (None: fewer than three people), kappa by slice, kappa on the first n items, and how often the judge is
    right by how sure it says it is, by the source of that confidence.
    """

    ceiling: Ceiling | None = None
    test: Test | None = None
    slices: tuple[Sliced, ...] = ()
    curve: tuple[Interval, ...] = ()
    sure: dict[str, Reliability] = field(default_factory=dict)


def depth(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis) -> Depth:
    """All of it for a dimension on a basis; ceiling and test rest on blind labels, whatever the basis."""
    ratings = annotators.labels(store, dataset_id, dimension, "blind", judge_id).ratings
    found = ceilings.ceiling(store, dataset_id, judge_id, dimension)
    several = found is not None and found.judge is not None and found.people >= alternative.MIN_PEOPLE
    parted = slices.parted(store, dataset_id, judge_id, dimension, basis)
    weights = dimension.scale.weights
    certain = certainty.certain(store, dataset_id, judge_id, dimension, basis).by_source
    made = {source: reliability(cells) for source, cells in certain.items()}
    return Depth(
        found,
        alternative.test(ratings, EPSILON) if several else None,
        tuple(sliced(parted.cells, parted.size, weights, parted.cuts, parted.gap)),
        tuple(curve(*slices.in_order(store, dataset_id, judge_id, dimension, basis), weights)),
        {source: one for source, one in made.items() if one is not None},
    )
