"""A judge's reply corrected by people's answers: only values that differ are changed."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judges.card import Card, Item
from judges.reading.reading import read_reply
from judges.reading.schema import strict_schema

Place = tuple[str, str]
"""(unit, dimension)"""
_MAX_TRIED_VALUES = 400
"""Values in a reply that are tried for each cell."""


@dataclass(frozen=True)
class CorrectedReply:
    """A corrected reply, its corrected cells, and the cells that differ from people but could not be corrected."""

    reply: dict[str, Any]
    corrected: tuple[Place, ...] = ()
    uncorrected: tuple[Place, ...] = ()


def correct_reply(
    card: Card, item: Item, part: str, reply: dict[str, Any], gold: Mapping[Place, float | None]
) -> CorrectedReply:
    """The reply with the gold of each cell instead of the judge's value, wherever the card reads that value from.

    A value is changed only if that moves this cell to its gold and changes no other cell that people are asked about.
    """
    now, done, left = reply, list[Place](), list[Place]()
    reply_scores = _scores(card, item, part, now) or {}
    for place, value in gold.items():
        if place not in reply_scores or reply_scores[place] == value:
            continue
        changed = _change_reply(card, item, part, now, reply_scores, place, value)
        if changed is None:
            left.append(place)
        else:
            now, reply_scores = changed, reply_scores | {place: value}
            done.append(place)
    return CorrectedReply(now, tuple(done), tuple(left))


def order_keys(card: Card, reply: dict[str, Any]) -> dict[str, Any]:
    """The reply with its keys in the card's order, because a stored reply may be sorted."""
    return dict(_order_keys(reply, strict_schema(card.reply)))


def _order_keys(value: Any, node: dict[str, Any]) -> Any:
    if isinstance(value, dict) and node.get("type") == "object":
        keys = sorted(value, key=lambda key: list(node["properties"]).index(key) if key in node["properties"] else 999)
        return {key: _order_keys(value[key], node["properties"].get(key, {})) for key in keys}
    if isinstance(value, list) and node.get("type") == "array":
        return [_order_keys(element, node["items"]) for element in value]
    inner = next((branch for branch in node.get("anyOf", ()) if branch.get("type") in ("object", "array")), None)
    return _order_keys(value, inner) if inner is not None and isinstance(value, (dict, list)) else value


def _change_reply(
    card: Card,
    item: Item,
    part: str,
    reply: dict[str, Any],
    reply_scores: Mapping[Place, float | None],
    place: Place,
    value: float | None,
) -> dict[str, Any] | None:
    unit, name = place
    dimension = card.dimension(name, unit)
    if dimension is None:
        return None
    answer: Any = dimension.scale.format(value)
    if dimension.scale.kind == "turn" and not value:
        answer = None
    elif value is not None and dimension.scale.kind == "flag":
        answer = bool(value)
    elif value is not None and dimension.scale.kind in ("ordinal", "turn", "interval"):
        answer = int(value) if value == int(value) else value
    for path in sorted(_leaves(reply), key=lambda path: name not in path)[:_MAX_TRIED_VALUES]:
        other = _with(reply, path, answer)
        scores = _scores(card, item, part, other)
        if scores is not None and scores.get(place, ...) == value:
            moved = {p for p in scores.keys() | reply_scores.keys() if scores.get(p, ...) != reply_scores.get(p, ...)}
            others = [card.dimension(name, unit) for unit, name in moved - {place}]
            if not any(d is not None and d.asked for d in others):
                return other
    return None


def _scores(card: Card, item: Item, part: str, reply: dict[str, Any]) -> dict[Place, float | None] | None:
    """The scores of a reply; None where it cannot be read."""
    reading = read_reply(card, json.dumps(reply, ensure_ascii=False), item, part)
    return None if reading.unscored else {(s.unit, s.dimension): s.value for s in reading.scores}


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to every single value."""
    if isinstance(value, Mapping):
        for key, element in value.items():
            yield from _leaves(element, (*path, key))
    elif isinstance(value, list):
        for number, element in enumerate(value):
            yield from _leaves(element, (*path, number))
    else:
        yield path


def _with(reply: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    new_reply = copy.deepcopy(reply)
    at: Any = new_reply
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return new_reply
