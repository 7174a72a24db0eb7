"""Adjudication: where people's labels of a cell lie apart, somebody decides, with a reason and by key."""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import Any

import streamlit as st

from data import adjudication, settings
from data.adjudicating import docket
from data.datasets import Dataset
from data.ids import now
from data.people import Person
from judges.errors import AssayError
from pages.parts import adjudicated, choose, clock, session
from pages.parts.adjudicate import board, compose

AHEAD = 3
"""Items that are sent to the browser ahead, so that the next one is painted at once."""


def page() -> None:
    """Choose a dataset, decide what waits there, and see what was decided."""
    who, store = session.me("researcher"), session.store()
    left, middle, right = st.columns([3, 5, 1.4], vertical_alignment="center")
    with left:
        dataset = choose.dataset(store)
    if dataset is None:
        return
    adjudicated.rule(dataset, who, middle, right)
    _board(who, dataset, clock.zone())


@st.fragment
def _board(who: Person, dataset: Dataset, zone: tzinfo) -> None:
    """The board, which alone reruns with every decision, and the decisions below it."""
    key, store = f"adjudication:{who.name}:{dataset.id}", session.store()
    state = session.scratch(key)
    waits = adjudication.work(store, who.name, dataset.id)
    dockets = docket.dockets(store, who.name, waits.mine, AHEAD)
    adjudication.look(store, who.name, [one.view.item.id for one in dockets])
    board(
        {
            "person": who.name,
            "place": dataset.id,
            "items": [compose.item(one, who.name) for one in dockets],
            "acked": state.get("acked", []),
            "refused": state.get("refused", []),
            "progress": {"left": len(waits.mine)},
            "empty": None if waits.mine else adjudicated.empty(settings.gold_rule(store, dataset.id), waits.others),
            "notice": state.get("notice"),
        },
        key=key,
        on_outbox=lambda: _act(who, key, state, zone),
    )
    adjudicated.decided(docket.done(store, who.name, dataset.id), who, zone, key)


def _act(who: Person, key: str, state: dict[str, Any], zone: tzinfo) -> None:
    """Do what the browser sent, one act after the other, and remember what to acknowledge or to refuse."""
    outbox = getattr(session.component_state(key), "outbox", None) or {}
    done = {one["key"] for one in state.get("acked", [])}
    state["notice"] = None
    try:
        if outbox.get("reveal"):
            adjudication.reveal(session.store(), who.name, str(outbox["reveal"]))
    except AssayError as error:
        state["notice"] = str(error)
    for act in outbox.get("acts") or []:
        if act.get("key") in done:
            continue
        try:
            names = _one(who.name, act)
        except AssayError as error:
            state["refused"] = [*state.get("refused", []), {"key": act.get("key"), "why": str(error)}][-50:]
            continue
        at = f"{now().replace(tzinfo=UTC).astimezone(zone):%H:%M:%S}"
        state["acked"] = [*state.get("acked", []), {"key": act.get("key"), "at": at, "names": names}][-200:]


def _one(actor: str, act: dict[str, Any]) -> list[str] | None:
    """One act of the browser; of a decision the names of the people, in the order of their letters."""
    store, key = session.store(), str(act.get("key", ""))
    if act.get("action") == "withdraw":
        adjudication.withdraw(store, actor, key, str(act.get("of", "")))
        return None
    place = str(act.get("item", "")), str(act.get("unit", "")), str(act.get("dimension", ""))
    told = act.get("v"), str(act.get("reason", "")), str(act.get("token", ""))
    made = adjudication.decide(store, actor, key, *place, *told)
    return [s.person for s in docket.shuffled(*place, made.said)]
