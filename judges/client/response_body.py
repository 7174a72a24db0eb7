"""The body of an endpoint's answer, taken apart as endpoints of many makes write it."""

from __future__ import annotations

from typing import Any

Logprobs = tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
"""The tokens of a reply, each with its alternatives and their log-probabilities."""


def message_text(content: Any) -> str:
    """A message's content: a text, or a list of parts of which the texts count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str))
    return ""


def explain_cut_off(tokens: int, most: int) -> str:
    """Why a reply ends early: at the most tokens that were asked for, or before them by the endpoint's own doing."""
    if not 0 < tokens < most:
        return f"the reply was cut off at {most} tokens"
    return f"the reply was cut off after {tokens} tokens, before its {most}: the context or the server's limit is full"


def token_count(value: Any) -> int:
    """A number of tokens; 0 where the endpoint does not give one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


def token_logprobs(found: Any) -> Logprobs:
    """The tokens of a reply, each with its alternatives; () where the endpoint gives none, or another shape."""
    content = found.get("content") if isinstance(found, dict) else None
    try:
        return tuple(
            (
                str(entry["token"]),
                tuple((str(t["token"]), float(t["logprob"])) for t in entry.get("top_logprobs") or ()),
            )
            for entry in content or ()
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return ()
