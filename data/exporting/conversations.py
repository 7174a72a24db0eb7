"""Items as conversations of {"role", "content"}, which language models are trained on.

Calls of tools are messages of the assistant with `tool_calls`, results messages of the role `tool`, as OpenAI has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from judges.tool_calls import call_arguments
from judges.types import Dialogue, Response, Turn

Message = dict[str, Any]


def to_message(role: str, content: str) -> Message:
    """One message."""
    return {"role": role, "content": content}


def item_messages(item: Dialogue | Response, scenario: bool = False) -> list[Message]:
    """A whole item: every turn of a dialogue, or task and output. `scenario`: it goes before all as system prompt."""
    if isinstance(item, Response):
        return [to_message("user", item.task), to_message("assistant", item.output)]
    return [*_head(item, scenario), *_dialogue_messages(item.turns)]


def split_at_unit(item: Dialogue | Response, unit: str, scenario: bool = False) -> tuple[list[Message], str] | None:
    """Return the messages before the assistant's part of a unit, and that part; None if it answers nobody.

    It must answer a user, or the result of a tool.
    """
    if isinstance(item, Response):
        return [to_message("user", item.task)], item.output
    for at, turn in enumerate(item.turns):
        if turn.role == "assistant" and unit == f"turn:{turn.turn}":
            before = [*_head(item, scenario), *_dialogue_messages(item.turns[:at])]
            return (before, turn.text) if before and before[-1]["role"] in ("user", "tool") else None
    return None


def is_trainable(chat: list[Message]) -> bool:
    """Whether chat templates take a conversation.

    Nothing in it is empty, a system prompt comes only first, and user and assistant take turns from the user on;
    before what the assistant says in its turn it may have called tools.
    """
    spoken = chat[1:] if chat and chat[0]["role"] == "system" else chat
    next_one = "user"
    for message in spoken:
        if _calls(message):
            if next_one == "user":
                return False
        elif message["role"] != next_one:
            return False
        else:
            next_one = "assistant" if next_one == "user" else "user"
    return bool(spoken) and all(m["content"].strip() or _calls(m) for m in chat)


def _head(item: Dialogue, scenario: bool) -> list[Message]:
    return [to_message("system", item.scenario)] if scenario and item.scenario.strip() else []


def _dialogue_messages(entries: Iterable[Turn]) -> list[Message]:
    """The entries of a dialogue as messages.

    Calls that follow each other are one message. A result answers the first call of that tool that has none yet; one
    without such a call has no id. An assistant that only called tools says nothing.
    """
    messages: list[Message] = []
    waiting: list[tuple[str, str]] = []
    call_count = 0
    for entry in entries:
        arguments = call_arguments(entry)
        if arguments is not None:
            call_count += 1
            id_, function = f"call_{call_count}", {"name": entry.name, "arguments": arguments}
            waiting.append((entry.name, id_))
            if not (messages and messages[-1].get("tool_calls")):
                messages.append({**to_message("assistant", ""), "tool_calls": []})
            messages[-1]["tool_calls"].append({"id": id_, "type": "function", "function": function})
        elif entry.role == "tool":
            call = next((c for c in waiting if entry.name in ("", c[0])), None)
            fields = {"name": entry.name} if entry.name else {}
            if call is not None:
                waiting.remove(call)
                fields = {"name": call[0], "tool_call_id": call[1]}
            messages.append({**to_message("tool", entry.text), **fields})
        elif entry.role != "assistant" or entry.text.strip() or not (messages and _calls(messages[-1])):
            messages.append(to_message(entry.role, entry.text))
    return messages


def _calls(message: Message) -> bool:
    return message["role"] == "tool" or bool(message.get("tool_calls"))
