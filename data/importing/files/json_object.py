"""A file that is one JSON object: its long lists are read element by element, so that it need not fit into memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, BinaryIO

from data.importing.files.json_array import TextWindow, next_element, unreadable_record
from judges.importing.jsonl import Record, kind_of
from judges.strict_json import BadJson

Path = tuple[str, ...]


def read_json_object(stream: BinaryIO, lists: Collection[Path]) -> Iterator[Record]:
    """The object in parts, each in the shape of the whole: first what comes before a list, then every element of it.

    `lists` are the paths of the lists that are taken apart: {"a": 1, "b": [x, y], "c": 2} with ("b",) is {"a": 1},
    {"b": [x]}, {"b": [y]} and {"c": 2}. After broken JSON the rest of the file is not read.
    """
    held = TextWindow(stream)
    try:
        yield from _Walk(held, frozenset(lists)).whole()
    except (UnicodeDecodeError, BadJson) as error:
        yield unreadable_record(held, error)


class _Walk:
    """The way through an object; `frame` is what was met since a part was given last."""

    def __init__(self, held: TextWindow, lists: frozenset[Path]) -> None:
        self._held, self._lists = held, lists
        self._open = {path[:n] for path in lists for n in range(len(path))}
        self._frame: dict[str, Any] = {}
        self._begins = 1

    def whole(self) -> Iterator[Record]:
        """All parts."""
        self._held.next()
        self._begins = self._held.number
        yield from self._object(())
        yield from self._given()
        if self._held.next():
            raise BadJson("is not JSON: something follows the end of the object")

    def _given(self) -> Iterator[Record]:
        if self._frame:
            yield Record(self._begins, self._frame)
        self._frame = {}

    def _object(self, path: Path) -> Iterator[Record]:
        held = self._held
        held.at += 1
        sign = held.next()
        while sign != "}":
            key, _ = next_element(held)
            if not isinstance(key, str):
                raise BadJson(f"is not JSON: {kind_of(key)} stands where a key must")
            if held.next() != ":":
                raise BadJson("is not JSON: a colon is missing after a key")
            held.at += 1
            sign, here = held.next(), (*path, key)
            if sign == "{" and here in self._open:
                yield from self._object(here)
            elif sign == "[" and here in self._lists:
                yield from self._given()
                yield from self._list(here)
            else:
                value, _ = next_element(held)
                if isinstance(value, BadJson):
                    raise value
                _put(self._frame, here, value)
            sign = held.next()
            if sign == ",":
                held.at += 1
                sign = held.next()
                if sign == "}":
                    raise BadJson("is not JSON: there is a comma before the end of the object")
            elif sign != "}":
                raise BadJson("is not JSON: " + ("a comma is missing" if sign else "the file ends within the object"))
        held.at += 1

    def _list(self, path: Path) -> Iterator[Record]:
        held = self._held
        held.at += 1
        sign = held.next()
        if sign == "]":
            _put(self._frame, path, [])
        while sign != "]":
            number = held.number
            value, text = next_element(held)
            if isinstance(value, BadJson):
                yield Record(number, {}, text, str(value))
            else:
                yield Record(number, _put({}, path, [value]))
            sign = held.next()
            if sign == ",":
                held.at += 1
                sign = held.next()
            elif sign != "]":
                raise BadJson("is not JSON: " + ("a comma is missing" if sign else "the file ends within a list"))
        held.at += 1
        self._begins = held.number


def _put(whole: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    inner = whole
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = value
    return whole
