"""The review desk: the queue's items beside the judge's scores, accepted or overridden by key."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data import desk, labels, progress, queue
from data.datasets import Dataset
from data.people import Person
from judges.errors import AssayError
from pages.parts import choose, session
from pages.parts.sheet import compose, sheet

AHEAD, BYTES = 6, 400_000
"""Items sent ahead: at most this many, and not more of them once they are this large together."""


def page() -> None:
    """Choose dataset and stream, then label."""
    who = session.me()
    place = choose.place(session.store())
    if place is not None:
        _desk(who, *place)


@st.fragment
def _desk(who: Person, dataset: Dataset, stream: queue.Stream, filters: queue.Filters) -> None:
    """The desk itself, which alone reruns with every answer."""
    key = f"desk:{who.name}:{dataset.id}:{stream}"
    state = session.scratch(f"{key}:{filters}")
    outbox = getattr(session.component_state(key), "outbox", None) or {}
    notice, store = None, session.store()
    try:
        given = queue.claim(store, who.name, dataset.id, stream, filters, outbox.get("have") or [], AHEAD)
        sheets = _light([compose.sheet(v) for v in desk.views(store, who.name, given)])
        sheets += _asked(who, state, outbox)
        left = queue.waiting(store, who.name, dataset.id, stream, filters)
    except AssayError as error:
        sheets, left, notice = [], 0, str(error)
    mine, done = progress.personal(store, who.name, dataset.id), progress.queue_done(store, dataset.id, stream)
    sheet(
        {
            "person": who.name,
            "place": f"{dataset.name}/{stream}",
            "sheets": sheets,
            "open": state.get("open"),
            "acked": state.get("acked", []),
            "refused": state.get("refused", []),
            "progress": {
                "today": mine.today,
                "mine": mine.total,
                "seconds": mine.seconds,
                "left": left,
                "done": done.answered,
                "total": done.drawn,
            },
            "empty": _empty(stream, filters) if not left and not notice else None,
            "notice": state.get("notice") or notice,
        },
        key=key,
        on_outbox=lambda: _save(who, key, state),
    )


def _light(sheets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As many of the sheets as are light enough to send together, at least two."""
    total, kept = 0, []
    for one in sheets:
        total += sum(len(t["text"] or "") for row in one["rows"] for t in row["texts"]) + sum(
            len(h["text"]) for h in one["head"]
        )
        if len(kept) >= 2 and total > BYTES:
            break
        kept.append(one)
    return kept


def _asked(who: Person, state: dict[str, Any], outbox: dict[str, Any]) -> list[dict[str, Any]]:
    """The sheets that were asked for by name: by the address, or by the person who wants to see a judge's scores."""
    store, found = session.store(), []
    linked = st.query_params.get("item")
    if linked and not state.get("linked"):
        state["open"] = linked
        found.append(compose.sheet(desk.opened(store, who.name, linked)))
    state["linked"] = True
    want = outbox.get("want")
    if want and want.get("item"):
        if want.get("reveal"):
            labels.reveal(store, who.name, want["item"])
        found.append(compose.sheet(desk.opened(store, who.name, want["item"]), again=True))
    return found


def _save(who: Person, key: str, state: dict[str, Any]) -> None:
    """Save what the browser sent, and remember what to acknowledge."""
    outbox = getattr(session.component_state(key), "outbox", None) or {}
    try:
        saved, refused = labels.save(session.store(), who.name, outbox.get("answers") or [])
        state["notice"] = None
    except AssayError as error:
        state["notice"] = str(error)
        return
    state["acked"] = (state.get("acked", []) + [{"key": s.key, "at": s.at} for s in saved])[-200:]
    state["refused"] = [{"key": r.key, "item": r.item, "why": r.why} for r in refused]


def _empty(stream: queue.Stream, filters: queue.Filters) -> dict[str, str]:
    """What to say when nothing waits."""
    if filters != queue.Filters():
        return {"title": "Nothing waits with these filters", "text": "Clear a filter above, or choose another queue."}
    if stream == "audit":
        return {
            "title": "The audit sample is done",
            "text": "You have answered every item of it that is open to you. A researcher can draw more on the Queues page.",
        }
    return {
        "title": "The review queue is empty",
        "text": "Nothing that the judge was unsure of waits for you. A researcher can fill the queue on the Queues page.",
    }
