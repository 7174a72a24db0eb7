"""The plots of a judge's report, as SVG texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from data.reports.evidence import Evidence
from data.reports.statistics import STATISTICS
from judges.render import svg
from judges.render.findings.as_html import plot_svg
from judges.render.findings.findings import Measures, Sentence, Table
from judges.stats.calibration import DimensionResult
from judges.stats.check_states import STATES
from judges.stats.raters import human_ceiling
from judges.stats.uncertainty import Interval
from judges.types import Dimension

REACH = ", which must be at the dashed line too"
"""The policy's requirement for a lower bound, after its name; for which looks it is valid, the policy says."""


Tops = Mapping[Dimension, Interval | None]
"""The agreement of people with each other, by dimension."""


def interval_rows(lines: Iterable[DimensionResult], tops: Tops) -> list[svg.IntervalRow]:
    """Every dimension with its interval, its bound, its state and how far people agree with each other."""
    rows = []
    for line in lines:
        interval, state = line.shown.interval, line.check.state
        more = f" · {line.check.more_told}" if line.check.more_told else ""
        figures = interval.point, interval.low, interval.high, line.bound
        top = tops.get(line.dimension)
        ceiling = None
        if top is not None and top.point is not None and not top.is_too_small:
            ceiling = top.point, top.low, top.high
        label = f"{STATES[state].mark} {state}{more}"
        rows.append(svg.IntervalRow(line.dimension.title, line.dimension.sort, *figures, state, label, ceiling))
    return rows


def explain_people(lines: Sequence[DimensionResult], tops: Tops) -> str:
    """Return a sentence on the people whose agreement the figures show; "" without gold."""
    people = [line.shown.people for line in lines if line.shown.gold_cells]
    if not people:
        return ""
    labels, cells = sum(p.labels for p in people), sum(line.shown.gold_cells for line in lines)
    shown_tops = [tops.get(line.dimension) for line in lines if line.shown.gold_cells]
    known = any(top is not None and not top.is_too_small for top in shown_tops)
    return human_ceiling.explain_labels(
        min(p.fewest for p in people), max(p.most for p in people), labels / cells, known
    )


def ceilings(evidence: Evidence) -> Tops:
    """Kappa between two people by dimension, None where too few items have labels of two."""
    return {dim.dimension: dim.ceiling.between if dim.ceiling else None for dim in evidence.dimensions}


def overview_plot(evidence: Evidence) -> str:
    """All dimensions against what the policy asks."""
    threshold = evidence.requirements.policy.threshold
    title = "Agreement with people, corrected for chance (kappa)"
    rows = interval_rows((dim.line for dim in evidence.dimensions), ceilings(evidence))
    return svg.interval_plot(rows, threshold, f"required: {threshold:.2f}", title=title)


def plot_files(evidence: Evidence) -> dict[str, str]:
    """All plots by file name: of all dimensions, and those of each dimension under the name of their statistic."""
    svg_by_file = {"dimensions.svg": overview_plot(evidence)}
    for dim in evidence.dimensions:
        for statistic in STATISTICS.values() if dim.line.shown.cells else ():
            drawn = statistic.findings(dim.statistics[statistic.name], dim.line, evidence.requirements.policy)
            plots = [finding for finding in drawn if not isinstance(finding, Sentence | Table | Measures)]
            for number, plot in enumerate(plots, 1):
                name = statistic.name + (f".{number}" if len(plots) > 1 else "")
                svg_by_file[f"{dim.line.key}.{name}.svg"] = plot_svg(plot)
    return svg_by_file
