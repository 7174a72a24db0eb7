"""Both orders of a pair: whether the judge says the same when the places of its responses are swapped."""

from __future__ import annotations

from judges.render.findings.findings import COUNT, Intervals, Sentence, Table, quiet, say
from judges.render.svg import IntervalRow
from judges.render.words import cell
from judges.stats.both_orders import PositionalAgreement, explain
from judges.stats.uncertainty import Interval


def sentences(agreement: PositionalAgreement) -> list[Sentence]:
    """The result in sentences."""
    head, *rest = explain(agreement)
    return [say("**{head}** {rest}", head=head, rest=" ".join(rest))]


def plot(agreement: PositionalAgreement) -> Intervals:
    """The two shares with their intervals; without position bias the second is at the mark."""
    rows = [_row("same verdict", agreement.same), _row("first position wins", agreement.first)]
    return Intervals(rows, 0.5, title="Position bias")


def table(agreement: PositionalAgreement) -> Table:
    """Verdicts by order."""
    names = [word.upper() if word in ("a", "b") else word for word in agreement.answers]
    rows = [
        {"as A/B": name, **{f"{other} as B/A": int(n) for other, n in zip(names, counts, strict=True)}}
        for name, counts in zip(names, agreement.table, strict=True)
    ]
    return Table(rows, {f"{name} as B/A": COUNT for name in names}, "Verdicts by order")


def counting_note() -> Sentence:
    """Return a note on how the verdicts were counted."""
    return quiet(
        "A and B are the item's own responses in both orders. Each pair counts once per sample; intervals are by "
        "pair. Without position bias the verdict stays the same and the first position wins 50% of the verdicts with "
        "a winner. A verdict that changes counts as a tie."
    )


def _row(name: str, interval: Interval) -> IntervalRow:
    return IntervalRow.of(name, interval, "other", f"{cell(interval.point, '.1%')} of {interval.cells:,}")
