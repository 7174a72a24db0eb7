"""Rows on their way into the store: one Parquet file a table, in a folder of its own, before any lock is taken."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

_TEXT, _WHOLE, _REAL, _YES, _TIME = pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.timestamp("us")
TABLES: dict[str, list[tuple[str, pa.DataType]]] = {
    "item": [
        *((name, _TEXT) for name in ("id", "dataset_id", "name", "kind", "system_a", "system_b", "content", "meta")),
        ("hash", _TEXT),
        ("cells", _WHOLE),
    ],
    "judgment": [
        *((name, _TEXT) for name in ("id", "judge_id", "item_id", "part")),
        ("sample", _WHOLE),
        *((name, _TEXT) for name in ("raw", "unscored", "why")),
    ],
    "score": [
        *((name, _TEXT) for name in ("judgment_id", "judge_id", "item_id", "unit", "dimension")),
        ("value", _REAL),
        ("confidence", _REAL),
        ("source", _TEXT),
        ("sample", _WHOLE),
    ],
    "remark": [
        *((name, _TEXT) for name in ("judgment_id", "judge_id", "item_id", "unit", "dimension", "sort", "text")),
        ("sample", _WHOLE),
    ],
    "label": [
        *((name, _TEXT) for name in ("id", "answer_id", "item_id", "unit", "dimension")),
        ("value", _REAL),
        *((name, _TEXT) for name in ("annotator", "mode", "draw_id", "judge_id")),
        ("saw", _YES),
        ("seen", _REAL),
        ("probability", _REAL),
        ("replaces", _TEXT),
        ("withdrawn", _YES),
        ("made_at", _TIME),
    ],
    "adjudication": [
        *((name, _TEXT) for name in ("id", "dataset_id", "item_id", "unit", "dimension")),
        ("value", _REAL),
        *((name, _TEXT) for name in ("reason", "labels")),
        ("saw_judge", _YES),
        ("withdrawn", _YES),
        ("person", _TEXT),
    ],
}
LATER = -1.0
"""In the place of a label's probability that is known when all labels are."""
_ROWS, _CHARACTERS = 10_000, 8 * 2**20


Change = Callable[[list[str], list[Any]], list[Any]]
"""The new values of a column, from the ids of rows and the values that they have."""


class Spool:
    """A folder with the rows of one import. Use it in a `with`: a folder that it made itself goes with it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = None if folder else tempfile.TemporaryDirectory(prefix="assay-intake-")
        self.path = folder or Path(self._folder.name if self._folder else "")
        self._opened: list[BinaryIO] = []
        self._tables = {name: _Table(name, self.path / f"{name}.parquet") for name in TABLES}

    def add(self, table: str, rows: list[tuple[Any, ...]], weight: int = 100) -> None:
        """Rows of a table, in the order of TABLES; `weight` is about how many characters they hold."""
        self._tables[table].add(rows, weight)

    def done(self) -> dict[str, int]:
        """Close the files: the number of rows of every table that has any."""
        closed = {name: table.close() for name, table in self._tables.items()}
        return {name: rows for name, rows in closed.items() if rows}

    def file(self, table: str) -> tuple[str, Path]:
        """The columns of a table, as SQL names them, and the file with its rows."""
        return ", ".join(name for name, _ in TABLES[table]), self._tables[table].file

    def holds(self, table: str, columns: list[str], any_of: set[tuple[Any, ...]]) -> bool:
        """Whether a row of the table has one of these values in those columns."""
        with pq.ParquetFile(self._tables[table].file) as source:
            for batch in source.iter_batches(_ROWS, columns=columns):
                held = [batch.column(name).to_pylist() for name in columns]
                if not any_of.isdisjoint(zip(*held, strict=True)):
                    return True
        return False

    def settle(self, labels: dict[str, str], probability: float | None) -> None:
        """Name in the label rows which earlier label each replaces, and put the probability where it is LATER.

        Called once, before `done`.
        """
        changes: dict[str, Change] = {}
        if labels:
            changes["replaces"] = lambda ids, held: [labels.get(n, v) for n, v in zip(ids, held, strict=True)]
        if probability is not None:
            changes["probability"] = lambda _, held: [probability if v == LATER else v for v in held]
        self._tables["label"].patch(changes)

    def open(self, name: str) -> BinaryIO:
        """A new file in the folder, for reading and writing."""
        self._opened.append((self.path / name).open("w+b"))
        return self._opened[-1]

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Where there was no room to write, there is none for the rest either; the first error says why.
        quiet = contextlib.suppress(OSError, pa.ArrowException) if error else contextlib.nullcontext()
        ends = [*(table.close for table in self._tables.values()), *(file.close for file in self._opened)]
        for end in ends:
            with quiet:
                end()
        if self._folder:
            self._folder.cleanup()


class _Table:
    """The rows of one table: a few thousand in memory, the rest in the file."""

    def __init__(self, name: str, file: Path) -> None:
        self.name, self.file, self.count = name, file, 0
        self.schema = pa.schema(TABLES[name])
        self._rows: list[tuple[Any, ...]] = []
        self._weight = 0
        self._writer: pq.ParquetWriter | None = None

    def add(self, rows: list[tuple[Any, ...]], weight: int) -> None:
        self._rows += rows
        self._weight += weight
        if len(self._rows) >= _ROWS or self._weight >= _CHARACTERS:
            self._flush()

    def _flush(self) -> None:
        if not self._rows:
            return
        if self._writer is None:
            self._writer = pq.ParquetWriter(self.file, self.schema, compression="lz4", use_dictionary=False)
        columns = zip(*self._rows, strict=True)
        arrays = [pa.array(column, type=f.type) for column, f in zip(columns, self.schema, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self.schema))
        self.count += len(self._rows)
        self._rows, self._weight = [], 0

    def patch(self, changes: dict[str, Change]) -> None:
        """Set columns of all rows; the file is rewritten, a batch at a time."""
        self.close()
        if not changes or not self.count:
            return
        old = self.file.rename(self.file.with_suffix(".old"))
        with pq.ParquetFile(old) as source, pq.ParquetWriter(self.file, self.schema, compression="lz4") as target:
            for batch in source.iter_batches(_ROWS):
                table = pa.Table.from_batches([batch])
                ids = table["id"].to_pylist()
                for column, change in changes.items():
                    place = self.schema.get_field_index(column)
                    new = pa.array(change(ids, table[column].to_pylist()), type=self.schema.field(place).type)
                    table = table.set_column(place, self.schema.field(place), new)
                target.write_table(table)
        old.unlink()

    def close(self) -> int:
        self._flush()
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        return self.count
