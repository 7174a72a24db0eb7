"""Tables as text: encoding and delimiter are found out, every row must have as many fields as the header."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from data.errors import BadInput
from data.intake.jsonl import LIMIT, Record

DELIMITERS = (",", ";", "\t", "|")
_COLUMNS, _FIELDS = 1_000, 1_000_000
_SAMPLE = 2**16
_KANA = re.compile(r"[\u3041-\u30fe]")
_WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
csv.field_size_limit(LIMIT)


@dataclass(frozen=True)
class Dialect:
    """How a table's text is written."""

    encoding: str
    delimiter: str


def detect(name: str, head: bytes) -> Dialect:
    """The dialect of a table, from its first bytes. Raises BadInput where the encoding cannot be told."""
    encoding = _encoding(name, head)
    text = head.decode(encoding, "ignore").lstrip("\ufeff")
    whole = len(head) < _SAMPLE
    lines = text.splitlines(keepends=True)
    sample = lines if whole or len(lines) < 2 else lines[:-1]
    return Dialect(encoding, max(DELIMITERS, key=lambda sign: _regular(sample, sign)))


def _encoding(name: str, head: bytes) -> str:
    if head[:2] in _WIDE:
        return _WIDE[head[:2]]
    if len(head) > 3 and head[1::2].count(0) > len(head) // 4 > head[::2].count(0):
        return "utf-16-le"
    if len(head) > 3 and head[::2].count(0) > len(head) // 4 > head[1::2].count(0):
        return "utf-16-be"
    for encoding in ("utf-8", "cp932"):
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8" or _KANA.search(text):
            return encoding
    # A single damaged byte should not hide what a file is: then its lines are reported one by one.
    if head.decode("utf-8", "replace").count("\ufffd") <= max(len(head) // 500, 3):
        return "utf-8"
    raise BadInput(f"{name}: its encoding cannot be told. Save it as UTF-8 and import it again.")


def _regular(lines: list[str], delimiter: str) -> tuple[int, int]:
    """How well a delimiter fits: rows like the header, then the number of columns."""
    widths = []
    try:
        for row in csv.reader(lines[:200], delimiter=delimiter, strict=True):
            if row:
                widths.append(len(row))
    except csv.Error:
        pass
    if not widths or widths[0] < 2:
        return 0, 0
    return sum(width == widths[0] for width in widths[:50]), widths[0]


class _Lines:
    """The lines of a stream, decoded; the numbers of those that hold what is no text are kept in `bad`."""

    def __init__(self, stream: BinaryIO, dialect: Dialect) -> None:
        self._stream, self._encoding, self._delimiter = stream, dialect.encoding, dialect.delimiter
        self.bad: dict[int, str] = {}
        self._number = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._wide() if self._encoding.startswith("utf-16") else self._plain():
            if "\x00" in line:
                self.bad[self._number] = "holds the character NUL"
            yield line.lstrip("\ufeff") if self._number == 1 else line

    def _plain(self) -> Iterator[str]:
        while raw := self._stream.readline(LIMIT + 2):
            self._number += 1
            self._long(len(raw), raw.count(self._delimiter.encode()))
            try:
                yield raw.decode(self._encoding)
            except UnicodeDecodeError as error:
                self.bad[self._number] = f"is not {self._encoding} (byte 0x{raw[error.start]:02x})"
                yield raw.decode(self._encoding, "replace")

    def _wide(self) -> Iterator[str]:
        text = io.TextIOWrapper(self._stream, self._encoding, errors="replace", newline="")
        try:
            while line := text.readline(LIMIT + 2):
                self._number += 1
                self._long(len(line), line.count(self._delimiter))
                if "\ufffd" in line:
                    self.bad[self._number] = f"is not {self._encoding}"
                yield line
        finally:
            text.detach()

    def _long(self, size: int, signs: int) -> None:
        if size > LIMIT:
            raise csv.Error(f"the line is longer than {LIMIT // 2**20} MB")
        if signs > _FIELDS:
            raise csv.Error(f"the line has more than {_FIELDS:,} fields")


def records(name: str, stream: BinaryIO, dialect: Dialect) -> Iterator[Record]:
    """The rows below the header, as objects of texts. Raises BadInput for a header that names no columns."""
    lines = _Lines(stream, dialect)
    reader = csv.reader(lines, delimiter=dialect.delimiter, strict=True)
    header: list[str] | None = None
    done = 0
    while True:
        problem, row = "", []
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = _sentence(str(error))
        first, done = done + 1, reader.line_num
        for number in range(first, done + 1) if lines.bad else ():
            problem = problem or lines.bad.pop(number, "")
        if header is None:
            if problem:
                raise BadInput(f"{name}, line {first}: {problem}. The header must name the columns.")
            header = _header(name, row) if row else None
            continue
        if not row and not problem:
            continue
        if not problem and len(row) != len(header):
            problem = f"has {len(row)} fields, the header has {len(header)}"
        value = dict(zip(header, row, strict=False))
        yield Record(first, {} if problem else value, dialect.delimiter.join(row)[:100_000], problem)


def _sentence(error: str) -> str:
    if "unexpected end" in error:
        return "opens a quote that is never closed"
    if "field larger" in error:
        return f"has a field longer than {LIMIT // 2**20} MB: probably a quote that is never closed"
    return error if error.startswith("the line") else f"breaks the rules of quoting ({error})"


def _header(name: str, row: list[str]) -> list[str]:
    names = [cell.strip() for cell in row]
    if len(names) > _COLUMNS:
        raise BadInput(f"{name} has {len(names)} columns: at most {_COLUMNS} are taken.")
    double = sorted({n for n in names if names.count(n) > 1})
    if double or "" in names:
        what = f"names {double[0][:60]!r} twice" if double and double[0] else "has a column without a name"
        raise BadInput(f"{name}: its header {what}. Each column needs a name of its own.")
    return names
