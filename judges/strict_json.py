"""Strict JSON: text that other parsers would read differently, or not at all, is refused with a sentence."""

from __future__ import annotations

import itertools
import json
import math
import re
from contextlib import suppress
from typing import Any

# What json.JSONEncoder makes anew for every value, made once: keys sorted, nothing escaped that need not be, no NaN.
_parts = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
    None, json.JSONEncoder().default, json.encoder.encode_basestring, None, ":", ",", True, False, False
)
MAX_DEPTH = 100
_DIGITS = 20  # as long as 64 bits can be: identifiers and nanoseconds are, scores are not
_LONG = b"9" * (_DIGITS + 1)
_NINES = bytes(ord("9") if chr(code).isdecimal() and code < 128 else code for code in range(256))
# A text that is never closed is taken to the end: looking again from each quote in it would take quadratic time.
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
_NOT_FINITE = re.compile(rf"{_STRING.pattern}|-?\b(?:NaN|Infinity)\b", re.DOTALL)
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_ODD = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # after an even number of backslashes, the last of which would be escaped


class BadJson(ValueError):
    """Text that is not taken as JSON; the message is what follows `The line`: `is not JSON`, `holds NaN`."""


def parse_json(text: str) -> Any:
    """The value of a JSON text. Raises BadJson.

    Refused beyond bad syntax: a key that occurs twice in one object, NaN and Infinity, numbers that leave 64 bits,
    more than MAX_DEPTH levels, the character NUL, and halves of surrogate pairs.
    """
    value = _parse(text)
    check_characters(text, value)
    return value


def _parse(text: str) -> Any:
    check_depth(text)
    try:
        long = _LONG in text.encode("utf-8", "surrogatepass").translate(_NINES)
        return (DECODER if long else _QUICK).decode(text)
    except json.JSONDecodeError as error:
        raise BadJson(f"is {not_json(error)}") from None
    except RecursionError:
        raise BadJson(f"is nested more than {MAX_DEPTH} levels deep") from None


def parse_with_nan(text: str) -> Any:
    """The value of a text that is JSON except for NaN and infinities, which some tools write; they become null.

    Raises BadJson if the text contains none of them, and for everything else that `parse_json` refuses.
    """
    plain = _NOT_FINITE.sub(lambda match: match[0] if match[0].startswith('"') else "null", text)
    if plain == text:
        raise BadJson("holds no NaN")
    return parse_json(plain)


def decode_json(value: Any) -> Any:
    """The value of a text that is a list or an object of JSON; anything else as it is.

    NaN becomes null. What `parse_json` refuses stays the text that it is, except for characters that cannot be stored:
    what takes the value looks for those (`check_value`).
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        for parse in (_parse, parse_with_nan):
            with suppress(BadJson):
                return parse(value)
    return value


def check_depth(text: str) -> None:
    """Raise BadJson when brackets lie over MAX_DEPTH deep; counted before parsing, which deep nesting could break."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    steps = map(_STEP.__getitem__, re.findall(r"[\[\]{}]", _STRING.sub("", text)))
    deepest = max(itertools.accumulate(steps), default=0)
    if deepest > MAX_DEPTH:
        raise BadJson(f"is nested {deepest} levels deep: at most {MAX_DEPTH} are allowed")


def storable_text(text: str) -> str:
    """A text that every store can hold: NUL and halves of surrogate pairs are replaced by a mark."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def check_characters(text: str, value: Any) -> None:
    """Raise BadJson when an escape in the text put a NUL or half a surrogate pair into the value."""
    if "\\u" in text and _ODD.search(text):
        check_value(value)


def check_value(value: Any) -> None:
    """Raise BadJson when a text anywhere in the value holds what cannot be stored: NUL, half a surrogate pair."""
    try:
        plain = canonical(value)
        plain.encode("utf-8")
    except UnicodeEncodeError:
        raise BadJson("holds half of a surrogate pair (\\ud800 to \\udfff), which is no character") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise BadJson(f"holds a value that JSON cannot hold: {str(error)[:80].lower()}") from None
    if "\\u0000" in plain and _NUL.search(plain):
        raise BadJson("holds the character NUL (\\u0000)")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise BadJson(f"has the key {double[:60]!r} twice in one object")
    return value


def _constant(name: str) -> Any:
    raise BadJson(f"holds {name}, which is not a JSON number")


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > _DIGITS:
        raise BadJson(f"holds the number {digits[:20]}..., which is too large")
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise BadJson(f"holds the number {digits[:20]}, which is too large")
    return value


DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_integer, parse_float=_number)
_QUICK = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_number)
"""For texts without a number that could be too long: what looks at every whole number takes a third of the time."""


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces, so that equal values are equal texts."""
    return "".join(_parts(value, 0))


def not_json(error: json.JSONDecodeError, where: str = "") -> str:
    """Return a phrase that says why and where a text is not JSON. A final `at` of the library's message is removed."""
    message = error.msg[:1].lower() + error.msg[1:]
    return f"not JSON: {message.removesuffix(' at')} {where or f'at character {error.pos + 1}'}"


def show_value(value: Any) -> str:
    """A value as a message can hold it: on one line, not longer than 60 characters."""
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if value is None:
        return "null"
    if isinstance(value, str):
        value = value[:80]
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
