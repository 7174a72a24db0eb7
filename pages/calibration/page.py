"""Calibration: a judge's agreement with people in each dimension, and what is still needed to publish it."""

from __future__ import annotations

import streamlit as st

from data.approvals import policy
from data.audits import audits
from data.gold import fewshot
from data.gold.gold import BASES, Basis
from data.records import combinations, datasets
from judges.stats.calibration import Line
from pages.calibration import (
    baselines,
    both_orders,
    dimension,
    panel_baselines,
    panel_ceiling,
    panel_disputes,
    panel_means,
    panel_votes,
    report_files,
    weakest_turns,
)
from pages.ui import agreement_tables, audit_rows, choose, figure_cache, practice_badge, session, text, url_state


def page() -> None:
    """A judge's dimensions with their intervals and states; one of them in detail below."""
    session.me()
    store = session.store()
    head = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    head.title("Calibration", anchor=False)
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    with bar, st.container(width=230):
        dataset = choose.dataset(store, labelled=True)
    if dataset is None:
        return
    judges = datasets.judges(store, dataset.id)
    if not judges:
        st.info(
            "No judge has scored this dataset yet. Run one, or import its judgments, to compare it with people.",
            icon=":material/gavel:",
        )
        url_state.link("import", "Import judgments", icon=":material/upload_file:")
        return
    with bar, st.container(width=460):
        names = agreement_tables.judge_names(judges, combinations.named(store))
        judge = url_state.select("judge", "Judge", names)
    with st.container(horizontal=True, vertical_alignment="center"):
        if dataset.synthetic:
            text.synthetic(dataset.description)
        practice_badge.judge(next(model for id_, _, model, *_ in judges if id_ == judge))
        audit_rows.summary(audits.known_alarms(store, dataset.id, judge), dataset=dataset.name, judge=judge)
    at = figure_cache.place(store, dataset.id, judge, next(card for id_, card, *_ in judges if id_ == judge))
    with head:
        report_files.download(at, dataset.name, next(model for id_, _, model, *_ in judges if id_ == judge))
    asked = policy.asked(store).policy
    counted = policy.basis(store, dataset.id)
    gate = figure_cache.lines(store, at, counted, False)
    with bar:
        basis, dropped = _basis(at, gate, counted)
        waits = panel_disputes.choice(at, basis, dropped)
    if basis is None:
        _nothing(dataset.name)
        both_orders.panel(at)
        panel_means.panel(at, names, opened=True)
        return
    lines = figure_cache.lines(store, at, basis, dropped, waits)
    key = f"{dataset.id}:{judge}:{basis}:{dropped}:{waits}"
    agreement_tables.used(lines, basis, dropped, counted, figure_cache.rests(store, at))
    agreement_tables.combined(combinations.since(store, judge))
    text.example_items(fewshot.used(store, judge))
    panel_disputes.panel(at, basis, dropped, dataset.name)
    tops = panel_ceiling.tops(store, at.plain)
    agreement_tables.plot(lines, tops, asked, key)
    found = panel_baselines.floors(store, at, basis, dropped)
    agreement_tables.table(
        lines, tops, key, lambda row: url_state.set_choice("dimension", lines[row].key), baselines.marks(lines, found)
    )
    with st.container(width=360):
        titles = {line.key: agreement_tables.title(line) for line in lines}
        chosen = url_state.select("dimension", "One dimension", titles)
    line = next(line for line in lines if line.key == chosen)
    dimension.detail(at._replace(name=dataset.name, basis=basis, dropped=dropped), line, key)
    if line.dimension.sort == "pair":
        panel_votes.panel(at, line.dimension)
    both_orders.panel(at)
    weakest_turns.panel(at._replace(basis=basis))
    panel_means.panel(at, names)


def _basis(at: figure_cache.Place, gate: list[Line], counted: Basis) -> tuple[Basis | None, bool]:
    """The labels used, and whether ties are dropped; None where nobody has labelled anything."""
    rests = figure_cache.rests(session.store(), at) if not any(line.gate.gold_cells for line in gate) else {}
    full = [basis for basis, rest in rests.items() if rest.labels] if rests else [counted, *BASES]
    if not full:
        return None, False
    drawn = any(line.dimension.scale.drawn for line in gate)
    with st.container(width=390 if not rests else 460):
        basis = url_state.select("basis", "Labels used", agreement_tables.basis_names(rests), default=full[0])
    if not drawn:
        return basis, False
    with st.container(width=150):
        ties = url_state.select("ties", "Ties", {"counted": "counted", "dropped": "dropped"})
    return basis, ties == "dropped"


def _nothing(dataset: str) -> None:
    """Nobody has labelled anything: the ways to the first gold."""
    st.info(
        "No reference labels (gold) for this judge's dimensions yet. Draw an audit sample and label it without seeing "
        "the judge's scores; its agreement with people is then shown here.",
        icon=":material/inbox:",
    )
    with st.container(horizontal=True):
        url_state.link("queue", "Draw a sample", icon=":material/inbox:", dataset=dataset, stream="audit")
        url_state.link("desk", "Label", icon=":material/rate_review:", dataset=dataset, stream="audit")
        url_state.link("import", "Import labels", icon=":material/upload_file:")
