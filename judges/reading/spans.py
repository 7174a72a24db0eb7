"""The place of each score in a judge's reply: the characters of every value, with its unit and dimension."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]  # the stubs leave it out
from typing import Any

from judges.card import Card, Item
from judges.errors import BadScale
from judges.reading.reading import json_objects
from judges.sections import section_numbers
from judges.types import Dimension, Pair, sort_of

Path = tuple[str | int, ...]
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")
_SPACE = re.compile(r"[ \t\r\n]*")
_MARK = re.compile(r"\[\[\s*(-?\d+(?:\.\d+)?|[A-Ca-c])\s*\]\]")
_SIDES = {"response_a": "a", "response_b": "b", "a": "a", "b": "b"}
_LABELS = ("section_label", "section", "label")
_VALUES = ("score", "value")
_MAX_DEPTH = 50


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """A value in a reply: its cell, its code, and [start, end) of its text without quotes; `prose`: a [[mark]]."""

    unit: str
    dimension: str
    value: float | None
    start: int
    end: int
    text: str
    prose: bool = False


def score_spans(card: Card, item: Item, part: str, raw: str, last: bool = True) -> list[ValueSpan]:
    """Every score that is found in the reply, in the order of the text.

    [] where the reply cannot be read, or nests too deeply.

    In JSON a value belongs to the dimension of the nearest key that names one (or of its `name`), and to the unit that
    the objects around it tell: a `turn`, a section's label, `response_a`. In prose it is the [[mark]] that counts: the
    last, or the first. Callers must still compare the value with the reading.
    """
    if card.text is not None:
        return _marks(card, part, raw, last)
    replies = [reply for reply in json_objects(raw) if reply.keys() & card.reply.model_fields.keys()]
    if len(replies) != 1:
        return []
    at = _whereabouts(raw, replies[0])
    if at is None:
        return []
    try:
        values = list(json_values(raw, at))
    except ValueError:
        return []
    out = []
    for path, start, end, value in values:
        cell = _cell(card, item, part, replies[0], path)
        if cell is None:
            continue
        unit, dimension = cell
        try:
            code = dimension.judged.code(value)
        except BadScale:
            continue
        out.append(ValueSpan(unit, dimension.name, code, start, end, raw[start:end]))
    return out


def json_values(text: str, at: int = 0) -> Iterator[tuple[Path, int, int, Any]]:
    """(path, start, end, value) of every string, number and constant of the JSON value at a place of a text.

    A string's span excludes its quotes. The text must be valid JSON; ValueError if it nests deeper than 50.
    """
    yield from _scan(text, _skip(text, at), (), [0])


def _scan(text: str, at: int, path: Path, end: list[int]) -> Iterator[tuple[Path, int, int, Any]]:
    if len(path) > _MAX_DEPTH:
        raise ValueError("nested too deeply")
    first = text[at]
    if first == '"':
        value, end[0] = scanstring(text, at + 1, True)
        yield path, at + 1, end[0] - 1, value
    elif first == "{" or first == "[":
        at = _skip(text, at + 1)
        index = 0
        while text[at] != ("}" if first == "{" else "]"):
            key: str | int = index
            if first == "{":
                key, at = scanstring(text, at + 1, True)
                at = _skip(text, _skip(text, at) + 1)
            yield from _scan(text, at, (*path, key), end)
            at, index = _skip(text, end[0]), index + 1
            if text[at] == ",":
                at = _skip(text, at + 1)
        end[0] = at + 1
    else:
        end[0] = _NUMBER.match(text, at).end()  # type: ignore[union-attr]
        yield path, at, end[0], json.loads(text[at : end[0]])


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _whereabouts(raw: str, target: dict[str, Any]) -> int | None:
    """The start of the object that was read; if it occurs several times, the last one."""
    decoder = json.JSONDecoder()
    at, tries, start = raw.find("{"), 0, None
    while at >= 0 and tries < 100:
        tries += 1
        try:
            value, end = decoder.raw_decode(raw, at)
        except (ValueError, RecursionError):
            at = raw.find("{", at + 1)
            continue
        if value == target:
            start = at
        at = raw.find("{", end)
    return start


def _cell(card: Card, item: Item, part: str, reply: dict[str, Any], path: Path) -> tuple[str, Dimension] | None:
    """The unit and dimension that the value at a path is about; None where it is about none."""
    turn, section, side, name = "", "", "", ""
    known = {d.name for d in card.dimensions}
    node: Any = reply
    for key in path:
        if isinstance(node, dict):
            if isinstance(node.get("turn"), int) and key != "turn":
                turn = f"turn:{node['turn']}"
            label = next((node[k] for k in _LABELS if isinstance(node.get(k), str) and key != k), None)
            if label is not None:
                labels = [s.label for s in item.sections or []] if isinstance(item, Pair) else []
                number = section_numbers(labels)(label)
                section = "" if number is None else f"section:{number}"
            side = _SIDES.get(str(key), side)
            name = str(key) if key in known else name
            if key in _VALUES and node.get("name") in known:
                name = str(node["name"])
        node = node[key]
    if not name or (path[-1] != name and path[-1] not in _VALUES):
        return None
    if turn:
        unit = turn
    elif section:
        unit = f"{section}/{side}"
    elif side:
        unit = f"response/{side}"
    else:
        sorts = [d.sort for d in card.dimensions if d.name == name and d.sort in ("conversation", "pair", "response")]
        unit = part or (sorts[0] if sorts else "")
    try:
        dimension = card.dimension(name, unit) if unit and sort_of(unit) else None
    except BadScale:
        return None
    return (unit, dimension) if dimension is not None else None


def _marks(card: Card, part: str, raw: str, last: bool) -> list[ValueSpan]:
    marks = list(_MARK.finditer(raw))
    if not marks:
        return []
    dimension = card.dimensions[0]
    unit = part or dimension.sort
    mark = marks[-1 if last else 0]
    text = mark[1]
    try:
        value = dimension.judged.code({"c": "tie"}.get(text.lower(), text) if text.isalpha() else float(text))
    except BadScale:
        return []
    return [ValueSpan(unit, dimension.name, value, mark.start(1), mark.end(1), text, True)]
