"""A JSON list of objects, read element by element, so that a large file need not fit into memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from judges.importing.jsonl import LIMIT, Record, kind_of
from judges.strict_json import DECODER, BadJson, check_characters, check_depth, not_json

_SPACE = re.compile(r"[ \t\r\n]*")
_CHUNK = 2**18
_PLAIN = json.JSONDecoder()
_REST = "the rest of the file was not read"


class TextWindow:
    """The part of a stream that is being looked at, and how many lines lie before it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder("utf-8-sig")()
        self.text, self.at, self.ended = "", 0, False
        self._line, self._counted = 1, 0

    def more(self, size: int = _CHUNK) -> bool:
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
            found = _SPACE.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
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


def read_json_array(stream: BinaryIO) -> Iterator[Record]:
    """The objects of a list, each with the line it begins in. After broken JSON the rest of the file is not read."""
    held = TextWindow(stream)
    try:
        yield from _elements(held)
    except (UnicodeDecodeError, BadJson) as error:
        yield unreadable_record(held, error)


def unreadable_record(held: TextWindow, error: UnicodeDecodeError | BadJson) -> Record:
    """The record of a place from which on a file cannot be read."""
    if isinstance(error, UnicodeDecodeError):
        bad = f"is not UTF-8 from here on (byte 0x{error.object[error.start]:02x}); {_REST}"
        return Record(held.number, {}, "", bad)
    return Record(held.number, {}, held.text[held.at : held.at + 1000], f"{error}; {_REST}")


def _elements(held: TextWindow) -> Iterator[Record]:
    if held.next() != "[":
        raise BadJson("is not a JSON list")
    held.at += 1
    sign = held.next()
    while sign != "]":
        number = held.number
        value, text = next_element(held)
        if isinstance(value, dict):
            yield Record(number, value, text)
        elif isinstance(value, BadJson):
            yield Record(number, {}, text, str(value))
        else:
            yield Record(number, {}, text, f"holds {kind_of(value)}: each element must be an object in braces")
        sign = held.next()
        if sign == ",":
            held.at += 1
            sign = held.next()
            if sign == "]":
                raise BadJson("is not JSON: there is a comma before the end of the list")
        elif sign != "]":
            raise BadJson("is not JSON: " + ("a comma is missing" if sign else "the list ends without a bracket"))
    held.at += 1
    if held.next():
        raise BadJson("is not JSON: something follows the end of the list")


def next_element(held: TextWindow) -> tuple[object, str]:
    """The next element and its text; a value that is refused though its end is known comes back as BadJson."""
    size = _CHUNK
    while True:
        try:
            value, end = _PLAIN.raw_decode(held.text, held.at)
            if end < len(held.text) or held.ended:
                break
            problem = "is not JSON: the file ends within an element"
        except json.JSONDecodeError as error:
            problem = f"is {not_json(error, held.line(error.pos))}"
        except RecursionError:
            raise BadJson("is nested too deep") from None
        except ValueError:
            raise BadJson("holds a number that is too large") from None
        if len(held.text) - held.at > LIMIT:
            raise BadJson(f"{problem}, or an element is longer than {LIMIT // 2**20} MB")
        if not held.more(size):
            raise BadJson(problem)
        size *= 2
    text, held.at = held.text[held.at : end], end
    try:
        check_depth(text)
        value = DECODER.decode(text)
        if "\x00" in text:
            raise BadJson("holds the character NUL")
        check_characters(text, value)
    except BadJson as error:
        return error, text
    return value, text
