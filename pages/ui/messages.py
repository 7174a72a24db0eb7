"""What a component has sent, in the shape that it is agreed on: the browser is anybody's, and may send any JSON.

What has another shape is left out. What it was meant for then says in a sentence what it lacks, or is not done.
"""

from __future__ import annotations

from typing import Any

from pages.ui import session

LONGEST, MOST = 200, 200
"""Letters of a name or an id, and things of one sort in one message; what lies beyond comes with the next one."""


def outbox(key: str) -> dict[str, Any]:
    """What the component with that key has sent last."""
    return as_dict(getattr(session.component_state(key), "outbox", None))


def as_dict(value: Any) -> dict[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list, its first members; an empty one for anything else."""
    return value[:MOST] if isinstance(value, list) else []


def as_text(value: Any, longest: int = LONGEST) -> str:
    """A text that can be stored and asked for; "" for anything else."""
    if not isinstance(value, str) or len(value) > longest or "\0" in value:
        return ""
    return value if value.encode("utf-8", "replace").decode() == value else ""


def as_number(value: Any) -> float | None:
    """A number that can be an answer or a place; None for anything else."""
    sound = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e9
    return float(value) if sound else None


def as_index(value: Any, count: int) -> int | None:
    """A number from 0 to below `count`; None for anything else."""
    found = as_number(value)
    return int(found) if found is not None and found == int(found) and 0 <= found < count else None
