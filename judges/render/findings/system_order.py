"""The order of systems: whether a judge puts them as people do."""

from __future__ import annotations

from judges.plural import many
from judges.render.findings.findings import COUNT, Column, Finding, Table, quiet, say
from judges.render.words import number, span
from judges.stats.system_order import MIN_SYSTEMS, SystemOrder

_CAPTION = (
    "Means over the ratings that people and judge both gave; rank 1 is the highest. The intervals resample questions "
    "where items name them, otherwise items."
)


def findings(system_order: SystemOrder) -> list[Finding]:
    """Return the agreement of the two orders, and a table of every system with its means and ranks."""
    count = len(system_order.systems)
    if count < 2:
        return [quiet("An order needs two systems: the ratings that both gave are of {n}.", n=many(count, "system"))]
    parts: list[Finding] = []
    if count >= MIN_SYSTEMS:
        for name, interval in (("Kendall's tau-b", system_order.kendall), ("Spearman's rho", system_order.spearman)):
            if interval.point is not None:
                parts.append(
                    say(
                        "**{name} {point}** ({ends}) between people's order of {n} and the judge's.",
                        name=name, point=number(interval.point, ".3f"), ends=span(interval, ".3f", "no interval"),
                        n=many(count, "system"),
                    )
                )  # fmt: skip
        opposite = "**{n}** of the {pairs} pairs of systems: people and judge put them in opposite orders."
        parts.append(say(opposite, n=system_order.flipped, pairs=system_order.pairs))
    else:
        first, second = system_order.systems
        orders = "opposite orders" if system_order.flipped else "the same order"
        if first.human == second.human or first.judge == second.judge:
            orders = "no order: two of their means are equal"
        parts.append(say("People and judge put the two systems in **{way}**.", way=orders))
    rows = [
        {
            "system": system.name, "ratings": system.cells, "people": system.human, "judge": system.judge,
            "judge - people": system.judge - system.human, "rank by people": system.human_rank.point,
            "of people": span(system.human_rank, ".0f"), "rank by judge": system.judge_rank.point,
            "of judge": span(system.judge_rank, ".0f"),
        }
        for system in system_order.systems
    ]  # fmt: skip
    columns = {
        "ratings": COUNT, "people": Column(".2f"), "judge": Column(".2f"), "judge - people": Column("+.2f"),
        "rank by people": Column(".3g"), "of people": Column(title="95% interval"), "rank by judge": Column(".3g"),
        "of judge": Column(title="95% interval"),
    }  # fmt: skip
    return [*parts, Table(rows, columns, _CAPTION)]
