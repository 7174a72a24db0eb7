"""Auto-accept (selective evaluation): which scores can be accepted unseen for the required agreement."""

from __future__ import annotations

from collections.abc import Sequence

from judges.plural import many
from judges.render.findings.findings import SHARE, Column, LineChart, Sentence, Table, quiet, say
from judges.render.svg import Series
from judges.stats import auto_accept
from judges.stats.auto_accept import AutoAcceptance, ThresholdTest

_PASSED = {True: "✓ passes", False: "✕ fails", None: "not tested"}


def sentences(auto_acceptance: AutoAcceptance, near: bool, scored: int, spared: int) -> list[Sentence]:
    """The result on the labelled items, and for all `scored` items, of which `spared` need no review."""
    head, colon, rest = auto_accept.explain(auto_acceptance, near).partition(": ")
    parts = [say("**{head}**{rest}", head=head, rest=colon + rest)]
    if auto_acceptance.chosen is not None:
        parts.append(
            say(
                "Of {items} scored by the judge, **{spared}** can be accepted automatically and {left} go to people.",
                items=many(scored, "item"), spared=f"{spared:,}", left=f"{scored - spared:,}",
            )
        )  # fmt: skip
    overall = "–" if auto_acceptance.overall.point is None else f"{auto_acceptance.overall.point:.0%}"
    parts.append(
        quiet(
            "From {cells} of {items} with reference labels (gold); over all of them agreement is {overall}.",
            cells=many(auto_acceptance.cells, "rating"), items=many(auto_acceptance.items, "item"), overall=overall,
        )
    )  # fmt: skip
    return parts


def plot(auto_accept: AutoAcceptance, title: str = "") -> LineChart | None:
    """Agreement on what is accepted against its share of the items; None where no threshold was tested."""
    if not auto_accept.steps:
        return None

    def series(name: str, steps: Sequence[ThresholdTest], band: bool) -> Series:
        ends = [None if (b := s.agreement.lower_bound) is None else 100 * b for s in steps]
        shares, points = [round(100 * s.share, 1) for s in steps], [100 * (s.agreement.point or 0.0) for s in steps]
        return name, shares, points, ends if band else None, points if band else None

    drawn = [series("agreement, down to its lower bound", auto_accept.steps, True)]
    drawn += [series("threshold", [auto_accept.chosen], False)] if auto_accept.chosen else []
    axes = "coverage (items accepted automatically), %", "% agreement there"
    return LineChart(drawn, *axes, 100 * auto_accept.target, title)


def table(auto_acceptance: AutoAcceptance) -> Table:
    """Every threshold with what was found there."""
    rows = [
        {
            "threshold": s.threshold, "coverage": s.share, "% agreement": s.agreement.point or 0.0,
            "lower bound": s.agreement.lower_bound or 0.0, "test": _PASSED[s.passed],
        }
        for s in auto_acceptance.steps
    ]  # fmt: skip
    lowest = Column(".3f", "Lowest confidence that is accepted.")
    columns = {"threshold": lowest, "coverage": SHARE, "% agreement": SHARE, "lower bound": Column(".1%")}
    return Table(rows, columns, auto_accept.READING_HELP)
