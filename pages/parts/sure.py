"""Confidence: agreement by level, the calibration error, and how well confidence ranks, in sentences and a chart."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from judges.confidence import RULE, SAMPLES, STATED, TOKENS
from judges.counted import many
from judges.figures.reliability import Level, Reliability
from judges.intervals import Interval
from pages.parts import charts, text

_SOURCES = {
    STATED: "what the judge says of itself",
    TOKENS: "the probabilities of its tokens",
    RULE: "broken rules of its card",
    SAMPLES: "how far its own samples agree",
}
_MARGIN = 0.02


def nothing(scored: int) -> None:
    """No score has a confidence."""
    text.quiet(
        "No confidence: none of the {cells} that people and judge scored has one. Ask the judge for log-probabilities, "
        "for several samples, or use a card whose reply holds a confidence; then this panel shows whether to believe "
        "it.",
        cells=many(scored, "cell"),
    )


def sources(found: Mapping[str, tuple[Reliability, int]]) -> dict[str, str]:
    """The sources in words, with the cells that each has."""
    return named({source: n for source, (_, n) in found.items()})


def named(found: Mapping[str, int]) -> dict[str, str]:
    """The same of sources with their numbers of cells."""
    return {source: f"{_SOURCES.get(source, source)} · {many(n, 'cell')}" for source, n in found.items()}


def told(found: Reliability, source: str, cells: int, scored: int) -> None:
    """What it comes to: what sure and unsure answers are worth, whether it is too sure, and whether it ranks."""
    low, high = found.levels[0], found.levels[-1]
    if low is not high:
        text.say(
            "Where the judge is **{sure}** sure it says what people say in **{right}** of cells ({span}); where it is "
            "**{unsure}** sure, in **{less}** ({less_span}).",
            sure=_level(high), right=f"{high.right.point or 0:.0%}", span=_percent(high), unsure=_level(low),
            less=f"{low.right.point or 0:.0%}", less_span=_percent(low),
        )  # fmt: skip
    else:
        text.say(
            "The judge is always **{sure}** sure, so its confidence tells no answer from another.", sure=_level(high)
        )
    gap = found.stated - (found.right.point or 0.0)
    outside = found.right.low is not None and not found.right.low <= found.stated <= (found.right.high or 1.0)
    text.say(
        "On average it is {stated} sure and {right} right{verdict}. Calibration error {error}, of which about {chance} "
        "would be there by chance alone with so few cells.",
        stated=f"{found.stated:.0%}", right=f"{found.right.point or 0:.0%}",
        verdict="" if not outside or abs(gap) < _MARGIN else ": too sure of itself" if gap > 0 else ": too modest",
        error=f"{found.error:.1%}", chance=f"{found.chance:.1%}",
    )  # fmt: skip
    ranks = found.ranks
    if ranks is None or ranks.point is None:
        st.markdown("It is always right here, or never: whether its confidence ranks cannot be told.")
    else:
        use = "so its confidence is of use for choosing what people look at"
        wrong = "so it is surer where it is wrong: turn its confidence round, or leave it alone"
        none = "so nothing shows that its confidence tells right from wrong"
        text.say(
            "A right answer has more confidence than a wrong one in {ranks} of comparisons ({span}; 50% is no use), "
            "{verdict}.",
            ranks=f"{ranks.point:.0%}", span=_ends(ranks),
            verdict=wrong if (ranks.high or 1.0) < 0.5 else use if (ranks.low or 0.0) > 0.5 else none,
        )  # fmt: skip
    few = found.items < 30
    text.quiet(
        "On {cells} of {items} with a confidence, of {scored} scored. Source: {source}."
        + (" Fewer than 30 items: nothing may be concluded." if few else ""),
        cells=many(cells, "cell"), items=many(found.items, "item"), scored=many(scored, "cell"),
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
            "cells": [one.cells for one in found.levels],
            "items": [one.right.items for one in found.levels],
            "equal": [100 * (one.right.point or 0.0) for one in found.levels],
            "95% interval": [_percent(one) for one in found.levels],
        }
        if ordered:
            columns["within one"] = [100 * (one.near.point or 0.0) for one in found.levels]
        share = st.column_config.NumberColumn(format="%.0f%%")
        st.dataframe(columns, hide_index=True, column_config={"equal": share, "within one": share})
        st.caption(
            "Intervals by items: cells of one item count as what they are worth together. Dashed: as sure as right."
        )
