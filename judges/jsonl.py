"""JSON lines, read one at a time in bounded memory: every line gives an object or a sentence on its problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from judges.strict_json import BadJson, parse_json, parse_with_nan

MAX_LINE_BYTES = 16 * 2**20
"""The longest line, or element of an array, or row, in bytes."""
_BOM = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Record:
    """One line, element or row of a file: its number, and its object, or the problem that kept it from being one.

    A problem is what follows `The line`, with its verb: `is not JSON`, `has 3 fields`.
    """

    line: int
    value: dict[str, Any]
    text: str = ""
    problem: str = ""


def read_jsonl(stream: BinaryIO) -> Iterator[Record]:
    """The records of a stream of JSON lines. Empty lines are skipped; a broken line does not end the reading."""
    number = 0
    while raw := stream.readline(MAX_LINE_BYTES + 2):
        number += 1
        if len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
            while (rest := stream.readline(2**20)) and not rest.endswith(b"\n"):
                pass
            shown = raw[:1000].decode("utf-8", "replace")
            yield Record(number, {}, shown, f"is longer than {MAX_LINE_BYTES // 2**20} MB")
            continue
        if number == 1 and raw.startswith(_BOM):
            raw = raw[3:]
        if not raw.isspace() and raw:
            yield read_jsonl_line(number, raw)


def read_jsonl_line(number: int, raw: bytes) -> Record:
    """The record of one line."""
    try:
        text = raw.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        shown = raw[:1000].decode("utf-8", "replace")
        why = f"is not UTF-8: byte {error.start + 1} of the line is 0x{raw[error.start]:02x}"
        return Record(number, {}, shown, why)
    if "\x00" in text:
        return Record(number, {}, text, "holds the character NUL")
    if text.startswith("\ufeff"):
        return Record(number, {}, text, "begins with a byte order mark: two files were joined here")
    try:
        value = parse_json(text)
    except BadJson as error:
        return Record(number, {}, text, str(error))
    if not isinstance(value, dict):
        return Record(number, {}, text, f"holds {kind_of(value)}: each line must hold one object in braces")
    return Record(number, value, text)


def mend_record(record: Record) -> Record:
    """A record with NaN replaced by null: some tools write NaN for a mean, and it is not valid JSON.

    Any other record is unchanged, also one that would be refused even without NaN.
    """
    if not record.problem:
        return record
    try:
        value = parse_with_nan(record.text)
    except BadJson:
        return record
    return Record(record.line, value, record.text) if isinstance(value, dict) else record


def kind_of(value: Any) -> str:
    """Return the type of a JSON value in words."""
    names = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null" if value is None else "an object")
