"""Self-consistency: how often a judge's samples agree, and what several of them gain."""

from __future__ import annotations

from typing import NamedTuple

from data.calibration.self_consistency import measure_repeats
from data.records import combinations
from data.reports.statistics.statistic import Of, Statistic
from judges.render.findings import self_consistency as said
from judges.stats.self_consistency import SelfConsistency


class Samples(NamedTuple):
    """What several samples came to (None: the judge gave one of each rating), and how they are combined, in words."""

    repeats: SelfConsistency | None = None
    combined: str = ""


def _load(of: Of) -> Samples:
    return Samples(measure_repeats(*of.place, of.basis), combinations.describe_combinations(of.store).get(of.judge, ""))


SELF_CONSISTENCY = Statistic(
    "samples", "Self-consistency", _load,
    lambda found, *_: said.findings(found.repeats, found.combined) if found.repeats is not None else [], Samples(),
    drops=False,
)  # fmt: skip
