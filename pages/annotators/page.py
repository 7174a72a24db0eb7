"""Annotators: how the people who label agree with each other and with gold, and warnings about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from data.annotators import annotators
from data.annotators import drift as figures
from data.annotators.annotators import Annotator, DawidSkeneEstimate, DifferingCell, DimensionLabels
from data.records.datasets import Dataset
from data.records.exposure import NOTE
from judges.audits import Plot
from judges.plural import many, verb
from judges.render.findings.findings import Column
from judges.render.words import cell, span
from judges.stats import bins
from judges.stats.raters import human_ceiling, rater_flags
from judges.stats.raters.human_ceiling import HumanCeiling
from judges.triage import name_unit
from judges.types import Dimension, Scale
from pages.ui import charts, choose, explanations, session, tables, text, url_state

MAX_MATRIX_PEOPLE = 30
"""People of the matrix: those with most labels."""
COLUMNS = explanations.WORK | {
    "person": Column(width=130),
    "team": Column(width=70),
    "% agreement": Column(".0%", "Share of labels equal to the combined label of the other people.", width=88),
    "kappa": Column(".2f", "The same corrected for chance: 1 is full agreement, 0 is chance.", width=50),
    "95% interval": Column("", "Cluster bootstrap: whole items are resampled.", width=92),
    "bias": Column("+.2f", "Mean of this person minus the others, in steps: above 0 they score higher.", width=50),
    "accuracy": Column(
        ".0%", "Accuracy in the Dawid-Skene estimate below: how often they give the most likely answer.", width=66
    ),
    "labels": Column(",", "Labels of this dimension.", width=52),
    "warnings": Column(width=150),
}
FLAG_NAMES = {
    "accepts": "accepts everything", "fast": "rushing", "apart": "low agreement", "lenient": "bias",
    "drift": "drift over time",
}  # fmt: skip


def page() -> None:
    """The warnings, everybody in a table, one person in full, agreement between people, the Dawid-Skene estimate."""
    me, store = session.me("researcher"), session.store()
    st.title("Annotators", anchor=False)
    bar, dataset = choose.dataset_bar(store)
    if dataset is None:
        return
    dimension_by_key = annotators.labelled_dimensions(store, dataset.id)
    if not dimension_by_key:
        st.info(
            "Nobody has labelled this dataset yet. Draw a sample for people to label, or import labels.",
            icon=":material/groups:",
        )
        with st.container(horizontal=True):
            url_state.link("queue", "Draw a sample", dataset=dataset.name, stream="audit")
            url_state.link("import", "Import labels", dataset=dataset.name)
        return
    with bar:
        names = {key: d.title_with_sort for key, d in dimension_by_key.items()}
        dimension = dimension_by_key[url_state.select("dimension", "Dimension", names, width=270)]
        label_set = _choose_labels(dataset, dimension)
    text.synthetic(dataset)
    with st.spinner("Comparing annotators ..."):
        rows = annotators.find_annotators(store, dataset.id, dimension, label_set)
        labels = annotators.dimension_labels(store, dataset.id, dimension, label_set)
    _draw_rater_labels(rows, len(labels.cells), label_set)
    _draw_warnings(rows)
    key = f"{dataset.id}:{dimension.sort}.{dimension.name}:{label_set}"
    _draw_people(rows, dimension.scale.has_order, key, lambda n: url_state.set_choice("person", rows[n].name))
    explanations.explain_equality(dimension.scale)
    if len(rows) > 1:
        st.header("One person", anchor=False)
        name = url_state.select("person", "Person", {row.name: row.name for row in rows}, width=300)
        _person(dataset, next(row for row in rows if row.name == name), labels, key)
    st.header("Agreement between people", anchor=False)
    people = len(labels.ratings.people)
    _draw_people_agreement(human_ceiling.measure_ceiling(labels.ratings), people, dataset.name)
    if people > 1:
        most = [row.name for row in rows[:MAX_MATRIX_PEOPLE] if row.labels]
        _draw_agreement_matrix(most, *annotators.agreement_between_pairs(labels, most), people, key)
    st.header("Dawid-Skene estimate", anchor=False)
    opinion = annotators.estimate_dawid_skene(store, dataset.id, dimension, label_set)
    differing = annotators.differing_cells(store, me.name, opinion) if opinion is not None else ()
    draw_dawid_skene(opinion, differing, dimension.scale, key, dataset.name)


def _choose_labels(dataset: Dataset, dimension: Dimension) -> annotators.LabelSet:
    """The labels to use: blind ones if there are any, or all."""
    blind = len(annotators.dimension_labels(session.store(), dataset.id, dimension, "blind").ratings)
    first = "blind" if blind else "all"
    return url_state.select("labels", "Labels used", annotators.LABEL_SETS, first, 260)


@text.fragment
def _person(dataset: Dataset, row: Annotator, labels: DimensionLabels, key: str) -> None:
    people, scale = labels.ratings.people, labels.ratings.scale
    number = people.index(row.name) if row.name in people else -1
    course, counts = figures.agreement_over_time(labels, number), figures.table_with_others(labels, number)
    clicked = _draw_person(row, course, counts, bins.row_labels(scale), f"{key}:{row.name}")
    if clicked is not None:
        cells = figures.find_cells(session.store(), session.me().name, labels, number, *clicked)
        listed = [(name, unit) for _, name, unit in cells]
        items = [item for item, _, _ in cells]
        tables.item_table(listed, ("item", "unit"), items, f"cells:{key}:{row.name}:{clicked}", dataset.name)


def _draw_rater_labels(rows: Sequence[Annotator], cells: int, basis: annotators.LabelSet) -> None:
    raters = [row for row in rows if row.labels]
    text.quiet(
        "Labels used: {labels} by {people} for {cells}. {basis}; n/a and revealed labels are left out.",
        labels=many(sum(row.labels for row in raters), "label"), people=many(len(raters), "person", "people"),
        cells=many(cells, "rating"), basis=annotators.LABEL_SETS[basis],
    )  # fmt: skip
    if basis == "all" and any(row.work.assisted for row in raters):
        st.warning(
            "Assisted labels are anchored on the judge's scores, so agreement between people is overestimated here. "
            "Choose blind labels for an unbiased estimate.",
            icon=":material/info:",
        )


def _draw_warnings(rows: Sequence[Annotator]) -> None:
    seen = [(row.name, remark) for row in rows for remark in row.flags]
    if not seen:
        st.markdown(":green[:material/check_circle:] No warnings about the people who labelled here.")
        text.quiet(
            "Tested: accepting everything within seconds, rushing, agreement no better than chance, bias against the "
            "others, drift over time. Each test needs {n} items of a person.",
            n=rater_flags.MIN_ITEMS,
        )
        return
    for name, remark in seen:
        text.say(":orange[:material/warning:] **{name}** {what}", name=name, what=remark.text)
    st.caption("A warning is a reason to ask, not a verdict on a person: the figures are below.")


def _draw_people(rows: Sequence[Annotator], ordered: bool, key: str, chosen: Callable[[int], None]) -> None:
    """Everybody with their figures; `chosen` gets the number of a row that is clicked."""
    shown = [
        {
            "person": row.name,
            "warnings": ", ".join(FLAG_NAMES[remark.sort] for remark in row.flags),
            "team": row.team,
            "items": row.items,
            "labels": row.labels,
            "% agreement": row.exact,
            "kappa": row.agreement.point if row.agreement else None,
            "95% interval": span(row.agreement) if row.agreement else "–",
            "bias": row.leniency.size if row.leniency else None,
            "accuracy": row.accuracy,
            **explanations.work_columns(row.work),
        }
        for row in rows
    ]
    may_lack = ("team", "acceptance", "not on screen", "s/item", "bias", "warnings")
    tables.clickable_table(tables.drop_empty_columns(shown, may_lack), COLUMNS, chosen, f"annotators:{key}", max_rows=8)
    st.caption(
        "% agreement"
        + (", kappa and bias" if ordered else " and kappa")
        + " compare each person with the others on the same ratings (leave-one-out). Click a row to see that person "
        "below."
    )


def _draw_person(
    row: Annotator, course: Sequence[tuple[str, float, int]], counts: Any, answers: Sequence[str], key: str
) -> tuple[int, int] | None:
    """One person in full: figures, agreement over time, and their answers against the others'; the cell clicked."""
    work = row.work
    unseen = f"{work.unseen:,} ({work.overlooked:.0%})" if work.unseen else "–"
    shown = [
        ("Items", f"{row.items:,}", "Items with a label by this person, of this dimension."),
        ("% agreement", cell(row.exact, ".0%"), "Share of labels equal to the combined label of the others."),
        ("Kappa", cell(row.agreement.point if row.agreement else None, ".2f"), "The same corrected for chance."),
        (
            "Acceptance rate",
            cell(work.accepted, ".0%"),
            f"Of {many(work.scores_shown, 'score')} on screen; the rest: overridden.",
        ),
        ("Accepted, not on screen", unseen, "Scores accepted without having been on their screen."),
        ("Seconds per item", cell(work.pace, ".1f"), f"Median of {many(len(work.seconds), 'item')}."),
        ("Under 3 s", cell(work.hasty, ".0%"), "Share of items answered in less than three seconds (rushing)."),
    ]
    with st.container(horizontal=True, gap="large"):
        for name, value, tip in [metric for metric in shown if metric[1] != "–"]:
            st.metric(text.escape(name), text.escape(value), help=text.escape(tip), width="content")
    if not row.shared:
        text.quiet(
            "{why}, so agreement with others cannot be computed.",
            why="Nobody else labelled the same items" if row.labels else "This person has no labels of this kind here",
        )
        return None
    left, right = st.columns([3, 2], gap="large")
    with left:
        clicked = charts.confusion_chart(counts, answers, f"against:{key}", ("the others", "this person"))
        st.caption("Outlined: the same answer. Click a cell, or use the arrow keys and Enter, to list its items.")
    with right:
        if len(course) > 1:
            when, shares = tuple(c[0] for c in course), tuple(100 * c[1] for c in course)
            named, series = "% agreement with the others", (("", when, shares),)
            plot = Plot("lines", "in order of labelling", named, series, round(100 * (row.exact or 0)))
            charts.audit_plot(plot, f"course:{key}")
            text.quiet("{n}, in the order of labelling. Dashed: over all of them.", n=many(row.shared, "label"))
        else:
            st.caption("Too few labels, or no known order, to show agreement over time.")
    return clicked


def _draw_people_agreement(ceiling: HumanCeiling | None, people: int, dataset: str) -> None:
    """Draw in sentences how far people agree with each other, or why that is not known and what to do next."""
    if ceiling is None:
        alone = "One person labelled this dimension" if people == 1 else "No item was labelled by two people"
        text.say(
            "{alone}, so agreement between people is not known, and gold is one person's label. Let several people "
            "label the same items: set people per item on the page Queues.",
            alone=alone,
        )
        url_state.link("queue", dataset=dataset, stream="audit")
        return
    text.say(
        "Kappa between two people: **{kappa}** ({span}), from {cells} of {items} that two or more labelled. "
        "Krippendorff's alpha over all {people}: **{alpha}** ({alpha_span}).",
        kappa=cell(ceiling.between.point, ".2f"), span=span(ceiling.between), cells=many(ceiling.cells, "rating"),
        items=many(ceiling.items, "item"), people=many(ceiling.people, "person", "people"),
        alpha=cell(ceiling.alpha.point, ".2f"), alpha_span=span(ceiling.alpha),
    )  # fmt: skip
    st.caption("1 is full agreement, 0 is chance. This is the human ceiling that a judge is compared with.")


def _draw_agreement_matrix(names: Sequence[str], n: Any, shares: Any, people: int, key: str) -> None:
    tips = [
        [f"{a} and {b}: {shares[i, j]:.0%} of {n[i, j]:,} ratings" if n[i, j] else "" for j, b in enumerate(names)]
        for i, a in enumerate(names)
    ]
    with st.container(width=min(1000, 260 + 44 * len(names))):
        charts.confusion_grid(shares, tips, names, f"matrix:{key}")
    text.quiet(
        "% agreement on the ratings that both gave. Blank: none in common."
        + (" The {shown} with most labels of {people} people." if people > len(names) else ""),
        shown=len(names), people=f"{people:,}",
    )  # fmt: skip


_WITHOUT_GOLD = {"drawn": "drawn vote", "waits": "waits for adjudication"}
"""The reasons why a rating has no gold, in words."""


def draw_dawid_skene(
    opinion: DawidSkeneEstimate | None, differing: Sequence[DifferingCell], scale: Scale, key: str, dataset: str
) -> None:
    """The Dawid-Skene estimate: how many ratings it changes, and which of them may be shown; a click opens the item."""
    if opinion is None:
        st.caption("This estimate needs items that two people or more have labelled.")
        return
    without = sum(cell.gold is None for cell in opinion.differing_cells)
    n = len(opinion.differing_cells) - without
    text.say(
        "Of {cells} with labels of two people or more, the estimate differs from gold in **{n}**"
        + (", and **{without}** more {verb} no gold." if without else "."),
        cells=many(opinion.cells, "rating"), n=f"{n:,}" if n else "none", without=f"{without:,}",
        verb=verb(without, "has", "have"),
    )  # fmt: skip
    st.caption(
        "Dawid and Skene's model estimates the true answers together with each person's confusion matrix (EM): a "
        "person who often disagrees counts less, and a constant bias is corrected. It changes no gold. It assumes "
        "that people err independently, and is imprecise with few labels per person."
    )
    if len(differing) < len(opinion.differing_cells):
        st.caption(NOTE)
    if differing:
        rows = [
            {
                "item": row.name,
                "unit": name_unit(row.unit),
                "labels": ", ".join(scale.format(code) for code in row.labels),
                "gold": "none" if row.gold is None else scale.format(row.gold),
                "gold from": _WITHOUT_GOLD.get(row.origin, row.origin),
                "Dawid-Skene": scale.format(row.estimate),
                "probability": row.posterior,
            }
            for row in differing
        ]
        st.caption("Most probable first. Click one to open it on the desk.")
        columns = {"probability": Column(".0%", width=80)}
        tables.item_table(rows, columns, [row.item for row in differing], f"otherwise:{key}", dataset)
