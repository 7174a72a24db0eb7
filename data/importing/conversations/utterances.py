"""The utterances of a conversation, read from the shapes in which the files of other tools have messages.

These are the shapes of OpenAI, Anthropic, Gemini, LangChain, OpenTelemetry (`parts`) and Inspect, as JSON or its text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from judges.importing.speakers import ROLES
from judges.strict_json import decode_json
from judges.tool_calls import call_text

_ROLES = ROLES | {
    "humanmessage": "user", "humanmessagechunk": "user",
    "aimessage": "assistant", "aimessagechunk": "assistant", "function_call": "assistant", "tool_call": "assistant",
    "systemmessage": "system", "toolmessage": "tool", "functionmessage": "tool", "function_call_output": "tool",
}  # fmt: skip
"""The same with the names that traces have besides, and the types of their messages."""
_TEXT_KEYS = ("content", "parts", "contents", "text", "value", "output_text", "refusal")
_INPUT_KEYS = (
    *("input", "question", "query", "prompt", "user_input", "user_message", "message", "instruction", "text"),
    *("human_input", "chat_input", "request", "content"),
)
_OUTPUT_KEYS = (
    *("output", "answer", "response", "result", "completion", "text", "content", "reply", "output_text", "generation"),
    *("assistant", "message", "final_answer"),
)
_MESSAGE_LIST_KEYS = ("messages", "chat_history", "contents", "input", "history", "conversation")
_CHOICE_KEYS = ("choices", "generations", "messages", "output", "candidates", "message", "kwargs", "response")
REASONING_TYPES = ("reasoning", "thinking", "redacted_thinking", "reasoning_content")
_FILE_TYPES = ("blob", "uri", "file")
_RESULT_TYPES = ("tool_call_response", "tool_result")
_RESULT_ROLES = ("tool", "function_call_output")
_CALL_ID_KEYS = ("tool_call_id", "tool_use_id", "call_id", "id")
_PLAIN = ("user", "assistant", "system")
_NO_TEXT = "[a part without text]"
_MAX_DEPTH = 6


class Utterance(NamedTuple):
    """One entry of a conversation: role is user, assistant, system or tool; `name` is the tool's."""

    role: str
    text: str
    name: str = ""


def as_object(value: Any) -> dict[str, Any]:
    """The object that a value is, or its text; an empty one for anything else."""
    content = decode_json(value)
    return content if isinstance(content, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The list that a value is, or its text; an empty one for anything else."""
    content = decode_json(value)
    return content if isinstance(content, list) else []


def as_objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a list, or in the text of one."""
    return [entry for entry in list_of(value) if isinstance(entry, dict)]


def text_of(value: Any) -> str:
    """A value as a text that people read."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def first_text(*values: Any) -> str:
    """The first of some values that is there, as a text."""
    return next((text_of(value) for value in values if value), "")


def read_messages(value: Any, keep_empty: bool = False) -> list[Utterance] | None:
    """Return the utterances of a list of messages; None if the value is no list of messages.

    With `keep_empty` also those of messages that say nothing, and call no tool.
    """
    value = decode_json(value)
    if isinstance(value, dict) and _role(value):
        value = [value]
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if not isinstance(value, list) or not value:
        return None
    utterances: list[Utterance] = []
    names: dict[str, str] = {}
    for message in _order_results(value, names):
        if not isinstance(message, dict):
            return None
        if (utterance := _read_plain_message(message)) is not None:
            utterances.append(utterance)
        elif role := _role(message):
            entries = _message(message, role, names)
            empty = keep_empty and len(entries) == 1
            utterances += [entry for entry in entries if entry.text.strip() or entry.role == "tool" or empty]
        else:
            return None
    return utterances


def _order_results(value: list[Any], names: dict[str, str]) -> Iterator[Any]:
    """Return the messages of a list; results that come together get their calls' order, which alone pairs them."""
    for are_results, run in groupby(map(decode_json, value), key=_is_result):
        messages = list(run)
        yield from _in_order(messages, names) if are_results else messages


def _is_result(message: Any) -> bool:
    inner = message.get("message", message) if isinstance(message, dict) else None
    return isinstance(inner, dict) and (inner.get("role") or inner.get("type")) in _RESULT_ROLES


def _in_order(results: list[dict[str, Any]], names: dict[str, str]) -> list[dict[str, Any]]:
    """Results in the order of their calls, where these are known."""
    place = {ref: n for n, ref in enumerate(names)}
    known = all(_of_call(output) in place for output in results)
    return sorted(results, key=lambda output: place[_of_call(output)]) if known else results


def _of_call(result: dict[str, Any]) -> str:
    """The id of the call that a result belongs to."""
    message, parts = result.get("message"), result.get("parts")
    fields = message if isinstance(message, dict) else result
    if isinstance(parts, list) and parts:
        fields = parts[0] if isinstance(parts[0], dict) else fields
    return str(next((fields[key] for key in _CALL_ID_KEYS if fields.get(key)), ""))


def _read_plain_message(message: dict[str, Any]) -> Utterance | None:
    """A message that is a role and one text, as most are; None for any other."""
    role = message.get("role")
    if len(message) == 2 and role in _PLAIN:
        content = message.get("content")
        if content is None and len(parts := message.get("parts") or ()) == 1 and isinstance(parts, list):
            part = parts[0]
            content = part.get("content") if isinstance(part, dict) and part.get("type") == "text" else None
        if isinstance(content, str) and content and not content.isspace():
            return Utterance(role, content)
    return None


def input_utterances(value: Any) -> list[Utterance]:
    """Return the utterances of an input: its messages, or its text as a user's."""
    value = decode_json(value)
    utterances = _messages_within(value)
    if utterances is not None:
        return utterances
    text = _text_within(value, _INPUT_KEYS)
    return [Utterance("user", text)] if text.strip() else []


def output_utterances(value: Any) -> list[Utterance]:
    """Return the utterances of an output: its messages, the first of several choices, or its text as an assistant's."""
    value = decode_json(value)
    utterances = _answers(value)
    if utterances is not None:
        return utterances
    text = _text_within(value, _OUTPUT_KEYS)
    return [Utterance("assistant", text)] if text.strip() else []


def single_text(value: Any) -> str:
    """An input or output as one text: the only message's, the text under a known key, or the JSON."""
    value = decode_json(value)
    utterances = read_messages(value)
    if utterances is not None and len(utterances) == 1:
        return utterances[0].text
    return _text_within(value, (*_INPUT_KEYS, *_OUTPUT_KEYS))


def _messages_within(value: Any, depth: int = 0) -> list[Utterance] | None:
    messages = read_messages(value)
    if messages is None and isinstance(value, dict) and depth < _MAX_DEPTH:
        for key in _MESSAGE_LIST_KEYS:
            if key in value and (utterances := _messages_within(decode_json(value[key]), depth + 1)):
                if isinstance(system := value.get("system"), str) and system:
                    utterances = [Utterance("system", system), *utterances]
                return [*utterances, *input_beside_history(value, key)]
    return messages


def input_beside_history(value: dict[str, Any], key: str) -> list[Utterance]:
    """The question that is given beside a history of messages, as chains have it."""
    if key not in ("chat_history", "history"):
        return []
    return [Utterance("user", value[k]) for k in _INPUT_KEYS if isinstance(value.get(k), str) and value[k].strip()][:1]


def _answers(value: Any, depth: int = 0) -> list[Utterance] | None:
    if isinstance(value, dict) and depth < _MAX_DEPTH:
        for key in _CHOICE_KEYS:
            if isinstance(inner := decode_json(value.get(key)), (list, dict)):
                while isinstance(inner, list) and inner and isinstance(inner[0], list):
                    inner = inner[0]
                if key in ("choices", "generations", "candidates") and isinstance(inner, list):
                    inner = inner[0] if inner else None
                if (answers := _answers(inner, depth + 1)) is not None:
                    return answers
    if isinstance(value, dict) and not _role(value) and isinstance(value.get("content"), dict):
        return _answers(value["content"], depth + 1)
    messages = read_messages(value)
    if not messages:
        return None
    utterances = [utterance for utterance in messages if utterance.role != "system"]
    last = max((n for n, utterance in enumerate(utterances) if utterance.role == "user"), default=-1)
    return utterances[last + 1 :]


def _text_within(value: Any, keys: Sequence[str]) -> str:
    if isinstance(value, dict):
        for key in keys:
            inner = decode_json(value.get(key))
            if isinstance(inner, str):
                return inner
            if isinstance(inner, (dict, list)) and inner:
                utterances = read_messages(inner)
                return utterances[-1].text if utterances else _text_within(inner, keys)
        if len(value) == 1 and isinstance(only := next(iter(value.values())), str):
            return only
    return text_of(value)


def _role(message: dict[str, Any]) -> str:
    kwargs = message.get("kwargs")
    if isinstance(kwargs, dict) and isinstance(message.get("id"), list) and message["id"]:
        return _ROLES.get(str(message["id"][-1]).lower(), "")
    raw_role = message.get("role") or message.get("from") or message.get("type")
    role = _ROLES.get(raw_role.strip().lower(), "") if isinstance(raw_role, str) else ""
    if not role and isinstance(message.get("message"), dict):
        return _role(message["message"])
    return role


def _message(message: dict[str, Any], role: str, names: dict[str, str]) -> list[Utterance]:
    for key in ("kwargs", "message", "data"):
        if isinstance(message.get(key), dict) and not any(k in message for k in _TEXT_KEYS):
            message = message[key]
    key = next((k for k in _TEXT_KEYS if message.get(k) is not None), "")
    content = message.get(key) if key else None
    texts, entries = _content(content, names)
    if role == "tool":
        ref = str(message.get("tool_call_id") or message.get("call_id") or message.get("id") or "")
        text = _result_text(texts, None if entries else message.get("output") if content is None else content)
        if text or not entries:
            name = _tool_name(message, "name", "function", "tool_name") or names.get(ref, "")
            entries = [Utterance("tool", text, name), *entries]
    else:
        entries += _calls(message, names)
        own = [Utterance(role, "\n\n".join(texts))]
        # In a user's message, results of tools answer the calls before; the user's own text begins the next turn.
        entries = entries + own if role == "user" else own + entries
    return entries


def _content(content: Any, names: dict[str, str]) -> tuple[list[str], list[Utterance]]:
    """The texts of a message's content, and the calls of tools and their results among its parts."""
    if content is None or isinstance(content, str):
        return ([content] if content else []), []
    texts: list[str] = []
    entries: list[Utterance] = []
    if isinstance(content, list) and all(isinstance(p, dict) and p.get("type") in _RESULT_TYPES for p in content):
        content = _in_order(content, names)
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and isinstance(part.get("message_content"), dict):
            part = part["message_content"]
        if not isinstance(part, dict):
            texts.append(text_of(part))
            continue
        kind = str(part.get("type") or "")
        text = part.get("text", part.get("refusal", part.get("content")))
        if kind in ("tool_call", "tool_use", "toolCall") or "functionCall" in part or "function_call" in part:
            call = part.get("functionCall") or part.get("function_call") or part
            entries += _read_calls([call], names)
        elif kind in _RESULT_TYPES or "functionResponse" in part:
            response = part.get("functionResponse") or part
            ref = str(response.get("id") or response.get("tool_use_id") or response.get("tool_call_id") or "")
            back = next(
                (response[k] for k in ("response", "result", "content", "output") if response.get(k) is not None), ""
            )
            inner, _ = _content(back, names) if isinstance(back, list) else ([text_of(back)], [])
            name = _tool_name(response, "name") or names.get(ref, "")
            entries.append(Utterance("tool", _result_text(inner, back), name))
        elif kind in REASONING_TYPES:
            continue
        elif kind in _FILE_TYPES:
            texts.append(f"[{part.get('modality') or 'file'}]")
        elif isinstance(text, str):
            texts.append(text)
        elif kind or part:
            texts.append(f"[{kind.replace('_', ' ')}]" if kind else _NO_TEXT)
    return texts, entries


def _result_text(texts: Sequence[str], content: Any) -> str:
    """The text of a result: its own texts, or all of it as JSON where it has a part that is no text."""
    text = "\n\n".join(texts)
    return text_of(content) if content not in (None, []) and (not text or _NO_TEXT in texts) else text


def _tool_name(fields: dict[str, Any], *keys: str) -> str:
    """The first name under these keys that is a text."""
    return next((name.strip() for key in keys if isinstance(name := fields.get(key), str) and name.strip()), "")


def _calls(message: dict[str, Any], names: dict[str, str]) -> list[Utterance]:
    kwargs = message.get("additional_kwargs")
    calls = message.get("tool_calls") or (kwargs.get("tool_calls") if isinstance(kwargs, dict) else None) or []
    if isinstance(message.get("function_call"), dict):
        calls = [message["function_call"]]
    elif not message.get("role") and message.get("type") in ("function_call", "tool_call"):
        calls = [message]
    return _read_calls(calls, names) if isinstance(calls, list) else []


def _read_calls(calls: Iterable[Any], names: dict[str, str]) -> list[Utterance]:
    utterances = []
    for call in calls:
        if not isinstance(call, dict):
            continue
        call = inner if isinstance(inner := call.get("tool_call"), dict) else call
        inner = inner if isinstance(inner := call.get("function"), dict) else call
        name = _tool_name(inner, "name", "function", "tool") or "tool"
        keys = ("arguments", "args", "input", "parameters")
        arguments = next((inner[k] for k in keys if inner.get(k) is not None), "")
        names[str(call.get("id") or call.get("call_id") or call.get("tool_call_id") or "")] = name
        utterances.append(tool_call_utterance(name, arguments))
    return utterances


def tool_call_utterance(name: str, arguments: Any) -> Utterance:
    """The call of a tool."""
    return Utterance("tool", call_text(name, text_of(arguments)), name)


def tool_utterances(name: str, arguments: Any, result: Any) -> tuple[list[Utterance], list[Utterance]]:
    """The call of a tool, and its result; no result for None."""
    back = [] if result is None else [Utterance("tool", single_text(result), name)]
    return [tool_call_utterance(name, arguments)], back


def to_turns(utterances: Iterable[Utterance]) -> tuple[str, list[dict[str, Any]], list[int]]:
    """The scenario (what the system was told first), the entries of a dialogue, and the turn of each utterance.

    A turn begins with what a user says after an answer. What one role says twice in a turn is one entry; calls of tools
    and what came back are entries of their own, before the assistant's. The turn of a system's utterance is 0.
    """
    scenario: list[str] = []
    numbers: list[int] = []
    turns: list[dict[str, dict[str, Any]]] = []
    tools: list[list[dict[str, Any]]] = []
    for role, text, name in utterances:
        if role == "system":
            scenario += [text] if not turns and text not in scenario else []
            numbers.append(0)
            continue
        if not turns or (role == "user" and ("assistant" in turns[-1] or tools[-1])):
            turns.append({})
            tools.append([])
        turn = len(turns)
        numbers.append(turn)
        if role == "tool":
            tools[-1].append({"turn": turn, "role": "tool", "text": text, "name": name[:200]})
        elif role in turns[-1]:
            turns[-1][role]["text"] += f"\n\n{text}"
        else:
            turns[-1][role] = {"turn": turn, "role": role, "text": text}
    entries = []
    for by_role, between in zip(turns, tools, strict=True):
        entries += [by_role["user"]] if "user" in by_role else []
        entries += between
        entries += [by_role["assistant"]] if "assistant" in by_role else []
    return "\n\n".join(scenario), entries, numbers
