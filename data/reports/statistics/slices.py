"""Slices: kappa on every system, language, length ... and whether it differs."""

from __future__ import annotations

from collections.abc import Sequence

from data.calibration import slices
from data.reports.statistics.statistic import Json, Of, Statistic
from judges.render.findings import slices as said
from judges.render.findings.findings import Finding
from judges.render.json_figures import kappa
from judges.stats.approval_check import Policy
from judges.stats.calibration import DimensionResult
from judges.stats.slices import SlicedKappa


def _load(of: Of) -> Sequence[SlicedKappa]:
    return slices.differences(*of.place, of.basis, of.drop)


def _findings(found: Sequence[SlicedKappa], line: DimensionResult, _: Policy) -> list[Finding]:
    drawn = [one for cut in found for one in (said.plot(cut, line.shown.interval), said.table(cut))]
    return [*said.tests(found), *drawn]


def _plain(found: Sequence[SlicedKappa]) -> Json:
    return {
        "slices": [
            {
                "by": cut.by, "p": cut.apart.p if cut.apart else None,
                "p_holm": cut.apart.adjusted if cut.apart else None,
                "slices": [{"slice": s.name, **kappa(s.interval), "bias": s.lenient} for s in cut.slices],
            }
            for cut in found
        ]
    }  # fmt: skip


SLICES = Statistic[Sequence[SlicedKappa]](
    "slices", "Slices", _load, _findings, (), _plain, folded=True, reading=("slices",)
)
