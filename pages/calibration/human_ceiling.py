"""People beside the judge: how far they agree with each other, and whether the judge could stand in for one of them."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from data.calibration.human_ceiling import alternative_annotator_test, measure_ceiling
from judges.plural import many
from judges.render.findings import human_ceiling as human_ceiling_findings
from judges.render.findings.findings import COUNT, Column
from judges.render.words import p_value
from judges.stats.calibration import DimensionResult
from judges.stats.raters import alternative_annotator
from pages.calibration.selection import CalibrationSelection
from pages.ui import explanations, findings, session, tables, text


def panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """The ceiling beside the judge's kappa, and the alternative-annotator test; on blind labels of the same cells."""
    store, key = session.store(), f"people:{key}"
    with st.spinner("Comparing people with each other ..."):
        ceiling = measure_ceiling(store, selection.dataset, selection.judge, line.dimension)
    explanations.heading_with_help("Agreement between people, and of the judge with them", "ceiling", "alpha", key=key)
    # Ties count between people: a kappa without them is another figure.
    interval = None if selection.dropped else line.shown.interval
    findings.draw(human_ceiling_findings.findings(ceiling, interval), f"ceiling:{key}")
    if ceiling is None or ceiling.judge is None:
        return
    explanations.heading_with_help(
        "Alternative-annotator test: may the judge replace one annotator?", "alternative", "handicap", key=f"{key}:test"
    )
    if ceiling.people < alternative_annotator.MIN_PEOPLE:
        st.caption("Not tested: this needs labels of three people or more.")
        return
    epsilon = _handicap(f"epsilon:{key}")
    with st.spinner("Leaving out one person at a time ..."):
        test = alternative_annotator_test(store, selection.dataset, selection.judge, line.dimension, epsilon)
    if test is not None:
        _alternatives(test)


def _alternatives(test: alternative_annotator.AlternativeAnnotatorTest) -> None:
    """The alternative-annotator test: the verdict in a sentence, and a row for every person."""
    state = "" if not test.enough else "passes" if test.passed else "does not pass"
    findings.draw_sentence(human_ceiling_findings.test(test), state)
    if not test.enough:
        return
    closer = Column(".0%", "At least as close to the other people; ties count for both.", width=104)
    columns = {
        "person": Column(width=150), "items": COUNT, "judge closer": closer, "person closer": closer,
        "p": Column(width=84), "p adjusted": Column(width=84), "judge": Column(width=100),
    }  # fmt: skip
    rows = [
        (annotator.name, annotator.items, annotator.judge, annotator.person, p_value(annotator.p),
         p_value(annotator.adjusted), "✓ wins" if annotator.won else "– not shown")
        for annotator in test.people
    ]  # fmt: skip
    tables.table(rows, columns, width="content")
    if test.left_out:
        most = max(n for _, n in test.left_out)
        text.quiet(
            "Left out: {n} with fewer than {least} items in common with others ({most} at most).",
            n=many(len(test.left_out), "person", "people"), least=alternative_annotator.MIN_ITEMS, most=most,
        )  # fmt: skip


HANDICAPS: Mapping[float, str] = {eps: f"{kind} · ε {eps:g}" for eps, kind in alternative_annotator.EPSILONS.items()}


def _handicap(key: str) -> float:
    """Ask who the people are, and return the handicap that the test gives them."""
    chosen = st.segmented_control(
        "The people here are",
        list(HANDICAPS),
        format_func=lambda eps: text.escape(HANDICAPS[eps]),
        default=0.2,
        required=True,
        key=key,
    )
    return float(chosen or 0.2)
