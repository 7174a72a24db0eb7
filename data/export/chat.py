"""Items as conversations of {"role", "content"}, which language models are trained on."""

from __future__ import annotations

from judges.types import Dialogue, Response

Message = dict[str, str]


def said(role: str, content: str) -> Message:
    """One message."""
    return {"role": role, "content": content}


def messages(item: Dialogue | Response, scenario: bool = False) -> list[Message]:
    """A whole item: every turn of a dialogue, or task and output. `scenario`: it goes before all as system prompt."""
    if isinstance(item, Response):
        return [said("user", item.task), said("assistant", item.output)]
    return [*_head(item, scenario), *(said(t.role, t.text) for t in item.turns)]


def fork(item: Dialogue | Response, unit: str, scenario: bool = False) -> tuple[list[Message], str] | None:
    """What was said before the assistant's part of a unit, and that part; None where no user speaks just before it."""
    if isinstance(item, Response):
        return [said("user", item.task)], item.output
    before = _head(item, scenario)
    for turn in item.turns:
        if turn.role == "assistant" and unit == f"turn:{turn.turn}":
            return (before, turn.text) if before and before[-1]["role"] == "user" else None
        before.append(said(turn.role, turn.text))
    return None


def sound(chat: list[Message]) -> bool:
    """Whether chat templates take a conversation: nothing in it is empty, a system prompt stands only before all, and

    user and assistant take turns from the user on.
    """
    spoken = chat[1:] if chat and chat[0]["role"] == "system" else chat
    turns = all(m["role"] == ("assistant" if n % 2 else "user") for n, m in enumerate(spoken))
    return bool(spoken) and turns and all(m["content"].strip() for m in chat)


def _head(item: Dialogue, scenario: bool) -> list[Message]:
    return [said("system", item.scenario)] if scenario and item.scenario.strip() else []
