"""The review desk: the queue's items beside the judge's scores, accepted or overridden by key."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data.assignments import assignments
from data.desk import desk, labels
from data.queue import progress, queue
from data.records import guidelines
from data.records.access import Person
from data.records.datasets import Dataset
from data.records.guidelines import GuidelinesVersion
from data.store.errors import StoreError
from judges.errors import AssayError
from pages.server import limits
from pages.ui import choose, session, text, url_state
from pages.ui.sheet import draw_sheet, sheet_data

FIRST_SHEETS, SHEETS_AHEAD, MAX_CHARACTERS = 2, 8, 400_000
"""The numbers of sheets that are sent ahead, and the characters that they may have together.

A new page gets FIRST_SHEETS, and asks for more once the first is painted; after that the browser has at most
SHEETS_AHEAD.
"""
_EMPTY = {
    "sampled": ("The audit sample is done", "You have answered every item of it that is open to you."),
    "audit": (
        "No audit sample is drawn yet",
        "It will have random items, which people answer without seeing the judge's scores.",
    ),
    "review": ("The review queue is empty", "No item that the judge was unsure of is waiting for you."),
    "filtered": ("Nothing waits with these filters", "Clear a filter above, or choose another queue."),
}
FILL_HINTS = {"audit": "draw items on the Queues page", "review": "add items on the Queues page"}
"""The remedy of researchers for a queue without items."""


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
    outbox = read_message(key)
    notice, store = None, session.store()
    try:
        ahead = SHEETS_AHEAD if outbox["came"] else FIRST_SHEETS
        items = queue.claim_items(store, me.name, dataset.id, stream, filters, outbox["have"], ahead)
        sheets = cut_to_size([sheet_data.sheet_data(v) for v in desk.desk_views(store, me.name, items)])
    except AssayError as error:
        sheets, notice = [], str(error)
    requested, refusal = _requested_sheets(me, state, outbox, linked)
    try:
        state["assigned"] = text.work_left(*assignments.own_work(store, me.name, dataset.id, stream))
        state["guide"] = _guidelines_data(guidelines.current_guidelines(store, dataset.id), dataset.name)
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
        empty = empty_text(stream, filtered, stand.queue.drawn, may_fill)
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
        on_outbox=url_state.callback_of("desk", lambda: save_sent(me, key, state)),
    )
    if empty and may_fill and not filtered:
        does = FILL_HINTS[stream]
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


def cut_to_size(sheets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As many of the sheets as are small enough to send together, at least two."""
    total = 0
    first_sheets: list[dict[str, Any]] = []
    for sheet in sheets:
        entries = [entry for row in sheet["rows"] for entry in row["texts"]]
        parts = [part for entry in entries for part in entry.get("parts", [entry])]
        parts += [part for row in sheet["rows"] for judge in row["judgments"] for part in judge["texts"]]
        total += sum(len(part["text"] or "") for part in [*parts, *sheet["head"]])
        if len(first_sheets) >= 2 and total > MAX_CHARACTERS:
            break
        first_sheets.append(sheet)
    return first_sheets


def read_message(key: str) -> dict[str, Any]:
    """Return the last message of the desk with that key.

    came: whether it has sent anything; answers (of any shape); have: items; want: {item, reveal} or None.
    """
    outbox = session.outbox(key)
    want = session.as_dict(outbox.get("want"))
    item = session.as_text(want.get("item"))
    return {
        "came": bool(outbox.get("nonce")),
        "answers": session.as_list(outbox.get("answers")),
        "have": [name for value in session.as_list(outbox.get("have")) if (name := session.as_text(value))],
        "want": {"item": item, "reveal": want.get("reveal") is True} if item else None,
    }


def save_sent(me: Person, key: str, state: dict[str, Any]) -> None:
    """Save the answers that the component with that key has sent, and keep the outcome in `state`.

    acked: [{key, at}], refused: [{key, item, why}], notice: why nothing could be saved, or None.
    """
    answers = read_message(key)["answers"]
    try:
        limits.check_saves(me.name, len(answers))
        saved, refused = labels.save_answers(session.store(), me.name, answers)
        state["notice"] = None
    except AssayError as error:
        state["notice"] = str(error)
        return
    new = [{"key": s.key, "at": f"{text.local_time(s.at):%H:%M:%S}"} for s in saved]
    state["acked"] = (state.get("acked", []) + new)[-session.MAX_ENTRIES :]
    state["refused"] = [{"key": r.key, "item": r.item, "why": text.isolate_names(r.why)} for r in refused]


def _guidelines_data(version: GuidelinesVersion | None, dataset: str) -> dict[str, Any] | None:
    if version is None:
        return None
    day = text.local_time(version.at)
    on = f"{day.day} {day:%B %Y}"
    return {"dataset": dataset, "no": version.number, "text": version.text, "by": version.person, "on": on}


def empty_text(stream: str, filtered: bool, drawn: int, may_fill: bool) -> dict[str, str]:
    """Return the title and text that the desk shows if no item waits.

    `filtered`: filters hide a part of the queue. `drawn`: how many items it holds, answered ones among them.
    `may_fill`: the person may fill it, and has the link below the desk.
    """
    title, message = _EMPTY["filtered" if filtered else "sampled" if stream == "audit" and drawn else stream]
    if not filtered and not may_fill:
        message = f"{message} A researcher can {FILL_HINTS[stream]}."
    return {"title": title, "text": message}
