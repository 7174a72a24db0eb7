"""A file that is one JSON list or object, read element by element, so that it need not fit into memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from judges.importing.column_names import WORDS, normalize
from judges.jsonl import MAX_LINE_BYTES, Record, kind_of
from judges.strict_json import DECODER, BadJson, check_characters, check_depth, not_json, parse_with_nan

_SPACE = re.compile(r"[ \t\r\n]*")
_CHUNK = 2**18
_PLAIN = json.JSONDecoder()
_REST = "the rest of the file was not read"
Path = tuple[str, ...]


class TextWindow:
    """The part of a stream that is being looked at, and how many lines lie before it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder("utf-8-sig")()
        self.text, self.at, self.ended = "", 0, False
        self._line, self._counted, self._element = 1, 0, 0

    def read_on(self, size: int = _CHUNK) -> bool:
        """Read on; what was passed is dropped. False at the end."""
        if self.ended:
            return False
        raw = self._stream.read(size)
        self.ended = not raw
        _ = self.number
        self.text = self.text[self.at :] + self._decoder.decode(raw, final=self.ended)
        self.at = self._counted = 0
        return True

    def next(self) -> str:
        """The next character that is no space, or "" at the end."""
        while True:
            match = _SPACE.match(self.text, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.read_on():
                return ""

    def line(self, at: int) -> str:
        """The line of a place behind the next character, in words."""
        return f"in line {self.number + self.text.count(chr(10), self.at, at):,}"

    @property
    def number(self) -> int:
        """The line of the next character."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def number_element(self) -> int:
        """The number of the next element of a list: its line, or one more than the element before if that is there too.

        So no two elements share a number, though a program may have written all of them in one line.
        """
        self._element = max(self.number, self._element + 1)
        return self._element


def read_json_array(stream: BinaryIO) -> Iterator[Record]:
    """The objects of a list, each with its number (`number_element`). After broken JSON the rest is not read."""
    return _read(TextWindow(stream), "list", frozenset())


def read_json_object(stream: BinaryIO, lists: Collection[Path]) -> Iterator[Record]:
    """The object in parts, each in the shape of the whole: first what comes before a list, then every element of it.

    `lists` are the paths of the lists that are taken apart: {"a": 1, "b": [x, y], "c": 2} with ("b",) is {"a": 1},
    {"b": [x]}, {"b": [y]} and {"c": 2}. After broken JSON the rest of the file is not read. A part that holds NaN
    beside its lists has null in its place, and that as its problem.
    """
    return _read(TextWindow(stream), "object", frozenset(lists))


def _read(window: TextWindow, kind: str, lists: frozenset[Path]) -> Iterator[Record]:
    try:
        yield from _array(window) if kind == "list" else _Walk(window, lists).all_parts()
        if window.next():
            raise BadJson(f"is not JSON: something follows the end of the {kind}")
    except UnicodeDecodeError as error:
        bad = f"is not UTF-8 from here on (byte 0x{error.object[error.start]:02x}); {_REST}"
        yield Record(window.number, {}, "", bad)
    except BadJson as error:
        yield Record(window.number, {}, window.text[window.at : window.at + 1000], f"{error}; {_REST}")


def _members(window: TextWindow, close: str, cut: str, strict: bool = True) -> Iterator[None]:
    """Goes through a list or an object, from bracket to bracket; the caller reads each member.

    `cut` is said where the file ends before it is closed; `strict` refuses a comma before its end.
    """
    window.at += 1
    sign = window.next()
    while sign != close:
        yield
        sign = window.next()
        if sign == ",":
            window.at += 1
            sign = window.next()
            if sign == close and strict:
                kind = "list" if close == "]" else "object"
                raise BadJson(f"is not JSON: there is a comma before the end of the {kind}")
        elif sign != close:
            raise BadJson("is not JSON: " + ("a comma is missing" if sign else cut))
    window.at += 1


def _array(window: TextWindow) -> Iterator[Record]:
    if window.next() != "[":
        raise BadJson("is not a JSON list")
    for _ in _members(window, "]", "the list ends without a bracket"):
        number = window.number_element()
        value, text = next_element(window)
        if isinstance(value, dict):
            yield Record(number, value, text)
        elif isinstance(value, BadJson):
            yield Record(number, {}, text, str(value))
        else:
            yield Record(number, {}, text, f"holds {kind_of(value)}: each element must be an object in braces")


class _Walk:
    """The way through an object; `frame` is what was met since a part was given last."""

    def __init__(self, window: TextWindow, lists: frozenset[Path]) -> None:
        self._window, self._lists = window, lists
        self._open = {path[:n] for path in lists for n in range(len(path))}
        self._frame: dict[str, Any] = {}
        self._problem = ""

    def all_parts(self) -> Iterator[Record]:
        self._window.next()
        self._begins = self._window.number
        yield from self._object(())
        yield from self._close_frame()

    def _close_frame(self) -> Iterator[Record]:
        if self._frame:
            yield Record(self._begins, self._frame, "", self._problem)
        self._frame, self._problem = {}, ""

    def _object(self, path: Path) -> Iterator[Record]:
        window = self._window
        met: set[str] = set()
        for _ in _members(window, "}", "the file ends within the object"):
            key, _ = next_element(window)
            if not isinstance(key, str):
                raise BadJson(f"is not JSON: {kind_of(key)} stands where a key must")
            if key in met:
                raise BadJson(f"has the key {key[:60]!r} twice in one object")
            met.add(key)
            if window.next() != ":":
                raise BadJson("is not JSON: a colon is missing after a key")
            window.at += 1
            sign, key_path = window.next(), (*path, key)
            if sign == "{" and key_path in self._open:
                yield from self._object(key_path)
            elif sign == "[" and key_path in self._lists:
                yield from self._close_frame()
                yield from self._list(key_path)
            else:
                value, text = next_element(window)
                if isinstance(value, BadJson):
                    value, self._problem = _with_nan(text, value), str(value)
                _put(self._frame, key_path, value)

    def _list(self, path: Path) -> Iterator[Record]:
        empty = True
        for _ in _members(self._window, "]", "the file ends within a list", strict=False):
            number = self._window.number_element()
            value, text = next_element(self._window)
            if isinstance(value, BadJson):
                yield Record(number, {}, text, str(value))
            else:
                yield Record(number, _put({}, path, [value]))
            empty = False
        if empty:
            _put(self._frame, path, [])
        self._begins = self._window.number


def _put(root: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    inner = root
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = value
    return root


def _with_nan(text: str, problem: BadJson) -> Any:
    """Return the value of an element that is JSON except for NaN. Raises `problem` if it is no such JSON."""
    try:
        return parse_with_nan(text)
    except BadJson:
        raise problem from None


def next_element(window: TextWindow) -> tuple[object, str]:
    """The next element and its text; a value that is refused though its end is known comes back as BadJson."""
    size = _CHUNK
    while True:
        try:
            value, end = _PLAIN.raw_decode(window.text, window.at)
            if end < len(window.text) or window.ended:
                break
            problem = "is not JSON: the file ends within an element"
        except json.JSONDecodeError as error:
            problem = f"is {not_json(error, window.line(error.pos))}"
        except RecursionError:
            raise BadJson("is nested too deep") from None
        except ValueError:
            raise BadJson("holds a number that is too large") from None
        if len(window.text) - window.at > MAX_LINE_BYTES:
            raise BadJson(f"{problem}, or an element is longer than {MAX_LINE_BYTES // 2**20} MB")
        if not window.read_on(size):
            raise BadJson(problem)
        size *= 2
    text, window.at = window.text[window.at : end], end
    try:
        check_depth(text)
        value = DECODER.decode(text)
        check_characters(text, value)
    except BadJson as error:
        return error, text
    return value, text


def wraps_rows(value: Mapping[str, Any]) -> bool:
    """Whether an object is no row but holds rows or columns: it has lists or objects in place of cells."""
    if _has_columns(value):
        return True
    inner = [cell for cell in value.values() if isinstance(cell, (list, dict))]
    if any(normalize(key) in names for key in value for names in WORDS["fields"].values()):
        return False
    nested = bool(inner) and len(inner) == len(value)
    return nested or any(isinstance(cell, list) and isinstance(next(iter(cell), None), (list, dict)) for cell in inner)


def _has_columns(value: Mapping[str, Any]) -> bool:
    """Whether an object is a table by its columns (or rows), as pandas writes it: all its cells are alike, and long."""
    shapes = {
        tuple(cell) if isinstance(cell, dict) else len(cell) if isinstance(cell, list) else 0 for cell in value.values()
    }
    return len(value) > 1 and len(shapes) == 1 and shapes.isdisjoint({0, 1, ()})


def explain_object(name: str, rows: Iterable[Mapping[str, Any]], whose: str = "") -> str:
    """A sentence on a file that is one object (`rows` has it, if it can be read) and no table, and what to do."""
    rows = list(rows)
    named = ", ".join(sorted({str(key) for row in rows for key in row}))[:200] or "none that can be read"
    split = ({"data", "columns"}, {"data", "schema"})
    of_pandas = any(_has_columns(row) or any(keys <= row.keys() for keys in split) for row in rows)
    records = ": with pandas, to_json(orient='records')" if of_pandas else ""
    return (
        f"{name} is one JSON object {whose}(its keys: {named}). Give its rows as a list in brackets, or as JSON lines"
        f"{records}."
    )
