"""Writing rows to a file, a few thousand at a time: JSON lines, CSV, Parquet.

JSON lines and Parquet hold every text exactly as it is stored. CSV is for spreadsheets: there what a spreadsheet would
run as a formula gets an apostrophe before it, as OWASP advises against CSV injection, and what is nested is JSON.
Every CSV file that Assay gives out is written by `sheet`.
"""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from numbers import Number
from pathlib import Path
from typing import Any, Literal, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from data.exporting.kind import ExportKind, Row

Format = Literal["jsonl", "csv", "parquet"]
FORMATS: dict[Format, str] = {"jsonl": "JSON lines", "csv": "CSV", "parquet": "Parquet"}
_BATCH = 2_000
_FORMULA = frozenset("=+-@\N{MINUS SIGN}")
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that show nothing: fillers of Hangul, and the empty pattern of Braille."""
_PARTED = re.compile("([;\t\r\n\v\f\x85\u2028\u2029])")
"""What parts cells or rows in some spreadsheets."""
_BULLET = re.compile(r"(?:[-+] (?=[^\W\d_])[^(|!]*|-{2,})$")
"""A line of a list whose words call nothing, or a rule across the page."""
Progress = Callable[[int], None]


def write_rows(rows: Iterable[Row], kind: ExportKind, format: Format, file: Path, progress: Progress) -> int:
    """Write the rows; how many there were. `progress` is told the rows so far after every batch."""
    writer = {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}[format]
    done = 0

    def batches() -> Iterator[list[Row]]:
        nonlocal done
        left = iter(rows)
        while batch := list(islice(left, _BATCH)):
            yield batch
            done += len(batch)
            progress(done)

    writer(batches(), kind, file)
    return done


def _jsonl(batches: Iterator[list[Row]], kind: ExportKind, file: Path) -> None:
    with file.open("w", encoding="utf-8", newline="\n") as out:
        for batch in batches:
            out.writelines(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in batch)


def _csv(batches: Iterator[list[Row]], kind: ExportKind, file: Path) -> None:
    # The mark at the beginning tells Excel that it is UTF-8.
    with file.open("w", encoding="utf-8-sig", newline="") as out:
        names = kind.columns.names
        write_csv_table(out, names, ([row.get(name) for name in names] for batch in batches for row in batch), "\r\n")


def write_csv_table(out: TextIO, columns: Iterable[str], rows: Iterable[Sequence[Any]], end: str = "\n") -> None:
    """Write a header and rows as CSV, each cell as `cell` makes it."""
    writer = csv.writer(out, lineterminator=end)
    writer.writerow([csv_cell(name) for name in columns])
    writer.writerows([csv_cell(value) for value in row] for row in rows)


def csv_cell(value: Any) -> Any:
    """A value as a cell of a CSV file; a number stays one, a negative one too."""
    if value is None or (isinstance(value, Number) and not isinstance(value, bool)):
        return value
    if isinstance(value, (dict, list)):
        return _quiet(json.dumps(value, ensure_ascii=False))
    text = ("true" if value else "false") if isinstance(value, bool) else str(value)
    return _quiet(text)


def _quiet(text: str) -> str:
    """A text with an apostrophe wherever a spreadsheet could begin a cell that it would run.

    One that parts cells at another sign than the comma (a semicolon in half of Europe, a tab, either beside the comma)
    heeds no quotes in the middle of a cell: what follows such a sign, or a line's end, is a cell's beginning there. A
    list or a rule in Markdown stays as it is.
    """
    if not _PARTED.search(text):
        return "'" + text if _runs(text) else text
    parts = _PARTED.split(text)
    made = [parts[0]]
    for sign, part in zip(parts[1::2], parts[2::2], strict=True):
        bullet = sign not in ";\t" and _BULLET.match(part)
        made += [sign, "'" + part if _runs(part.replace('"', "")) and not bullet else part]
    whole = "".join(made)
    return "'" + whole if _runs(text) else whole


def _runs(text: str) -> bool:
    """Whether a spreadsheet could run a text: the first character of it that shows begins a formula.

    Programs differ in what they drop before they look, so all that shows nothing counts as dropped: spaces, marks of
    the byte order, controls, joiners, accents without a letter. Full-width and other forms of a sign count as the sign.
    A tab or a line's end at the beginning counts as a formula too: after one, some begin a new cell.
    """
    if text[:1] in ("\t", "\r", "\n"):
        return True
    for character in text:
        for part in unicodedata.normalize("NFKC", character):
            if part not in _BLANK and unicodedata.category(part)[0] not in "ZCM":
                return part in _FORMULA
    return False


def _parquet(batches: Iterator[list[Row]], kind: ExportKind, file: Path) -> None:
    texts = {f.name for f in kind.columns if f.type == pa.string()}
    with pq.ParquetWriter(file, kind.columns) as out:
        for batch in batches:
            arrays = [
                pa.array(_flat([row.get(f.name) for row in batch], f.name in texts), f.type) for f in kind.columns
            ]
            out.write_table(pa.Table.from_arrays(arrays, schema=kind.columns))


def _flat(values: list[Any], text: bool) -> list[Any]:
    """A column's values; of a column of text, what is nested as JSON."""
    if not text or all(value is None or type(value) is str for value in values):
        return values
    return [json.dumps(v, ensure_ascii=False) if isinstance(v, (dict, list)) else v for v in values]
