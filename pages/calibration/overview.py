"""All dimensions of a judge at once: the labels used, the plot and the table, and what a row of it leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from data.calibration.calibration import BasisSize
from data.gold.gold import BASES, BASIS_PHRASES, WEIGHTED, Basis
from data.reports import plots
from judges.plural import many
from judges.render.findings.baselines import MARKS
from judges.render.findings.findings import Column
from judges.render.words import people_agreement, span
from judges.stats.approval_check import CheckPolicy
from judges.stats.baselines import Baselines
from judges.stats.calibration import DimensionResult
from judges.stats.check_states import LEGEND, STATES
from pages.ui import charts, tables, text

COLUMNS = {
    "dimension": Column(width=142),
    "unit": Column("", "What the question is about. Units are never pooled.", width=88),
    "result": Column("", "Result of the approval check, on the labels that the policy counts.", width=148),
    "items": Column(",", "Items with a rating of both people and judge; n/a is left out.", width=48),
    "ratings": Column(",", "Answers that both people and judge gave: what the figures are made of.", width=56),
    "kappa": Column(
        ".3f", "Quadratic-weighted (QWK) where answers are ordered, plain Cohen's kappa elsewhere.", width=54
    ),
    "95% interval": Column("", "Cluster bootstrap: whole items are resampled.", width=94),
    "lower bound": Column(
        ".3f", "One-sided 95% lower bound of kappa; the approval check's own where it applies.", width=82
    ),
    "people": Column(
        "", "Kappa between two people on the same blind items, with its interval: the human ceiling. A dash: fewer "
        "than 30 items have labels of two people.", width=124,
    ),
    "% agreement": Column(".0%", "Share of ratings where judge and people give the same answer.", width=88),
    "bias": Column("+.2f", "Mean of judge - people in steps of the scale: above 0 the judge scores higher.", width=50),
    "baseline": Column(
        "", "Whether kappa is above that of two baselines that do not read the text: one predicts from the length, "
        "one always gives the most frequent answer. The figures are under Agreement below.", width=104,
    ),
    "still needed": Column("", "What is missing before a lead may approve it.", width=160),
}  # fmt: skip
ESSENTIAL = ("dimension", "unit", "result", "items", "kappa", "95% interval", "lower bound")
"""Columns that fit a narrow window; the others stand behind a switch."""


def basis_names(basis_sizes: Mapping[Basis, BasisSize]) -> dict[Basis, str]:
    """The bases in words, with the labels of each where they were counted."""
    counts = {b: (many(r.labels, "label"), many(r.people, "person", "people")) for b, r in basis_sizes.items()}
    return {
        basis: f"{name} · {' of '.join(counts[basis])}" if basis in counts else name for basis, name in BASES.items()
    }


def draw_labels_used(
    lines: Sequence[DimensionResult], basis: Basis, dropped: bool, counted: Basis,
    basis_sizes: Mapping[Basis, BasisSize],
) -> None:  # fmt: skip
    """The labels used below, and whether the approval check uses others, which are `counted`."""
    labelled = [line.shown.gold_items for line in lines if line.shown.gold_items]
    items, cells = many(max(labelled, default=0), "item"), sum(line.shown.gold_cells for line in lines)
    if len(labelled) > 1:  # each may be of other items
        items = f"up to {items} in each dimension"
    stands = "weighted by inverse inclusion probability (items of the stratum / items answered)"
    weights = stands if basis in WEIGHTED else "unweighted"
    ties = ", ties dropped on both sides" if dropped else ""
    text.quiet(
        "Labels used: **{basis}**. Reference labels (gold) for {ratings} of {items}, {weights}{ties}.",
        basis=BASIS_PHRASES[basis], items=items, ratings=many(cells, "rating"), weights=weights, ties=ties,
    )  # fmt: skip
    gate_labels, extra_labels = basis_sizes["gate"].labels, basis_sizes["imported"].labels - basis_sizes["gate"].labels
    if extra_labels:
        text.quiet(
            "The approval check uses {given} given in Assay. {n} imported ones are not used by it; a lead can allow "
            "them in the policy."
            if counted != "imported"
            else "The approval check uses {given} given in Assay and {n} imported ones.",
            given=many(gate_labels, "blind label"), n=f"{extra_labels:,}",
        )  # fmt: skip
    if all(line.gated for line in lines):
        return
    if any(line.gate.gold_cells for line in lines):
        text.say("The **results** use {basis}, with ties counted.", basis=BASIS_PHRASES[counted])
    elif basis != counted:
        st.warning(
            text.escape(
                f"The approval check uses {BASIS_PHRASES[counted]}, and this dataset has none: every result "
                "is “below minimum sample”, whatever the figures below are. Draw an audit sample on the page Queues "
                "and label it."
            ),
            icon=":material/info:",
        )


def draw_samples_note(since: str) -> None:
    """Draw the reason why the figures of a judge have changed; nothing if `since` is empty."""
    if since:
        text.quiet(
            "Until {since} only the first sample of this judge was used. Now all samples of one rating are combined "
            "into one answer, so earlier figures, decisions and reports may differ from these. The panel "
            "Self-consistency shows both.",
            since=since,
        )


def draw_intervals(lines: Sequence[DimensionResult], tops: plots.Tops, policy: CheckPolicy, key: str) -> None:
    """Every dimension with its interval, its bound and its state, beside the required kappa and that of people."""
    charts.interval_chart(
        plots.interval_rows(lines, tops), f"plot:{key}", policy.threshold, f"required: {policy.threshold:.2f}"
    )
    bound_note = plots.REACH if policy.lower_bound else ""
    known = [top for top in tops.values() if top is not None and not top.is_too_small]
    text.quiet("{whose}", whose=plots.explain_people(lines, tops))
    text.quiet(
        "Mark: kappa. Line: its 95% interval. Short tick: the one-sided lower bound{asked}. {top} {legend}.",
        asked=bound_note, legend=LEGEND,
        top="Long tick: kappa between two people, with its interval below." if known else "",
    )  # fmt: skip


def draw_dimensions(
    lines: Sequence[DimensionResult], tops: plots.Tops, floors: Mapping[tuple[str, str], Baselines], key: str,
    chosen: Callable[[int], None],
) -> None:  # fmt: skip
    """Every dimension with its figures, how far people agree, and whether it beats the baselines in words.

    `chosen` gets the number of a row that is clicked.
    """
    rows = [
        {
            "dimension": line.dimension.title,
            "unit": line.dimension.sort,
            "result": f"{STATES[line.check.state].mark} {line.check.state}",
            "items": line.shown.interval.items,
            "kappa": line.shown.interval.point,
            "95% interval": span(line.shown.interval),
            "lower bound": line.bound,
            "ratings": line.shown.cells,
            "people": people_agreement(tops.get(line.dimension)),
            "% agreement": line.shown.exact,
            "bias": line.shown.mean_difference,
            "baseline": MARKS[floors[line.dimension.sort, line.dimension.name].standing],
            "still needed": line.check.more_told or STATES[line.check.state].lacks,
        }
        for line in lines
    ]
    tables.clickable_table(rows, COLUMNS, chosen, f"dimensions:{key}", max_rows=len(rows), essential=ESSENTIAL)
