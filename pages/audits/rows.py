"""Audits as people see them: a row each with verdict, figure and why; one of them open, with its picture and items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from data.audits.evidence import Scope
from data.gold.gold import BASES
from data.records.exposure import NOTE
from judges.audits import Audit, AuditFinding, Flag, Verdict
from judges.plural import many
from judges.render.findings.findings import Column
from judges.render.words import cell
from judges.triage import describe_unit
from pages.ui import tables, text, url_state

VERDICT_ORDER: tuple[Verdict, ...] = ("alarm", "warning", "pass", "not tested")
BADGES = {
    "alarm": ":red-badge[:material/error: alarm]",
    "warning": ":orange-badge[:material/warning: warning]",
    "pass": ":green-badge[:material/check_circle: pass]",
    "not tested": ":gray-badge[:material/hourglass_empty: not tested]",
}
COUNT_TEMPLATES = {
    "alarm": ":red[:material/error:] **{n}** in alarm",
    "warning": ":orange[:material/warning:] **{n}** with a warning",
    "pass": ":green[:material/check_circle:] **{n}** passed",
    "not tested": ":gray[:material/hourglass_empty:] **{n}** not tested",
}
MAX_SHOWN_ITEMS = 500
"""Items of a finding that are listed, and taken into the queue at a time."""
COLUMNS = {"Item": Column(width=190), "Where": Column(width=130), "Why": Column(width="large")}


def sort_by_verdict(findings: Mapping[str, AuditFinding]) -> list[str]:
    """The audits, alarms first; within a verdict as the card has them."""
    return sorted(findings, key=lambda name: VERDICT_ORDER.index(findings[name].verdict))


def draw_scope(scope: Scope, findings: Mapping[str, AuditFinding]) -> None:
    """Draw the number of findings by verdict, and the replies and labels that were used."""
    with st.container(horizontal=True, gap="medium"):
        for verdict in VERDICT_ORDER:
            if n := sum(finding.verdict == verdict for finding in findings.values()):
                with st.container(width="content"):
                    text.say(COUNT_TEMPLATES[verdict], n=n)
    basis = next((title.lower() for key, title in BASES.items() if key == scope.basis), "")
    text.quiet(
        "From {replies} to {items}{sample}; {unscored}. {gold}",
        replies=many(scope.replies, "reply", "replies"), items=many(scope.items, "item"),
        sample=scope.drawn, unscored=f"{scope.unscored:,} could not be used" if scope.unscored else "all could be used",
        gold=f"Reference labels (gold): {basis}, {many(scope.gold, 'rating')}." if scope.gold else "No reference "
            "labels (gold) yet.",
    )  # fmt: skip


def draw_audit_row(audit: Audit, finding: AuditFinding, limit: float | None, opened: bool) -> None:
    """One audit in a line: verdict, title and why, figure with interval and limit."""
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


def draw_definition(audit: Audit, limit: float | None) -> None:
    """Draw what is measured, and the condition of the alarm."""
    text.say("{measures}", measures=audit.measures)
    condition = audit.alarm.replace("{threshold}", "the limit" if limit is None else f"{limit:g}")
    text.quiet("**Alarm:** {said}", said=condition)


def draw_flags(shown: Sequence[Flag], total: int, names: Mapping[str, str], key: str, dataset: str) -> None:
    """The items behind a finding, those of `total` that may be shown; a click opens one on the desk."""
    more = f"; the {len(shown):,} strongest are listed" if len(shown) == MAX_SHOWN_ITEMS < total else ""
    text.say("**{n}**{more}. Click one to open it on the desk.", n=many(total, "case"), more=more)
    if len(shown) < min(total, MAX_SHOWN_ITEMS):
        st.caption(NOTE)
    if shown:
        rows = [{"Item": names.get(f.item, f.item), "Where": flag_place(f), "Why": f.text} for f in shown]
        tables.item_table(tables.drop_empty_columns(rows, ["Where"]), COLUMNS, [f.item for f in shown], key, dataset)


def flag_place(flag: Flag) -> str:
    """Return the place in an item, in words: turn 3 helpfulness."""
    return f"{describe_unit(flag.unit)}{flag.dimension.replace('_', ' ')}".strip()
