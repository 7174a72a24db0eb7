"""Mean scores of a judge, which say nothing of its agreement with people."""

from __future__ import annotations

from collections.abc import Sequence

from judges.render.findings.findings import COUNT, Column, Table
from judges.render.words import cell, span
from judges.stats.means import JudgeMeans
from judges.stats.uncertainty import Interval

COLUMNS = {
    "plain": "mean", "sure": "confidence-weighted", "trusted": "reliable only", "parts": "mean of parts",
    "other": "other judge", "ahead": "difference",
}  # fmt: skip
"""The means of a row (fields of `JudgeMeans`) in words, in the order in which page, command and report show them."""
READING_HELP = {
    "sure": "Scores weighted by the judge's own confidence, as its card defines it (high 1, medium .5, low .25).",
    "trusted": "Items whose aggregate is reliable by the rule of the card; n is their number.",
    "parts": "The unweighted mean of the scores that the aggregate is made of.",
    "ahead": "This judge minus the other, on the ratings of both.",
}
"""The explanations of those means that need one."""


def table(rows: Sequence[tuple[str, str, str, JudgeMeans]], by: str = "") -> Table:
    """A row for each (group of items, dimension, unit, means), with the columns that anything stands in.

    `by` is what groups the items, "" where they are all in one group.
    """
    used = [name for name in COLUMNS if any(getattr(means, name) is not None for *_, means in rows)]
    shown = [
        ({by: group or "unnamed"} if by else {})
        | {"dimension": dimension, "unit": unit, "items": means.plain.items, "ratings": means.plain.cells}
        | {COLUMNS[name]: _mean(getattr(means, name), name == "trusted") for name in used}
        for group, dimension, unit, means in rows
    ]
    columns = {COLUMNS[name]: Column(help=READING_HELP.get(name, "")) for name in used}
    read = [f"{COLUMNS[name].capitalize()}: {READING_HELP[name]}" for name in used if name in READING_HELP]
    caption = ["In brackets the 95% interval by items. For flags: the share of yes.", *read]
    return Table(shown, columns | {"items": COUNT, "ratings": COUNT}, " ".join(caption))


def _mean(interval: Interval | None, counted: bool) -> str:
    if interval is None or interval.point is None:
        return "–"
    ends = "" if interval.low is None else f" ({span(interval)})"
    return f"{cell(interval.point, '.2f')}{ends}" + (f", n {interval.items:,}" if counted else "")
