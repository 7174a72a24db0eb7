"""The shape that a reply is to have: from a JSON Schema, or from the outline in words after the material."""

from __future__ import annotations

import json
import re
from typing import Any

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|<[^<>\n]*>|\.\.\.|-?\d+(?:\.\d+)?|true|false|null|[{}\[\]:,|]')
_RANGE = re.compile(r"(-?\d+)\s*(?:to|-|–)\s*(-?\d+)")
_SPAN = re.compile(r"a number from (-?[\d.]+(?:e\+?\d+)?) to (-?[\d.]+(?:e\+?\d+)?)(?:, in steps of ([\d.]+))?")
_MAX_DEPTH = 40


def schema_from_outline(text: str) -> dict[str, Any] | None:
    """The JSON Schema of an outline such as `{"score": <1 to 5>, "verdict": "a" | "b"}`; None where there is none.

    The last line that begins with a brace is taken as the outline, which judges.reading.schema.schema_in_words writes.
    """
    lines = [line.strip() for line in text.split("\n") if line.lstrip().startswith("{")]
    if not lines:
        return None
    try:
        node = _either(_TOKENS.findall(lines[-1])[::-1])
    except (IndexError, ValueError, RecursionError):
        return None
    return node if node.get("type") == "object" else None


def _either(tokens: list[str]) -> dict[str, Any]:
    """The alternatives that the tokens begin with, which are taken off; the next token is the last in the list."""
    options = [_one(tokens)]
    while tokens and tokens[-1] == "|":
        tokens.pop()
        options.append(_one(tokens))
    if len(options) == 1:
        return options[0]
    if all("const" in option for option in options):
        return {"enum": [option["const"] for option in options]}
    return {"anyOf": options}


def _one(tokens: list[str]) -> dict[str, Any]:
    token = tokens.pop()
    if token == "{":
        properties: dict[str, Any] = {}
        while (name := tokens.pop()) != "}":
            if name not in (",", "..."):
                if tokens.pop() != ":":
                    raise ValueError("no value")
                properties[json.loads(name)] = _either(tokens)
        return {"type": "object", "properties": properties}
    if token == "[":
        items: dict[str, Any] = {"type": "string"}
        while tokens[-1] != "]":
            if tokens[-1] in (",", "..."):
                tokens.pop()
            else:
                items = _either(tokens)
        tokens.pop()
        return {"type": "array", "items": items}
    return _leaf(token)


def _leaf(token: str) -> dict[str, Any]:
    if not token.startswith("<"):
        return {"const": json.loads(token)}
    if _SPAN.search(token):
        return {"type": "number", "description": token.strip("<>")}
    if limits := _RANGE.search(token):
        options = [{"type": "integer", "minimum": int(limits[1]), "maximum": int(limits[2])}]
        return {"anyOf": [*options, {"const": "n/a"}]} if "n/a" in token else options[0]
    for word, kind in (("whole", "integer"), ("number", "number"), ("true", "boolean")):
        if word in token:
            return {"type": kind}
    return {"type": "string"}


def schema_range(node: dict[str, Any]) -> tuple[float, float, float]:
    """The ends and the step (0: any number) of a number in a schema: by its keys, or as reading.schema says them."""
    if match := _SPAN.search(str(node.get("description", ""))):
        return float(match[1]), float(match[2]), float((match[3] or "0").rstrip("."))
    low, high = node.get("minimum", node.get("exclusiveMinimum", 1)), node.get("maximum", node.get("exclusiveMaximum"))
    return float(low), float(max(low, 5) if high is None else high), float(node.get("multipleOf", 0))


def follow_reference(node: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """A node of a JSON Schema with its $ref followed."""
    for _ in range(_MAX_DEPTH):
        ref = node.get("$ref")
        if not isinstance(ref, str):
            return node
        inner: Any = root
        for step in ref.removeprefix("#").strip("/").split("/"):
            inner = inner.get(step, {}) if isinstance(inner, dict) else {}
        node = inner
    return {}


def schema_options(node: dict[str, Any], root: dict[str, Any]) -> list[dict[str, Any]]:
    """The alternatives of a node, flattened; one where there are none."""
    node = follow_reference(node, root)
    among = node.get("anyOf") or node.get("oneOf") or node.get("allOf")
    if not among:
        return [node]
    return [option for branch in among for option in schema_options(branch, root)]
