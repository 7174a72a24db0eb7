"""Writing rows to a file, a few thousand at a time: JSON lines, CSV, Parquet.

JSON lines and Parquet hold every text exactly as it is stored. CSV is for spreadsheets (`judges.render.csv_cells`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from data.exporting.kind import TEXT, ExportKind, Row
from judges.render.csv_cells import write_csv_table

Format = Literal["jsonl", "csv", "parquet"]
FORMATS: dict[Format, str] = {"jsonl": "JSON lines", "csv": "CSV", "parquet": "Parquet"}
_BATCH = 2_000
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


def _parquet(batches: Iterator[list[Row]], kind: ExportKind, file: Path) -> None:
    with pq.ParquetWriter(file, kind.columns) as out:
        for batch in batches:
            out.write_table(parquet_table(batch, kind.columns))


def parquet_table(rows: list[Row], columns: pa.Schema) -> pa.Table:
    """Rows as a table of these columns."""
    arrays = [pa.array(_flat([row.get(f.name) for row in rows], f.type == TEXT), f.type) for f in columns]
    return pa.Table.from_arrays(arrays, schema=columns)


def _flat(values: list[Any], text: bool) -> list[Any]:
    """A column's values; of a column of text, what is nested as JSON."""
    if not text or all(value is None or type(value) is str for value in values):
        return values
    return [json.dumps(v, ensure_ascii=False) if isinstance(v, (dict, list)) else v for v in values]
