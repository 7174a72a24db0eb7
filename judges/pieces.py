"""What one judgment takes: its calls (pieces), their messages, and what the answers amount to together.

Most judgments are one call, the piece "". Both orders of a pair, the windows of a long dialogue and the chapters of a
long input are several, asked one after the other, because a window carries a summary of what came before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from judges.card import Card, Item
from judges.params import Params
from judges.prompt import Message, messages
from judges.reading import read
from judges.types import Reading, UnscoredReason

Mode = Literal["json_schema", "json_object", "text"]
"""How an endpoint is held to JSON: by a schema, by JSON mode, or by asking for it."""


@dataclass(frozen=True, slots=True)
class Task:
    """One judgment to make: an item under the caller's key, one of its units or "" for all, asked for the n-th time."""

    key: str
    item: Item
    part: str = ""
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Ask:
    """One call: its messages (mode "text" says the shape of the reply in words) and, for a JSON card, the schema."""

    messages: list[Message]
    schema: dict[str, Any] | None
    name: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call brought. `unscored` and `why` where the protocol already says that there is nothing to read: the
    call failed after all retries (api_error), the reply was cut off (cut_off) or refused (refused).

    `logprobs` are (token, ((alternative, log-probability), ...)) of the reply, where they were asked for.
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
    logprobs: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgment: its task, the raw text that is kept, and what it was read as."""

    task: Task
    raw: str
    reading: Reading


def tasks(card: Card, params: Params, items: Iterable[tuple[str, Item]]) -> Iterator[Task]:
    """Every judgment of (key, item) pairs, lazily: all samples of an item before the next item."""
    for key, item in items:
        for part in card.parts(item):
            for sample in range(params.samples):
                yield Task(key, item, part, sample)


def pieces(card: Card, params: Params, task: Task) -> list[str]:
    """The names of a judgment's calls, in the order in which they are asked."""
    return [""]


def ask(card: Card, params: Params, task: Task, piece: str, before: Mapping[str, Answer], mode: Mode) -> Ask:
    """One call of a judgment, given the answers to the pieces before it."""
    fields = card.fields(task.item, task.part)
    key = f"{card.version} {task.key} {task.part} {task.sample} {piece}"
    made = messages(card, card.variant(task.item, task.part), fields, key)
    return Ask(made, None if card.text else card.reply.model_json_schema(), card.name)


def fuse(card: Card, params: Params, task: Task, answers: Mapping[str, Answer]) -> Judged:
    """The judgment that the answers to all pieces amount to. One call's raw text is kept as it came."""
    (answer,) = answers.values()
    if answer.unscored:
        return Judged(task, answer.raw, Reading(unscored=answer.unscored, why=answer.why))
    return Judged(task, answer.raw, read(card, answer.raw, task.item, task.part))
