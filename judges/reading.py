"""A judge's reply as it came, turned into scores, or into an *unscored* judgment with the reason. Never a default."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from judges.card import Card
from judges.types import Dialogue, Pair, Reading, Response

_TRIES = 500
"""How many braces in prose are tried as the start of an object: a reply has one, a hostile one a million."""
_RANGE = {"greater_than_equal", "less_than_equal", "greater_than", "less_than", "int_from_float", "literal_error"}


def read(card: Card, reply: str | dict[str, Any], item: Dialogue | Pair | Response, part: str = "") -> Reading:
    """The scores of one reply for one item; `part` is the unit that the reply is about where it is not the whole item.

    A text that holds no JSON object, or more than one that differ, is unscored as `unreadable`; a value off its scale
    as `out_of_range`; a missing field, turn or section as `incomplete`.
    """
    if isinstance(reply, str):
        if card.text is not None:
            data: Any = card.text(reply, part)
        else:
            found = objects(reply)
            if len(found) != 1:
                return _no_object(reply, len(found))
            data = found[0]
    else:
        data = reply
    try:
        model = card.reply.model_validate(data)
    except ValidationError as error:
        return _invalid(error)
    return card.read(model, item)


def objects(text: str) -> list[dict[str, Any]]:
    """The distinct JSON objects that a text holds: the whole text, else in code fences, else anywhere in the prose."""
    for candidates in ([text], _fenced(text)):
        parsed = [value for value in map(_object, candidates) if value is not None]
        if parsed:
            return _distinct(parsed)
    found: list[dict[str, Any]] = []
    decoder, at, tries = json.JSONDecoder(parse_constant=_no_constant), text.find("{"), 0
    while at >= 0 and tries < _TRIES:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            # What lies before the fault belongs to a broken object: an object inside it is no reply of its own.
            at = text.find("{", max(error.pos, at + 1))
            continue
        except (ValueError, RecursionError):
            break
        if isinstance(value, dict) and value:
            found.append(value)
        at = text.find("{", end)
    return _distinct(found)


def _fenced(text: str) -> list[str]:
    """The contents of the code fences, line by line: a regular expression takes cubic time on many empty lines."""
    found: list[str] = []
    inside: list[str] | None = None
    for line in text.split("\n"):
        if not line.lstrip().startswith("```"):
            if inside is not None:
                inside.append(line)
        elif inside is not None:
            found.append("\n".join(inside))
            inside = None
        elif line.strip().lower() in ("```", "```json"):
            inside = []
    return found


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _distinct(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for value in values:
        if value not in out:
            out.append(value)
    return out


def _no_object(text: str, found: int) -> Reading:
    if found > 1:
        return Reading(unscored="unreadable", why=f"the reply holds {found} different JSON objects")
    if text.count("{") > text.count("}"):
        return Reading(unscored="cut_off", why="the reply's JSON ends before it is complete")
    return Reading(
        unscored="unreadable", why="the reply holds no JSON object" if text.strip() else "the reply is empty"
    )


def _invalid(error: ValidationError) -> Reading:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    kinds = {e["type"] for e in error.errors()}
    if "missing" in kinds:
        missing = [".".join(map(str, e["loc"])) for e in error.errors() if e["type"] == "missing"]
        return Reading(unscored="incomplete", why=f"the reply lacks {', '.join(missing[:5])}")
    reason = "out_of_range" if kinds & _RANGE else "unreadable"
    got = repr(first.get("input"))
    return Reading(unscored=reason, why=f"{where}: {first['msg'].lower()} (got {got[:60]})")  # type: ignore[arg-type]
