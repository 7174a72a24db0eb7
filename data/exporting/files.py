"""Writing rows to a file, a few thousand at a time: JSON lines, CSV, Parquet.

JSON lines and Parquet hold every text exactly as it is stored. CSV is for spreadsheets (`judges.render.csv_cells`).

An export can also be a folder of Parquet files of so many rows, so that neither it nor its import needs much memory. A
list of the files with their rows and hashes is next to them, and an import of the folder checks them against it
(data/importing/files/source.py). Lines that are no rows of a table, such as cards, are JSON lines in a separate file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from data.exporting.kind import TEXT, ExportKind, Row
from judges.importing.contents import PARTITIONS, sort_of_line
from judges.render.csv_cells import write_csv_table

Format = Literal["jsonl", "csv", "parquet"]
FORMATS: dict[Format, str] = {"jsonl": "JSON lines", "csv": "CSV", "parquet": "Parquet"}
_BATCH = 2_000
_SORTS = {"item": "items", "judgment": "judgments", "label": "labels", "decided": "adjudications"}
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


def write_partitions(
    rows: Iterable[Row], kind: ExportKind, folder: Path, rows_per_file: int, facts: Mapping[str, Any],
    progress: Progress,
) -> int:  # fmt: skip
    """Write the rows into a folder that is there and empty; how many there were. `facts` go into the list of files."""
    parts = {part.name: _Part(n, part.name, part.columns, folder) for n, part in enumerate(kind.parts or (kind,), 1)}
    head, done = folder / "0-head.jsonl", 0
    with head.open("w", encoding="utf-8", newline="\n") as others:
        for row in rows:
            name = _SORTS.get(sort_of_line(row), "") if kind.parts else kind.name
            if name in parts:
                parts[name].add(row, rows_per_file)
            else:
                others.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
            done += 1
            if done % _BATCH == 0:
                progress(done)
    files = [entry for part in parts.values() for entry in part.close()]
    if head.stat().st_size:
        files.insert(0, _entry(head, done - sum(entry["rows"] for entry in files)))
    else:
        head.unlink()
    manifest = {**facts, "kind": kind.name, "rows": done, "files": files}
    (folder / PARTITIONS).write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return done


class _Part:
    """The rows of one sort: some in memory, the others in files that are full and one that is not."""

    def __init__(self, number: int, name: str, columns: pa.Schema, folder: Path) -> None:
        self._start, self._columns, self._folder = f"{number}-{name}", columns, folder
        self._rows: list[Row] = []
        self._written = 0
        self._writer: pq.ParquetWriter | None = None
        self._files: list[dict[str, Any]] = []

    def add(self, row: Row, limit: int) -> None:
        self._rows.append(row)
        if len(self._rows) >= min(_BATCH, limit - self._written):
            self._flush()
            if self._written >= limit:
                self.close()

    def close(self) -> list[dict[str, Any]]:
        """Finish the last file; what is to be said of all of them."""
        self._flush()
        if self._writer is not None:
            self._writer.close()
            self._files.append(_entry(self._file, self._written))
            self._writer, self._written = None, 0
        return self._files

    def _flush(self) -> None:
        if not self._rows:
            return
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, self._columns)
        self._writer.write_table(parquet_table(self._rows, self._columns))
        self._written += len(self._rows)
        self._rows = []

    @property
    def _file(self) -> Path:
        return self._folder / f"{self._start}-{len(self._files):05d}.parquet"


def _entry(file: Path, rows: int) -> dict[str, Any]:
    with file.open("rb") as content:
        sha = hashlib.file_digest(content, "sha256").hexdigest()
    return {"name": file.name, "rows": rows, "bytes": file.stat().st_size, "sha256": sha}
