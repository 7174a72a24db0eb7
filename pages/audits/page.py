"""Audits: the known failures of a judge, measured; one of them open, with its items and what can be done about it."""

from __future__ import annotations

import streamlit as st

from data.audits import audits
from data.records import items
from data.records.access import Person
from data.records.datasets import Dataset
from judges.audits import AuditFinding, all_audits
from pages.audits import actions, justification_check, probes, rows
from pages.ui import charts, choose, session


def page() -> None:
    """A judge's audits, a row each; the one that the address names is open."""
    me, store = session.me(), session.store()
    st.title("Audits", anchor=False)
    bar, dataset = choose.dataset_bar(store)
    if dataset is None:
        return
    hope = ". Run one, or import its judgments; its audits are then shown here."
    judges, names = choose.judges(store, dataset, hope)
    if not judges:
        return
    with bar:
        judge = choose.judge(names)
    with st.container(horizontal=True):
        choose.draw_data_notes(dataset, next(j.model for j in judges if j.id == judge))
    with st.spinner("Running the audits ..."):
        results = audits.run_audits(store, dataset.id, judge)
    if not results.scope.replies:
        st.info(
            "This judge has no replies on this dataset yet. Run it on the page Runs, or import its judgments.",
            icon=":material/gavel:",
        )
        return
    if not results.findings:
        st.info("The card of this judge names no audits.", icon=":material/check:")
        return
    rows.draw_scope(results.scope, results.findings)
    limits, opened = audits.audit_limits(store), st.query_params.get("audit", "")
    for name in rows.sort_by_verdict(results.findings):
        audit = all_audits()[name]
        with st.container(border=name == opened):
            limit = limits.get(name, audit.threshold)
            rows.draw_audit_row(audit, results.findings[name], limit, name == opened)
            if name == opened:
                _detail(me, dataset, judge, name, results)


def _detail(me: Person, dataset: Dataset, judge: str, name: str, results: audits.AuditResults) -> None:
    """One audit in full: what is measured, its picture, the items behind it, and what can be done."""
    store, audit, finding = session.store(), all_audits()[name], results.findings[name]
    limit, key = audits.audit_limits(store).get(name, audit.threshold), f"{dataset.id}:{judge}:{name}"
    with st.container(horizontal=True, vertical_alignment="top"):
        with st.container(width="stretch", gap=None):
            rows.draw_definition(audit, limit)
        if audit.threshold is not None and me.may("lead"):
            actions.draw_limit(me.name, audit, limit)
    if finding.plot is not None:
        with st.container(width=720):
            charts.audit_plot(finding.plot, f"plot:{key}")
    _items(me, dataset, judge, name, finding, key)
    if audit.probe in probes.PROBES and (audit.probe != "both orders" or finding.figure is None):
        probes.panel(me, dataset, judge, audit.probe, results.scope.probes.get(audit.probe, 0))
    probes.draw_needs(dataset.name, audit.probe, results.scope)
    if audit.probe == "fits":
        justification_check.panel(me.name, dataset.id, judge, limit)


def _items(me: Person, dataset: Dataset, judge: str, name: str, finding: AuditFinding, key: str) -> None:
    """The items behind a finding: a click leads to the desk, a button takes them into the review queue."""
    if not finding.flags:
        return
    shown = audits.visible_flags(session.store(), me.name, judge, finding.flags, rows.MAX_SHOWN_ITEMS)
    names = items.item_names(session.store(), [flag.item for flag in shown])
    rows.draw_flags(shown, len(finding.flags), names, f"flags:{key}", dataset.name)
    if me.may("researcher"):
        actions.draw_take_button(me.name, dataset, judge, name, finding)
