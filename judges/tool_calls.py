"""Calls of tools, as they are in a dialogue: each call, and each result, is an entry `tool` of its own.

A call's text is `name(arguments)`, as people and judges read it; any other text of such an entry is a result.
"""

from __future__ import annotations

import json
from typing import Any

from judges.types import Turn


def call_text(name: str, arguments: Any) -> str:
    """The text of the entry of a call; arguments that are no text yet are written as JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return f"{name}({text})"


def call_arguments(entry: Turn) -> str | None:
    """The arguments of a call as they were written; None where the entry is a result."""
    text = entry.text
    if entry.role != "tool" or not entry.name or not text.startswith(f"{entry.name}(") or not text.endswith(")"):
        return None
    return text[len(entry.name) + 1 : -1]


def entry_fields(entry: Turn) -> dict[str, Any]:
    """An entry as a judge is shown it: with the name of its tool, where it is one."""
    named = {"name": entry.name} if entry.name else {}
    return {"turn": entry.turn, "role": entry.role, **named, "text": entry.text}
