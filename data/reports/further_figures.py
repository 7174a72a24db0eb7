"""What a report has beside kappa: other metrics, how missing scores count, weakest turns, the judge's means."""

from __future__ import annotations

from data.calibration.means import COLUMNS, READ, MeanRow
from data.reports.evidence import Evidence, One
from judges.render.html import heading, para, table
from judges.render.words import cell, span
from judges.stats import missingness, weakest_turns
from judges.stats.uncertainty import Interval

_OTHERS = (
    "Other metrics, from the same ratings, with intervals by item. % agreement is not corrected for chance, and a "
    "correlation ignores a constant bias."
)
_MEANS = "The judge's own scores over all items, not corrected, with intervals by item."


_LIN = "On this interval scale kappa is Lin's concordance correlation, to which quadratic-weighted kappa is equal."


def others(one: One) -> list[str]:
    """The figures of other papers."""
    found = one.depth.others
    if found is None or not one.line.shown.cells:
        return []
    rows = [
        {"figure": name, "value": cell(held.point), "95% interval": span(held, ".3f", "–"), "meaning": told}
        for name, held, told in found.rows
    ]
    told = f"{_LIN} {_OTHERS}" if one.dimension.scale.kind == "interval" else _OTHERS
    return [table(rows, list(rows[0]), told)]


def lacking(one: One) -> list[str]:
    """The figures under each way of counting what is missing; nothing where nothing is."""
    found = one.depth.missing
    if found is None or not found.cells:
        return []
    rows = []
    for each in found.counted:
        if each.summary is not None:
            kappa, figures = each.summary.interval, each.accuracy
            row = {
                "missing": missingness.said(each.choice), "ratings": f"{each.summary.cells:,}",
                "kappa": cell(kappa.point), "95% interval": span(kappa, ".3f", "–"),
                "accuracy": cell(figures.exact, ".2%"),
            }  # fmt: skip
            if one.dimension.scale.weights is None:
                row |= {
                    "macro precision": cell(figures.precision, ".2%"), "macro recall": cell(figures.recall, ".2%"),
                    "macro F1": cell(figures.f1, ".2%"),
                }  # fmt: skip
            rows.append(row)
    return [
        para("**How missing counts**: {told} {check}", told=missingness.told(found), check=missingness.GATE),
        table(rows, list(rows[0])),
    ]


def turns(found: Evidence) -> list[str]:
    """The judge's weakest turns beside people's."""
    if not found.turns:
        return []
    told = [para("{told}", told=" ".join(weakest_turns.told(one))) for one in found.turns.values()]
    return [heading("The weakest turn"), *told]


def means(found: Evidence) -> list[str]:
    """What the judge gave on average."""
    if not found.overall:
        return []
    used = [name for name in COLUMNS if any(getattr(row.means, name) is not None for row in found.overall)]
    rows = [
        {"dimension": row.dimension.title, "unit": row.unit.replace(":", " ") or row.dimension.sort}
        | {"items": f"{row.means.plain.items:,}", "ratings": f"{row.means.plain.cells:,}"}
        | {COLUMNS[name]: _mean(row, name) for name in used}
        for row in found.overall
    ]
    read = [f"{COLUMNS[name].capitalize()}: {READ[name]}" for name in used if name in READ]
    return [heading("Mean scores of the judge"), table(rows, list(rows[0]), " ".join([_MEANS, *read]))]


def _mean(row: MeanRow, name: str) -> str:
    held: Interval | None = getattr(row.means, name)
    if held is None or held.point is None:
        return cell(None)
    counted = f", n {held.items:,}" if name == "trusted" else ""
    return f"{cell(held.point)} ({span(held, '.2f', '–')}{counted})"
