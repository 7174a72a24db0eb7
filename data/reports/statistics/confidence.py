"""Confidence: whether the judge agrees with people more often where its confidence is high."""

from __future__ import annotations

from data.calibration import confidence
from data.calibration.confidence import Levels
from data.reports.statistics.statistic import Json, Of, Statistic
from judges.render.findings import confidence as said
from judges.render.findings.findings import Finding
from judges.stats.approval_check import Policy
from judges.stats.calibration import DimensionResult


def _load(of: Of) -> Levels:
    return confidence.levels(*of.place, of.basis)


def _findings(found: Levels, line: DimensionResult, _: Policy) -> list[Finding]:
    drawn: list[Finding] = []
    for source, (one, cells) in found.by_source.items():
        title = f"{line.dimension.title}: accuracy by confidence ({said.named(source)})"
        drawn += [*said.sentences(one, source, cells, found.scored), said.plot(one, title)]
        drawn.append(said.table(one, bool(line.dimension.scale.weights)))
    return drawn


def _plain(found: Levels) -> Json:
    return {
        "confidence": [
            {
                "source": source, "error": held.error, "error_by_chance": held.chance,
                "ranks": held.ranks.point if held.ranks else None, "items": held.items, "ratings": held.cells,
                "levels": [
                    {"low": n.low, "high": n.high, "stated": n.stated, "share": n.share, "ratings": n.cells,
                     "right": n.right.point, "right_low": n.right.low, "right_high": n.right.high,
                     "near": n.near.point}
                    for n in held.levels
                ],
            }
            for source, (held, _) in found.by_source.items()
        ]
    }  # fmt: skip


CONFIDENCE = Statistic(
    "confidence", "Confidence", _load, _findings, Levels({}, 0), _plain, drops=False, folded=True,
    reading=("confidence", "reliability", "ranking"),
)  # fmt: skip
