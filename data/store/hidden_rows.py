"""Rows of one change that come in by many short commits, and that nobody sees before the last of them.

While they come, a table has another name (`TABLE_SUFFIX`), and its own is that of a view of it without the rows of that
change. Their `seq` is one that others do not reach meanwhile, so that it stays the order of commits; up to it some
numbers are left out. The last commit gives the tables their names back. What a process leaves that ends before is taken
out when the file is opened: rows above the newest change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from data.store.base import Load, quote_sql

TABLE_SUFFIX = "_whole"
"""The end of the name that a table has while rows of it are hidden."""
MIN_ROWS = 5_000
"""Rows of all tables together from which it is worth while."""
RESERVED_CHANGES = 100_000
"""So many changes others may make until the rows are seen."""
MAX_ROWS_PER_COMMIT = 10_000
"""Rows that come by one commit, at most."""


class HiddenRows(NamedTuple):
    """The change whose rows are hidden, and how many it will have in each table."""

    seq: int
    rows: dict[str, int]


def count_file_rows(file: Path) -> int:
    """The rows of a Parquet file."""
    return int(pq.read_metadata(file).num_rows)


def read_slices(file: Path) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file, some thousand at a time."""
    with pq.ParquetFile(file) as source:
        yield from source.iter_batches(MAX_ROWS_PER_COMMIT)


def file_rows_sql(bulk: Load, seq: int) -> str:
    """The query that gives the rows of a Parquet file as those of a change."""
    return f"select {bulk.columns}, {seq:d} as seq from read_parquet({quote_sql(bulk.file)})"


def hide_change(con: duckdb.DuckDBPyConnection, tables: Iterable[str], seq: int) -> None:
    """Hide the rows that this change will have in these tables; in the transaction of a connection."""
    for table in tables:
        con.execute(f"alter table {table} rename to {table}{TABLE_SUFFIX}")
        con.execute(f"create view {table} as select * from {table}{TABLE_SUFFIX} where seq <> {seq:d}")


def show_table(con: duckdb.DuckDBPyConnection, table: str) -> None:
    """Show all rows of a table again."""
    con.execute(f"drop view {table}")
    con.execute(f"alter table {table}{TABLE_SUFFIX} rename to {table}")


def delete_hidden_rows(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Delete the hidden rows; the tables that still have to be shown."""
    tables = [str(name) for (name,) in con.execute(
        f"select table_name from duckdb_tables() where ends_with(table_name, '{TABLE_SUFFIX}') order by 1"
    ).fetchall()]  # fmt: skip
    for name in tables:
        con.execute(f"delete from {name} where seq > (select coalesce(max(seq), 0) from change)")
    return [name.removesuffix(TABLE_SUFFIX) for name in tables]


def show_tables(con: duckdb.DuckDBPyConnection, tables: Sequence[str]) -> None:
    """Show these tables again, in one transaction."""
    con.begin()
    for table in tables:
        show_table(con, table)
    con.commit()
