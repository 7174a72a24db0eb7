"""The workspace itself: where it is kept, backups that can be taken away, and whether all of it fits together."""

from __future__ import annotations

import shlex

import streamlit as st

from data.records import exposure
from data.records.access import Person
from data.records.names import display_name
from data.store.ids import now
from data.webhooks import outbox, webhooks
from data.webhooks.outbox import DeliveryRecord
from data.webhooks.webhooks import EVENTS, Webhook
from data.workspace import backups, schedule
from data.workspace.backups import Backup
from data.workspace.schedule import BackupPlan
from data.workspace.verify import verify
from judges.plural import file_size, many
from pages.server import downloads
from pages.ui import session, tables, text


def page() -> None:
    """Store, backups, check."""
    me, store = session.me("lead"), session.store()
    st.title("Workspace", anchor=False)
    newest = f"{store.newest():,}"
    text.say("Everything is kept in {name}, now at revision **{newest}**.", name=store.name, newest=newest)
    st.header("Backups", anchor=False)
    st.caption(
        "A backup is a consistent copy of the whole workspace, made while everybody goes on working. "
        "Do not copy the live file itself: such a copy may not open."
    )
    with text.refusals():
        _draw_backup_plan(me)
        _backups(me)
    st.header("Webhooks", anchor=False)
    with text.refusals():
        _draw_webhooks(me)
    st.header("Integrity check", anchor=False)
    st.caption("Reads the workspace once: no revision is missing, and every row refers to rows that exist.")
    if st.button("Check the workspace", icon=":material/fact_check:"):
        with st.spinner("Reading the workspace ..."):
            wrong = verify(store)
        if wrong:
            st.error("The check found problems. Make a backup of what is there before you go on.")
            st.dataframe({"problem": wrong}, hide_index=True)
        else:
            st.success("No problem was found.", icon=":material/check:")


def _draw_backup_plan(me: Person) -> None:
    store = session.store()
    plan, state = schedule.backup_plan(store), schedule.backup_state(store)
    with st.form("plan", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        every = st.number_input(
            "Hours between backups", 0, 744, plan.every, width=190, help="0: none is made by itself.",
            key=f"plan:every:{plan.every}",
        )
        keep = st.number_input(
            "Of these kept", 1, 1_000, plan.keep, width=150, key=f"plan:keep:{plan.keep}",
            help="The oldest beyond that are removed. Backups that somebody made are never removed.",
        )  # fmt: skip
        if st.form_submit_button("Save the plan"):
            schedule.set_backup_plan(store, me.name, BackupPlan(int(every), int(keep)))
            st.rerun()
    if plan.every and state.made_at is not None:
        text.quiet(
            "The last one by this plan: {age} ago, read as a whole when it was made. The next: {due}.",
            age=text.duration(now() - state.made_at), due=text.moment(state.due_at(plan)),
        )  # fmt: skip
    elif plan.every:
        st.caption("The first one by this plan is made within a minute or two.")
    if plan.every and state.failed:
        text.warn("The last backup by the plan failed, and is tried again. {why}", why=state.failed)


def _backups(me: Person) -> None:
    store, state = session.store(), session.scratch("workspace")
    if st.button("Make a backup", icon=":material/save:", type="primary"):
        with st.spinner("Copying ..."):
            backup = backups.make_backup(store, me.name)
        state["said"] = f"Backup made: {backup.name}"
        st.rerun()
    text.tell_outcome(state)
    all_backups = backups.list_backups(store)
    if not all_backups:
        st.info("There is no backup yet. Make one at regular times, and before an upgrade.", icon=":material/save:")
        return
    columns = [("Backup", ""), ("Made", "150px"), ("By", "150px"), ("Revision", "n95px"), ("Size", "n100px")]
    clicked = tables.wrapped_table(
        columns, [_row(backup) for backup in all_backups], "backups", "Backups",
        [backup.name for backup in all_backups], actions=[("Check", "Download")] * len(all_backups),
    )  # fmt: skip
    if newest := next((backup for backup in all_backups if backup.revision is not None), None):
        st.caption(
            "To restore a backup, stop Assay and run this with the same ASSAY_STORE. The present file is kept under "
            "another name."
        )
        file = shlex.quote(str(backups.backup_folder(store) / newest.name))
        st.code(f"python -m data restore {file}", language="bash", wrap_lines=True)
    if clicked:
        (_check_backup if clicked[1] == "Check" else _download)(me, all_backups[clicked[0]])


def _row(backup: Backup) -> list[str]:
    created_at, size = text.moment(backup.made_at), file_size(backup.size)
    revision = "cannot be opened" if backup.revision is None else f"{backup.revision:,}"
    return [backup.name, created_at, display_name(backup.by) or "not recorded", revision, size]


@text.dialog("Check a backup")
def _check_backup(me: Person, backup: Backup) -> None:
    """Read all of it, as restoring it would."""
    text.say("**{name}**", name=backup.name)
    with text.refusals():
        with st.spinner("Reading the backup ..."):
            revision = backups.check_backup(session.store(), me.name, backup.name)
        message = f"No problem was found. It can be restored, to revision {revision:,}."
        st.success(text.escape(message), icon=":material/check:")


@text.dialog("Download a backup")
def _download(me: Person, backup: Backup) -> None:
    store = session.store()
    text.say("**{name}**, {size}", name=backup.name, size=file_size(backup.size))
    st.markdown(
        "The file holds the whole workspace: every item, score, label and decision, with names. Whoever has it can "
        "read all of that. The download is recorded in the audit log."
    )
    if waiting := len(exposure.blind_pending(store, me.name)):
        text.warn(
            "You count as having seen every score and label in it. {n} that you may still be asked to label blind "
            "will go to others.",
            n=many(waiting, "item"),
        )  # fmt: skip
    if st.button("Record it and get the file", icon=":material/lock_open:"):
        with text.refusals():
            file = backups.take_backup(store, me.name, backup.name)
            address = downloads.offer(file, session.store())
            st.link_button("Download", address, icon=":material/download:", type="primary")


_TRIES = (("When", "150px"), ("Host", ""), ("Event", "150px"), ("State", "100px"), ("Why", ""), ("Next", "150px"))


def _draw_webhooks(me: Person) -> None:
    store, state = session.store(), session.scratch("webhooks")
    st.caption(
        "Assay notifies an address of yours when a queue is finished, an approval changes or a run ends. The signed "
        "message has ids, names and states, but no text of an item. Failed deliveries are retried for a day."
    )
    text.show_secret(state, "The webhook was added. This is its secret, which is not shown again.")
    text.tell_outcome(state)
    all_webhooks = webhooks.list_webhooks(store, me.name)
    if all_webhooks:
        columns = [("Host", ""), ("Told of", ""), ("Made by", "150px"), ("Made", "150px"), ("State", "100px")]
        acts = [("Test", "Pause" if webhook.state == "active" else "Activate", "Remove") for webhook in all_webhooks]
        rows, ids = [_webhook_row(webhook) for webhook in all_webhooks], [webhook.id for webhook in all_webhooks]
        clicked = tables.wrapped_table(columns, rows, "webhooks", "Webhooks", ids, actions=acts)
        if clicked:
            state["said"] = _act_on_webhook(me, all_webhooks[clicked[0]], clicked[1])
            st.rerun()
    with st.expander("Add a webhook", icon=":material/add:"), st.form("webhook", border=False):
        url = st.text_input("Address", placeholder="https://", max_chars=500)
        events = st.multiselect("Told of", list(EVENTS), default=list(EVENTS), format_func=EVENTS.__getitem__)
        if st.form_submit_button("Add"):
            with text.refusals():
                _, state["secret"] = webhooks.add_webhook(store, me.name, url, events)
                st.rerun()
    tries = outbox.list_tries(store, me.name) if all_webhooks else []
    if tries:
        st.caption("The newest tries")
        tables.wrapped_table(_TRIES, list(map(_delivery_row, tries)), "tries", "Tries to tell webhooks")


def _webhook_row(webhook: Webhook) -> list[str]:
    created_at = text.moment(webhook.made_at)
    return [webhook.host, ", ".join(webhook.events), webhook.person, created_at, webhook.state]


def _delivery_row(delivery: DeliveryRecord) -> list[str]:
    due = text.moment(delivery.due) if delivery.due else ""
    return [text.moment(delivery.at), delivery.host, delivery.kind, delivery.state, delivery.why, due]


def _act_on_webhook(me: Person, webhook: Webhook, action: str) -> str:
    store = session.store()
    if action == "Test":
        webhooks.send_test(store, me.name, webhook.id)
        return f"A test is on its way to {webhook.host}. Load the page again to see the result."
    state = {"Pause": "paused", "Activate": "active", "Remove": "removed"}[action]
    webhooks.set_state(store, me.name, webhook.id, state)
    return f"The webhook to {webhook.host} is {state}."
