"""The shape of a reply: as a schema for endpoints that can enforce it, and in words for the others.

It uses the part of JSON Schema that OpenAI's strict mode, vLLM, Ollama and llama.cpp all support: no references, every
object closed, every property required, ranges as lists of values or, for other numbers, in words.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from pydantic import BaseModel

from judges.card import Card
from judges.errors import BadCard

_MAX_LISTED_VALUES = 20
"""An integer range of at most so many values is written as the list of them: not all endpoints know a range."""
_PLAIN = ("string", "integer", "number", "boolean", "null")


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a reply model for structured outputs; the caller's own copy.

    It requires more than reading does (every key, though some have defaults) and less (no bounds of numbers), so a
    reply is still checked when it is read. Raises BadCard if the model cannot be expressed: an object with free keys, a
    value of any type, a recursive model.
    """
    own: dict[str, Any] = json.loads(_text(model))
    return own


def schema_in_words(card: Card) -> str:
    """The text after the material for an endpoint without JSON mode: the keys and the content of each of them.

    "" for a card whose judges answer in prose: its prompt says how they end.
    """
    if card.text is not None:
        return ""
    return (
        "Reply with one JSON object and nothing else, in this shape. <...> stands for a value of that sort, | parts "
        f"what may stand there, ... means more of the same:\n{describe_reply(card.reply)}"
    )


@cache
def describe_reply(model: type[BaseModel]) -> str:
    """A reply model in words: its keys and the content of each of them. Raises BadCard as `strict_schema` does."""
    return _outline(strict_schema(model))


@cache
def _text(model: type[BaseModel]) -> str:
    schema = model.model_json_schema()
    return json.dumps(_node(schema, schema.get("$defs", {}), (), model.__name__))


def _node(node: dict[str, Any], defs: dict[str, Any], within: tuple[str, ...], where: str) -> dict[str, Any]:
    """One node of pydantic's schema in the common subset."""
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        if name in within:
            raise BadCard(f"The reply of {where} holds {name} within itself: no endpoint can be held to that.")
        return _node(defs[name], defs, (*within, name), where)
    if len(node.get("allOf", ())) == 1:
        return _node({**node["allOf"][0]}, defs, within, where)
    options = node.get("anyOf") or node.get("oneOf")
    if options:
        return {"anyOf": [_node(option, defs, within, where) for option in options]}
    if "const" in node:
        return _values([node["const"]])
    if "enum" in node:
        return _values(node["enum"])
    sort = node.get("type")
    if sort == "object" and node.get("properties"):
        inside = {k: _node(v, defs, within, f"{where}.{k}") for k, v in node["properties"].items()}
        return {"type": "object", "properties": inside, "required": list(inside), "additionalProperties": False}
    if sort == "array" and isinstance(node.get("items"), dict):
        return {"type": "array", "items": _node(node["items"], defs, within, f"{where}[]")}
    bounds = [node[name] for name in ("minimum", "maximum") if name in node]
    if sort == "integer" and len(bounds) == 2 and bounds[1] - bounds[0] < _MAX_LISTED_VALUES:
        return {"type": "integer", "enum": list(range(int(bounds[0]), int(bounds[1]) + 1))}
    if sort == "number" and len(bounds) == 2:
        return {"type": sort, "description": describe_span(bounds[0], bounds[1], node.get("multipleOf", 0))}
    if sort == "number" and node.get("description"):
        return {"type": sort, "description": str(node["description"])}
    if sort in _PLAIN:
        return {"type": sort}
    raise BadCard(f"{where} in the reply may hold anything: give it a type, so that an endpoint can be held to it.")


def describe_span(lo: float, hi: float, step: float = 0) -> str:
    """The bounds of a number in words, which every endpoint accepts: not all of them know bounds in a schema."""
    return f"a number from {lo:g} to {hi:g}" + (f", in steps of {step:g}" if step else "")


def _values(values: list[Any]) -> dict[str, Any]:
    """An enumeration with the type of its values."""
    kinds = {bool: "boolean", str: "string", int: "integer", float: "number", type(None): "null"}
    names = list(dict.fromkeys(kinds[type(value)] for value in values))
    if len(names) > 1:
        return {"anyOf": [_values([v for v in values if kinds[type(v)] == name]) for name in names]}
    return {"type": "null"} if names == ["null"] else {"type": names[0], "enum": list(values)}


def _outline(node: dict[str, Any]) -> str:
    """A strict schema as an outline of the JSON it describes."""
    if "anyOf" in node:
        return " | ".join(_outline(option) for option in node["anyOf"])
    if "enum" in node:
        values = node["enum"]
        if node["type"] == "integer" and len(values) > 2 and values == list(range(values[0], values[-1] + 1)):
            return f"<{values[0]} to {values[-1]}>"
        return " | ".join(f'"{value}"' if isinstance(value, str) else str(value).lower() for value in values)
    if node["type"] == "object":
        return "{" + ", ".join(f'"{key}": {_outline(value)}' for key, value in node["properties"].items()) + "}"
    if node["type"] == "array":
        return f"[{_outline(node['items'])}, ...]"
    return {
        "string": "<text>",
        "integer": "<whole number>",
        "number": f"<{node.get('description') or 'number'}>",
        "boolean": "true | false",
        "null": "null",
    }[str(node["type"])]
