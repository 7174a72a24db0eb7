"""Human agreement: how far people agree with each other, and whether the judge could stand in for one of them."""

from __future__ import annotations

from typing import NamedTuple

from data.calibration import human_ceiling
from data.reports.statistics.statistic import Json, Of, Statistic
from judges.render.findings import human_ceiling as said
from judges.render.findings.findings import Finding
from judges.render.json_figures import kappa
from judges.stats.approval_check import Policy
from judges.stats.calibration import DimensionResult
from judges.stats.raters import alternative_annotator
from judges.stats.raters.alternative_annotator import AlternativeAnnotatorTest
from judges.stats.raters.human_ceiling import HumanCeiling


class People(NamedTuple):
    """The ceiling (None: no rating has labels of two people) and the test (None: it cannot be tried)."""

    ceiling: HumanCeiling | None = None
    test: AlternativeAnnotatorTest | None = None


def _load(of: Of) -> People:
    return People(human_ceiling.measure_ceiling(*of.place), human_ceiling.stand_in(*of.place, of.epsilon))


def _findings(found: People, line: DimensionResult, _: Policy) -> list[Finding]:
    title = f"{line.dimension.title}: agreement between people, and of the judge with them"
    drawn = said.findings(found.ceiling, line.shown.interval, title)
    return drawn if found.test is None else [*drawn, said.test(found.test)]


def _plain(found: People) -> Json:
    """People stand in it without their names."""
    held, test = found
    if held is None:
        return {"people": None}
    return {
        "people": {
            "people": held.people, "ratings": held.cells, "items": held.items, "between": kappa(held.between),
            "alpha": kappa(held.alpha), "judge": kappa(held.judge) if held.judge else None,
            "judge_minus_between": kappa(held.ahead) if held.ahead else None,
            "alternative": None if test is None else alternative_annotator.as_json(test),
        }
    }  # fmt: skip


HUMAN_AGREEMENT = Statistic(
    "people", "Human agreement", _load, _findings, People(), _plain, drops=False, reading=("ceiling", "alpha")
)
