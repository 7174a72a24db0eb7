"""All dimensions of a judge at once: the labels used, the plot and the table, and what a row of it leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st

from data.calibration.calibration import BasisSize
from data.gold.gold import BASES, WEIGHTED, Basis
from data.reports import plots
from judges.plural import many
from judges.render.findings.baselines import MARKS
from judges.render.words import between, span
from judges.stats.approval_check import Policy
from judges.stats.baselines import Baselines
from judges.stats.calibration import DimensionResult
from judges.stats.check_states import LEGEND, STATES
from judges.stats.raters import human_ceiling
from pages.ui import charts, tables, text

COLUMNS = {
    "dimension": st.column_config.TextColumn(width=142),
    "unit": st.column_config.TextColumn(width=88, help="What the question is about. Units are never pooled."),
    "result": st.column_config.TextColumn(
        width=148, help="Result of the approval check, on the labels that the policy counts."
    ),
    "items": st.column_config.NumberColumn(
        width=48, format="localized", help="Items with a rating of both people and judge; n/a is left out."
    ),
    "ratings": st.column_config.NumberColumn(
        width=56, format="localized", help="Answers that both people and judge gave: what the figures are made of."
    ),
    "kappa": st.column_config.NumberColumn(
        width=54,
        format="%.3f",
        help="Quadratic-weighted (QWK) where answers are ordered, plain Cohen's kappa elsewhere.",
    ),
    "95% interval": st.column_config.TextColumn(width=94, help="Cluster bootstrap: whole items are resampled."),
    "lower bound": st.column_config.NumberColumn(
        width=82, format="%.3f", help="One-sided 95% lower bound of kappa; the approval check's own where it applies."
    ),
    "people": st.column_config.TextColumn(
        width=124,
        help="Kappa between two people on the same blind items, with its interval: the human ceiling. A dash: fewer "
        "than 30 items have labels of two people.",
    ),
    "% agreement": st.column_config.NumberColumn(
        width=88, format="%.0f%%", help="Share of ratings where judge and people give the same answer."
    ),
    "bias": st.column_config.NumberColumn(
        width=50, format="%+.2f", help="Mean of judge - people in steps of the scale: above 0 the judge scores higher."
    ),
    "baseline": st.column_config.TextColumn(
        width=104,
        help="Whether kappa is above that of two baselines that do not read the text: one predicts from the length, "
        "one always gives the most frequent answer. The figures are under Agreement below.",
    ),
    "still needed": st.column_config.TextColumn(width=160, help="What is missing before a lead may approve it."),
}
ESSENTIAL = ("dimension", "unit", "result", "items", "kappa", "95% interval", "lower bound")
"""Columns that fit a narrow window; the others stand behind a switch."""


def title(line: DimensionResult) -> str:
    """A dimension's name and unit in words."""
    return f"{line.dimension.title} · {line.dimension.sort}"


def basis_names(rests: Mapping[Basis, BasisSize]) -> dict[Basis, str]:
    """The bases in words, with the labels of each where they were counted."""
    counts = {b: f" · {many(r.labels, 'label')} of {r.people:,} people" for b, r in rests.items()}
    return {basis: name + counts.get(basis, "") for basis, name in BASES.items()}


def used(
    lines: Sequence[DimensionResult], basis: Basis, dropped: bool, counted: Basis, rests: Mapping[Basis, BasisSize]
) -> None:
    """The labels used below, and whether the approval check uses others, which are `counted`."""
    items = max(line.shown.gold_items for line in lines)
    cells = sum(line.shown.gold_cells for line in lines)
    stands = "weighted by inverse inclusion probability (items of the stratum / items answered)"
    weights = stands if basis in WEIGHTED else "unweighted"
    ties = ", ties dropped on both sides" if dropped else ""
    text.quiet(
        "Labels used: **{basis}**. Reference labels (gold) for {ratings} of {items}, {weights}{ties}.",
        basis=_lower(BASES[basis]), items=many(items, "item"), ratings=many(cells, "rating"),
        weights=weights, ties=ties,
    )  # fmt: skip
    given, brought = rests["gate"].labels, rests["imported"].labels - rests["gate"].labels
    if brought:
        text.quiet(
            "The approval check uses {given} given in Assay. {n} imported ones are not used by it; a lead can allow "
            "them in the policy."
            if counted != "imported"
            else "The approval check uses {given} given in Assay and {n} imported ones.",
            given=many(given, "blind label"), n=f"{brought:,}",
        )  # fmt: skip
    if all(line.gated for line in lines):
        return
    if any(line.gate.gold_cells for line in lines):
        text.say("The **results** use {basis}, with ties counted.", basis=_lower(BASES[counted]))
    elif basis != counted:
        st.warning(
            text.plain(
                f"The approval check uses {_lower(BASES[counted])}, and this dataset has none: every result is “below "
                "minimum sample”, whatever the figures below are. Draw an audit sample on the page Queues and label "
                "it."
            ),
            icon=":material/info:",
        )


def combined(since: str) -> None:
    """Why the figures of a judge have changed; nothing where `since` is empty."""
    if since:
        text.quiet(
            "Until {since} only the first sample of this judge was used. Now all samples of one rating are combined "
            "into one answer, so earlier figures, decisions and reports may differ from these. The panel "
            "Self-consistency shows both.",
            since=since,
        )


def _lower(words: str) -> str:
    return words[0].lower() + words[1:]


def plot(lines: Sequence[DimensionResult], tops: plots.Tops, policy: Policy, key: str) -> None:
    """Every dimension with its interval, its bound and its state, beside the required kappa and that of people."""
    charts.intervals(plots.standing(lines, tops), f"plot:{key}", policy.threshold, f"required: {policy.threshold:.2f}")
    asked = plots.REACH if policy.lower_bound else ""
    known = [top for top in tops.values() if top is not None and not top.verdictless]
    text.quiet("{whose}", whose=whose(lines, bool(known)))
    text.quiet(
        "Mark: kappa. Line: its 95% interval. Short tick: the one-sided lower bound{asked}. {top} {legend}.",
        asked=asked, legend=LEGEND,
        top="Long tick: kappa between two people, with its interval below." if known else "",
    )  # fmt: skip


def whose(lines: Sequence[DimensionResult], known: bool) -> str:
    """Whose agreement the figures are."""
    people = [line.shown.people for line in lines if line.shown.gold_cells]
    if not people:
        return ""
    labels, cells = sum(p.labels for p in people), sum(line.shown.gold_cells for line in lines)
    return human_ceiling.explain_labels(
        min(p.fewest for p in people), max(p.most for p in people), labels / cells, known
    )


def _missing(line: DimensionResult) -> str:
    """What is missing in a few words; the sentences stand in the detail."""
    state, more = line.decision.state, line.decision.more_told
    return more or STATES[state].lacks


def table(
    lines: Sequence[DimensionResult], tops: plots.Tops, floors: Mapping[tuple[str, str], Baselines], key: str,
    chosen: Callable[[int], None],
) -> None:  # fmt: skip
    """Every dimension with its figures, how far people agree, and whether it beats the baselines in words.

    `chosen` gets the number of a row that is clicked.
    """
    frame = pd.DataFrame(
        [
            {
                "dimension": line.dimension.title,
                "unit": line.dimension.sort,
                "result": f"{plots.MARKS[line.decision.state]} {line.decision.state}",
                "items": line.shown.interval.items,
                "kappa": line.shown.interval.point,
                "95% interval": span(line.shown.interval),
                "lower bound": line.bound,
                "ratings": line.shown.cells,
                "people": between(tops.get(line.dimension)),
                "% agreement": _percent(line.shown.exact),
                "bias": line.shown.mean_difference,
                "baseline": MARKS[floors[line.dimension.sort, line.dimension.name].standing],
                "still needed": _missing(line),
            }
            for line in lines
        ]
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Click a row to see that dimension below.", width="stretch")
        more = st.toggle("All columns", key="calibration:all")
    tables.clickable_table(
        frame if more else frame[list(ESSENTIAL)], chosen, f"dimensions:{key}:{more}", height="content",
        column_config=COLUMNS, placeholder="–",
    )  # fmt: skip


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
