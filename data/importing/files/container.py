"""Detection of a file's container by content, not by name: JSON lines, JSON list or object, text columns, Parquet."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import BinaryIO, Literal

from data.importing.files.source import SourceFile
from data.store.errors import BadInput
from judges import jsonl
from judges.importing import csv_rows, json_records
from judges.importing.encodings import explain_other_file
from judges.jsonl import MAX_LINE_BYTES, Record, mend_record

Container = Literal["lines", "list", "object", "csv", "parquet"]
POINTER = b"version https://git-lfs.github.com/"
REJECTED_ROW_KEYS = {"file", "line", "error", "row"}
"""The keys of a line that could not be imported, as it is handed back."""
_PEEK = 50


def detect_container(file: SourceFile) -> Container:
    """Return how the file holds its records. Raises BadInput for archives, workbooks, pointers and what is no text."""
    head = file.head()
    if why := explain_other_file(head):
        if file.name.lower().endswith(".eval"):
            raise BadInput(
                f"{file.name} is a log of Inspect as it packs them. Write it as JSON and import that: inspect log "
                f"convert {file.name} --to json --output-dir FOLDER"
            )
        raise BadInput(f"{file.name} is {why}")
    if head.startswith(POINTER):
        raise BadInput(f"{file.name} is a git-LFS pointer, not the data. Run `git lfs pull` where it came from.")
    if head.startswith(b"PAR1"):
        return "parquet"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        raise BadInput(f"{file.name} is empty.")
    if text[:1] == b"[":
        return "list"
    if text[:1] == b"{":
        return _braces(file, text)
    has_mark = head[:2] in (b"\xff\xfe", b"\xfe\xff")
    if file.name.lower().endswith((".jsonl", ".ndjson", ".json")):
        if has_mark:
            raise BadInput(f"{file.name} is UTF-16. Save it as UTF-8.")
        return "lines"
    is_wide = has_mark or max(head[::2].count(0), head[1::2].count(0)) > len(head) // 4
    if not is_wide and sum(byte < 9 for byte in head) > max(len(head) // 20, 8):
        raise BadInput(f"{file.name} is not a text file: JSON, JSON lines, CSV and Parquet can be read.")
    return "csv"


def _braces(file: SourceFile, text: bytes) -> Container:
    """Whether a file that begins with a brace has an object in each line, or is one object.

    One object has a first line that ends too early, and a second one that begins no other object.
    """
    if b"\n" not in text:
        with file.open_uncounted() as stream:
            return "object" if len(stream.readline(MAX_LINE_BYTES + 2)) > MAX_LINE_BYTES else "lines"
    line, _, rest = text.partition(b"\n")
    shown = line.decode("utf-8", "replace").rstrip()
    try:
        json.JSONDecoder(strict=False).raw_decode(shown)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(shown) - 1 or "Unterminated" in error.msg
        after = rest.lstrip(b"\r\n")
        return "object" if cut and after.strip() and not after.startswith(b"{") else "lines"
    except (RecursionError, ValueError):
        pass
    return "lines"


def read_records(
    file: SourceFile, container: Container, stream: BinaryIO, lists: Collection[tuple[str, ...]] = ()
) -> Iterator[Record]:
    """The records of a file, in their order; those of one JSON object lie in the `lists` at these paths."""
    if container == "lines":
        return map(_unwrap, jsonl.read_jsonl(stream))
    if container == "list":
        return json_records.read_json_array(stream)
    if container == "object":
        return json_records.read_json_object(stream, frozenset(lists))
    if container == "csv":
        return csv_rows.read_csv(file.name, stream, csv_rows.detect_dialect(file.name, file.head()))
    from data.store.sandbox import parquet_records

    return parquet_records(file.name, file.path, stream)


def _unwrap(record: Record) -> Record:
    """The row of a line that an import handed back, so that it can come in once it is mended; other lines as they are.
    """
    if record.value.keys() != REJECTED_ROW_KEYS:
        return record
    row = record.value["row"]
    if isinstance(row, dict):
        return Record(record.line, row, record.text)
    return Record(record.line, {}, str(row), "holds a row that could not be read: write it as an object")


def first_records(
    file: SourceFile, container: Container, limit: int, lists: Collection[tuple[str, ...]] = ()
) -> list[Record]:
    """The first good records of a file, without counting as read; fewer where it begins with broken ones.

    Where none of them is JSON, those that would be but for NaN count as good.
    """
    records: list[Record] = []
    broken: list[Record] = []
    with file.open_uncounted() as stream:
        for number, record in enumerate(read_records(file, container, stream, lists)):
            (broken if record.problem else records).append(record)
            if len(records) == limit or number >= max(_PEEK, limit):
                break
    mended = map(mend_record, broken[:limit] if container in ("lines", "list", "object") else ())
    return records or [Record(r.line, r.value, r.text) for r in mended if r.value or not r.problem]
