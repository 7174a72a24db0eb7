"""Carry out the acts that the board sent, and keep the outcome until the board fetches it."""

from __future__ import annotations

from typing import Any

from data.adjudication import adjudication, adjudication_items
from data.records.access import Person
from data.store.errors import StoreError
from data.store.ids import now
from judges.errors import AssayError
from pages.server import limits
from pages.ui import session, text


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
