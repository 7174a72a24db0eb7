"""The part Results: means by model and judge, categories, what failed, and how far the rules move the figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import streamlit as st

from data.mtbench import figures
from data.mtbench.figures import Shared
from judges.mtbench.means import ALL, ModelMeans
from judges.render.findings import mtbench_results as said
from pages.mtbench.place import Place
from pages.ui import charts, findings, session, tables, text, url_state

_MANY = 25
"""Rows of a table that are shown without scrolling."""


def panel(at: Place) -> None:
    """Everything about the models, judge by judge."""
    findings.draw(said.contents(at.bench, at.names), f"contents:{at.key}")
    if not at.raters:
        st.info(
            "No judge has rated the answers of this dataset. Run a judge of the card MT-Bench rating, or import "
            "FastChat's model_judgment files beside the answers.",
            icon=":material/gavel:",
        )
        with st.container(horizontal=True):
            url_state.link("runs", "Run a judge", dataset=at.dataset.name)
            url_state.link("import", "Import judgments")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        judge = url_state.select("judge", "Judge", at.raters, width=360)
        shared = _shared(at)
    found = figures.model_means(session.store(), at.dataset.id, at.rules, shared)
    own = [one for one in found if one.judge == judge]
    key = f"{at.key}:{judge}:{':'.join(shared)}"
    _means(at, found, own, key)
    _categories(at, own, key)
    _judgments(at, key)
    _rules(at, shared, key)


def _shared(at: Place) -> Shared:
    """Which ratings count: all, or those of turns that two judges share."""
    pairs = {f"{one}~{other}": (one, other) for one, other in combinations(at.raters, 2)}
    if not pairs:
        return ()
    ways = {"all": "all"} | {
        name: f"turns rated by both {at.names[one]} and {at.names[other]}" for name, (one, other) in pairs.items()
    }
    return pairs.get(url_state.select("cells", "Ratings", ways, width=420), ())


def _means(at: Place, found: Sequence[ModelMeans], own: Sequence[ModelMeans], key: str) -> None:
    st.subheader("Mean ratings", anchor=False)
    findings.draw([said.reading(at.rules)], f"rules:{key}")
    if not own:
        text.quiet("This judge has rated none of these turns.")
        return
    findings.draw([said.forest(own, at.rules)], f"forest:{key}")
    shown = said.table(found, at.names, at.rules)
    tables.table(shown.rows, shown.columns, f"means:{key}", _MANY)


def _categories(at: Place, own: Sequence[ModelMeans], key: str) -> None:
    models = [one.model for one in sorted(own, key=lambda one: -(one.both.point or 0)) if one.model != ALL]
    if not models:
        return
    st.subheader("Categories", anchor=False)
    left, right = st.columns([2, 3], gap="large")
    with left:
        if len(models) > said.MOST_IN_RADAR:
            chosen = st.multiselect(
                "Models in the plot", models, models[:3], key=f"radar of:{key}", format_func=text.plain,
                max_selections=said.MOST_IN_RADAR,
            )  # fmt: skip
        else:
            chosen = models
        charts.radar(said.radar(own, chosen, at.rules), f"radar:{key}:{'|'.join(chosen)}")
    with right:
        intervals = st.toggle("With 95% intervals", key=f"category intervals:{at.key}")
        shown = said.category_table(own, at.rules, intervals)
        tables.table(shown.rows, shown.columns, f"categories:{key}:{intervals}", _MANY)


def _judgments(at: Place, key: str) -> None:
    st.subheader("Judgments", anchor=False)
    found = figures.judgment_counts(session.store(), at.dataset.id, at.rules.parse)
    findings.draw(said.counts(found, at.names), f"counts:{key}")
    with st.expander("Prompts and protocols of the judges", icon=":material/terminal:"):
        findings.draw([said.prompts(at.bench, at.names, {})], f"prompts:{key}")


def _rules(at: Place, shared: Shared, key: str) -> None:
    with st.expander("Rules of aggregation side by side", icon=":material/rule:"):
        found = figures.means_by_rule(session.store(), at.dataset.id, at.rules, shared)
        findings.draw(said.rule_table(found, at.names, at.rules), f"by rule:{key}")
