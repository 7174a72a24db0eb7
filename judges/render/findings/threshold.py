"""A score as a flag: its figures at one threshold, and over all."""

from __future__ import annotations

from collections.abc import Sequence

from judges.plural import many
from judges.render.findings.findings import Finding, Intervals, LineChart, quiet, say
from judges.render.svg import IntervalRow, Series
from judges.render.words import cell
from judges.stats.threshold import ThresholdPoint, ThresholdRates, explain
from judges.stats.uncertainty import MIN_CLUSTERS, Interval
from judges.types import Dimension


def at_one(rates: ThresholdRates, dimension: Dimension) -> list[Finding]:
    """Sentences, and the rates and kappa with their intervals, at one threshold."""
    flag_rates = rates.rates
    rows = [
        _row("kappa", rates.kappa), _row("recall", flag_rates.recall), _row("precision", flag_rates.precision),
        _row("false positive rate", flag_rates.false_positive_rate),
    ]  # fmt: skip
    parts: list[Finding] = [say("{sentences}", sentences=" ".join(explain(rates, dimension))), Intervals(rows)]
    if flag_rates.people.items < MIN_CLUSTERS:
        parts.append(quiet("Fewer than {n} items: no conclusion.", n=MIN_CLUSTERS))
    return parts


def curve(steps: Sequence[ThresholdPoint], title: str = "") -> list[Finding]:
    """Kappa, precision and recall over thresholds; what is undefined is left out."""
    series: list[Series] = []
    for name in ("kappa", "precision", "recall"):
        known = [(step.at, getattr(step, name)) for step in steps if getattr(step, name) is not None]
        if known:
            xs, ys = zip(*known, strict=True)
            series.append((name, xs, ys, None, None))
    if not series:
        return []
    return [
        LineChart(
            series, "positive from", "", None, title,
            "A threshold that is chosen because its figures are best here is overfitted to these labels: choose it for "
            "its purpose.",
        )
    ]  # fmt: skip


def _row(name: str, interval: Interval) -> IntervalRow:
    on = f"{cell(interval.point, '.2f')} from {many(interval.cells, 'rating')}" if interval.cells else "no such ratings"
    return IntervalRow.of(name, interval, "other" if name == "kappa" else "beside", on)
