"""The review desk: the queue's items beside the judge's scores, accepted or overridden by key."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data.assignments import assignments
from data.desk import desk
from data.queue import progress, queue
from data.records import guidelines
from data.records.access import Person
from data.records.datasets import Dataset
from data.store.errors import StoreError
from judges.errors import AssayError
from pages.desk import exchange
from pages.ui import choose, session, text, url_state
from pages.ui.sheet import draw_sheet, sheet_data


def page() -> None:
    """Choose dataset and stream, then label."""
    me = session.me()
    place = choose.queue_view(session.store())
    if place is not None:
        _desk(me, *place, st.query_params.get("item", ""))


@text.fragment
def _desk(me: Person, dataset: Dataset, stream: queue.Stream, filters: queue.QueueFilters, linked: str) -> None:
    """The desk itself, which alone reruns with every answer."""
    key = f"desk:{me.name}:{dataset.id}:{stream}"
    state = session.scratch(f"{key}:{filters}")
    outbox = exchange.read_message(key)
    notice, store = None, session.store()
    try:
        ahead = exchange.SHEETS_AHEAD if outbox["came"] else exchange.FIRST_SHEETS
        items = queue.claim_items(store, me.name, dataset.id, stream, filters, outbox["have"], ahead)
        sheets = exchange.cut_to_size([sheet_data.sheet_data(v) for v in desk.desk_views(store, me.name, items)])
    except AssayError as error:
        sheets, notice = [], str(error)
    requested, refusal = _requested_sheets(me, state, outbox, linked)
    try:
        state["assigned"] = text.work_left(*assignments.own_work(store, me.name, dataset.id, stream))
        state["guide"] = exchange.guidelines_data(guidelines.current_guidelines(store, dataset.id), dataset.name)
        state["stand"] = progress.desk_progress(store, me.name, dataset.id, stream, filters, text.time_zone())
    except StoreError as error:
        if "stand" not in state:
            text.refuse(error)
            return
        notice = str(error)
    filtered, may_fill = filters != queue.QueueFilters(), me.may("researcher")
    stand = state["stand"]  # the last that could be read: the sheet stays on screen, and with it what is not saved
    empty, message = None, state.get("notice") or notice or refusal
    if not stand.waiting and not notice:
        empty = exchange.empty_text(stream, filtered, stand.queue.drawn, may_fill)
    draw_sheet(
        {
            "person": me.name,
            "place": f"{dataset.name}/{stream}",
            "filters": str(filters),
            "sheets": sheets + requested,
            "open": state.get("open"),
            "acked": state.get("acked", []),
            "refused": state.get("refused", []),
            "progress": {
                "today": stand.own.today,
                "mine": stand.own.total,
                "seconds": stand.own.seconds,
                "left": stand.waiting,
                "done": stand.queue.answered,
                "total": stand.queue.drawn,
                "assigned": state["assigned"],
            },
            "empty": empty,
            "notice": message and text.isolate_names(message),
            "guide": state["guide"],
        },
        key=key,
        on_outbox=url_state.callback_of("desk", lambda: exchange.save_sent(me, key, state)),
    )
    if empty and may_fill and not filtered:
        does = exchange.FILL_HINTS[stream]
        url_state.link("queue", does[:1].upper() + does[1:], dataset=dataset.name, stream=stream)


def _requested_sheets(
    me: Person, state: dict[str, Any], outbox: dict[str, Any], linked: str
) -> tuple[list[dict[str, Any]], str | None]:
    """The sheets that were requested by name, and why one of them could not be opened.

    The request comes from the address (then the reason is shown until the next answer), or from a person who wants to
    see a judge's scores.
    """
    store, sheets, refusal = session.store(), [], None
    if outbox["answers"]:
        state["lost"] = None
    if linked and linked != state.get("open"):
        state["open"], state["lost"] = linked, None
        try:
            sheets.append(sheet_data.sheet_data(desk.open_item(store, me.name, linked)))
        except AssayError as error:
            state["lost"] = str(error)
    if want := outbox["want"]:
        try:
            if want["reveal"]:
                desk.reveal_judges(store, me.name, want["item"])
            sheets.append(sheet_data.sheet_data(desk.open_item(store, me.name, want["item"]), again=True))
        except AssayError as error:
            refusal = str(error)
    return sheets, refusal or (state.get("lost") if linked else None)
