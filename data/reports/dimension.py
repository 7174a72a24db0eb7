"""One dimension in a report: what may be concluded, then every statistic of it."""

from __future__ import annotations

from data.gold.gold import BASES
from data.reports.evidence import DimensionEvidence, Evidence
from data.reports.statistics import STATISTICS
from judges.render.findings import agreement
from judges.render.findings.as_html import html_parts
from judges.render.html import details, heading, note, para, table
from judges.render.words import cell
from judges.stats.check_states import STATES, Role

_KINDS: dict[Role, str] = {"good": "fine", "open": "look", "bad": "alarm", "quiet": "quiet"}


def dimension_section(evidence: Evidence, dim: DimensionEvidence) -> list[str]:
    """Everything about a dimension."""
    check = dim.line.check
    conclusion, why = agreement.check_result(dim.line)
    parts = [
        heading(f"{dim.dimension.title} · of each {dim.dimension.sort}", anchor=dim.line.key),
        note(
            "{state}: " + conclusion.template, _KINDS[STATES[check.state].role], state=check.state.capitalize(),
            **conclusion.values,
        ),
        *html_parts([why]),
    ]  # fmt: skip
    if dim.dimension.definition:
        parts.append(para("Definition: {definition}", "quiet", definition=dim.dimension.definition))
    if not dim.has_cells:
        parts.append(para("No rating has both a reference label (gold) and a score of this judge."))
        return [*parts, *html_parts(agreement.omissions(dim.line.shown, evidence.judge.unscored))]
    folded = []
    for statistic in STATISTICS.values():
        if not statistic.applies(dim.line):
            continue
        figures = statistic.figures_in(dim.statistics)
        drawn = html_parts(statistic.findings(figures, dim.line, evidence.requirements.policy))
        if statistic.collapsed and drawn:
            folded.append(details(statistic.title, drawn))
        elif drawn:
            parts += [heading(statistic.title, 3), *drawn]
    return [*parts, *_bases(dim), *folded]


def _bases(evidence: DimensionEvidence) -> list[str]:
    rows = []
    for (basis, dropped), summary in evidence.bases.items():
        interval = summary.interval
        rows.append(
            {
                "labels used": BASES[basis] + (", ties dropped" if dropped else ""), "items": f"{interval.items:,}",
                "ratings": f"{summary.cells:,}", "n_eff": cell(interval.n_eff, ".1f"),
                "kappa": cell(interval.point, ".4f"), "low": cell(interval.low, ".4f"),
                "high": cell(interval.high, ".4f"),
                "bound, one look": cell(interval.lower_bound, ".4f"), "% agreement": cell(summary.exact, ".1%"),
                "r": cell(summary.correlation, ".3f"),
                "AC2" if summary.dimension.scale.has_order else "AC1": cell(summary.ac, ".3f"),
            }
        )  # fmt: skip
    return [table(rows, list(rows[0]), "The same figures from each set of labels")] if rows else []
