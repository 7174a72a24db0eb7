"""The tables of a report as CSV: every digit, stable column names, and no text that a spreadsheet would run."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

from data.exporting.files import write_csv_table
from data.reports.evidence import Evidence
from data.reports.figures import row
from data.reports.statistics.agreement import AGREEMENT
from data.reports.statistics.confidence import CONFIDENCE
from data.reports.statistics.human_agreement import HUMAN_AGREEMENT
from data.reports.statistics.sample_size import SAMPLE_SIZE
from data.reports.statistics.slices import SLICES
from judges.stats import agreement
from judges.stats.uncertainty import Interval


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A CSV text: floats with every digit, None as an empty cell, yes and no as true and false."""
    target = io.StringIO()
    write_csv_table(target, columns, rows)
    return target.getvalue()


def of(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    """A CSV text of rows that are dictionaries."""
    return as_csv(columns, ([line.get(name) for name in columns] for line in rows))


FIGURES = (
    "unit dimension basis ties weights kappa low high bound se items ratings n_eff method undefined_replicates "
    "agreement within_one bias bias_low bias_high people_fewest people_most labels correlation commonest ac "
    "gold_items gold_ratings unscored na_ratings na_people na_judge na_agreement na_kappa"
).split()
"""The columns of figures.csv."""


def figures(found: Evidence) -> str:
    """figures.csv: every dimension on every basis."""
    made = [row(s, basis, dropped) for one in found.dimensions for (basis, dropped), s in one.bases.items()]
    return of(made, FIGURES)


def confusion(found: Evidence) -> str:
    """confusion.csv: every cell of every table, with its count and its weight, and the marginals' shares."""
    rows: list[list[Any]] = []
    for one in found.dimensions:
        for (basis, dropped), summary in one.bases.items():
            margins = agreement.marginals(summary.table)
            for i, people in enumerate(summary.answers):
                for j, judge in enumerate(summary.answers):
                    shares = [float(margins[0][i]), float(margins[1][j])] if margins else [None, None]
                    rows.append(
                        [one.dimension.sort, one.dimension.name, basis, "dropped" if dropped else "counted", people,
                         judge, int(summary.counts[i, j]), float(summary.table[i, j]), *shares]
                    )  # fmt: skip
    columns = "unit dimension basis ties people judge ratings weight people_share judge_share".split()
    return as_csv(columns, rows)


def states(found: Evidence) -> str:
    """states.csv: the result of the approval check for every dimension, what is missing, and the baselines."""
    rows = [
        [one.dimension.sort, one.dimension.name, one.line.decision.state, one.line.decision.reason,
         one.line.decision.missing, *(one.line.decision.more or ("", "")), floors.standing, floors.constant,
         floors.share, floors.length.rule.point if floors.length else None,
         floors.length.ahead.point if floors.length else None, floors.length.ahead.low if floors.length else None,
         floors.length.ahead.high if floors.length else None]
        for one in found.dimensions for floors in (AGREEMENT.of(one.found).floors,)
    ]  # fmt: skip
    columns = (
        "unit dimension state reason missing more_items_low more_items_high baseline constant constant_agreement "
        "length_kappa ahead ahead_low ahead_high"
    )
    return as_csv(columns.split(), rows)


def people(found: Evidence) -> str:
    """people.csv: how far people agree with each other on the cells that several labelled, and the judge with them."""
    rows = [
        [one.dimension.sort, one.dimension.name, which, c.people, *_ends(interval)]
        for one in found.dimensions if (c := HUMAN_AGREEMENT.of(one.found).ceiling) is not None
        for which, interval in (
            ("between people", c.between), ("alpha", c.alpha), ("judge", c.judge), ("judge - people", c.ahead),
        )
        if interval is not None
    ]  # fmt: skip
    return as_csv(["unit", "dimension", "what", "people", *_ENDS], rows)


def slices(found: Evidence) -> str:
    """slices.csv: kappa in every slice; p tests whether slices differ, p_holm over all ways of slicing."""
    rows = [
        [one.dimension.sort, one.dimension.name, cut.by, s.name, *_ends(s.interval), s.lenient,
         cut.apart.p if cut.apart else None, cut.apart.adjusted if cut.apart else None]
        for one in found.dimensions for cut in SLICES.of(one.found) for s in cut.slices
    ]  # fmt: skip
    return as_csv(["unit", "dimension", "by", "slice", *_ENDS, "bias", "p", "p_holm"], rows)


def growth(found: Evidence) -> str:
    """growth.csv: kappa on the first items that were labelled."""
    rows = [
        [one.dimension.sort, one.dimension.name, *_ends(step)]
        for one in found.dimensions for step in SAMPLE_SIZE.of(one.found)
    ]  # fmt: skip
    return as_csv(["unit", "dimension", *_ENDS], rows)


def confidence(found: Evidence) -> str:
    """confidence.csv: how often the judge is right at each level of confidence."""
    rows = [
        [one.dimension.sort, one.dimension.name, source, n.low, n.high, n.stated, n.share, n.cells, n.right.point,
         n.right.low, n.right.high, n.near.point]
        for one in found.dimensions for source, (held, _) in CONFIDENCE.of(one.found).by_source.items()
        for n in held.levels
    ]  # fmt: skip
    columns = "unit dimension source from to stated share ratings right right_low right_high near"
    return as_csv(columns.split(), rows)


_ENDS = "kappa low high bound items ratings n_eff method".split()


def _ends(interval: Interval) -> list[Any]:
    return [interval.point, interval.low, interval.high, interval.lower_bound, interval.items, interval.cells,
            interval.n_eff, interval.method]  # fmt: skip


def fingerprints(found: Evidence) -> str:
    """fingerprints.csv: of the cells behind every dimension and basis."""
    rows = [
        [one.dimension.sort, one.dimension.name, b, held] for one in found.dimensions for b, held in one.prints.items()
    ]
    return as_csv(["unit", "dimension", "basis", "fingerprint"], rows)


def audits(found: Evidence) -> str:
    """audits.csv: what every audit of the judge's card finds."""
    findings = found.audits.findings if found.audits else {}
    rows = [
        [name, f.verdict, f.figure, f.interval.low if f.interval else None, f.interval.high if f.interval else None,
         f.n, len(f.flags), f.why]
        for name, f in findings.items()
    ]  # fmt: skip
    return as_csv(["audit", "verdict", "figure", "low", "high", "n", "flags", "why"], rows)


def decisions(found: Evidence) -> str:
    """decisions.csv: every decision on record, in their order."""
    rows = [
        [d.at.isoformat(timespec="seconds") + "Z", d.sort, d.dimension, d.decision, d.person, d.reason, d.state,
         d.print, d.holds]
        for d in found.decisions
    ]  # fmt: skip
    return as_csv("at unit dimension decision person reason state fingerprint holds".split(), rows)


def means(found: Evidence) -> str:
    """means.csv: the judge's own mean scores by system."""
    rows = [[m.system, m.dimension, m.unit or "all", m.cells, m.mean] for m in found.means]
    return as_csv(["system", "dimension", "unit", "scores", "mean"], rows)
