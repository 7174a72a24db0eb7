"""What the evidence of a case says of the people whose labels it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from data.approvals import check_results
from data.approvals.record import Fact
from data.gold.gold import Basis
from data.store import Store
from judges.stats.calibration import Summary
from judges.stats.raters.human_ceiling import HumanCeiling
from judges.types import Dimension


def labels_per_cell(gate: Summary) -> Fact:
    """How many people labelled a cell."""
    people = gate.people
    mean = people.labels / gate.gold_cells if gate.gold_cells else None
    return "people of a cell", mean, f"{people.fewest} to {people.most}: kappa is agreement with their labels"


def ceiling_facts(top: HumanCeiling | None) -> Iterator[Fact]:
    """How far they agree with each other."""
    if top is None:
        yield "ceiling", None, "no rating has labels of two people"
        return
    yield "ceiling", top.between.point, f"kappa between {top.people} people, in pairs, on {top.cells:,} ratings"
    yield "ceiling, low end", top.between.low, f"{top.between.level:.0%} interval"
    yield "ceiling, high end", top.between.high, f"{top.between.level:.0%} interval"
    yield "Krippendorff's alpha", top.alpha.point, "between people"


def waiting_facts(store: Store, dataset_id: str, judge_id: str, basis: Basis, dimension: Dimension) -> Iterator[Fact]:
    """Kappa and mean difference with and without the cells that wait for adjudication, where some do."""
    for counted, out in check_results.with_and_without_waiting(store, dataset_id, judge_id, basis):
        if counted.dimension == dimension:
            for name, one in (("with", counted), ("without", out)):
                yield f"kappa {name} what waits", one.interval.point, f"{counted.people.waiting:,} ratings wait"
                yield f"mean difference {name} what waits", one.mean_difference, "judge minus people"
