"""Adjudication: if people disagree on a rating, a person decides, with a reason and by key."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data.adjudication import adjudication, adjudication_items
from data.adjudication.adjudication_items import AdjudicatedCell
from data.records import settings
from data.records.access import Person
from data.records.datasets import Dataset
from data.records.settings import GoldRule
from data.store.errors import StoreError
from data.store.ids import new_id, now
from judges.errors import AssayError
from judges.plural import many
from judges.render.findings.findings import Column
from judges.triage import name_unit
from pages.adjudication.board import board_data, draw_board
from pages.server import limits
from pages.ui import choose, gold, session, tables, text, url_state

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
    _board(me, dataset)


@text.fragment
def _board(me: Person, dataset: Dataset) -> None:
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
    message = state.get("notice") or notice
    draw_board(
        {
            "person": me.name,
            "place": dataset.id,
            **state["board"],
            "acked": state.get("acked", []),
            "refused": state.get("refused", []),
            "notice": message and text.isolate_names(message),
        },
        key=key,
        on_outbox=url_state.callback_of("adjudication", lambda: save_sent(me, key, state)),
    )
    if notice is None:
        cells = adjudication_items.adjudicated_cells(session.store(), me.name, dataset.id)
        _draw_decisions(cells, me, key)


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
    item_ids = choose_items(list(dict.fromkeys(cell.item for cell in waits.own)), now)
    cells = [cell for cell in waits.own if cell.item in item_ids]
    dockets = adjudication_items.load_adjudication_items(store, me.name, cells, len(item_ids))
    adjudication.record_look(store, me.name, [docket.view.item.id for docket in dockets])
    rule = settings.gold_rule(store, dataset.id)
    return {
        "items": [board_data.item_data(docket, me.name) for docket in dockets],
        "now": now,
        "progress": {"left": len(waits.own)},
        "empty": None if waits.own else _empty_board(rule, waits.others),
    }


def _draw_decisions(cells: list[AdjudicatedCell], me: Person, key: str) -> None:
    """The decisions in force, newest first; people can withdraw their own, leads all of them."""
    if not cells:
        return
    with st.expander(text.escape(f"Decided: {many(len(cells), 'rating')}"), icon=":material/done_all:"):
        rows = [
            (d.name, name_unit(d.unit), d.dimension.replace("_", " "), d.value, d.labels, d.reason, d.person,
             "not blind labels" if d.saw_judge else "all labels", text.moment(d.at))
            for d in cells
        ]  # fmt: skip
        ticked = tables.table_to_tick(rows, _COLUMNS, [d.id for d in cells], f"{key}:decided", "single-row")
        chosen = cells[ticked[0]] if ticked else None
        with st.container(horizontal=True, vertical_alignment="center"):
            may = chosen is not None and (chosen.person == me.name or me.may("lead"))
            if st.button("Take back", icon=":material/undo:", disabled=not may) and chosen is not None:
                with text.refusals():
                    adjudication.withdraw_adjudication(session.store(), me.name, new_id(), chosen.id)
                    text.rerun_fragment()
            if chosen is None:
                st.caption("Choose a row to take that decision back: then its labels are combined by the rule again.")
            elif not may:
                text.quiet("{person} decided this: they or a lead can take it back.", person=chosen.person)


_COLUMNS = {
    "Item": Column(), "Unit": Column(), "Dimension": Column(), "Decided": Column(width=70), "People said": Column(),
    "Reason": Column(width=300), "By": Column(), "Counts for": Column(), "When": Column(),
}  # fmt: skip


def _empty_board(now: GoldRule, others: int) -> dict[str, str]:
    if others:
        wait = f"{many(others, 'rating')} {'waits' if others == 1 else 'wait'} for somebody else"
        own = f"{wait}: you labelled {'it' if others == 1 else 'them'} yourself."
        return {"title": "Nothing to adjudicate for you", "text": own}
    if now.apart is None:
        message = "In this dataset no disagreement is sent here. A lead can set by how much two people may disagree."
        return {"title": "Nothing is sent to adjudication", "text": message}
    message = "Every disagreement larger than the rule allows has been decided. New labels may bring more."
    return {"title": "Nothing to adjudicate", "text": message}


def save_sent(me: Person, key: str, state: dict[str, Any]) -> None:
    """Carry out the acts that the component with that key has sent, in order, and keep the outcome in `state`.

    acked: [{key, at, names}], refused: [{key, why}], notice: why nothing more could be saved, or None. Acts in neither
    of the first two are sent again.
    """
    outbox = session.outbox(key)
    acts = list(map(session.as_dict, session.as_list(outbox.get("acts"))))
    done = {ack["key"] for ack in state.get("acked", [])}
    state["notice"] = None
    try:
        limits.check_saves(me.name, len(acts))
    except AssayError as error:
        state["notice"] = str(error)
        return
    for act in acts:
        act_key = session.as_text(act.get("key"))
        if act_key in done:
            continue
        try:
            names = _perform(me.name, act_key, act)
        except StoreError as error:
            state["notice"] = str(error)
            return
        except AssayError as error:
            refusal = {"key": act_key, "why": text.isolate_names(str(error))}
            state["refused"] = [*state.get("refused", []), refusal][-session.MAX_ENTRIES :]
            continue
        at = f"{text.local_time(now()):%H:%M:%S}"
        state["acked"] = [*state.get("acked", []), {"key": act_key, "at": at, "names": names}][-session.MAX_ENTRIES :]
    try:  # last: what was decided before was decided without it
        if item := session.as_text(outbox.get("reveal")):
            adjudication.reveal_while_adjudicating(session.store(), me.name, item)
    except AssayError as error:
        state["notice"] = str(error)


def _perform(actor: str, key: str, act: dict[str, Any]) -> list[str] | None:
    """Carry out one act; for a decision, gives the people's names in the order of their letters."""
    store = session.store()
    if act.get("action") == "withdraw":
        adjudication.withdraw_adjudication(store, actor, key, session.as_text(act.get("of")))
        return None
    item, unit, dimension, token = (session.as_text(act.get(name)) for name in ("item", "unit", "dimension", "token"))
    value, reason = act.get("v"), act.get("reason")
    reason = reason if isinstance(reason, str) else ""
    decision = adjudication.adjudicate(store, actor, key, item, unit, dimension, value, reason, token)
    return [s.person for s in adjudication_items.shuffle_labels(item, unit, dimension, decision.labels)]
