"""The actions on a finding: its items are added to the review queue, and the limit of its alarm is changed."""

from __future__ import annotations

import streamlit as st

from data.audits import audits
from data.queue import queue
from data.records.datasets import Dataset
from judges import triage
from judges.audits import Audit, AuditFinding, all_audits
from judges.plural import many
from pages.audits import rows
from pages.ui import session, text, url_state


def draw_take_button(actor: str, dataset: Dataset, judge: str, name: str, finding: AuditFinding) -> None:
    """The button that takes the items of a finding into the review queue, and what came of it."""
    flags = finding.flags[: rows.MAX_SHOWN_ITEMS]
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


def draw_limit(actor: str, audit: Audit, now: float | None) -> None:
    """The limit of an audit, for leads: another one, or its default."""
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
        with st.container(horizontal=True):
            if st.button(
                "Set", type="primary", disabled=value == now and pending is None, key=f"limit:set:{audit.name}"
            ):
                _save_limit(actor, audit.name, value)
            if st.button("Back to the default", disabled=now == audit.threshold, key=f"limit:reset:{audit.name}"):
                _save_limit(actor, audit.name, None)


def _save_limit(actor: str, name: str, value: float | None) -> None:
    with text.refusals():
        audits.set_audit_limit(session.store(), actor, name, value)
        st.rerun()
