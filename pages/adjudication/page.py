"""Adjudication: if people disagree on a rating, a person decides, with a reason and by key."""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

import streamlit as st

from data.adjudication import adjudication, adjudication_items
from data.records import settings
from data.records.datasets import Dataset
from data.records.people import Person
from data.store.errors import StoreError
from pages.adjudication import decisions, exchange
from pages.adjudication.board import board_data, draw_board
from pages.ui import choose, gold, session, text, url_state

ITEMS_AHEAD = 3
"""The number of items sent to the browser ahead, so that the next is painted at once: the first, and the neighbours."""


def page() -> None:
    """Choose a dataset, decide what waits there, and see what was decided."""
    me, store = session.me("researcher"), session.store()
    left, middle, right = st.columns([3, 4, 3], vertical_alignment="center")
    with left:
        dataset = choose.dataset(store)
    if dataset is None:
        return
    gold.draw_rule(dataset, me, middle, right)
    _board(me, dataset, text.time_zone())


@text.fragment
def _board(me: Person, dataset: Dataset, zone: tzinfo) -> None:
    """The board, which alone reruns with every decision, and the decisions below it."""
    key = f"adjudication:{me.name}:{dataset.id}"
    state, notice = session.scratch(key), None
    try:
        state["board"] = _load_board(me, dataset, session.as_text(session.outbox(key).get("now")))
    except StoreError as error:
        if "board" not in state:
            text.refuse(error)
            return
        notice = str(error)  # what could be read last stays on screen, and with it what is not saved
    draw_board(
        {
            "person": me.name,
            "place": dataset.id,
            **state["board"],
            "acked": state.get("acked", []),
            "refused": state.get("refused", []),
            "notice": state.get("notice") or notice,
        },
        key=key,
        on_outbox=url_state.callback_of("adjudication", lambda: exchange.save_sent(me, key, state, zone)),
    )
    if notice is None:
        cells = adjudication_items.adjudicated_cells(session.store(), me.name, dataset.id)
        decisions.draw_decisions(cells, me, zone, key)


def choose_items(ids: list[str], now: str) -> set[str]:
    """The items that the board gets, in the order of work; `now` is the item that it shows ("": none)."""
    place = ids.index(now) if now in ids else 0
    return {*ids[:ITEMS_AHEAD], *ids[max(0, place - 1) : place + ITEMS_AHEAD]}


def _load_board(me: Person, dataset: Dataset, now: str) -> dict[str, Any]:
    """The items that wait for this person in that dataset; the items sent are recorded as shown to them.

    The board gets the first items, and the current item with its neighbours, wherever it is in the order now.
    """
    store = session.store()
    waits = adjudication.adjudication_work(store, me.name, dataset.id)
    sent = choose_items(list(dict.fromkeys(cell.item for cell in waits.own)), now)
    cells = [cell for cell in waits.own if cell.item in sent]
    dockets = adjudication_items.load_adjudication_items(store, me.name, cells, len(sent))
    adjudication.record_look(store, me.name, [docket.view.item.id for docket in dockets])
    rule = settings.gold_rule(store, dataset.id)
    return {
        "items": [board_data.item_data(docket, me.name) for docket in dockets],
        "progress": {"left": len(waits.own)},
        "empty": None if waits.own else decisions.empty_board(rule, waits.others),
    }
