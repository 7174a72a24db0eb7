"""Anchoring: whether people agree more with the judge where they see its scores."""

from __future__ import annotations

from judges.plural import many
from judges.render.findings.findings import Finding, Intervals, Sentence, quiet, say
from judges.render.svg import IntervalRow
from judges.render.words import cell, span
from judges.stats.uncertainty import MIN_CLUSTERS, Interval, why_no_interval

MIN_OTHER_ITEMS = 10
"""Items' worth of ratings that have to hold another answer than the commonest one, in both arms."""


def findings(
    blind: Interval, assisted: Interval, change: Interval, others: tuple[float, float], title: str = ""
) -> list[Finding]:
    """The same figure on blind and on assisted labels, the difference, and what it means; or how much is missing.

    `others`: how many items' worth of ratings are not the commonest answer, among the blind and the assisted ones.
    """
    if not assisted.cells or not blind.cells:
        lacking = "labels given with this judge's scores in view" if blind.cells else "blind labels"
        return [
            quiet(
                "Not tested: there are no {lacking} on items of a random draw that have a score. To measure anchoring, "
                "show this judge's scores in a share of the audit sample (assisted share, on the page Queues).",
                lacking=lacking,
            )
        ]
    rows = [
        IntervalRow.of("blind", blind, "other", _describe_kappa(blind)),
        IntervalRow.of("assisted", assisted, "beside", _describe_kappa(assisted)),
        IntervalRow.of("assisted − blind", change, "beside", _describe_shift(change)),
    ]
    return [_sentence(blind, assisted, change, others), Intervals(rows, 0.0, reach=(-0.1, 1.0), title=title)]


def _sentence(blind: Interval, assisted: Interval, change: Interval, others: tuple[float, float]) -> Sentence:
    groups = {"blind": blind, "assisted": assisted}
    if small := [name for name, kappa in groups.items() if kappa.items < MIN_CLUSTERS]:
        counts = " and ".join(f"{many(groups[name].items, 'item')} with {name} labels" for name in small)
        return say("**Not tested**: {counts}, and {least} are needed.", counts=counts, least=MIN_CLUSTERS)
    if change.low is None or change.high is None:
        for name, kappa in groups.items():
            if why := why_no_interval(kappa):
                return say("**Not tested**, because of the {name} labels. {why}", name=name, why=why)
        return say("**Not tested**. {why}", why=why_no_interval(change))
    count, name = min(zip(others, groups, strict=True))
    if count < MIN_OTHER_ITEMS:
        return say(
            "**Not tested**: nearly all ratings with {name} labels are the same answer. Another one is given in those "
            "of about {n}, and {least} are needed.",
            name=name, n=many(int(count), "item"), least=MIN_OTHER_ITEMS,
        )  # fmt: skip
    if change.low > 0:
        return say(
            "**Anchoring**: people agree more with the judge where they see its scores, by {moved}. Part of the "
            "agreement of assisted labels comes from the judge itself.",
            moved=_describe_shift(change),
        )
    if change.high < 0:
        return say(
            "**People agree less with the judge where they see its scores**, by {moved}: find out why.",
            moved=_describe_shift(change),
        )
    return say(
        "**No anchoring is shown**: where people see the scores, kappa differs by {moved}, an interval that includes "
        "0. Anchoring as large as its upper end is not ruled out.",
        moved=_describe_shift(change),
    )


def _describe_kappa(interval: Interval) -> str:
    on = f"{many(interval.items, 'item')}, {many(interval.cells, 'rating')}"
    return f"undefined from {on}" if interval.point is None else f"{cell(interval.point, '.2f')} from {on}"


def _describe_shift(interval: Interval) -> str:
    return "undefined" if interval.point is None else f"{cell(interval.point, '+.2f')} ({span(interval)})"
