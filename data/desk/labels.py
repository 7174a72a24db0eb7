"""Saving what people answer on the desk: idempotent by the key made in the browser, never on the wrong item."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from data import log, metrics
from data.cards import cards
from data.records import exposure, items
from data.records.access import act, allow
from data.records.queue_index import QueueIndex, current_index
from data.records.tables import AnswerRow, CommentRow, LabelRow, RepairRow
from data.store import Store, Tx
from data.store.errors import NotFound
from data.store.ids import new_id, now
from judges.errors import BadScale
from judges.strict_json import storable_text
from judges.types import Dialogue, Pair, Response, sort_of, units

StorableText = Annotated[str, BeforeValidator(lambda text: storable_text(text) if isinstance(text, str) else text)]
Name = Annotated[str, Field(max_length=200)]
MAX_ANSWERS_PER_MESSAGE, MAX_ANSWERS_PER_TRANSACTION = 200, 20
"""The most answers taken from one message, and of them the most saved in one transaction."""
MAX_ENTRIES, MAX_CHARACTERS = 20_000, 1_000_000
"""The most values, notes and better texts of one answer together, and letters of its texts; also per message."""


class AnswerValue(BaseModel):
    """A value for one cell (`v` None = n/a), and whether and which judge's value was shown beside it.

    `unseen`: it takes over the judge's value, and the cell was never scrolled into view.
    `judge` is the judge that the cell is shown beside, where it is another than the answer's.
    """

    unit: str = Field(max_length=40)
    dimension: Name
    v: float | None = Field(allow_inf_nan=False)
    saw: bool = False
    seen: float | None = Field(default=None, allow_inf_nan=False)
    unseen: bool = False
    judge: Name | None = None


class AnswerNote(BaseModel):
    """Free text to a unit ("" = the whole item)."""

    unit: StorableText = Field(max_length=40)
    sort: Literal["issue", "comment"]
    text: StorableText = Field(max_length=20_000)


class AnswerRepair(BaseModel):
    """The text that a person would have written in place of a turn, or of a response."""

    unit: str = Field(max_length=40)
    text: StorableText = Field(max_length=MAX_CHARACTERS)


class DeskAnswer(BaseModel):
    """A person's answer for one item; `version` is the key of their answer before it ("" = none).

    `claim` is the id of the draw that the desk showed (None: the item is in no queue), and `judge` the judge whose
    values stood beside the answer. `ms` is the time that the person was active on the item, in milliseconds. `asked`
    are the questions that were on screen, as sort/dimension (None: all). What was not asked is not taken back.
    """

    key: str = Field(pattern=r"^[A-Za-z0-9_-]{8,80}$")
    person: Name
    action: Literal["save", "skip"]
    item: Name
    claim: Name | None = None
    judge: Name | None = None
    version: Name = ""
    values: list[AnswerValue] = Field(default=[], max_length=MAX_ENTRIES)
    asked: list[str] | None = Field(default=None, max_length=1_000)
    notes: list[AnswerNote] = Field(default=[], max_length=1_000)
    repairs: list[AnswerRepair] = Field(default=[], max_length=1_000)
    reason: StorableText = Field(default="", max_length=2_000)
    ms: int = 0


@dataclass(frozen=True)
class SavedAnswer:
    """An answer that is in the store: it stays there whatever happens now."""

    key: str
    at: datetime


@dataclass(frozen=True)
class RefusedAnswer:
    """An answer that was not taken, and why, in a sentence."""

    key: str
    item: str
    why: str


@allow("annotator")
def save_answers(store: Store, actor: str, answers: Sequence[Any]) -> tuple[list[SavedAnswer], list[RefusedAnswer]]:
    """Save a person's answers, and say which are durable and which were refused.

    An answer that is in the store already is acknowledged and not written again. A message is read up to its limits,
    MAX_ANSWERS_PER_MESSAGE answers at most; the rest is neither saved nor refused, and is sent again. Everything is
    read before the write lock is taken, and others may write after every MAX_ANSWERS_PER_TRANSACTION answers. Raises
    NotAllowed if the actor may not label, StoreFailed if nothing more could be written.
    """
    began = time.perf_counter()
    saved: list[SavedAnswer] = []
    read, refused = _read(answers)
    unreadable = len(refused)

    def work(tx: Tx) -> list[tuple[DeskAnswer, str]]:
        return [(answer, _save_one(tx, index, actor, answer)) for answer in piece]

    for begin in range(0, len(read), MAX_ANSWERS_PER_TRANSACTION):
        piece = read[begin : begin + MAX_ANSWERS_PER_TRANSACTION]
        if begin:
            time.sleep(0.002)  # the lock is not fair: without a pause the thread that released it gets it again
        index = current_index(store)
        exposure.item_copies(store)  # after an import that takes a second, for which nobody else shall wait
        for answer, why in act(store, actor, "annotator", "answers", work, str(len(piece))):
            if why:
                refused.append(RefusedAnswer(answer.key, answer.item, why))
            else:
                saved.append(SavedAnswer(answer.key, now()))
    if answers:
        metrics.observe("save_seconds", time.perf_counter() - began)
    for outcome, number in (("saved", len(saved)), ("refused", len(refused))):
        metrics.increment("answers_total", number, outcome=outcome)
    if refused:  # why is for the person: what the browser sent may be quoted in it
        log.warning("save_refused", person=actor, refused=len(refused), unreadable=unreadable, saved=len(saved))
    return saved, refused


def _read(answers: Sequence[Any]) -> tuple[list[DeskAnswer], list[RefusedAnswer]]:
    """Return what of a message is to be saved now, and what is unreadable or too large, with the reason."""
    read: list[DeskAnswer] = []
    refused: list[RefusedAnswer] = []
    entries = letters = 0
    for raw in answers[:MAX_ANSWERS_PER_MESSAGE]:
        fields = raw if isinstance(raw, dict) else {}
        key, item = (storable_text(fields[n])[:80] if isinstance(fields.get(n), str) else "" for n in ("key", "item"))
        try:
            answer = DeskAnswer.model_validate(raw)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            where = storable_text(".".join(map(str, first["loc"])))
            refused.append(
                RefusedAnswer(key, item, f"The browser sent something unreadable ({where}: {first['msg']}).")
            )
            continue
        entry_count = len(answer.values) + len(answer.notes) + len(answer.repairs)
        long = sum(len(n.text) for n in answer.notes) + sum(len(r.text) for r in answer.repairs)
        if entry_count > MAX_ENTRIES or long > MAX_CHARACTERS:
            most = f"at most {MAX_ENTRIES:,} values and notes with {MAX_CHARACTERS:,} letters are allowed"
            refused.append(RefusedAnswer(key, item, f"This answer is too large to be saved: {most}. Shorten it."))
            continue
        entries, letters = entries + entry_count, letters + long
        if read and (entries > MAX_ENTRIES or letters > MAX_CHARACTERS):
            break
        read.append(answer)
    return read, refused


def _save_one(tx: Tx, index: QueueIndex, actor: str, answer: DeskAnswer) -> str:
    """Append one answer. Return "" if it is in the store now, else the reason for refusing it."""
    known = tx.rows("select person, item_id, action, reason, previous from answer where id = $1", [answer.key])
    if known:
        if known[0][0] != actor:
            return "This answer belongs to somebody else."
        same = known[0][1:] == (answer.item, answer.action, answer.reason, answer.version)
        return "" if same and _is_as_saved(tx, actor, answer) else _KEY_TAKEN
    if answer.person != actor:
        return f"This answer was made as {answer.person[:60]}, but {actor} is signed in now. Switch back to save it."
    try:
        item = items.load_item(tx, answer.item)
    except NotFound as error:
        return str(error)
    # What the views answer_now and label_now say, but without reading all other answers and labels for it.
    past = tx.rows("select id, previous, draw_id from answer where item_id = $1 and person = $2", [item.id, actor])
    last = {row[0] for row in past} - {row[1] for row in past}
    if last != ({answer.version} if answer.version else set()):
        return "You answered this item elsewhere meanwhile (another tab?). That answer is kept; open it to change it."
    # What corrects an answer belongs to the same draw: it cannot become blind because the item was drawn meanwhile.
    claim = next((r[2] for r in past if r[0] in last), answer.claim)
    draw_id, draw_mode = _draw(tx, item.id, claim, again=bool(last))
    if why := _why_not(tx, index, actor, answer, "" if last else draw_id):
        return why
    shown = exposure.find_exposures(tx, actor, [item.id]).get(item.id, ())
    mode = exposure.answer_mode(draw_mode, shown)
    made_at = now()
    try:
        rows = _label_rows(tx, item, actor, answer, mode, draw_id, made_at)
    except BadScale as error:
        return str(error)
    better = {r.unit: r.text.strip() for r in answer.repairs if r.text.strip()}
    if unknown := better.keys() - repairable_units(item.content):
        return (
            f"{', '.join(sorted(unknown))[:60]} cannot be written better: only an assistant's turn or a response can."
        )
    if answer.action == "save" and not answer.values:
        return "There was nothing to save: no cell had an answer."
    answer_row = AnswerRow(
        answer.key, item.dataset_id, item.id, draw_id, actor, answer.judge or "", answer.action, mode,
        answer.reason, answer.version, min(max(answer.ms, 0), 3_600_000), made_at,
    )  # fmt: skip
    tx.append([answer_row])
    tx.append(rows)
    notes = [CommentRow(new_id(), answer.key, item.id, n.unit, n.sort, n.text.strip(), actor) for n in answer.notes]
    tx.append([note for note in notes if note.text])
    tx.append([RepairRow(new_id(), answer.key, item.id, unit, text, actor) for unit, text in better.items()])
    return ""


def _label_rows(
    tx: Tx, item: items.StoredItem, actor: str, answer: DeskAnswer, mode: exposure.AnswerMode, draw_id: str,
    made_at: datetime,
) -> list[LabelRow]:  # fmt: skip
    """Labels for what the answer changes, and withdrawals of what it leaves out. Raises BadScale for a wrong value."""
    rows: list[LabelRow] = []
    current = _current(tx, item.id, actor)
    for cell, value in {(v.unit, v.dimension): v for v in answer.values}.items():
        try:
            code = check_answer_value(tx, item.content, *cell, value.v)
        except BadScale as error:
            raise BadScale(f"{value.dimension[:60]} of {value.unit}: {error}.") from None
        in_force, replaced = _labels_in_force(current.pop(cell, {}), mode)
        if in_force and in_force[1] == code:
            continue
        saw = value.saw and mode != "blind"
        rows.append(
            LabelRow(
                new_id(), answer.key, item.id, *cell, code, actor, mode, draw_id, value.judge or answer.judge or "",
                saw=saw, seen=value.seen if saw else None, probability=None, replaces=replaced[0] if replaced else None,
                withdrawn=False, made_at=made_at, unseen=value.unseen if saw else None,
            )
        )  # fmt: skip
    for cell, by_mode in current.items():
        _, replaced = _labels_in_force(by_mode, mode)
        if replaced and (answer.asked is None or f"{sort_of(cell[0])}/{cell[1]}" in answer.asked):
            rows.append(
                LabelRow(
                    new_id(), answer.key, item.id, *cell, replaced[1], actor, mode, draw_id, answer.judge or "",
                    saw=False, seen=None, probability=None, replaces=replaced[0], withdrawn=True, made_at=made_at,
                )
            )  # fmt: skip
    return rows


def _why_not(tx: Tx, index: QueueIndex, actor: str, answer: DeskAnswer, draw_id: str) -> str:
    """Return why this person may not give an answer under a draw, or that it names no known judge; "" if it is sound.

    People may save what the desk once gave them, even if it has been assigned to others since.
    """
    judges = {judge for judge in (answer.judge, *(value.judge for value in answer.values)) if judge}
    if judges and len(tx.rows("select id from judge where id = any($1)", [sorted(judges)])) < len(judges):
        return "It names a judge that is not in this workspace. Open the item and answer it again."
    with index.lock:
        whose = index.describe_reservation(draw_id, actor)
    return whose and f"This item is reserved for {whose}. A researcher can give it to you on the page Assignments."


_KEY_TAKEN = "Another answer was saved under the same key before, and is kept. Open the item and answer it again."


def _is_as_saved(tx: Tx, actor: str, answer: DeskAnswer) -> bool:
    """Whether an answer says what was saved under its key: values, notes and better texts."""
    content = items.load_item(tx, answer.item).content
    stored_labels = _current(tx, answer.item, actor, answer.key)
    stored_cells = tx.rows("select unit, dimension from label where answer_id = $1 and not withdrawn", [answer.key])
    values = {(v.unit, v.dimension): v.v for v in answer.values}
    for cell, value in values.items():
        in_force = _labels_in_force(stored_labels.get(cell, {}), "blind")[0]
        try:
            if in_force is None or in_force[1] != check_answer_value(tx, content, *cell, value):
                return False
        except BadScale:
            return False
    notes = tx.rows("select unit, sort, text from comment where answer_id = $1", [answer.key])
    better = tx.rows("select unit, text from repair where answer_id = $1", [answer.key])
    return (
        set(stored_cells) <= values.keys()
        and Counter(notes) == Counter((n.unit, n.sort, n.text.strip()) for n in answer.notes if n.text.strip())
        and dict(better) == {r.unit: r.text.strip() for r in answer.repairs if r.text.strip()}
    )


def repairable_units(item: Dialogue | Pair | Response) -> set[str]:
    """The units of an item that can be written better: an assistant's turns, a single response."""
    return {unit for unit in units(item) if sort_of(unit) in ("turn", "response")}


_Row = tuple[str, float | None]


def _current(tx: Tx, item_id: str, person: str, upto: str = "") -> dict[tuple[str, str], dict[bool, _Row]]:
    """cell -> {revealed or not: (label id, value)} of a person's labels that hold, or held with the answer `upto`."""
    labels: dict[tuple[str, str], dict[bool, _Row]] = {}
    rows = tx.rows(
        "select id, unit, dimension, value, mode, replaces, withdrawn from label where item_id = $1 and annotator = $2"
        + (" and (seq, made_at) <= (select (seq, made_at) from answer where id = $3)" if upto else ""),
        [item_id, person, upto] if upto else [item_id, person],
    )
    replaced = {row[5] for row in rows}
    for label_id, unit, dimension, value, mode, _, withdrawn in rows:
        if not withdrawn and label_id not in replaced:
            labels.setdefault((unit, dimension), {})[mode == "revealed"] = (label_id, value)
    return labels


def _labels_in_force(by_mode: dict[bool, _Row], mode: exposure.AnswerMode) -> tuple[_Row | None, _Row | None]:
    """Return (the label in force in a cell, the one that a label of this mode replaces).

    A revealed label never replaces the blind one before it. Otherwise blind gold would lose the labels that people
    changed after seeing the judge, and keep only the agreeing ones.
    """
    revealed = mode == "revealed"
    return by_mode.get(True) or by_mode.get(False), by_mode.get(revealed)


def check_answer_value(
    store: Store | Tx, item: Dialogue | Pair | Response, unit: str, dimension: str, value: Any
) -> float | None:
    """The code of a value for that cell of that item. Raises BadScale where there is no such cell, or value."""
    if unit not in units(item):
        raise BadScale(f"this item has no {unit}")
    scale = cards.scales(store).get((item.kind, sort_of(unit), dimension))
    if scale is None:
        raise BadScale(f"no card asks {dimension!r} of {unit}")
    if value is None and scale.kind == "turn":
        return 0.0
    if isinstance(value, float) and scale.has_categories:
        if value == int(value) and 0 <= value < scale.size:
            return value
        raise BadScale(f"{value:g} is not on the scale: allowed are {scale.words}")
    turns = frozenset(item.assistant_turns) if isinstance(item, Dialogue) else None
    return scale.code(value, turns)


def _draw(tx: Tx, item_id: str, claim: str | None, again: bool) -> tuple[str, str]:
    """(draw id, mode) under which an item is answered: the one claimed, else the item's place in the audit sample.

    Both are "" for none. again: an answer is corrected, so `claim` is the draw that it was given under, "" for none.
    """
    rows = tx.rows("select id, mode from draw where id = $1 and item_id = $2", [claim, item_id]) if claim else []
    if not rows and not again:
        first = "select id, mode from draw where item_id = $1 and stream = 'audit' order by seq limit 1"
        rows = tx.rows(first, [item_id])
    return (str(rows[0][0]), str(rows[0][1])) if rows else ("", "")
