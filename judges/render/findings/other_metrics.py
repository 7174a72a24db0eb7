"""The figures of other papers, and how every figure changes with what a missing score counts as."""

from __future__ import annotations

from judges.render.findings.findings import COUNT, Column, Finding, Table, quiet, say
from judges.render.words import cell, span
from judges.stats import missingness
from judges.stats.missingness import Missingness
from judges.stats.other_metrics import OtherMetrics
from judges.types import Dimension

_OTHERS = (
    "Other metrics, from the same ratings, with intervals by item. % agreement is not corrected for chance, and a "
    "correlation ignores a constant bias."
)
_LIN = "On this interval scale kappa is Lin's concordance correlation, to which quadratic-weighted kappa is equal."


def findings(metrics: OtherMetrics, dimension: Dimension) -> list[Finding]:
    """Accuracy, AC, correlations and the rest, each with its interval and what it says."""
    rows = [
        {"figure": name, "value": cell(interval.point), "95% interval": span(interval, ".3f"), "meaning": meaning}
        for name, interval, meaning in metrics.rows
    ]
    columns = {"figure": Column(width=150), "value": Column(width=70), "95% interval": Column(width=110)}
    return [Table(rows, columns, f"{_LIN} {_OTHERS}" if dimension.scale.kind == "interval" else _OTHERS)]


def missing_values(missing: Missingness) -> list[Finding]:
    """The figures where what the judge could not answer is left out, or counts as an answer, side by side."""
    rows: list[dict[str, object]] = []
    for choice in missing.counted:
        row: dict[str, object] = {"missing": missingness.describe_choice(choice.choice)}
        if choice.summary is None:
            rows.append(row | {"95% interval": choice.why})
            continue
        kappa, figures = choice.summary.interval, choice.accuracy
        row |= {
            "ratings": choice.summary.cells, "kappa": kappa.point, "95% interval": span(kappa, ".3f"),
            "% agreement": figures.exact,
        }  # fmt: skip
        if choice.summary.mean_difference is not None:
            row["bias"] = choice.summary.mean_difference
        if not choice.summary.dimension.scale.has_order:
            row |= {"macro precision": figures.precision, "macro recall": figures.recall, "macro F1": figures.f1}
        rows.append(row)
    shares = dict.fromkeys(("% agreement", "macro precision", "macro recall", "macro F1"), Column(".2%"))
    blank = {key: None for row in rows for key in row}
    columns = {"ratings": COUNT, "kappa": Column(".3f"), "bias": Column("+.2f"), **shares}
    return [
        say("{sentence}", sentence=missingness.explain(missing)),
        Table([blank | row for row in rows], columns),
        quiet("{check}", check=missingness.APPROVAL_CHECK_NOTE),
    ]
