"""Tables as text: encoding and delimiter are found out, every row must have as many fields as the header."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from judges.authoring.scale_inference import survey
from judges.errors import BadInput
from judges.importing.column_names import column_names, detect_delimiter, is_unnamed, stated_delimiter
from judges.importing.encodings import detect_encoding
from judges.jsonl import MAX_LINE_BYTES, Record
from judges.plural import many

SPREAD = 4 * 2**20
"""The most characters that one row may have on several lines: beyond it, a quote was never closed."""
_COLUMNS, _FIELDS = 1_000, 1_000_000
_NAME_LETTERS = 80
"""The most letters of a cell in a second row of names."""
SAMPLE = 2**16
"""Bytes at the beginning of a table that show how it is written."""
csv.field_size_limit(MAX_LINE_BYTES)


@dataclass(frozen=True)
class Dialect:
    """The encoding and the delimiter of a table's text."""

    encoding: str
    delimiter: str


def detect_dialect(name: str, head: bytes) -> Dialect:
    """The dialect of a table, from its first bytes. Raises BadInput where the encoding cannot be recognised."""
    encoding = detect_encoding(head)
    if not encoding:
        raise BadInput(f"{name}: its encoding cannot be detected. Save it as UTF-8 and import it again.")
    text = head.decode(encoding, "ignore").lstrip("\ufeff")
    return Dialect(encoding, detect_delimiter(text, complete=len(head) < SAMPLE))


class _RowTooLong(csv.Error):
    """Raised for a row that is too long, which ends the reading; the message is words that follow `The row`."""


class _Lines:
    """The lines of a stream, decoded; the numbers of those that hold what is no text are kept in `bad`.

    `row` has the lines of the row that is being read, which begins in line `first`.
    """

    def __init__(self, stream: BinaryIO, dialect: Dialect) -> None:
        self._stream, self._encoding, self._delimiter = stream, dialect.encoding, dialect.delimiter
        self.bad: dict[int, str] = {}
        self.number, self.first = 0, 1
        self.row: list[str] = []
        self._size = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._wide() if self._encoding.startswith("utf-16") else self._decoded_lines():
            if "\x00" in line:
                self.bad[self.number] = "holds the character NUL"
            text = line.lstrip("\ufeff") if self.number == 1 else line
            self.row.append(text)
            self._size += len(text)
            if self._size > SPREAD and len(self.row) > 1:
                raise _RowTooLong(
                    f"opens a quote in line {self.open_quote_line()} that is not closed within {SPREAD // 2**20} MB"
                )
            yield text

    def begin(self) -> None:
        """A row is done: the next line is the first of another."""
        self.row.clear()
        self._size, self.first = 0, self.number + 1

    def open_quote_line(self) -> int:
        """The line of the quote in this row that does not close where a field ends."""
        text, place = "".join(self.row), 0
        ends = f"{re.escape(self._delimiter)}\r\n"
        for quoted in re.finditer(rf'(?<![^{ends}])"(?:[^"]++|"")*+("(?=[{ends}]|\Z))?', text):
            place = quoted.start()
            if not quoted[1]:
                break
        return self.first + text.count("\n", 0, place)

    def _decoded_lines(self) -> Iterator[str]:
        while raw := self._stream.readline(MAX_LINE_BYTES + 2):
            self.number += 1
            self._long(len(raw), raw.count(self._delimiter.encode()))
            try:
                yield raw.decode(self._encoding)
            except UnicodeDecodeError as error:
                self.bad[self.number] = f"is not {self._encoding} (byte 0x{raw[error.start]:02x})"
                yield raw.decode(self._encoding, "replace")

    def _wide(self) -> Iterator[str]:
        text = io.TextIOWrapper(self._stream, self._encoding, errors="replace", newline="")
        try:
            while line := text.readline(MAX_LINE_BYTES + 2):
                self.number += 1
                self._long(len(line), line.count(self._delimiter))
                if "\ufffd" in line:
                    self.bad[self.number] = f"is not {self._encoding}"
                yield line
        finally:
            text.detach()

    def _long(self, size: int, signs: int) -> None:
        if size > MAX_LINE_BYTES:
            raise _RowTooLong(f"is longer than {MAX_LINE_BYTES // 2**20} MB")
        if signs > _FIELDS:
            raise _RowTooLong(f"has more than {_FIELDS:,} fields")


def read_csv(name: str, stream: BinaryIO, dialect: Dialect) -> Iterator[Record]:
    """The rows below the header, as objects of texts. Raises BadInput for a header that names no columns.

    The first two are left out where Qualtrics has the texts of the questions and their ids there.
    """
    rows = _read_rows(name, stream, dialect)
    first = list(itertools.islice(rows, 2))
    has_ids = len(first) == 2 and any(cell.startswith('{"ImportId"') for cell in first[1].value.values())
    yield from rows if has_ids else itertools.chain(first, rows)


def _read_rows(name: str, stream: BinaryIO, dialect: Dialect) -> Iterator[Record]:
    lines = _Lines(stream, dialect)
    reader = csv.reader(lines, delimiter=dialect.delimiter, strict=True)
    header: list[str] | None = None
    is_first = True
    while True:
        problem, row = "", []
        lines.begin()
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = _problem(error, lines)
        for number in range(lines.first, lines.number + 1) if lines.bad else ():
            problem = problem or lines.bad.pop(number, "")
        if header is None:
            if lines.first == 1 and stated_delimiter(dialect.delimiter.join(row)):
                continue
            if problem:
                raise BadInput(f"{name}: its header (line {lines.first}) {problem}. It must name the columns.")
            header = _header(name, row) if any(cell.strip() for cell in row) else None
            continue
        if not problem and not any(cell.strip() for cell in row):
            continue
        joined = join_headers(header, row) if is_first and not problem and len(row) == len(header) else []
        is_first = False
        if joined:
            header = _header(name, joined)
            continue
        if not problem and len(row) != len(header):
            problem = f"has {many(len(row), 'field')}, and the header has {len(header)}"
        value = {} if problem else dict(zip(header, row, strict=True))
        yield Record(lines.first, value, "".join(lines.row)[:100_000] if problem else "", problem)


def _problem(error: csv.Error, lines: _Lines) -> str:
    """Return the meaning of a reader's error, as words that follow `The row`; a quote is named by its line."""
    message = str(error)
    if isinstance(error, _RowTooLong):
        return f"{message}; the rest of the file was not read"
    if "unexpected end" in message:
        return f"opens a quote in line {lines.open_quote_line()} that is never closed"
    if "expected after" in message:
        line = lines.open_quote_line()
        return f"has a quote, opened in line {line}, that is closed within a text: one is missing or too many"
    return f"breaks the rules of CSV ({message.rstrip('.?')})"


def _header(name: str, row: list[str]) -> list[str]:
    names = column_names(row)
    if len(names) > _COLUMNS:
        raise BadInput(f"{name} has {len(names)} columns: at most {_COLUMNS} are allowed.")
    double = sorted({n for n in names if names.count(n) > 1})
    if double:
        raise BadInput(f"{name}: its header names {double[0][:60]!r} twice. Each column needs a name of its own.")
    return names


def join_headers(names: Sequence[str], second: Sequence[str]) -> list[str]:
    """The names of a table below whose groups of columns a second row says what each holds; empty for any other.

    Human, "", LLM, "" and tone, truth, tone, truth are Human tone, Human truth, LLM tone and LLM truth.
    """
    groups: list[str] = []
    for place, name in enumerate(names):
        groups.append((groups[-1] if groups else "") if is_unnamed(name, place) else name)
    below = [cell.strip() for cell in second]
    continued = [cell for place, cell in enumerate(below) if groups[place] and is_unnamed(names[place], place)]
    inner = [cell for cell, group in zip(below, groups, strict=True) if cell and group]
    labels = all(len(cell) <= _NAME_LETTERS for cell in below) and not survey(below).numbers
    if len(continued) < 2 or not all(continued) or not labels or len(set(inner)) == len(inner):
        return []
    joined = [f"{group} {cell}".strip() for group, cell in zip(groups, below, strict=True)]
    return joined if all(joined) and len(set(joined)) == len(joined) else []
