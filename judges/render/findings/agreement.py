"""Agreement of judge and people in one dimension: what a lead may conclude, the main figures, and what to beware of."""

from __future__ import annotations

from collections.abc import Sequence

from judges.plural import many
from judges.render.findings.findings import Confusion, Finding, Marginals, Measures, Sentence, quiet, say, warn
from judges.render.words import REASONS, cell, span
from judges.stats import bins
from judges.stats.agreement import marginals
from judges.stats.calibration import DimensionResult, Summary
from judges.stats.check_states import CONCLUSIONS
from judges.stats.intervals import BOOTSTRAP
from judges.stats.uncertainty import MIN_CLUSTERS

_METHODS = {
    BOOTSTRAP: "cluster bootstrap over items, 2,000 replicates, the wider of percentile and studentised at each end",
    "linearised": "linearisation over items",
}


def check_result(line: DimensionResult) -> list[Sentence]:
    """The result of the approval check: what a lead may conclude, why, and what is missing."""
    check, gate = line.check, line.gate
    within = (
        "" if gate.within_one is None else f", {gate.within_one:.0%} within {bins.describe_step(gate.dimension.scale)}"
    )
    return [
        say(
            CONCLUSIONS[check.state], name=line.dimension.title, exact=cell(gate.exact, ".0%"), near=within,
            kappa=cell(gate.interval.point, ".2f"), items=many(gate.interval.items, "item"),
        ),
        quiet(
            ("" if line.gated else "Approval check: ")
            + "{reason}" + (" **{needed}**" if check.missing else ""),
            reason=check.reason, needed=check.still_needed,
        ),
    ]  # fmt: skip


def kappa_findings(line: DimensionResult) -> list[Finding]:
    """Kappa, its interval and bound, raw agreement and bias, and the data behind them."""
    summary, interval, scale = line.shown, line.shown.interval, line.shown.dimension.scale
    worth = "" if abs(interval.n_eff - interval.items) < 0.05 else f" (effective sample size {interval.n_eff:,.1f})"
    findings: list[Finding] = [
        Measures(_measures(line)),
        quiet(
            "From {cells} of {items}{worth} that both people and judge scored. Interval: {method}.{few}",
            cells=many(summary.cells, "rating"), items=many(interval.items, "item"), worth=worth,
            method=_METHODS.get(interval.method, interval.method),
            few=f" Fewer than {MIN_CLUSTERS} items: no conclusion." if interval.is_too_small else "",
        ),
    ]  # fmt: skip
    if scale.has_order and summary.bias.low is not None:
        findings.append(quiet("95% interval of the bias: {span}.", span=span(summary.bias)))
    if summary.rounded:
        findings.append(
            quiet(
                "In {n} the judge's samples combine to a value between two answers. Kappa and bias use that value; "
                "% agreement, within one and the tables use the nearest answer.",
                n=many(summary.rounded, "rating"),
            )
        )
    return findings


def _measures(line: DimensionResult) -> list[tuple[str, str, str]]:
    summary, interval, scale = line.shown, line.shown.interval, line.shown.dimension.scale
    ordered = scale.has_order
    name, measure = ("Kappa (QWK)", "Quadratic-weighted kappa") if ordered else ("Kappa", "Cohen's kappa, unweighted")
    if scale.kind == "interval":
        name, measure = "Kappa (CCC)", "Lin's concordance, by the six sums that quadratic-weighted kappa has"
    linearised = interval.method == "linearised"
    how_wide = "Linearised over whole items." if linearised else "Cluster bootstrap: whole items are resampled."
    gated = "One-sided; the approval check compares it with the required kappa."
    shown = [
        (name, cell(interval.point), f"{measure}: 1 is full agreement, 0 is chance."),
        ("95% interval", span(interval), how_wide),
        ("Lower bound", cell(line.bound), gated)
        if line.gated
        else ("Lower bound", cell(interval.lower_bound), "One-sided, 95%, at a single look."),
        ("% agreement", cell(summary.exact, ".1%"), "Share of ratings where judge and people give the same answer."),
    ]
    if ordered:
        step, bias = bins.describe_step(scale), cell(summary.mean_difference, "+.2f")
        meaning = f"Share of ratings that differ by {step} or less."
        shown += [
            (f"Within {step.removesuffix(' step')}", cell(summary.within_one, ".1%"), meaning),
            ("Bias (judge - people)", bias, "Mean difference: above 0 the judge is higher."),
        ]
    return shown


def confusion(summary: Summary, title: str = "") -> Confusion:
    """The table of agreement."""
    binned = " Values are grouped into ten equal bins in this table only; the figures above use the values themselves."
    return Confusion(
        summary.counts, summary.answers, title,
        "Number of ratings and share of the row: how often the judge gave this answer where people gave that one. "
        "Outlined: agreement." + (binned if summary.binned else ""),
    )  # fmt: skip


def spread(summary: Summary, title: str = "") -> list[Finding]:
    """Return the shares of each answer by people and judge, with warnings about them; nothing without ratings."""
    shares = marginals(summary.table)
    if shares is None:
        return []
    people, judge = ([float(share) for share in side] for side in shares)
    caption = "Share of each answer. Different distributions mean that judge and people use the scale differently."
    findings: list[Finding] = [Marginals(people, judge, summary.answers, title, caption)]
    for rater, side in (("People", people), ("The judge", judge)):
        if max(side) == 1:
            findings.append(warn("{who} always gave one and the same answer: kappa is 0 or undefined.", who=rater))
    if summary.fragile:
        findings.append(
            warn(
                "{share} of all answers are the same: kappa is then unstable (the kappa paradox). Gwet's {name}, which "
                "is less affected by prevalence, is {ac}. It does not replace kappa.",
                share=f"{summary.commonest:.0%}", name="AC2" if summary.dimension.scale.has_order else "AC1",
                ac=cell(summary.ac, ".2f"),
            )
        )  # fmt: skip
    r, point = summary.correlation, summary.interval.point
    if r is not None and point is not None and r - point > 0.15:
        findings.append(
            warn(
                "Correlation is high (r {r}) but agreement is not: the judge ranks as people do, at another level.",
                r=cell(r, ".2f"),
            )
        )
    return findings


def omissions(summary: Summary, replies: Sequence[tuple[str, int]]) -> list[Sentence]:
    """Return sentences on what kappa leaves out: n/a on either side, and ratings without a score of the judge.

    `replies` are the reasons for which replies could not be used, over the whole dataset, with their numbers.
    """
    sentences, na = [], summary.na
    if summary.dimension.scale.na and na.cells:
        sentences.append(
            say(
                "**n/a**: people {people}, judge {judge} of {cells}. On whether the question applies they agree in "
                "{agreed} (kappa {kappa}). The figures above use the ratings that both scored.",
                people=f"{summary.na_human:,}", judge=f"{summary.na_judge:,}", cells=many(na.cells, "rating"),
                agreed=cell(na.agreement, ".1%"), kappa=cell(na.kappa, ".2f"),
            )
        )  # fmt: skip
    if summary.unscored:
        failed = "Unusable replies over the whole dataset: {why}. " if replies else ""
        sentences.append(
            say(
                "**Unscored**: {cells} with gold {have} no score of this judge. "
                + failed
                + "A failed reply is not a low score; it is left out of all figures.",
                cells=many(summary.unscored, "rating"), have="has" if summary.unscored == 1 else "have",
                why=", ".join(f"{n:,} {REASONS.get(reason, reason)}" for reason, n in replies),
            )
        )  # fmt: skip
    return sentences
