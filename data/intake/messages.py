"""Chats: `messages` with roles as language models take them, ShareGPT's `conversations`, MT-Bench-101's `history`.

A system message is the scenario, where none is given. What a tool said stays in the assistant's turn, marked `[tool]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from data.ids import content_id
from data.intake.jsonl import Record, kind_of
from data.intake.lines import Bad, Entry, Hint, Line
from data.intake.sentences import show

ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}
_OWN = ("messages", "conversations", "history", "id", "system", "meta", "scenario", "metadata")
_SETTINGS = ("tools", "functions", "parallel_tool_calls", "tool_choice")


class _No(ValueError):
    """A chat cannot be taken: (field, sentence)."""


def fits(keys: frozenset[str]) -> bool:
    """Whether an object with these keys is a chat."""
    return bool(keys & {"messages", "conversations"}) or {"history", "task"} <= keys


def read(file: str, records: Iterable[Record]) -> Iterator[Entry]:
    """The dialogues of one file."""
    for record in records:
        if record.problem:
            yield Bad(file, record.line, [("", f"The line {record.problem}.")], record.text)
            continue
        try:
            data, kept = dialogue(record.value)
        except _No as no:
            yield Bad(file, record.line, [no.args], record.value, str(record.value.get("id", "")))
            continue
        if kept:
            yield Hint(f"{file}: what is no part of a chat was kept in meta: {', '.join(kept)}.")
        yield Line(file, record.line, "item", data, record.value)


def dialogue(value: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The canonical dialogue of a chat, and the keys that went into its meta."""
    said = _said(value)
    scenario = value.get("scenario") or ""
    if not scenario and said and said[0][0] == "system":
        scenario, said = said[0][1], said[1:]
    found = turns(said)
    meta = {}
    for key in ("meta", "metadata"):
        held = value.get(key) or {}
        if not isinstance(held, dict):
            raise _No(key, f"{key} must be an object, not {kind_of(held)}.")
        meta.update(held)
    kept = [key for key in value if key not in _OWN and key not in _SETTINGS]
    meta.update({key: value[key] for key in kept})
    name = value.get("id")
    if name is None:
        # The same chat gets the same name wherever it stands, so that importing it again adds nothing.
        name = f"chat-{content_id(found, scenario)[:12]}"
    elif isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    data = {
        "id": name,
        "kind": "dialogue",
        "scenario": scenario,
        "system": value.get("system") or "",
        "turns": found,
        "meta": meta,
    }
    return data, kept


def _said(value: dict[str, Any]) -> list[tuple[str, str]]:
    """(role, text) of everything that was said."""
    if isinstance(value.get("history"), list) and "messages" not in value:
        pairs = [entry if isinstance(entry, dict) else {} for entry in value["history"]]
        spoken = [(n, entry, role) for n, entry in enumerate(pairs) for role in ("user", "bot") if role in entry]
        return [(role, _text(entry, role, f"history.{n}")) for n, entry, role in spoken]
    name = "messages" if "messages" in value else "conversations"
    messages = value.get(name)
    if not isinstance(messages, list) or not messages:
        raise _No(name, f"{name} must be a list with at least one message.")
    said = []
    for number, message in enumerate(messages):
        where = f"{name}.{number}"
        if not isinstance(message, dict):
            raise _No(where, f"{where} must be an object with role and content, not {kind_of(message)}.")
        given = message.get("role", message.get("from"))
        role = ROLES.get(given) if isinstance(given, str) else None
        if role is None:
            raise _No(f"{where}.role", f"{where}.role must be user, assistant, system or tool (it is {show(given)}).")
        text = _text(message, "content" if "content" in message or "value" not in message else "value", where)
        calls = _calls(message, where)
        if role == "tool":
            text = f"[tool{' ' + message['name'] if isinstance(message.get('name'), str) else ''}] {text}"
        said.append((role, "\n\n".join(part for part in [text, *calls] if part)))
    return said


def _text(message: dict[str, Any], key: str, where: str) -> str:
    """A message's text: as it stands, or its text parts joined."""
    content = message.get(key)
    if isinstance(content, str):
        return content
    if content is None and (message.get("tool_calls") or message.get("function_call") or message.get("refusal")):
        return str(message.get("refusal") or "")
    if not isinstance(content, list):
        raise _No(f"{where}.{key}", f"{where}.{key} must be text or a list of text parts, not {kind_of(content)}.")
    parts = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        text = part.get("text", part.get("refusal")) if isinstance(part, dict) else part
        if not isinstance(text, str):
            what = f"a part of type {show(kind)}" if isinstance(kind, str) else kind_of(part)
            raise _No(f"{where}.{key}", f"{where}.{key} holds {what}: only text can be judged.")
        parts.append(text)
    return "\n\n".join(parts)


def _calls(message: dict[str, Any], where: str) -> list[str]:
    """The calls of tools that a message makes, as text."""
    calls = message.get("tool_calls") or []
    if isinstance(message.get("function_call"), dict):
        calls = [{"function": message["function_call"]}]
    if not isinstance(calls, list):
        raise _No(f"{where}.tool_calls", f"{where}.tool_calls must be a list, not {kind_of(calls)}.")
    named = [call.get("function") if isinstance(call, dict) else None for call in calls]
    known = [f if isinstance(f, dict) else {} for f in named]
    return [f"[calls {f.get('name', 'a tool')}] {f.get('arguments', '')}".strip() for f in known]


def turns(said: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Turns counted from 1: a turn begins with what a user says; what one role says twice in a row is one entry."""
    found: list[dict[str, Any]] = []
    turn, answered = 1, False
    for given, text in said:
        role = "assistant" if given in ("tool", "bot") else given
        if role != "assistant" and answered:
            turn, answered = turn + 1, False
        answered = answered or role == "assistant"
        held = next((t for t in found[-3:] if t["turn"] == turn and t["role"] == role), None)
        if held is not None:
            held["text"] += f"\n\n{text}"
        else:
            found.append({"turn": turn, "role": role, "text": text})
    return found
