"""Confidence: agreement by level, the calibration error, and how well confidence ranks ratings."""

from __future__ import annotations

from collections.abc import Mapping

from judges.plural import many
from judges.reading.confidence import source_words
from judges.render.findings.findings import COUNT, SHARE, ReliabilityDiagram, Sentence, Table, quiet, say
from judges.render.words import span
from judges.stats.confidence import ConfidenceCalibration, ReliabilityLevel
from judges.stats.uncertainty import MIN_CLUSTERS

_MARGIN = 0.02


def sources(counts: Mapping[str, int]) -> dict[str, str]:
    """The sources of a confidence in words, each with its number of ratings."""
    return {source: f"{source_words(source).name} · {many(n, 'rating')}" for source, n in counts.items()}


def sentences(figures: ConfidenceCalibration, source: str, cells: int, scored: int) -> list[Sentence]:
    """Accuracy at high and low confidence, over- or underconfidence, and discrimination, from `cells` of `scored`."""
    low, high = figures.levels[0], figures.levels[-1]
    parts = [
        say(
            "At a confidence of **{sure}** the judge agrees with people in **{right}** of ratings ({span}), at "
            "**{unsure}** in **{less}** ({less_span}).",
            sure=_level(high), right=f"{high.accuracy.point or 0:.0%}", span=span(high.accuracy, ".0%"),
            unsure=_level(low), less=f"{low.accuracy.point or 0:.0%}", less_span=span(low.accuracy, ".0%"),
        )
        if low is not high
        else say(
            "Confidence is always **{sure}**, so it does not separate ratings that agree from those that do not.",
            sure=_level(high),
        )
    ]  # fmt: skip
    gap = figures.stated - (figures.accuracy.point or 0.0)
    outside = (
        figures.accuracy.low is not None
        and not figures.accuracy.low <= figures.stated <= (figures.accuracy.high or 1.0)
    )  # fmt: skip
    parts.append(
        say(
            "Mean confidence {stated}, accuracy {right}{verdict}. Expected calibration error (ECE) {error}; about "
            "{chance} is expected by chance with so few ratings.",
            stated=f"{figures.stated:.0%}", right=f"{figures.accuracy.point or 0:.0%}",
            verdict="" if not outside or abs(gap) < _MARGIN else ": overconfident" if gap > 0 else ": underconfident",
            error=f"{figures.ece:.1%}", chance=f"{figures.ece_if_calibrated:.1%}",
        )
    )  # fmt: skip
    ranks = figures.auroc
    if ranks is None or ranks.point is None:
        parts.append(say("All ratings agree, or none does: the AUROC of confidence is undefined."))
    else:
        use = "so confidence predicts agreement and is of use for choosing what people review"
        wrong = "so confidence is higher where the judge is wrong: do not use it"
        no_evidence = "so confidence is not shown to predict agreement"
        parts.append(
            say(
                "AUROC of confidence {ranks} ({span}; 50% is chance), {verdict}.",
                ranks=f"{ranks.point:.0%}", span=span(ranks, ".0%"),
                verdict=wrong if (ranks.high or 1.0) < 0.5 else use if (ranks.low or 0.0) > 0.5 else no_evidence,
            )
        )  # fmt: skip
    caveat = f" Fewer than {MIN_CLUSTERS} items: no conclusion." if figures.items < MIN_CLUSTERS else ""
    parts.append(
        quiet(
            "From {cells} of {items} with a confidence, of {scored} scored. Source: {source}.{few}",
            cells=many(cells, "rating"), items=many(figures.items, "item"), scored=many(scored, "rating"),
            source=source_words(source).name, few=caveat,
        )
    )  # fmt: skip
    return parts


def plot(figures: ConfidenceCalibration, title: str = "") -> ReliabilityDiagram:
    """Accuracy by level of confidence."""
    return ReliabilityDiagram(figures.levels, title)


def table(figures: ConfidenceCalibration, ordered: bool) -> Table:
    """The same in figures; where answers are `ordered`, with the share that is at most one step apart."""
    rows = [
        {
            "confidence": _level(level), "ratings": level.cells, "items": level.accuracy.items,
            "% agreement": level.accuracy.point or 0.0, "95% interval": span(level.accuracy, ".0%"),
        }
        | ({"within one": level.near.point or 0.0} if ordered else {})
        for level in figures.levels
    ]  # fmt: skip
    columns = {"ratings": COUNT, "items": COUNT, "% agreement": SHARE, "within one": SHARE}
    return Table(rows, columns, "Intervals by items (clustered). Dashed: perfect calibration.")


def _level(level: ReliabilityLevel) -> str:
    return f"{level.low:.0%}" if level.low == level.high else f"{level.low:.0%} to {level.high:.0%}"
