"""Chats: `messages` with roles as language models take them, ShareGPT's `conversations`, MT-Bench-101's `history`.

A system message is the scenario, where none is given. Calls of tools and their results are entries of their own, in the
turn that they were made in, before what the assistant says there (judges/tool_calls.py): those of OpenAI (`tool_calls`
and `tool_call_id`, `function_call`, items of the Responses API) and of Anthropic (`tool_use`, `tool_result`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from data.importing.conversations.utterances import REASONING_TYPES
from data.importing.format_file import FileStart, FormatFile
from data.importing.lines import Entry, Hint, Line, LineError, RejectedRow
from data.store.ids import content_id
from judges.importing.column_names import parse_name
from judges.importing.jsonl import Record, kind_of
from judges.importing.speakers import ROLES
from judges.strict_json import show_value
from judges.tool_calls import call_text

TITLE = "chats"
_OWN = ("messages", "conversations", "history", "id", "system", "meta", "scenario", "metadata")
_SETTINGS = ("tools", "functions", "parallel_tool_calls", "tool_choice")


class ChatMessage(NamedTuple):
    """The text of a role; for a tool also its name, and the id of the call that a result belongs to."""

    role: str
    text: str
    name: str = ""
    call: str = ""


def fits(start: FileStart) -> bool:
    """Whether a file that begins so has chats; in a table of text they are texts, among other columns."""
    if start.container == "csv":
        return False
    return any(keys & {"messages", "conversations"} or {"history", "task"} <= keys for keys in start.shapes)


def read(files: Iterable[FormatFile]) -> Iterator[Entry]:
    """The dialogues of the files, one file after the other."""
    for file in files:
        yield from _read(file.name, file.records)


def _read(file: str, records: Iterable[Record]) -> Iterator[Entry]:
    for record in records:
        if record.problem:
            yield RejectedRow(file, record.line, [("", f"The line {record.problem}.")], record.text)
            continue
        try:
            data, meta_keys = to_dialogue(record.value)
        except LineError as error:
            yield RejectedRow(file, record.line, [error.problem], record.value, str(record.value.get("id", "")))
            continue
        if meta_keys:
            yield Hint(f"{file}: what is no part of a chat was kept in meta: {', '.join(meta_keys)}.")
            if answers := [key for key in meta_keys if (name := parse_name(key)).owner and not name.weak]:
                named = ", ".join(answers)
                yield Hint(f"{file}: {named}: read as answers if the file is imported as a table (--format table).")
        yield Line(file, record.line, "item", data, record.value)


def to_dialogue(value: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The canonical dialogue of a chat, and the keys that went into its meta."""
    utterances = _read_messages(value)
    scenario = value.get("scenario") or ""
    if not scenario and utterances and utterances[0][0] == "system":
        scenario, utterances = utterances[0][1], utterances[1:]
    turns = number_turns(utterances)
    meta = {}
    for key in ("meta", "metadata"):
        fields = value.get(key) or {}
        if not isinstance(fields, dict):
            raise LineError(key, f"{key} must be an object, not {kind_of(fields)}.")
        meta.update(fields)
    meta_keys = [key for key in value if key not in _OWN and key not in _SETTINGS]
    meta.update({key: value[key] for key in meta_keys})
    name = value.get("id")
    if name is None:
        # The same chat gets the same name wherever it is, so that importing it again adds nothing.
        name = f"chat-{content_id(turns, scenario)[:12]}"
    elif isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    data = {
        "id": name,
        "kind": "dialogue",
        "scenario": scenario,
        "system": value.get("system") or "",
        "turns": turns,
        "meta": meta,
    }
    return data, meta_keys


def _read_messages(value: dict[str, Any]) -> list[ChatMessage]:
    """Everything that was said, called and given back, in order."""
    if isinstance(value.get("history"), list) and "messages" not in value:
        pairs = [entry if isinstance(entry, dict) else {} for entry in value["history"]]
        spoken = [(n, entry, role) for n, entry in enumerate(pairs) for role in ("user", "bot") if role in entry]
        return [ChatMessage(role, _text(entry, role, f"history.{n}")) for n, entry, role in spoken]
    name = "messages" if "messages" in value else "conversations"
    messages = value.get(name)
    if not isinstance(messages, list) or not messages:
        raise LineError(name, f"{name} must be a list with at least one message.")
    utterances: list[ChatMessage] = []
    calls = _Calls()
    for number, message in enumerate(messages):
        where = f"{name}.{number}"
        if not isinstance(message, dict):
            raise LineError(where, f"{where} must be an object with role and content, not {kind_of(message)}.")
        utterances += _message(message, where, calls)
    return calls.sort_results(utterances)


def _message(message: dict[str, Any], where: str, calls: _Calls) -> Iterator[ChatMessage]:
    """Yield the texts and tool calls of one message."""
    raw_role = message.get("role", message.get("from"))
    if raw_role is None and message.get("type") == "function_call":
        yield calls.call_entry(message, message.get("call_id"))
        return
    if raw_role is None and message.get("type") == "function_call_output":
        yield calls.result_entry(message.get("call_id"), _result(message.get("output")))
        return
    role = ROLES.get(raw_role.strip().lower()) if isinstance(raw_role, str) else None
    if role is None:
        problem = f"{where}.role must be user, assistant, system or tool (it is {show_value(raw_role)})."
        raise LineError(f"{where}.role", problem)
    key = "content" if "content" in message or "value" not in message else "value"
    if role == "tool":
        yield calls.result_entry(message.get("tool_call_id"), _result(message.get(key)), message.get("name"))
        return
    content, tool_calls = message.get(key), _read_calls(message, where)
    parts = content if isinstance(content, list) and any(_sort(part) in _USES for part in content) else []
    if not parts:
        text = _text(message, key, where)
        if text or not tool_calls:
            yield ChatMessage(role, text)
    for part in parts:
        if _sort(part) == "tool_use":
            yield calls.call_entry({"name": part.get("name"), "arguments": part.get("input", {})}, part.get("id"))
        elif _sort(part) == "tool_result":
            yield calls.result_entry(part.get("tool_use_id"), _result(part.get("content")))
        else:
            yield ChatMessage(role, _text({key: [part]}, key, where))
    for function, id_ in tool_calls:
        yield calls.call_entry(function, id_)


_USES = ("tool_use", "tool_result")


def _sort(part: Any) -> Any:
    return part.get("type") if isinstance(part, dict) else None


class _Calls:
    """The calls of a chat: their names by id, so that results have one, in the order in which they were made."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def call_entry(self, function: dict[str, Any], id_: Any) -> ChatMessage:
        """The entry of a call."""
        name = _name(function.get("name")) or "tool"
        if isinstance(id_, str):
            self._names.setdefault(id_, name)
        arguments = function.get("arguments", "")
        return ChatMessage("tool", call_text(name, "" if arguments is None else arguments), name)

    def result_entry(self, id_: Any, text: str, name: Any = "") -> ChatMessage:
        """The entry of a result."""
        known = self._names.get(id_, "") if isinstance(id_, str) else ""
        return ChatMessage("tool", text, _name(name) or known, str(id_) if known else "")

    def sort_results(self, utterances: list[ChatMessage]) -> list[ChatMessage]:
        """The same, but results that came together are in the order of their calls, because their ids are not kept."""
        place = {id_: n for n, id_ in enumerate(self._names)}
        runs = groupby(utterances, key=lambda entry: bool(entry.call))
        return [
            entry
            for are_results, run in runs
            for entry in (sorted(run, key=lambda entry: place[entry.call]) if are_results else run)
        ]


def _name(name: Any) -> str:
    return name.strip()[:200] if isinstance(name, str) else ""


def _result(content: Any) -> str:
    """Return the result of a tool as text: parts of text joined, anything else as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and content and all(isinstance(_text_of(part), str) for part in content):
        return "\n\n".join(_text_of(part) for part in content)
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def _text_of(part: Any) -> Any:
    return part.get("text", part.get("refusal")) if isinstance(part, dict) else part


def _text(message: dict[str, Any], key: str, where: str) -> str:
    """A message's text: unchanged, or its text parts joined."""
    content = message.get(key)
    if isinstance(content, str):
        return content
    if content is None and (message.get("tool_calls") or message.get("function_call") or message.get("refusal")):
        return str(message.get("refusal") or "")
    if not isinstance(content, list):
        problem = f"{where}.{key} must be text or a list of text parts, not {kind_of(content)}."
        raise LineError(f"{where}.{key}", problem)
    parts = []
    for part in content:
        kind, text = _sort(part), _text_of(part)
        if kind in REASONING_TYPES:
            continue
        if not isinstance(text, str):
            description = f"a part of type {show_value(kind)}" if isinstance(kind, str) else kind_of(part)
            raise LineError(f"{where}.{key}", f"{where}.{key} holds {description}: only text can be judged.")
        parts.append(text)
    return "\n\n".join(parts)


def _read_calls(message: dict[str, Any], where: str) -> list[tuple[dict[str, Any], Any]]:
    """The calls that a message makes beside what it says: (name and arguments, id)."""
    calls = message.get("tool_calls") or []
    if isinstance(message.get("function_call"), dict):
        calls = [{"function": message["function_call"]}]
    if not isinstance(calls, list):
        raise LineError(f"{where}.tool_calls", f"{where}.tool_calls must be a list, not {kind_of(calls)}.")
    known = [call if isinstance(call, dict) else {} for call in calls]
    return [(c["function"] if isinstance(c.get("function"), dict) else c, c.get("id")) for c in known]


def number_turns(utterances: Iterable[Sequence[str]]) -> list[dict[str, Any]]:
    """The turns of (role, text, name of a tool), counted from 1: a turn begins with what a user says.

    What one role says twice in a row is one entry. Each call of a tool and each result is an entry of its own, before
    the assistant's of that turn, which is empty where the assistant only called tools.
    """
    entries: list[dict[str, Any]] = []
    turn, by_role = 1, dict[str, dict[str, Any]]()
    for raw_role, text, *name in utterances:
        role = "assistant" if raw_role == "bot" else raw_role
        if role in ("user", "system") and "assistant" in by_role:
            entries.append(by_role["assistant"])
            turn, by_role = turn + 1, {}
        if role == "tool":
            entries.append({"turn": turn, "role": role, "text": text} | ({"name": name[0]} if name and name[0] else {}))
            by_role.setdefault("assistant", {"turn": turn, "role": "assistant", "text": ""})
        elif role in by_role:
            by_role[role]["text"] = "\n\n".join(part for part in (by_role[role]["text"], text) if part)
        else:
            by_role[role] = {"turn": turn, "role": role, "text": text}
            if role != "assistant":
                entries.append(by_role[role])
    return entries + ([by_role["assistant"]] if "assistant" in by_role else [])
