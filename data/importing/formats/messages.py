"""Chats: `messages` with roles as language models take them, ShareGPT's `conversations`, MT-Bench-101's `history`.

A system message is the scenario, where none is given. Calls of tools and their results are entries of their own, in the
turn that they were made in, before what the assistant says there (judges/tool_calls.py), in the shapes that
data/importing/conversations/utterances.py reads. What cannot be judged is refused before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from data.importing.conversations.utterances import REASONING_TYPES, Utterance, read_messages
from data.importing.format_file import FileStart, FormatFile
from data.store.ids import content_id
from judges.importing.column_names import parse_name
from judges.importing.entries import Entry, Hint, Line, LineError, RejectedRow
from judges.importing.speakers import ROLES
from judges.jsonl import Record, kind_of
from judges.strict_json import show_value

TITLE = "chats"
_OWN = ("messages", "conversations", "history", "id", "system", "meta", "scenario", "metadata")
_KNOWN_PARTS = (*REASONING_TYPES, "tool_use", "tool_result")
_SETTINGS = ("tools", "functions", "parallel_tool_calls", "tool_choice")


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


def _read_messages(value: dict[str, Any]) -> list[Utterance]:
    """Everything that was said, called and given back, in order."""
    if isinstance(value.get("history"), list) and "messages" not in value:
        pairs = [entry if isinstance(entry, dict) else {} for entry in value["history"]]
        spoken = [(n, entry, role) for n, entry in enumerate(pairs) for role in ("user", "bot") if role in entry]
        for n, entry, role in spoken:
            _check_text(entry, role, f"history.{n}")
        messages: Any = [{"role": role, "content": entry[role]} for _, entry, role in spoken]
    else:
        name = "messages" if "messages" in value else "conversations"
        messages = value.get(name)
        if not isinstance(messages, list) or not messages:
            raise LineError(name, f"{name} must be a list with at least one message.")
        for number, message in enumerate(messages):
            _check_message(message, f"{name}.{number}")
    return read_messages(messages, keep_empty=True) or []


def _check_message(message: Any, where: str) -> None:
    """Raise LineError unless a message has a role, and nothing but texts, calls of tools and their results."""
    if not isinstance(message, dict):
        raise LineError(where, f"{where} must be an object with role and content, not {kind_of(message)}.")
    raw_role = message.get("role", message.get("from"))
    if raw_role is None and message.get("type") in ("function_call", "function_call_output"):
        return
    role = ROLES.get(raw_role.strip().lower()) if isinstance(raw_role, str) else None
    if role is None:
        problem = f"{where}.role must be user, assistant, system or tool (it is {show_value(raw_role)})."
        raise LineError(f"{where}.role", problem)
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise LineError(f"{where}.tool_calls", f"{where}.tool_calls must be a list, not {kind_of(calls)}.")
    if role != "tool":
        _check_text(message, "content" if "content" in message or "value" not in message else "value", where)


def _check_text(message: dict[str, Any], key: str, where: str) -> None:
    content = message.get(key)
    if content is None and (message.get("tool_calls") or message.get("function_call") or message.get("refusal")):
        return
    if not isinstance(content, (str, list)):
        problem = f"{where}.{key} must be text or a list of text parts, not {kind_of(content)}."
        raise LineError(f"{where}.{key}", problem)
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        text = part.get("text", part.get("refusal")) if isinstance(part, dict) else part
        if kind not in _KNOWN_PARTS and not isinstance(text, str):
            description = f"a part of type {show_value(kind)}" if isinstance(kind, str) else kind_of(part)
            raise LineError(f"{where}.{key}", f"{where}.{key} holds {description}: only text can be judged.")


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
            named = {"name": name[0][:200]} if name and name[0] else {}
            entries.append({"turn": turn, "role": role, "text": text, **named})
            by_role.setdefault("assistant", {"turn": turn, "role": "assistant", "text": ""})
        elif role in by_role:
            by_role[role]["text"] = "\n\n".join(part for part in (by_role[role]["text"], text) if part)
        else:
            by_role[role] = {"turn": turn, "role": role, "text": text}
            if role != "assistant":
                entries.append(by_role[role])
    return entries + ([by_role["assistant"]] if "assistant" in by_role else [])
