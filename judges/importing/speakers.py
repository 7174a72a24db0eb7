"""Dialogues in one cell of a table: their messages, in any shape with speakers and texts, and the speakers' roles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judges.importing.column_names import normalize
from judges.strict_json import decode_json

ROLES = {
    "user": "user", "human": "user", "customer": "user", "assistant": "assistant", "gpt": "assistant",
    "bot": "assistant", "chatbot": "assistant", "ai": "assistant", "agent": "assistant", "model": "assistant",
    "system": "system", "developer": "system", "tool": "tool", "function": "tool",
}  # fmt: skip
"""The role that each name of a speaker means."""
_SPEAKER_WORDS = frozenset(("role", "from", "speaker", "spk", "author", "sender", "who", "participant", "type"))
_TEXT_WORDS = frozenset(("content", "text", "utterance", "message", "value", "said", "body"))


def read_messages(cell: Any) -> list[dict[str, Any]] | None:
    """The messages of a dialogue that a cell is, or its JSON, or that an object in it has in a list; None for no such.

    Messages with `role` or `from`, and Assay's own turns, are as they were; of others only `role`, the speaker as it is
    written, and `content` are kept.
    """
    value = decode_json(cell)
    if isinstance(value, dict):
        lists = (read_messages(inner) for inner in value.values() if isinstance(inner, list))
        return next((messages for messages in lists if messages), None)
    if not isinstance(value, (list, tuple)):
        return None
    parts = [_messages_of(entry) for entry in value]
    return [message for part in parts for message in part] if parts and all(parts) else None


def speaker_name(message: Mapping[str, Any]) -> str:
    """The speaker of a message in small letters; "" if it names none."""
    name = message.get("role", message.get("from"))
    return name.strip().lower() if isinstance(name, str) else ""


def speaker_roles(dialogues: Iterable[Sequence[Mapping[str, Any]]]) -> dict[str, str]:
    """The roles of speakers whose names say none, as far as the other names and who begins leave only one way.

    Of two, the one who begins more dialogues is the user. A system that answers users is the assistant.
    """
    first, names, answering = Counter[str](), dict[str, None](), 0
    for messages in dialogues:
        spoken = [name for message in messages if (name := speaker_name(message))]
        first.update(spoken[:1])
        names |= dict.fromkeys(spoken)
        answering += "system" in spoken[1:]
    known = {ROLES[name] for name in names if name in ROLES} & {"user", "assistant"}
    unknown = [name for name in names if name not in ROLES]
    if not unknown and known == {"user"} and answering and not first["system"]:
        return {"system": "assistant"}
    if len(unknown) == 2 and not known:
        user = max(unknown, key=lambda name: first[name])
        return {name: "user" if name == user else "assistant" for name in unknown}
    if len(unknown) == 1 and len(known) == 1:
        return {unknown[0]: "assistant" if known == {"user"} else "user"}
    return {}


def _messages_of(entry: Any) -> list[dict[str, Any]]:
    """What an entry of a list says, nothing if it is no part of a dialogue."""
    if isinstance(entry, (list, tuple)):
        pair = len(entry) == 2 and all(isinstance(part, str) for part in entry)
        return [{"role": entry[0], "content": entry[1]}] if pair else []
    if not isinstance(entry, dict):
        return []
    if "role" in entry or "from" in entry or entry.get("type") in ("function_call", "function_call_output"):
        text = _value(entry, _TEXT_WORDS)
        plain = text is None or not {"content", "value", "text"}.isdisjoint(entry)
        return [entry] if plain else [{"role": speaker_name(entry), "content": text}]
    speaker, text = _value(entry, _SPEAKER_WORDS), _value(entry, _TEXT_WORDS)
    if speaker is not None and text is not None:
        return [{"role": speaker, "content": text}]
    texts = {key: part for key, part in entry.items() if key.lower() in ROLES and isinstance(part, str)}
    return [{"role": key, "content": part} for key, part in texts.items()] if len(texts) > 1 else []


def _value(entry: Mapping[str, Any], words: frozenset[str]) -> str | None:
    """The text under the first key that has one of the words."""
    texts = (text for key, text in entry.items() if isinstance(text, str) and words & set(normalize(key).split("_")))
    return next(texts, None)
