"""Webhooks on the page Workspace: addresses that are told of events, and what came of telling them."""

from __future__ import annotations

import streamlit as st

from data.records.access import Person
from data.webhooks import outbox, webhooks
from data.webhooks.outbox import DeliveryRecord
from data.webhooks.webhooks import EVENTS, Webhook
from pages.ui import session, tables, text

_TRIES = (("When", "150px"), ("Host", ""), ("Event", "150px"), ("State", "100px"), ("Why", ""), ("Next", "150px"))


def draw_webhooks(me: Person) -> None:
    """Those that there are, with what can be done to them, a form for a new one, and the newest tries."""
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
        rows, ids = [_row(webhook) for webhook in all_webhooks], [webhook.id for webhook in all_webhooks]
        clicked = tables.wrapped_table(columns, rows, "webhooks", "Webhooks", ids, actions=acts)
        if clicked:
            state["said"] = _perform(me, all_webhooks[clicked[0]], clicked[1])
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


def _row(webhook: Webhook) -> list[str]:
    created_at = text.moment(webhook.made_at, text.time_zone())
    return [webhook.host, ", ".join(webhook.events), webhook.person, created_at, webhook.state]


def _delivery_row(delivery: DeliveryRecord) -> list[str]:
    zone = text.time_zone()
    due = text.moment(delivery.due, zone) if delivery.due else ""
    return [text.moment(delivery.at, zone), delivery.host, delivery.kind, delivery.state, delivery.why, due]


def _perform(me: Person, webhook: Webhook, action: str) -> str:
    """Do what was clicked; what is said of it."""
    store = session.store()
    if action == "Test":
        webhooks.send_test(store, me.name, webhook.id)
        return f"A test is on its way to {webhook.host}. Load the page again to see the result."
    state = {"Pause": "paused", "Activate": "active", "Remove": "removed"}[action]
    webhooks.set_state(store, me.name, webhook.id, state)
    return f"The webhook to {webhook.host} is {state}."
