"""The faults of a card, in sentences: one list for `show`, for runs, for imports and for the tests of all cards.

Loading checks that a folder is a card at all (judges/cards/__init__.py). Here the card is tried: its functions on a
plain item, and `read` on the replies that the practice endpoint would give.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from judges.card import Card, Item, describe_origin
from judges.errors import AssayError, BadCard
from judges.reading.schema import strict_schema
from judges.reading.validation import describe_error
from judges.types import ITEM, Kind

_TEXTS = ("The bridge costs forty million. It opens in May.", "It is cheap, I think! Please ask again.")
_SPECIMENS: dict[Kind, dict[str, Any]] = {
    "dialogue": {
        "turns": [
            {"turn": turn, "role": role, "text": text}
            for turn, text in enumerate(_TEXTS, 1)
            for role, text in (("user", "What does the bridge cost?"), ("assistant", text))
        ]
    },
    "pair": {
        "input": "What does the bridge cost?",
        **{f"response_{side}": {"text": text} for side, text in zip("ab", _TEXTS, strict=True)},
        "sections": [
            {"label": "First part", "a": [0, 20], "b": [0, 20]},
            {"label": "Second part", "a": [20, 40], "b": [20, 38]},
        ],
    },
    "response": {"task": "What does the bridge cost?", "output": _TEXTS[0]},
}


@dataclass(frozen=True)
class CardFault:
    """A fault of a card: a sentence with its file and what to do. `stops`: the card cannot be run with it."""

    text: str
    stops: bool = True


def find_faults(card: Card) -> tuple[CardFault, ...]:
    """All faults of a card; none if it can be run, read and audited.

    `stops` is set for faults that would end a run or leave all of its replies unscored: no prompt, functions that fail,
    a `read` that gives what the card does not ask. An unknown audit, or a prompt that leaves out a name, does not stop
    a run.
    """
    parts = card.name, card.version, card.audits, id(card.read), id(card.fields)
    return _faults(_Key(parts, card))


def require_sound(card: Card) -> None:
    """Raise BadCard, with every reason, if a card cannot be run as it is."""
    if stopping := [fault.text for fault in find_faults(card) if fault.stops]:
        raise BadCard("\n".join(stopping))


def specimen(kind: Kind) -> Item:
    """A plain item of a kind: two turns, a pair of two sections, or a response."""
    return ITEM.validate_python({"id": "specimen", "kind": kind, **_SPECIMENS[kind]})


def shown_fields(card: Card) -> list[tuple[str, str, list[str]]]:
    """(part, variant of the prompt, names of the fields) for each part of a specimen.

    Raises BadCard where a card's own functions fail.
    """
    item = specimen(card.kind)
    try:
        return [(part, card.variant(item, part), list(card.fields(item, part))) for part in card.parts(item)]
    except Exception as error:
        why = f"failed on a plain {card.kind}: {describe_error(error)}"
        raise BadCard(f"{describe_origin(card)}: parts(), variant() or fields() {why}. Fix that.") from error


@dataclass(frozen=True)
class _Key:
    """A card as a cache key, by its content, its file's functions and its audits: a card itself cannot be hashed."""

    parts: tuple[object, ...]
    card: Card = field(compare=False)


@lru_cache(256)
def _faults(key: _Key) -> tuple[CardFault, ...]:
    card = key.card
    if card.conversation is not None:  # it answers, and reads nothing
        return ()
    from judges.audits import unknown_audits  # they are loaded for nothing else

    faults = [CardFault(sentence, stops=False) for sentence in [unknown_audits(card)] if sentence]
    try:
        fields = shown_fields(card)
    except BadCard as error:
        return (*faults, CardFault(str(error)))
    if card.text is None:
        try:
            strict_schema(card.reply)
        except BadCard as error:
            return (*faults, CardFault(f"{describe_origin(card)}: {error}"))
        if card.reply.model_config.get("extra") != "forbid":
            text = "Reply accepts keys that it does not define. Give it the base class Strict."
            faults.append(CardFault(f"{describe_origin(card)}: {text}", stops=False))
    return (*faults, *_prompts(card, fields), *_reading_faults(card))


def _prompts(card: Card, fields: list[tuple[str, str, list[str]]]) -> Iterator[CardFault]:
    """Faults of prompts: none at all, none for a variant, or one that omits a shown field or a key of the reply."""
    folder = describe_origin(card).rpartition("/")[0]
    where = f"{folder}/" if folder else f"{describe_origin(card)}: "
    if not card.prompts:
        text = "has no prompt: its judgments can be imported, but it cannot be run"
        yield CardFault(f"{where}prompt.md is missing: the card {card.name} {text}. Write it.")
        return
    keys = [] if card.text is not None else list(strict_schema(card.reply)["properties"])
    lacks: dict[str, str] = {}
    for _, variant, names in fields:
        if variant not in card.prompts:
            variant_names = ", ".join(repr(name) for name in card.prompts)
            text = f"there is none for the variant {variant!r} (there are {variant_names}). Write it."
            yield CardFault(f"{where}{_file(variant)}: {text}")
            continue
        text = card.prompts[variant]
        if unsaid := [name for name in names if name not in text]:
            text = "it does not name what the judge is shown"
            lacks[variant] = f"{text}: {', '.join(unsaid)}. Say what each of them holds."
        elif unsaid := [key for key in keys if key not in text]:
            text = "it does not name what the reply has"
            lacks[variant] = f"{text}: {', '.join(unsaid)}. End it with the shape of the reply."
    for variant, message in lacks.items():
        yield CardFault(f"{where}{_file(variant)}: {message}", stops=False)


def _file(variant: str) -> str:
    return f"prompt{f'_{variant}' if variant else ''}.md"


def _reading_faults(card: Card) -> Iterator[CardFault]:
    """Faults of `read` on practice replies: it fails, gives what is not asked, or scores no reply completely.

    A reply that the pydantic model refuses proves nothing: it was built from the schema, and a model may ask for more.
    """
    from judges.reading.reading import read_reply

    item, left, read_once = specimen(card.kind), "", False
    message_by_cell: dict[str, str] = {}  # once for each cell, whatever its value was
    for part in card.parts(item):
        for reply in _replies(card, card.fields(item, part)):
            try:
                reading = read_reply(card, reply, item, part, "last")
            except AssayError as error:
                message_by_cell.setdefault(str(error).partition(" = ")[0], str(error))
                continue
            except Exception as error:
                fault = f"a reply cannot be read: {describe_error(error)}. Fix text() or the reply's model."
                text = f"{describe_origin(card)}: {fault}"
                message_by_cell.setdefault(text, text)
                continue
            read_once = read_once or reading.unscored is None
            left = left or (reading.why if reading.unscored == "incomplete" else "")
    yield from (CardFault(text) for text in list(message_by_cell.values())[:3])
    if left and not read_once and not message_by_cell:
        why = f"{left}. Give a Score for each dimension, or a Remark of the sort rule that says why there is none"
        yield CardFault(f"{describe_origin(card)}: read() scores no reply of a plain {card.kind}: {why}.")


def _replies(card: Card, fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the reply that each practice model would give about these fields, as text."""
    from judges.practice.answer import answer_message
    from judges.practice.family import FAMILIES, PracticeJudge
    from judges.protocols.messages import fence

    # Unlike the schema for endpoints, this one has the bounds of numbers.
    schema = None if card.text is not None else card.reply.model_json_schema()
    message = fence(card.name, dict(fields), "specimen", "specimen")
    for family in FAMILIES.values():
        judge = PracticeJudge(family, frozenset(), 0.0, 0, "")
        reply = answer_message(judge, message, schema, schema is not None)
        yield json.dumps(reply, ensure_ascii=False) if isinstance(reply, dict) else "".join(map(str, reply))
