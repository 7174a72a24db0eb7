"""The items of a queue that are sent to the browser ahead, its messages, and the text for an empty queue."""

from __future__ import annotations

from typing import Any

from data.desk import labels
from data.records.access import Person
from data.records.guidelines import GuidelinesVersion
from judges.errors import AssayError
from pages.server import limits
from pages.ui import session, text

FIRST_SHEETS, SHEETS_AHEAD, MAX_CHARACTERS = 2, 8, 400_000
"""The numbers of sheets that are sent ahead, and the characters that they may have together.

A new page gets FIRST_SHEETS, and asks for more once the first is painted; after that the browser has at most
SHEETS_AHEAD."""

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


def guidelines_data(version: GuidelinesVersion | None, dataset: str) -> dict[str, Any] | None:
    """The guidelines in force, in the desk's form."""
    if version is None:
        return None
    day = text.local_time(version.at)
    on = f"{day.day} {day:%B %Y}"
    return {"dataset": dataset, "no": version.number, "text": version.text, "by": version.person, "on": on}


def empty_text(stream: str, filtered: bool, drawn: int, may_fill: bool) -> dict[str, str]:
    """Return the title and text that the desk shows if no item waits.

    Args:
        stream: "audit" or "review".
        filtered: Whether filters hide a part of the queue.
        drawn: How many items the queue holds, answered ones among them.
        may_fill: Whether the person may fill it, and has the link below the desk.
    """
    title, message = _EMPTY["filtered" if filtered else "sampled" if stream == "audit" and drawn else stream]
    if not filtered and not may_fill:
        message = f"{message} A researcher can {FILL_HINTS[stream]}."
    return {"title": title, "text": message}
