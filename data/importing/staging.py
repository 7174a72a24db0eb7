"""Rows on their way into the store: one Parquet file a table, in a folder of its own, before any lock is taken."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, get_args, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from data.records.tables import AdjudicationRow, ItemRow, JudgmentRow, LabelRow, RemarkRow, ScoreRow
from data.store import Load, table_of
from data.temp_folders import folder_for

_TYPES = {
    str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), datetime: pa.timestamp("us"),
}  # fmt: skip
RECORDS: tuple[type[NamedTuple], ...] = (ItemRow, JudgmentRow, ScoreRow, RemarkRow, LabelRow, AdjudicationRow)
"""The rows that an import may bring, in the order in which their tables are written."""
LATER = -1.0
"""Stands for a label's probability until all labels are known."""
_ROWS, _CHARACTERS = 10_000, 8 * 2**20


class Spool:
    """A folder with the rows of one import. Use it in a `with`: a folder that it made itself goes with it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = contextlib.ExitStack()
        self.path = folder or self._folder.enter_context(folder_for("intake"))
        self._opened: list[BinaryIO] = []
        self._tables = {table_of(record): _Table(record, self.path) for record in RECORDS}

    def add(self, rows: Sequence[NamedTuple], weight: int = 100) -> None:
        """Add records of one of RECORDS; `weight` is about how many characters they hold."""
        if rows:
            self._tables[table_of(type(rows[0]))].add(rows, weight)

    def finish(self) -> dict[str, int]:
        """Close the files: the number of rows of every table that has any."""
        closed = {name: table.close() for name, table in self._tables.items()}
        return {name: rows for name, rows in closed.items() if rows}

    def bulk(self, table: str) -> Load:
        """The file with the rows of a table."""
        return Load(table, ", ".join(self._tables[table].schema.names), self._tables[table].file)

    def holds(self, table: str, columns: list[str], any_of: set[tuple[Any, ...]]) -> bool:
        """Whether a row of the table has one of these values in those columns."""
        with pq.ParquetFile(self._tables[table].file) as source:
            for batch in source.iter_batches(_ROWS, columns=columns):
                values = [batch.column(name).to_pylist() for name in columns]
                if not any_of.isdisjoint(zip(*values, strict=True)):
                    return True
        return False

    def settle(self, labels: dict[str, str], probability: float | None) -> None:
        """Name in the label rows which earlier label each replaces, and put the probability where it is LATER.

        Called once, before `finish`.
        """
        table = self._tables["label"]
        if not table.close() or (not labels and probability is None):
            return
        old = table.file.rename(table.file.with_suffix(".old"))
        with pq.ParquetFile(old) as source, pq.ParquetWriter(table.file, table.schema, compression="lz4") as target:
            for batch in source.iter_batches(_ROWS):
                columns = {name: batch.column(name) for name in table.schema.names}
                ids, replaced, chances = (columns[name].to_pylist() for name in ("id", "replaces", "probability"))
                replaced = [labels.get(key, before) for key, before in zip(ids, replaced, strict=True)]
                chances = [probability if chance == LATER else chance for chance in chances]
                columns |= {"replaces": pa.array(replaced, pa.string()), "probability": pa.array(chances, pa.float64())}
                target.write_table(pa.Table.from_arrays([*columns.values()], schema=table.schema))
        old.unlink()

    def open(self, name: str) -> BinaryIO:
        """A new file in the folder, for reading and writing."""
        self._opened.append((self.path / name).open("w+b"))
        return self._opened[-1]

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # Where there was no room to write, there is none for the rest either; the first error says why.
        quiet = contextlib.suppress(OSError, pa.ArrowException) if error else contextlib.nullcontext()
        ends = [*(table.close for table in self._tables.values()), *(file.close for file in self._opened)]
        for end in ends:
            with quiet:
                end()
        self._folder.close()


def _schema(record: type[NamedTuple]) -> pa.Schema:
    """The Parquet columns of a record's fields; any of them may be null, as the store's own rules say which are not."""
    hints = get_type_hints(record)
    types = (next(t for t in (get_args(hints[name]) or (hints[name],)) if t in _TYPES) for name in record._fields)
    return pa.schema([(name, _TYPES[t]) for name, t in zip(record._fields, types, strict=True)])


class _Table:
    """The rows of one table: a few thousand in memory, the rest in the file."""

    def __init__(self, record: type[NamedTuple], folder: Path) -> None:
        self.file, self.count = folder / f"{table_of(record)}.parquet", 0
        self.schema = _schema(record)
        self._rows: list[NamedTuple] = []
        self._weight = 0
        self._writer: pq.ParquetWriter | None = None

    def add(self, rows: Sequence[NamedTuple], weight: int) -> None:
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

    def close(self) -> int:
        self._flush()
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        return self.count
