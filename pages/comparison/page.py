"""Comparison: several judges, and baselines that do not read the text, on the same ratings of a dataset."""

from __future__ import annotations

import streamlit as st

from data.approvals import policy
from data.calibration import comparison
from data.calibration.comparison import Same
from data.gold.gold import BASES, Basis
from data.records import combinations, datasets
from data.store import Store
from judges.stats import bins
from judges.stats.comparison import Comparison, Pair, compare, together
from judges.types import Dimension
from pages.comparison import tables as parts
from pages.ui import agreement_tables, choose, explanations, figure_cache, session, text, url_state

Row = tuple[Dimension, Same, Comparison]


@st.cache_data(max_entries=32, show_spinner="Comparing the judges ...")
def _rows(_store: Store, at: figure_cache.Place, judges: tuple[str, ...], basis: Basis) -> dict[str, Row]:
    """Every dimension that the reference, `judges[0]`, has, with those of the others that have it too."""
    found = {}
    for name, (dimension, who) in comparison.dimensions(_store, judges).items():
        if judges[0] not in who:
            continue
        same = comparison.same(_store, at.dataset, who, dimension, basis, rules=True)
        if len(same.seats.item):
            scale = dimension.scale
            found[name] = dimension, same, compare(same.seats, judges[0], bins.reach(scale), scale.weights)
    return found


def page() -> None:
    """A table of all dimensions and judges; one dimension in detail below."""
    session.me()
    store = session.store()
    st.title("Comparison", anchor=False)
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    with bar, st.container(width=230):
        dataset = choose.dataset(store, labelled=True)
    if dataset is None:
        return
    judges = datasets.judges(store, dataset.id)
    if not judges:
        st.info(
            "No judge has scored this dataset yet. Run one, or import its judgments, to compare it here.",
            icon=":material/gavel:",
        )
        url_state.link("import", "Import judgments", icon=":material/upload_file:")
        return
    names = agreement_tables.judge_names(judges, combinations.named(store))
    counted = policy.basis(store, dataset.id)
    with bar:
        with st.container(width=460):
            reference = url_state.select("judge", "Reference", names)
        rests = figure_cache.rests(store, figure_cache.place(store, dataset.id, reference, ""))
        full = [basis for basis in (counted, *BASES) if rests[basis].labels]
        with st.container(width=390):
            basis: Basis = url_state.select("basis", "Labels used", BASES, default=next(iter(full), counted))
    if dataset.synthetic:
        text.synthetic(dataset.description)
    others = parts.chosen(names, reference) if len(names) > 1 else []
    if len(names) == 1:
        parts.one_only()
        url_state.link("runs", "Run another judge", icon=":material/play_arrow:", dataset=dataset.name)
    at = figure_cache.place(store, dataset.id, "", "")
    found = _rows(store, at, (reference, *others), basis)
    if not found:
        parts.nothing(basis)
        url_state.link("queue", "Draw a sample", icon=":material/inbox:", dataset=dataset.name, stream="audit")
        return
    _shown(found, {**names, **parts.RULES}, reference, f"{dataset.id}:{reference}:{','.join(others)}:{basis}")


def _shown(found: dict[str, Row], names: dict[str, str], reference: str, key: str) -> None:
    """All pairs adjusted together, the table, and the dimension that was chosen."""
    every = iter(together([pair for _, _, one in found.values() for pair in one.pairs]))
    pairs: dict[str, dict[str, Pair]] = {
        name: {pair.other: next(every) for pair in one.pairs} for name, (_, _, one) in found.items()
    }
    parts.summary(pairs, names, reference)
    explanations.how("paired", "kappa", "interval", "units", key="compared")
    keys = list(found)
    rows = [(*found[name], pairs[name]) for name in keys]
    parts.table(rows, names, reference, key, lambda row: url_state.set_choice("dimension", keys[row]))
    with st.container(width=360):
        titles = {name: f"{row[0].title} · {row[0].sort}" for name, row in found.items()}
        chosen = url_state.select("dimension", "One dimension", titles)
    dimension, same, one = found[chosen]
    parts.told(dimension, same, pairs[chosen], names)
    parts.chart(one, pairs[chosen], names, f"{key}:{chosen}")
    parts.between(one, names)
    if len(same.scored) > 1:
        explanations.how("between", key="between")
