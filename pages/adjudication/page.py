"""Adjudication: where people disagree on a rating, somebody decides, with a reason and by key."""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import Any

import streamlit as st

from data.adjudication import adjudication, adjudication_items
from data.records import settings
from data.records.datasets import Dataset
from data.records.people import Person
from data.store.ids import now
from judges.errors import AssayError
from pages.adjudication import decisions
from pages.adjudication.board import board_data, draw_board
from pages.server import limits
from pages.ui import choose, gold, session, text, url_state

AHEAD = 3
"""Items that are sent to the browser ahead, so that the next one is painted at once."""


def page() -> None:
    """Choose a dataset, decide what waits there, and see what was decided."""
    who, store = session.me("researcher"), session.store()
    left, middle, right = st.columns([3, 4, 3], vertical_alignment="center")
    with left:
        dataset = choose.dataset(store)
    if dataset is None:
        return
    gold.draw_rule(dataset, who, middle, right)
    _board(who, dataset, text.time_zone())


@st.fragment
def _board(who: Person, dataset: Dataset, zone: tzinfo) -> None:
    """The board, which alone reruns with every decision, and the decisions below it."""
    key, store = f"adjudication:{who.name}:{dataset.id}", session.store()
    state = session.scratch(key)
    waits = adjudication.adjudication_work(store, who.name, dataset.id)
    dockets = adjudication_items.load_adjudication_items(store, who.name, waits.mine, AHEAD)
    adjudication.record_look(store, who.name, [one.view.item.id for one in dockets])
    draw_board(
        {
            "person": who.name,
            "place": dataset.id,
            "items": [board_data.item_data(one, who.name) for one in dockets],
            "acked": state.get("acked", []),
            "refused": state.get("refused", []),
            "progress": {"left": len(waits.mine)},
            "empty": None if waits.mine else decisions.empty_board(settings.gold_rule(store, dataset.id), waits.others),
            "notice": state.get("notice"),
        },
        key=key,
        on_outbox=url_state.callback_of("adjudication", lambda: _act(who, key, state, zone)),
    )
    decisions.draw_decisions(adjudication_items.adjudicated_cells(store, who.name, dataset.id), who, zone, key)


def _act(who: Person, key: str, state: dict[str, Any], zone: tzinfo) -> None:
    """Do what the browser sent, one act after the other, and remember what to acknowledge or to refuse."""
    outbox = session.outbox(key)
    done = {one["key"] for one in state.get("acked", [])}
    state["notice"] = None
    try:
        if item := session.as_text(outbox.get("reveal")):
            adjudication.reveal_while_adjudicating(session.store(), who.name, item)
    except AssayError as error:
        state["notice"] = str(error)
    acts = session.as_list(outbox.get("acts"))
    try:
        limits.check_saves(who.name, len(acts))
    except AssayError as error:
        state["notice"], acts = str(error), []
    for act in map(session.as_dict, acts):
        act_key = session.as_text(act.get("key"))
        if act_key in done:
            continue
        try:
            names = _one(who.name, act_key, act)
        except AssayError as error:
            state["refused"] = [*state.get("refused", []), {"key": act_key, "why": str(error)}][-session.MOST:]
            continue
        at = f"{now().replace(tzinfo=UTC).astimezone(zone):%H:%M:%S}"
        state["acked"] = [*state.get("acked", []), {"key": act_key, "at": at, "names": names}][-session.MOST:]


def _one(actor: str, key: str, act: dict[str, Any]) -> list[str] | None:
    """One act of the browser; of a decision the names of the people, in the order of their letters."""
    store = session.store()
    if act.get("action") == "withdraw":
        adjudication.withdraw_adjudication(store, actor, key, session.as_text(act.get("of")))
        return None
    item, unit, dimension, token = (session.as_text(act.get(name)) for name in ("item", "unit", "dimension", "token"))
    value, reason = act.get("v"), act.get("reason")
    reason = reason if isinstance(reason, str) else ""
    made = adjudication.adjudicate(store, actor, key, item, unit, dimension, value, reason, token)
    return [s.person for s in adjudication_items.shuffle_labels(item, unit, dimension, made.said)]
