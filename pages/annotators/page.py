"""Annotators: how the people who label agree with each other and with gold, and warnings about it."""

from __future__ import annotations

import streamlit as st

from data.annotators import annotators
from data.annotators import drift as figures
from data.annotators.annotators import Annotator, DimensionLabels
from data.records.datasets import Dataset
from judges.stats import bins
from judges.stats.raters import human_ceiling
from judges.types import Dimension
from pages.annotators import tables
from pages.ui import choose, explanations, session, text, url_state
from pages.ui import tables as ui_tables


def page() -> None:
    """The warnings, everybody in a table, one person in full, agreement between people, the Dawid-Skene estimate."""
    me, store = session.me("researcher"), session.store()
    st.title("Annotators", anchor=False)
    bar, dataset = choose.dataset_bar(store)
    if dataset is None:
        return
    dimension_by_key = annotators.labelled_dimensions(store, dataset.id)
    if not dimension_by_key:
        _explain_no_labels(dataset.name)
        return
    with bar:
        names = {key: d.title_with_sort for key, d in dimension_by_key.items()}
        dimension = dimension_by_key[url_state.select("dimension", "Dimension", names, width=270)]
        label_set = _choose_labels(dataset, dimension)
    text.synthetic(dataset)
    with st.spinner("Comparing annotators ..."):
        rows = annotators.find_annotators(store, dataset.id, dimension, label_set)
        labels = annotators.dimension_labels(store, dataset.id, dimension, label_set)
    tables.draw_rater_labels(rows, len(labels.cells), label_set)
    tables.draw_warnings(rows)
    key = f"{dataset.id}:{dimension.sort}.{dimension.name}:{label_set}"
    tables.draw_people(rows, dimension.scale.has_order, key, lambda n: url_state.set_choice("person", rows[n].name))
    explanations.explain_equality(dimension.scale)
    if len(rows) > 1:
        st.header("One person", anchor=False)
        name = url_state.select("person", "Person", {row.name: row.name for row in rows}, width=300)
        _person(dataset, next(row for row in rows if row.name == name), labels, key)
    st.header("Agreement between people", anchor=False)
    tables.draw_people_agreement(
        human_ceiling.measure_ceiling(labels.ratings), len(labels.ratings.people), dataset.name
    )
    if len(labels.ratings.people) > 1:
        most = [row.name for row in rows[: tables.MAX_MATRIX_PEOPLE] if row.labels]
        tables.draw_agreement_matrix(
            most, *annotators.agreement_between_pairs(labels, most), len(labels.ratings.people), key
        )
    st.header("Dawid-Skene estimate", anchor=False)
    opinion = annotators.estimate_dawid_skene(store, dataset.id, dimension, label_set)
    differing = annotators.differing_cells(store, me.name, opinion) if opinion is not None else ()
    tables.draw_dawid_skene(opinion, differing, dimension.scale, key, dataset.name)


def _choose_labels(dataset: Dataset, dimension: Dimension) -> annotators.LabelSet:
    """The labels to use: blind ones if there are any, or all."""
    blind = len(annotators.dimension_labels(session.store(), dataset.id, dimension, "blind").ratings)
    first = "blind" if blind else "all"
    return url_state.select("labels", "Labels used", annotators.LABEL_SETS, first, 260)


@text.fragment
def _person(dataset: Dataset, row: Annotator, labels: DimensionLabels, key: str) -> None:
    """One person in full; a click on their table lists the items."""
    people, scale = labels.ratings.people, labels.ratings.scale
    number = people.index(row.name) if row.name in people else -1
    course, counts = figures.agreement_over_time(labels, number), figures.table_with_others(labels, number)
    cell = tables.draw_person(row, course, counts, bins.row_labels(scale), f"{key}:{row.name}")
    if cell is not None:
        cells = figures.find_cells(session.store(), session.me().name, labels, number, *cell)
        listed = [(name, unit) for _, name, unit in cells]
        items = [item for item, _, _ in cells]
        ui_tables.item_table(listed, ("item", "unit"), items, f"cells:{key}:{row.name}:{cell}", dataset.name)


def _explain_no_labels(dataset: str) -> None:
    """Nobody has labelled anything: links to the first labels."""
    st.info(
        "Nobody has labelled this dataset yet. Draw a sample for people to label, or import labels.",
        icon=":material/groups:",
    )
    with st.container(horizontal=True):
        url_state.link("queue", "Draw a sample", dataset=dataset, stream="audit")
        url_state.link("import", "Import labels", dataset=dataset)
