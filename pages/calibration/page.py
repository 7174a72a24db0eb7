"""Calibration: a judge's agreement with people in each dimension, and what is still needed to publish it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from data.approvals import policy
from data.audits import audits
from data.calibration import baselines, calibration, human_ceiling, weakest_turns
from data.calibration.calibration import BasisSize
from data.gold import fewshot
from data.gold.gold import BASES, Basis
from data.records import combinations
from data.store import Store
from judges.audits import AuditFinding, all_audits
from judges.plural import many
from judges.render.findings import weakest_turns as weakest_turns_findings
from judges.stats.calibration import DimensionResult
from pages.calibration import both_orders, dimension, disputes, means, overview, report_files, votes
from pages.calibration.place import CalibrationPlace, load_results
from pages.ui import choose, findings, session, text, url_state


def page() -> None:
    """A judge's dimensions with their intervals and states; one of them in detail below."""
    session.me()
    store = session.store()
    head = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom")
    head.title("Calibration", anchor=False)
    bar, dataset = choose.dataset_bar(store)
    if dataset is None:
        return
    judges, names = choose.judges(store, dataset, ". Run one, or import its judgments, to compare it with people.")
    if not judges:
        return
    with bar:
        judge = choose.judge(names)
    model = next(j.model for j in judges if j.id == judge)
    with st.container(horizontal=True, vertical_alignment="center"):
        choose.draw_data_notes(dataset, model)
        _alarms(audits.known_alarms(store, dataset.id, judge), dataset=dataset.name, judge=judge)
    at = CalibrationPlace(dataset.id, judge)
    with head:
        report_files.download(at, dataset.name, model)
    approval_policy = policy.requirements(store).policy
    counted = policy.approval_basis(store, dataset.id)
    gate = load_results(store, at, counted)
    with bar:
        basis, dropped = _basis(at, gate, counted)
        waits = disputes.choose_waiting(at, basis, dropped)
    if basis is None:
        _explain_no_gold(dataset.name)
        both_orders.panel(at)
        means.panel(at, names, opened=True)
        return
    lines = load_results(store, at, basis, dropped, waits)
    key = f"{dataset.id}:{judge}:{basis}:{dropped}:{waits}"
    overview.draw_labels_used(lines, basis, dropped, counted, _basis_sizes(store, at))
    overview.draw_samples_note(combinations.combination_start(store, judge))
    text.example_items(fewshot.items_in_prompt(store, judge))
    disputes.panel(at, basis, dropped, dataset.name)
    dimensions = calibration.compared_dimensions(store, judge)
    with st.spinner("Comparing people with each other ..."):
        tops = human_ceiling.kappas_between_people(store, dataset.id, judge, dimensions)
    overview.draw_intervals(lines, tops, approval_policy, key)
    with st.spinner("Computing baselines ..."):
        floors = baselines.measure_baselines(store, dataset.id, judge, dimensions, basis, dropped)
    overview.draw_dimensions(lines, tops, floors, key, lambda row: url_state.set_choice("dimension", lines[row].key))
    chosen = url_state.select("dimension", "One dimension", {line.key: line.title for line in lines}, width=360)
    line = next(line for line in lines if line.key == chosen)
    dimension.draw_dimension(at._replace(name=dataset.name, basis=basis, dropped=dropped), line, key)
    if line.dimension.sort == "pair":
        votes.panel(at, line.dimension)
    both_orders.panel(at)
    if turns := weakest_turns.compare_weakest_turns(store, dataset.id, judge, basis):
        with st.container(border=True):
            findings.draw(weakest_turns_findings.findings(turns), "weakest")
    means.panel(at, names)


def _basis_sizes(store: Store, place: CalibrationPlace) -> dict[Basis, BasisSize]:
    """Return the number of labels, and of people who gave them, for each basis."""
    return calibration.basis_sizes(store, place.dataset, calibration.compared_dimensions(store, place.judge))


def _basis(place: CalibrationPlace, gate: list[DimensionResult], counted: Basis) -> tuple[Basis | None, bool]:
    """The labels used, and whether ties are dropped; None where nobody has labelled anything."""
    rests = _basis_sizes(session.store(), place) if not any(line.gate.gold_cells for line in gate) else {}
    full = [basis for basis, rest in rests.items() if rest.labels] if rests else [counted, *BASES]
    if not full:
        return None, False
    drawn = any(line.dimension.scale.drawn for line in gate)
    basis = url_state.select("basis", "Labels used", overview.basis_names(rests), full[0], 460 if rests else 390)
    ways = {"counted": "counted", "dropped": "dropped"}
    return basis, drawn and url_state.select("ties", "Ties", ways, width=150) == "dropped"


def _explain_no_gold(dataset: str) -> None:
    """Nobody has labelled anything: the ways to the first gold."""
    st.info(
        "No reference labels (gold) for this judge's dimensions yet. Draw an audit sample and label it without seeing "
        "the judge's scores; its agreement with people is then shown here.",
        icon=":material/inbox:",
    )
    with st.container(horizontal=True):
        url_state.link("queue", "Draw a sample", dataset=dataset, stream="audit")
        url_state.link("desk", "Label", dataset=dataset, stream="audit")
        url_state.link("import", "Import labels")


def _alarms(alarms: Mapping[str, AuditFinding] | None, **query: str) -> None:
    """A quiet link to the audits with those that are in alarm; None: not looked at yet."""
    if alarms is None:
        url_state.link("audits", "Audits of this judge", **query)
    elif alarms:
        named = ", ".join(all_audits()[name].title for name in list(alarms)[:3])
        named += ", ..." if len(alarms) > 3 else ""
        label = f"{many(len(alarms), 'audit')} in alarm: {named}"
        url_state.link("audits", label, icon=":material/error:", **query)
    else:
        url_state.link("audits", "No audit in alarm", icon=":material/check_circle:", **query)
