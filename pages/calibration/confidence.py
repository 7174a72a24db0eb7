"""Confidence: agreement by level, the calibration error, and how well confidence ranks, in sentences and a chart."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from judges.plural import many
from judges.reading.confidence import RULE, SAMPLES, STATED, TOKENS
from judges.stats.reliability import Level, Reliability
from judges.stats.uncertainty import Interval
from pages.ui import charts, text

_SOURCES = {
    STATED: "stated confidence",
    TOKENS: "token probabilities",
    RULE: "rules of the card",
    SAMPLES: "self-consistency of samples",
}
_MARGIN = 0.02


def nothing(scored: int) -> None:
    """No score has a confidence."""
    text.quiet(
        "No confidence: none of the {cells} of people and judge has one. Run the judge with log-probabilities or "
        "several samples, or use a card whose reply states a confidence; this panel then shows how well it is "
        "calibrated.",
        cells=many(scored, "rating"),
    )


def sources(found: Mapping[str, tuple[Reliability, int]]) -> dict[str, str]:
    """The sources in words, with the ratings of each."""
    return named({source: n for source, (_, n) in found.items()})


def named(found: Mapping[str, int]) -> dict[str, str]:
    """The same of sources with their numbers of ratings."""
    return {source: f"{_SOURCES.get(source, source)} · {many(n, 'rating')}" for source, n in found.items()}


def told(found: Reliability, source: str, cells: int, scored: int) -> None:
    """Accuracy at high and low confidence, over- or underconfidence, and discrimination, in sentences."""
    low, high = found.levels[0], found.levels[-1]
    if low is not high:
        text.say(
            "At a confidence of **{sure}** the judge agrees with people in **{right}** of ratings ({span}), at "
            "**{unsure}** in **{less}** ({less_span}).",
            sure=_level(high), right=f"{high.right.point or 0:.0%}", span=_percent(high), unsure=_level(low),
            less=f"{low.right.point or 0:.0%}", less_span=_percent(low),
        )  # fmt: skip
    else:
        text.say(
            "Confidence is always **{sure}**, so it does not separate ratings that agree from those that do not.",
            sure=_level(high),
        )
    gap = found.stated - (found.right.point or 0.0)
    outside = found.right.low is not None and not found.right.low <= found.stated <= (found.right.high or 1.0)
    text.say(
        "Mean confidence {stated}, accuracy {right}{verdict}. Expected calibration error (ECE) {error}; about {chance} "
        "is expected by chance with so few ratings.",
        stated=f"{found.stated:.0%}", right=f"{found.right.point or 0:.0%}",
        verdict="" if not outside or abs(gap) < _MARGIN else ": overconfident" if gap > 0 else ": underconfident",
        error=f"{found.error:.1%}", chance=f"{found.chance:.1%}",
    )  # fmt: skip
    ranks = found.ranks
    if ranks is None or ranks.point is None:
        st.markdown("All ratings agree, or none does: the AUROC of confidence is undefined.")
    else:
        use = "so confidence predicts agreement and is of use for choosing what people review"
        wrong = "so confidence is higher where the judge is wrong: do not use it"
        none = "so confidence is not shown to predict agreement"
        text.say(
            "AUROC of confidence {ranks} ({span}; 50% is chance), {verdict}.",
            ranks=f"{ranks.point:.0%}", span=_ends(ranks),
            verdict=wrong if (ranks.high or 1.0) < 0.5 else use if (ranks.low or 0.0) > 0.5 else none,
        )  # fmt: skip
    few = found.items < 30
    text.quiet(
        "From {cells} of {items} with a confidence, of {scored} scored. Source: {source}."
        + (" Fewer than 30 items: no conclusion." if few else ""),
        cells=many(cells, "rating"), items=many(found.items, "item"), scored=many(scored, "rating"),
        source=_SOURCES.get(source, source),
    )  # fmt: skip


def _level(level: Level) -> str:
    return f"{level.low:.0%}" if level.low == level.high else f"{level.low:.0%} to {level.high:.0%}"


def _percent(level: Level) -> str:
    return _ends(level.right)


def _ends(one: Interval) -> str:
    return "–" if one.low is None or one.high is None else f"{one.low:.0%} to {one.high:.0%}"


def chart(found: Reliability, ordered: bool, key: str) -> None:
    """Agreement by level of confidence, and the same in figures."""
    left, right = st.columns([3, 4], gap="large", vertical_alignment="center")
    with left:
        charts.reliability(found.levels, key)
    with right:
        columns = {
            "confidence": [_level(one) for one in found.levels],
            "ratings": [one.cells for one in found.levels],
            "items": [one.right.items for one in found.levels],
            "% agreement": [100 * (one.right.point or 0.0) for one in found.levels],
            "95% interval": [_percent(one) for one in found.levels],
        }
        if ordered:
            columns["within one"] = [100 * (one.near.point or 0.0) for one in found.levels]
        share = st.column_config.NumberColumn(format="%.0f%%")
        st.dataframe(columns, hide_index=True, column_config={"% agreement": share, "within one": share})
        st.caption("Intervals by items (clustered). Dashed: perfect calibration.")
