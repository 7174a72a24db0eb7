"""Precision and recall of a flag, or of each category against the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from data.calibration import rates
from data.reports.statistics.statistic import Json, Of, Statistic
from judges.render.findings import rates as said
from judges.render.findings.findings import Finding
from judges.render.json_figures import kappa
from judges.stats import rates as figures
from judges.stats.approval_check import Policy
from judges.stats.calibration import DimensionResult
from judges.stats.ppi import CorrectedMean
from judges.stats.rates import AnswerRates


class Rates(NamedTuple):
    """Every answer with its rates, and by an answer's place the share that the dashboard shows (PPI++)."""

    answers: Sequence[AnswerRates]
    means: Mapping[int, CorrectedMean]


def _load(of: Of) -> Rates:
    return Rates(rates.answer_rates(*of.place, of.basis), rates.corrected_means(*of.place, of.basis))


def _findings(found: Rates, line: DimensionResult, _: Policy) -> list[Finding]:
    return said.findings(found.answers, found.means, line.dimension) if found.answers else []


def _plain(found: Rates) -> Json:
    means = found.means
    return {
        "rates": [
            figures.as_json(a) | {"ppi": kappa(means[a.rates.place].interval) if a.rates.place in means else None}
            for a in found.answers
        ]
    }


RATES = Statistic(
    "rates", "Precision and recall", _load, _findings, Rates((), {}), _plain,
    stands=lambda line: line.dimension.scale.weights is None, drops=False, reading=("rates", "prevalence"),
)  # fmt: skip
