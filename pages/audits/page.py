"""Audits: the known failures of a judge, measured; one of them open, with its items and what can be done about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from data.audits import audits
from data.audits.evidence import Scope
from data.gold.gold import BASIS_PHRASES
from data.queue import queue
from data.records import items
from data.records.access import Person
from data.records.datasets import Dataset
from data.records.exposure import NOTE
from data.runs import runs
from judges import triage
from judges.audits import Audit, AuditFinding, Flag, Verdict, all_audits
from judges.plural import many
from judges.render.findings.findings import Column
from judges.render.words import cell
from judges.triage import describe_unit
from pages.audits import justification_check
from pages.ui import charts, choose, run_estimate, session, tables, text, url_state

BADGES: dict[Verdict, str] = {
    "alarm": ":red-badge[:material/error: alarm]",
    "warning": ":orange-badge[:material/warning: warning]",
    "pass": ":green-badge[:material/check_circle: pass]",
    "not tested": ":gray-badge[:material/hourglass_empty: not tested]",
}
"""The verdicts in the order in which they are shown."""
COUNT_TEMPLATES = {
    "alarm": ":red[:material/error:] **{n}** in alarm",
    "warning": ":orange[:material/warning:] **{n}** with a warning",
    "pass": ":green[:material/check_circle:] **{n}** passed",
    "not tested": ":gray[:material/hourglass_empty:] **{n}** not tested",
}
MAX_SHOWN_ITEMS = 500
"""Items of a finding that are listed, and taken into the queue at a time."""
COLUMNS = {"Item": Column(width=190), "Where": Column(width=130), "Why": Column(width="large")}


def page() -> None:
    """A judge's audits, a row each; the one that the address names is open."""
    me, store = session.me(), session.store()
    st.title("Audits", anchor=False)
    hope = ". Run one, or import its judgments; its audits are then shown here."
    place = choose.judged_dataset(store, hope)
    if place is None:
        return
    bar, dataset, judges, names = place
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
    _draw_scope(results.scope, results.findings)
    limits, opened, order = audits.audit_limits(store), st.query_params.get("audit", ""), list(BADGES)
    for name, finding in sorted(results.findings.items(), key=lambda pair: order.index(pair[1].verdict)):
        audit = all_audits()[name]
        with st.container(border=name == opened):
            _draw_audit_row(audit, finding, limits.get(name, audit.threshold), name == opened)
            if name == opened:
                _detail(me, dataset, judge, name, results)


def _detail(me: Person, dataset: Dataset, judge: str, name: str, results: audits.AuditResults) -> None:
    store, audit, finding = session.store(), all_audits()[name], results.findings[name]
    limit, key = audits.audit_limits(store).get(name, audit.threshold), f"{dataset.id}:{judge}:{name}"
    with st.container(horizontal=True, vertical_alignment="top"):
        with st.container(width="stretch", gap=None):
            text.say("{measures}", measures=audit.measures)
            condition = audit.alarm.replace("{threshold}", "the limit" if limit is None else f"{limit:g}")
            text.quiet("**Alarm:** {said}", said=condition)
        if audit.threshold is not None and me.may("lead"):
            _draw_limit(me.name, audit, limit)
    if finding.plot is not None:
        with st.container(width=720):
            charts.audit_plot(finding.plot, f"plot:{key}")
    _items(me, dataset, judge, name, finding, key)
    if audit.probe in _PROBES and (audit.probe != "both orders" or finding.figure is None):
        _draw_probe(me, dataset, judge, audit.probe, results.scope.probes.get(audit.probe, 0))
    _draw_needs(dataset.name, audit.probe, results.scope)
    if audit.probe == "fits":
        justification_check.panel(me.name, dataset.id, judge, limit)


def _items(me: Person, dataset: Dataset, judge: str, name: str, finding: AuditFinding, key: str) -> None:
    """The items behind a finding: a click leads to the desk, a button takes them into the review queue."""
    if not finding.flags:
        return
    shown = audits.visible_flags(session.store(), me.name, judge, finding.flags, MAX_SHOWN_ITEMS)
    names = items.item_names(session.store(), [flag.item for flag in shown])
    _draw_flags(shown, len(finding.flags), names, f"flags:{key}", dataset.name)
    if me.may("researcher"):
        draw_take_button(me.name, dataset, judge, name, finding)


_PROBES = {
    "scenario_swapped": "Every dialogue is judged once more, with the scenario of another one.",
    "reference_removed": "Every output is judged once more, without its reference answer.",
    "injected_order": "Every item is judged once more, with an instruction to the judge planted in the judged text.",
    "both orders": "Every pair is judged with A first and with B first. This makes a separate judge: open that "
    "judge's audits afterwards.",
}


def _draw_probe(me: Person, dataset: Dataset, judge: str, probe: str, done: int) -> None:
    text.say("**Probe run.** {what}", what=_PROBES[probe])
    if done:
        text.quiet("{n} to it so far.", n=many(done, "reply", "replies"))
    if not me.may("researcher"):
        st.caption("A researcher or lead can run it.")
        return
    store = session.store()
    before = next((run for run in runs.list_runs(store, dataset.id) if run.judge == judge), None)
    if before is None:
        st.caption("This judge's replies were imported: give its endpoint in the form of a run.")
        parameters = {} if probe == "both orders" else {"probe": probe}
        url_state.link("runs", "Run it", icon=":material/play_arrow:", dataset=dataset.name, **parameters)
        return
    with text.refusals():
        previous = runs.config_of(store, before.id)
        change = {"orders": "both"} if probe == "both orders" else {"probe": probe}
        config = replace(previous, params=previous.params.model_copy(update=change), only_unscored=False)
        estimate = runs.estimate(store, config)
        if not estimate.judgments:
            st.caption("It has been run on all of these items.")
            return
        run_estimate.show_estimate(estimate)
        if st.button("Run it", icon=":material/play_arrow:", key=f"probe:{probe}"):
            with st.spinner("Starting ..."):
                run_id = runs.start(store, me.name, config)
            url_state.open_page("runs", run=run_id)


def _draw_needs(dataset: str, needs: str, scope: Scope) -> None:
    if needs == "second judge" and not scope.others:
        st.caption("This needs a second judge: a model of another family with the same card, on the same items.")
        url_state.link("runs", "Run a second judge", icon=":material/play_arrow:", dataset=dataset)
    if needs == "gold" and not scope.gold:
        st.caption("This needs reference labels (gold): labels by people of items that the judge has scored.")
        with st.container(horizontal=True):
            url_state.link("queue", "Draw a sample", dataset=dataset, stream="audit")
            url_state.link("desk", "Label", dataset=dataset, stream="audit")


def draw_take_button(actor: str, dataset: Dataset, judge: str, name: str, finding: AuditFinding) -> None:
    """The button that takes the items of a finding into the review queue, and what came of it."""
    flags = finding.flags[:MAX_SHOWN_ITEMS]
    n, key = len({flag.item for flag in flags}), f"{dataset.id}:{judge}:{name}"
    outcomes: dict[str, tuple[int, int, int]] = session.scratch("flagged")
    these = "these" if len(flags) == len(finding.flags) else "the strongest"
    with st.container(horizontal=True, vertical_alignment="center"):
        label = text.escape(
            f"Add {these} {many(n, 'item')} to the review queue" if n > 1 else "Add it to the review queue"
        )
        if st.button(label, icon=":material/playlist_add:", key=f"take:{name}"):
            title = all_audits()[name].title
            reasons = [triage.audit_flag(f.item, title, f.text, f.strength, f.unit, f.dimension) for f in flags]
            with text.refusals():
                outcomes[key] = queue.take_flagged(session.store(), actor, dataset.id, judge, reasons)
        if key in outcomes:
            new, existing, reserved = outcomes[key]
            added = f"{many(new, 'item')} added" + (f", {existing:,} in the queue already" if existing else "")
            added += f", {reserved:,} left out: in the audit sample" if reserved else ""
            text.quiet(":green[:material/check_circle:] {added}", added=added)
            url_state.link("queue", "Review queue", dataset=dataset.name, stream="review", reason="flagged")


def _draw_limit(actor: str, audit: Audit, now: float | None) -> None:
    low, high = audits.limit_range(audit)
    with st.popover("Limit", icon=":material/tune:", key=f"limit:{audit.name}:{now}"):
        text.quiet("Applies to the whole workspace. The default is {default}.", default=f"{audit.threshold:g}")
        pending = audits.proposed_limits(session.store()).get(audit.name)
        if pending is not None:
            text.quiet(
                "{by} has proposed {value}. It applies once another lead sets the same; setting {now} withdraws the "
                "proposal.",
                by=pending.by, value=f"{audit.threshold if pending.value is None else pending.value:g}", now=f"{now:g}",
            )  # fmt: skip
        value = st.number_input(
            "Limit", low, high, min(max(float(now or 0), low), high), 0.05, key=f"limit:value:{audit.name}:{now}",
            label_visibility="collapsed",
        )  # fmt: skip
        with st.container(horizontal=True), text.refusals():
            same = value == now and pending is None
            sets = st.button("Set", type="primary", disabled=same, key=f"limit:set:{audit.name}")
            default = audit.threshold
            if st.button("Back to the default", disabled=now == default, key=f"limit:reset:{audit.name}") or sets:
                audits.set_audit_limit(session.store(), actor, audit.name, value if sets else None)
                st.rerun()


def _draw_scope(scope: Scope, findings: Mapping[str, AuditFinding]) -> None:
    with st.container(horizontal=True, gap="medium"):
        for verdict in BADGES:
            if n := sum(finding.verdict == verdict for finding in findings.values()):
                with st.container(width="content"):
                    text.say(COUNT_TEMPLATES[verdict], n=n)
    basis = BASIS_PHRASES.get(scope.basis, "")
    text.quiet(
        "From {replies} to {items}{sample}; {unscored}. {gold}",
        replies=many(scope.replies, "reply", "replies"), items=many(scope.items, "item"),
        sample=scope.drawn, unscored=f"{scope.unscored:,} could not be used" if scope.unscored else "all could be used",
        gold=f"Reference labels (gold): {basis}, {many(scope.gold, 'rating')}." if scope.gold else "No reference "
            "labels (gold) yet.",
    )  # fmt: skip


def _draw_audit_row(audit: Audit, finding: AuditFinding, limit: float | None, opened: bool) -> None:
    verdict, title, figures = st.columns([15, 62, 23], gap="small", vertical_alignment="top")
    with verdict:
        st.markdown(BADGES[finding.verdict])
    with title, st.container(gap=None):
        url_state.fold_button(audit.title, "audit", audit.name, opened)
        text.quiet("{why}", why=finding.why)
    with figures, st.container(gap=None):
        if finding.figure is None:
            return
        interval = finding.interval
        ends = None if interval is None or interval.low is None or interval.high is None else interval
        text.say(
            "**{figure}**" + (" &nbsp;{low} to {high}" if ends else ""), figure=_format_figure(finding.figure),
            low=_format_figure(ends.low) if ends else "", high=_format_figure(ends.high) if ends else "",
        )  # fmt: skip
        if limit is not None:
            text.quiet("limit {limit}", limit=f"{limit:g}")


def _format_figure(figure: float | None) -> str:
    """A figure with two decimals; a whole number as it is."""
    return cell(figure, ",.0f" if figure is not None and figure == int(figure) and abs(figure) > 1 else ".2f")


def _draw_flags(shown: Sequence[Flag], total: int, names: Mapping[str, str], key: str, dataset: str) -> None:
    """The items behind a finding, those of `total` that may be shown; a click opens one on the desk."""
    more = f"; the {len(shown):,} strongest are listed" if len(shown) == MAX_SHOWN_ITEMS < total else ""
    text.say("**{n}**{more}. Click one to open it on the desk.", n=many(total, "case"), more=more)
    if len(shown) < min(total, MAX_SHOWN_ITEMS):
        st.caption(NOTE)
    if shown:
        rows = [
            {
                "Item": names.get(f.item, f.item),
                "Where": f"{describe_unit(f.unit)}{f.dimension.replace('_', ' ')}".strip(), "Why": f.text,
            }
            for f in shown
        ]  # fmt: skip
        tables.item_table(tables.drop_empty_columns(rows, ["Where"]), COLUMNS, [f.item for f in shown], key, dataset)
