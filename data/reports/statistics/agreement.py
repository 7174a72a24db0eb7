"""Agreement: kappa and what stands beside it, the baselines, the table and the marginals, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from data.calibration import baselines, calibration
from data.reports.statistics.statistic import Json, Of, Statistic
from judges.render.findings import agreement
from judges.render.findings import baselines as beaten
from judges.render.findings.findings import Finding
from judges.render.json_figures import kappa
from judges.stats.approval_check import Policy
from judges.stats.baselines import Baselines
from judges.stats.calibration import DimensionResult


class Agreement(NamedTuple):
    """The baselines, and why replies of the judge could not be used, each reason with its number."""

    floors: Baselines
    replies: Sequence[tuple[str, int]]


def _load(of: Of) -> Agreement:
    asked = calibration.compared_dimensions(of.store, of.judge)
    floors = baselines.measure_baselines(of.store, of.dataset, of.judge, asked, of.basis, bool(of.drop))
    return Agreement(
        floors[of.dimension.sort, of.dimension.name], calibration.count_unscored(of.store, of.dataset, of.judge)
    )


def _findings(found: Agreement, line: DimensionResult, _: Policy) -> list[Finding]:
    shown, title = line.shown, line.dimension.title
    return [
        *agreement.figures(line),
        *beaten.findings(found.floors),
        agreement.confusion(shown, f"{title}: people and judge, ratings"),
        *agreement.spread(shown, f"{title}: how often each answer is given"),
        *agreement.left_out(shown, found.replies if shown.unscored else ()),
    ]


def _plain(found: Agreement) -> Json:
    floors, rule = found.floors, found.floors.length
    return {
        "baselines": {
            "standing": floors.standing, "items": floors.items, "constant": floors.constant,
            "constant_agreement": floors.share,
            "length": None if rule is None else {
                **kappa(rule.rule), "agreement": rule.exact, "judge": kappa(rule.judge), "ahead": kappa(rule.ahead),
            },
        }
    }  # fmt: skip


AGREEMENT = Statistic("agreement", "Agreement", _load, _findings, Agreement(Baselines(0), ()), _plain)
