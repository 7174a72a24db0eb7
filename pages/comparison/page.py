"""Comparison: several judges, and baselines that do not read the text, on the same ratings of a dataset."""

from __future__ import annotations

import streamlit as st

from data.approvals import policy
from data.calibration import calibration, comparison
from data.calibration.comparison import ComparedCells
from data.gold.gold import BASES, Basis
from judges.stats.comparison import JudgeComparison, JudgePair, adjust_pairs
from judges.types import Dimension
from pages.comparison import tables as parts
from pages.ui import choose, explanations, session, text, url_state

Row = tuple[Dimension, ComparedCells, JudgeComparison]


def page() -> None:
    """A table of all dimensions and judges; one dimension in detail below."""
    session.me()
    store = session.store()
    st.title("Comparison", anchor=False)
    bar, dataset = choose.dataset_bar(store)
    if dataset is None:
        return
    judges, names = choose.judges(store, dataset, ". Run one, or import its judgments, to compare it here.")
    if not judges:
        return
    counted = policy.approval_basis(store, dataset.id)
    with bar:
        reference = choose.judge(names, "Reference")
        rests = calibration.basis_sizes(store, dataset.id, calibration.compared_dimensions(store, reference))
        full = [basis for basis in (counted, *BASES) if rests[basis].labels]
        basis: Basis = url_state.select("basis", "Labels used", BASES, next(iter(full), counted), 390)
    text.synthetic(dataset)
    others = parts.choose_judges(names, reference) if len(names) > 1 else []
    if len(names) == 1:
        parts.one_only()
        url_state.link("runs", "Run another judge", icon=":material/play_arrow:", dataset=dataset.name)
    with st.spinner("Comparing the judges ..."):
        comparisons = comparison.compare_on_shared_cells(store, dataset.id, (reference, *others), basis)
    if not comparisons:
        parts.draw_nothing_shared(basis)
        url_state.link("queue", "Draw a sample", dataset=dataset.name, stream="audit")
        return
    _draw_comparison(
        comparisons,
        {**names, **parts.BASELINE_NAMES},
        reference,
        f"{dataset.id}:{reference}:{','.join(others)}:{basis}",
    )


def _draw_comparison(comparisons: dict[str, Row], names: dict[str, str], reference: str, key: str) -> None:
    """All pairs adjusted together, the table, and the dimension that was chosen."""
    every = iter(adjust_pairs([pair for _, _, c in comparisons.values() for pair in c.pairs]))
    pairs: dict[str, dict[str, JudgePair]] = {
        name: {pair.other: next(every) for pair in c.pairs} for name, (_, _, c) in comparisons.items()
    }
    parts.draw_verdict_counts(pairs, names, reference)
    explanations.help_button("paired", "kappa", "interval", "units", key="compared")
    keys = list(comparisons)
    rows = [(*comparisons[name], pairs[name]) for name in keys]
    parts.draw_comparison(rows, names, reference, key, lambda row: url_state.set_choice("dimension", keys[row]))
    titles = {name: row[0].title_with_sort for name, row in comparisons.items()}
    chosen = url_state.select("dimension", "One dimension", titles, width=360)
    dimension, same, judge_comparison = comparisons[chosen]
    parts.draw_verdicts(dimension, same, pairs[chosen], names)
    parts.draw_kappas(judge_comparison, pairs[chosen], names, f"{key}:{chosen}")
    parts.draw_other_metrics(same, dimension, names)
    parts.draw_judge_agreement(judge_comparison, names)
    if len(same.scored) > 1:
        explanations.help_button("between", key="between")
