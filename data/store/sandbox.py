"""Untrusted Parquet files, read by a separate database: small, in memory, and limited to that one file.

A Parquet file of 1.5 kB can unfold to 5 GB and its footer does not show it: the texts are measured before any is read.
"""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

import duckdb

from data.store.base import quote_sql
from data.store.errors import BadInput
from data.temp_folders import folder_for
from judges.jsonl import MAX_LINE_BYTES, Record

MEMORY = "768MB"
UNFOLDED = 2**30
"""The most characters that a file may unfold to."""
_PAGE = 32 * 2**20
_COLUMNS, _ROWS = 1_000, 20_000_000


def parquet_records(name: str, path: Path | None, stream: BinaryIO) -> Iterator[Record]:
    """The rows of a Parquet file as objects, numbered from 1; `path` saves copying a file that is on this disk.

    Raises BadInput for what is no Parquet, holds too much, or holds bytes that are no text.
    """
    with folder_for("parquet") as folder:
        upload = folder / "upload.parquet"
        if path is None:
            with upload.open("wb") as copy:
                shutil.copyfileobj(stream, copy)
        else:
            # A name of our own: in the file's own name a star would be a pattern.
            os.symlink(path.resolve(), upload)
        with _open(upload) as con:
            try:
                yield from _records(name, con, quote_sql(upload))
            except (duckdb.Error, UnicodeDecodeError, ValueError, OverflowError) as error:
                if isinstance(error, duckdb.OutOfMemoryException):
                    raise BadInput(
                        f"{name} needs more than {MEMORY} to be read. Split it into smaller files."
                    ) from None
                first = str(error).strip().splitlines()[0].replace(str(upload), name).rpartition("Error: ")[2][:200]
                raise BadInput(
                    f"{name} cannot be read as Parquet: {first}. Write it again, or export CSV."
                ) from None


def _open(file: Path) -> duckdb.DuckDBPyConnection:
    """A database that can read this one file and nothing else, and whose settings cannot be changed."""
    con = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": MEMORY,
            "threads": 1,
            "max_temp_directory_size": "0KB",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    con.execute("set timezone = 'UTC'")  # otherwise a time would depend on the time zone of the machine
    con.execute(f"set allowed_paths = [{quote_sql(file)}]")
    con.execute("set enable_external_access = false")
    con.execute("set lock_configuration = true")
    return con


def _records(name: str, con: duckdb.DuckDBPyConnection, file: str) -> Iterator[Record]:
    described = con.execute(f"describe select * from read_parquet({file})").fetchall()
    columns = [(str(row[0]), str(row[1])) for row in described]
    if len(columns) > _COLUMNS:
        raise BadInput(f"{name} has {len(columns)} columns: at most {_COLUMNS} are allowed.")
    if blobs := [column for column, kind in columns if "BLOB" in kind]:
        raise BadInput(f"{name}: the column {blobs[0][:60]!r} holds bytes, not text. Leave it out or decode it.")
    lengths = ", ".join(
        f"sum(strlen({_name(column) if kind == 'VARCHAR' else f'cast({_name(column)} as varchar)'}))"
        for column, kind in columns
    )
    rows, *sums = con.execute(f"select count(*), {lengths} from read_parquet({file})").fetchall()[0]
    total = sum(int(length or 0) for length in sums)
    if total > UNFOLDED or rows > _ROWS:
        raise BadInput(
            f"{name} unfolds to {total / 2**30:,.1f} GB in {rows:,} rows: at most {UNFOLDED / 2**30:.0f} GB in "
            f"{_ROWS:,} rows are allowed. Split it."
        )
    names = [column for column, _ in columns]
    page = math.ceil(rows / math.ceil(total / _PAGE)) if total else max(rows, 1)
    for start in range(0, rows, page):
        cursor = con.execute(f"select * from read_parquet({file}) limit {page} offset {start}")
        number = start
        while batch := cursor.fetchmany(500):
            for row in batch:
                number += 1
                yield _record(number, dict(zip(names, row, strict=True)))


def _record(number: int, row: dict[str, Any]) -> Record:
    value = {key: _to_json_value(cell) for key, cell in row.items()}
    problem = ""
    if any(isinstance(cell, str) and len(cell) > MAX_LINE_BYTES for cell in value.values()):
        problem = f"has a text longer than {MAX_LINE_BYTES // 2**20} MB"
    elif any(isinstance(cell, str) and "\x00" in cell for cell in value.values()):
        problem = "holds the character NUL"
    return Record(number, value, "", problem)


def _to_json_value(value: Any) -> Any:
    """A value as JSON has it: times as ISO texts, decimals as numbers, what is no number as nothing."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return [_to_json_value(inner) for inner in value]
    if isinstance(value, dict):
        return {str(key): _to_json_value(inner) for key, inner in value.items()}
    return str(value)


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
