"""The plan of one judgment: its calls (pieces), their messages, and the combined reading of the answers.

Most judgments are one call, the piece "". Both orders of a pair, the windows of a long dialogue and the chapters of a
long input are several, asked one after the other, because a window carries a summary of what came before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from pydantic import ValidationError

from judges.card import AnsweringCalls, Card, Item
from judges.params import Params
from judges.protocols import chapters, orders, probes, windows
from judges.protocols.messages import Message, messages
from judges.reading import bare_scores
from judges.reading.confidence import Logprobs, lower_broken, with_token_confidence
from judges.reading.reading import counted_verdict, read_reply
from judges.reading.schema import schema_in_words, strict_schema
from judges.types import Dialogue, Pair, Reading, UnscoredReason

Mode = Literal["json_schema", "json_object", "text"]
"""The way to get JSON from an endpoint: by a schema, by JSON mode, or by asking for it."""


Slot = tuple[str, str, int]
"""(item, part, sample): the place of one judgment of a judge."""

PieceReply = tuple[str, str, UnscoredReason | None, str]
"""(piece, raw, unscored, why): the reply to one call, as it is stored with those to the others."""


@dataclass(frozen=True, slots=True)
class Task:
    """One judgment to make: an item under the caller's key, one of its units ("" for all), and the sample's number."""

    key: str
    item: Item
    part: str = ""
    sample: int = 0
    others: tuple[str, ...] = ()
    """Scenarios of other items, which the probe scenario_swapped draws from."""

    @property
    def slot(self) -> Slot:
        """The judgment's place."""
        return self.key, self.part, self.sample


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call: its messages (they describe the shape of the reply, except in mode json_schema) and the schema.

    `temperature` is that of this call; None means the judge's.
    """

    messages: list[Message]
    schema: dict[str, Any] | None
    name: str
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class CallReply:
    """The reply to one call.

    `unscored` and `why` are set if the protocol already says that there is nothing to read: the call failed after all
    retries (api_error), the reply was cut off (cut_off) or refused (refused).

    `logprobs` are (token, ((alternative, log-probability), ...)) of the reply, where they were asked for; `estimated`:
    the tokens are not the endpoint's own counts.
    """

    key: str
    part: str
    sample: int
    piece: str
    raw: str
    unscored: UnscoredReason | None = None
    why: str = ""
    mode: Mode = "text"
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tries: int = 1
    seconds: float = 0.0
    logprobs: Logprobs = ()
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class FinishedJudgment:
    """A judgment: its task, the raw text that is stored, and its reading."""

    task: Task
    raw: str
    reading: Reading


def tasks(card: Card, params: Params, items: Iterable[tuple[str, Item]], others: Sequence[str] = ()) -> Iterator[Task]:
    """Every judgment of (key, item) pairs, lazily: all samples of an item before the next item.

    `others` are the scenarios that the probe scenario_swapped draws from: probes.scenario_pool of the dataset's items,
    or, where none are given, of these items, if they can be gone through twice.
    """
    if params.probe == "scenario_swapped" and not others and not isinstance(items, Iterator):
        others = probes.scenario_pool(item for _, item in items)
    for key, item in items:
        for part in card.parts(item):
            for sample in range(params.samples):
                yield Task(key, item, part, sample, tuple(others))


def pieces(card: Card, params: Params, task: Task) -> list[str]:
    """The names of a judgment's calls, in the order in which they are asked.

    [""] for one call; "window:1/3" and so on for a long dialogue; "order:ab", "order:ba" for both orders of a pair;
    "chapter:1/2" for a pair beyond the context, and "order:ab chapter:1/2" for both.
    """
    return [call.name for call in _calls(card, params, task)]


def remaining_pieces(card: Card, params: Params, task: Task, answers: Mapping[str, CallReply]) -> list[str]:
    """The pieces that are still to be asked, given the answers so far; none once one of these cannot be read.

    A judgment is unscored if any of its pieces is, so further calls would cost money for nothing. In a conversation,
    only the pieces that continue such a piece are left out, unless a call failed.
    """
    if card.conversation is not None:
        return _open_pieces(card.conversation, task, answers)
    missing = []
    for call in _calls(card, params, task, answers):
        answer = answers.get(call.name)
        if answer is None:
            missing.append(call.name)
        elif answer.unscored or (call.name and _reading(card, params, task, call, answer).unscored):
            return []
    return missing


def build_request(
    card: Card,
    params: Params,
    task: Task,
    piece: str,
    before: Mapping[str, CallReply],
    mode: Mode,
    salt: str | None = None,
) -> ChatRequest:
    """One call of a judgment, given the answers to the pieces before it.

    The marks of its fence differ each time, unless a `salt` is given. A window gets the summary of the window before
    it. Raises NoProbe if the item cannot be probed.
    """
    if card.conversation is not None:
        said_before = {name: answer.raw for name, answer in before.items()}
        chat = card.conversation.messages(task.item, piece, said_before)
        return ChatRequest(chat, None, card.name, card.conversation.temperature(task.item))
    calls = _calls(card, params, task, [piece], asking=True)
    call = next(call for call in calls if call.name == piece)
    shown, instructions = card.fields(call.item, task.part), ""
    if call.window is not None:
        earlier = calls[call.window.number - 2] if call.window.number > 1 else None
        answer = before.get(earlier.name) if earlier else None
        facts = _reading(card, params, task, earlier, answer).facts if earlier and answer else {}
        shown = windows.window_fields(call.window, str(facts.get("summary", ""))) | shown
        instructions = windows.window_instructions(call.window, any(d.sort == "conversation" for d in card.dimensions))
    if call.chapter is not None:
        shown = chapters.chapter_fields(call.chapter) | shown
        instructions = chapters.chapter_instructions(call.chapter)
    # JSON mode enforces JSON but no shape, so the shape is described as for an endpoint without JSON mode.
    shape = schema_in_words(call.card) if mode != "json_schema" else ""
    key = f"{card.version} {task.key} {task.part} {task.sample} {piece}"
    chat = messages(card, card.variant(call.item, task.part), shown, key, shape, salt)
    if instructions:
        chat[-1]["content"] += f"\n\n{instructions}"
    return ChatRequest(chat, None if card.text else strict_schema(call.asking_card.reply), card.name)


def fuse(
    card: Card, params: Params, task: Task, answers: Mapping[str, CallReply], calls: Sequence[_Call] = ()
) -> FinishedJudgment:
    """The judgment from the answers to all pieces.

    The raw text of a single call is kept unchanged; those of several calls are kept together as JSON (`pack_replies`).
    If a piece was not asked or cannot be read, the whole judgment is unscored and names that piece: half of a
    comparison, or a dialogue with a gap, is not a measurement, and a missing part is never filled in.
    """
    calls = calls or _calls(card, params, task, answers)
    if card.conversation is not None:
        return _finish_conversation(task, calls, answers)
    if not calls[0].name:
        (answer,) = answers.values()
        return FinishedJudgment(task, answer.raw, lower_broken(_reading(card, params, task, calls[0], answer)))
    raw = _pack_calls(calls, answers)
    readings: dict[str, Reading] = {}
    for call in calls:
        reading = _reading(card, params, task, call, answers[call.name]) if call.name in answers else _NOT_ASKED_READING
        if reading.unscored:
            return FinishedJudgment(task, raw, Reading(unscored=reading.unscored, why=f"{call.words}: {reading.why}"))
        readings[call.name] = reading
    return FinishedJudgment(task, raw, lower_broken(_combine_readings(card, calls, readings)))


def reread(card: Card, params: Params, task: Task, raw: str) -> FinishedJudgment:
    """The judgment from a stored raw text of one or several calls: the same as `fuse` made.

    It lacks the confidence from log-probabilities. If the protocol refused or cut off a single call, only its row says
    so, and that row is kept. A single (imported) reply under parameters that need several calls is read alone. Replies
    of whole orders are not read as chapters, whatever context the parameters give. It never raises, whatever a raw text
    contains.
    """
    rows = unpack_replies(raw)
    if rows is None:
        call, answer = _Call("", "", card, card, task.item), CallReply(*task.slot, "", raw)
        return FinishedJudgment(task, raw, lower_broken(_reading(card, params, task, call, answer)))
    answers = {row[0]: CallReply(task.key, task.part, task.sample, *row) for row in rows}
    calls = _calls_of_pieces(card, params, task, set(answers))
    ours = bool(answers) and set(answers) <= {call.name for call in calls} - {""}
    reading = fuse(card, params, task, answers, calls).reading if ours else _DAMAGED_READING
    return FinishedJudgment(task, raw, reading)


def params_of_stored(stored: Mapping[str, Any]) -> Params:
    """A judge's stored parameters, without those that are unknown or that we would refuse.

    Imported parameters may contain anything. `counted_verdict` says which rating in prose counts.
    """
    try:
        params = Params.model_validate(stored)
    except ValidationError as error:
        wrong = {problem["loc"][0] for problem in error.errors()}
        params = Params.model_validate({name: value for name, value in stored.items() if name not in wrong})
    return params.model_copy(update={"verdict": counted_verdict(stored)})


def pack_replies(replies: Iterable[PieceReply]) -> str:
    """The replies to several pieces as one text.

    It is {"pieces": [{"piece", "raw"}, ...]}, with `unscored` and `why` if the protocol set them.
    """
    rows = [
        {"piece": piece, "raw": raw, **({"unscored": unscored, "why": why} if unscored else {})}
        for piece, raw, unscored, why in replies
    ]
    return json.dumps({"pieces": rows}, ensure_ascii=False, separators=(",", ":"))


def _pack_calls(calls: Sequence[_Call], answers: Mapping[str, CallReply]) -> str:
    received = ((call.name, answers[call.name]) for call in calls if call.name in answers)
    return pack_replies((name, answer.raw, answer.unscored, answer.why) for name, answer in received)


def unpack_replies(raw: str) -> list[PieceReply] | None:
    """The replies in a text that `pack_replies` has made; None of any other."""
    if not raw.startswith('{"pieces":['):
        return None
    try:
        rows = json.loads(raw)["pieces"]
        replies = [(row["piece"], row["raw"], row.get("unscored"), row.get("why", "")) for row in rows]
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError):
        return None
    good = all(
        isinstance(name, str) and isinstance(text, str) and isinstance(why, str)
        and (unscored is None or unscored in get_args(UnscoredReason))
        for name, text, unscored, why in replies
    )  # fmt: skip
    return replies if good else None


_WINDOW = re.compile(r"window:\d{1,4}/(\d{1,4})", re.ASCII)
_NOT_ASKED_READING = Reading(unscored="incomplete", why="it was not asked")
_DAMAGED_READING = Reading(unscored="unreadable", why="the stored pieces are not those of this judge")


@dataclass(frozen=True)
class _Call:
    """One call of a judgment.

    It has its name, also in words; the card for reading and the card for asking; the item as the judge sees it; and
    what it is a part of.
    """

    name: str
    words: str
    card: Card
    asking_card: Card
    item: Item
    order: str = ""
    window: windows.Window | None = None
    chapter: chapters.Chapter | None = None


def _calls(
    card: Card, params: Params, task: Task, known_pieces: Iterable[str] = (), asking: bool = False
) -> list[_Call]:
    # The swapped scenario is needed only to ask: a reply is read without the other scenarios.
    swapped = params.probe == "scenario_swapped" and not asking
    if card.conversation is not None:
        names = card.conversation.pieces(task.item)
        return [_Call(name, name.replace(":", " "), card, card, task.item) for name in names]
    item = task.item if swapped else probes.apply_probe(card, params, task.item, task.others)
    if not task.part and isinstance(item, Dialogue) and windows.allows_windows(card):
        of = next((int(window_match[1]) for name in known_pieces if (window_match := _WINDOW.fullmatch(name))), 0)
        cut = windows.plan_windows(item, params.window, params.window_over, of)
        if cut:
            return [_window_call(card, item, window) for window in cut]
    if not task.part and isinstance(item, Pair) and card.kind == "pair":
        return _pair_calls(card, params, item)
    return [_Call("", "", card, card, item)]


def _calls_of_pieces(card: Card, params: Params, task: Task, names: set[str]) -> list[_Call]:
    """The calls of a judgment that was stored as pieces of these names; whole orders imply how they were asked."""
    if not names or not names <= {f"order:{order}" for order in orders.ORDERS}:
        return _calls(card, params, task, names)
    overrides = {"context": 0} | ({"orders": "both"} if len(names) == 2 else {})
    calls = _calls(card, params.model_copy(update=overrides), task)
    if names == {"order:ab"} and not calls[0].name and isinstance(task.item, Pair):
        return [replace(calls[0], name="order:ab", words=f"order {orders.NAMES['ab']}", order="ab")]
    return calls


def _window_call(card: Card, item: Dialogue, window: windows.Window) -> _Call:
    shaped = windows.with_summary(card, window)
    name, words = f"window:{window.number}/{window.of}", f"window {window.number} of {window.of} ({window.place})"
    shown = item.model_copy(update={"turns": list(window.turns)})
    return _Call(name, words, shaped, card if window.last else shaped, shown, window=window)


def _open_pieces(conversation: AnsweringCalls, task: Task, answers: Mapping[str, CallReply]) -> list[str]:
    """The pieces of a conversation that can still be asked; none once a call has failed."""
    if any(answer.unscored == "api_error" for answer in answers.values()):
        return []
    usable = {piece for piece, answer in answers.items() if not _conversation_reading(answer).unscored}
    lost_pieces = answers.keys() - usable
    left = (piece for piece in conversation.pieces(task.item) if piece not in answers)
    return [piece for piece in left if not lost_pieces & set(conversation.after(task.item, piece))]


def _finish_conversation(task: Task, calls: Sequence[_Call], answers: Mapping[str, CallReply]) -> FinishedJudgment:
    """The judgment of a conversation: it has no scores, and is unscored if a call failed or a reply is missing."""
    read = [
        (call, _conversation_reading(answers[call.name]) if call.name in answers else _NOT_ASKED_READING)
        for call in calls
    ]
    order = ("api_error", "refused", "incomplete", None)
    call, first = min(read, key=lambda row: order.index(row[1].unscored))
    raw = _pack_calls(calls, answers)
    return FinishedJudgment(task, raw, replace(first, why=f"{call.words}: {first.why}") if first.unscored else first)


def is_lost(raw: str, unscored: UnscoredReason | None) -> bool:
    """Whether a reply of a conversation is lost; any text counts as an answer, even if it was cut off or refuses."""
    return unscored == "api_error" or (unscored == "refused" and not raw.strip())


def _conversation_reading(answer: CallReply) -> Reading:
    """The reading of a reply of a conversation: no scores, and unscored only if it is not an answer."""
    if is_lost(answer.raw, answer.unscored):
        return Reading(unscored=answer.unscored, why=answer.why)
    return Reading()


def _pair_calls(card: Card, params: Params, item: Pair) -> list[_Call]:
    limit = chapters.room_for_item(params.context, params.max_tokens) if params.context else 0
    cut = chapters.plan_chapters(item, limit) if limit else ()
    out = []
    for order in {"both": orders.ORDERS, "ba": ("ba",)}.get(params.orders, ("",)):
        for chapter in cut or (None,):
            shown = chapter.item if chapter is not None else item
            words = {f"order:{order}": f"order {orders.NAMES[order]}"} if order else {}
            if chapter is not None:
                words[f"chapter:{chapter.number}/{chapter.of}"] = f"chapter {chapter.number} of {chapter.of}"
            if order == "ba":
                shown = orders.swap(shown)
            out.append(_Call(" ".join(words), ", ".join(words.values()), card, card, shown, order, chapter=chapter))
    return out


def _reading(card: Card, params: Params, task: Task, call: _Call, answer: CallReply) -> Reading:
    """The reading of one call, in the item's own A and B and section numbers."""
    if answer.unscored:
        return Reading(unscored=answer.unscored, why=answer.why)
    scores = bare_scores.from_raw(answer.raw) if call.name.startswith("order:") else None
    try:
        reading = (
            bare_scores.read_scores(call.card, scores, call.item)
            if scores is not None
            else read_reply(call.card, answer.raw, call.item, task.part, params.verdict)
        )
    except bare_scores.NoCell as error:
        return Reading(unscored="unreadable", why=str(error))
    if reading.unscored:
        return reading
    last = params.verdict == "last"
    reading = with_token_confidence(call.card, call.item, task.part, answer.raw, answer.logprobs, reading, last)
    if call.order == "ba":
        reading = orders.swap_back(card, reading)
    return chapters.restore_section_numbers(call.chapter, reading) if call.chapter is not None else reading


def _combine_readings(card: Card, calls: Sequence[_Call], readings: Mapping[str, Reading]) -> Reading:
    """One reading of several: windows, or the chapters of each order and then the orders."""
    cut = [call.window for call in calls if call.window is not None]
    if cut:
        return windows.fuse_windows(card, cut, [readings[call.name] for call in calls])
    by_order = []
    for order in dict.fromkeys(call.order for call in calls):
        own = [call for call in calls if call.order == order]
        parts = [call.chapter for call in own if call.chapter is not None]
        order_readings = [readings[call.name] for call in own]
        by_order.append(chapters.fuse_chapters(card, parts, order_readings) if parts else order_readings[0])
    if len(by_order) == 2:
        return orders.fuse_orders(card, *by_order)
    return orders.mark_single_order(card, calls[0].order, by_order[0]) if calls[0].order else by_order[0]
