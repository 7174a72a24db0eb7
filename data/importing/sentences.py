"""The findings of a validation, as sentences that a person can act on."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from judges.plural import many
from judges.strict_json import show_value
from judges.types import WAYS

_MAX_PROBLEMS = 8
_SHOULD = re.compile(r"^(input|value|string|list|dictionary) should")
_TAGS = ("dialogue", "pair", "response")


def validation_problems(error: ValidationError, noun: str = "line") -> list[tuple[str, str]]:
    """(field, sentence) for everything that a model refused, at most a handful; `noun` was read: a line has a meta."""
    problems = [
        _problem(detail, noun) for detail in error.errors(include_url=False, include_context=True)[:_MAX_PROBLEMS]
    ]
    left = error.error_count() - len(problems)
    return problems + ([("", f"It has {many(left, 'more error')}.")] if left > 0 else [])


def _problem(detail: Any, noun: str) -> tuple[str, str]:
    where = [part for part in detail["loc"] if part not in WAYS]
    if where and where[0] in _TAGS:
        where = where[1:]
    name = ".".join(str(part) for part in where)
    kind, value = detail["type"], detail.get("input")
    if kind == "missing":
        return name, f"{name} is missing. Add it."
    if kind == "extra_forbidden":
        remove = "Remove it, or put it into meta." if noun == "line" else "Remove it."
        return name, f"{show_value(name)} is an unknown key. {remove}"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return "kind", "kind must be dialogue, pair or response."
    message = detail["msg"].removeprefix("Value error, ").rstrip(".")
    if kind == "value_error":
        return name, f"{name}: {message}." if name else f"{message[:1].upper()}{message[1:]}."
    message = _SHOULD.sub("must", message[:1].lower() + message[1:])
    return name, f"{name or f'The {noun}'}: {message} (it is {show_value(value)})."
