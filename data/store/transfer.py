"""Rows between PostgreSQL and DuckDB: a few as values, many as CSV, which both write and read without loss."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from data.store.base import Row, quote_sql
from data.store.errors import StoreFailed
from data.temp_folders import folder_for

if TYPE_CHECKING:
    from data.store.postgres_schema import Link

MAX_ROWS_AS_VALUES = 400
"""Rows of a table that go as values."""
_PART = 1 << 20
_BULK = 50
_MIN_BUFFER_BYTES = 1 << 21
"""Bytes of a row for which DuckDB makes room at least."""
_ROWS = 4
"""The number of the longest rows that its buffer takes; by default it would make room for 16 of them."""

Columns = Mapping[str, str]
"""The columns of a table by their names, with DuckDB's types."""


def fetch(
    link: Link, cursor: duckdb.DuckDBPyConnection, tables: Mapping[str, Columns], since: int, upto: int,
    stored: Callable[[str], str] = str, change_by_table: Mapping[str, int] = MappingProxyType({}),
) -> None:  # fmt: skip
    """Append the rows of all changes after `since`, up to `upto`, to DuckDB's tables, whose names there `stored` gives.

    `change_by_table`: of some tables the change whose rows they have already.
    """
    range_ = f"where seq > {since:d} and seq <= {upto:d}"
    where = {table: f"{range_} and seq <> {change_by_table.get(table, -1):d}" for table in tables}
    with link.pipeline():
        results_by_table = {
            table: link.execute(
                f"select {', '.join(columns)} from {table} {where[table]} limit {MAX_ROWS_AS_VALUES + 1}".encode()
            )
            for table, columns in tables.items()
        }  # fmt: skip
    for table, selection in results_by_table.items():
        rows = selection.fetchall()
        if len(rows) <= MAX_ROWS_AS_VALUES:
            insert(cursor, stored(table), tables[table], rows)
            continue
        with _file_for_rows() as file:
            longest = _MIN_BUFFER_BYTES
            query = f"copy (select {', '.join(tables[table])} from {table} {where[table]})"
            with file.open("wb") as stream, link.cursor().copy(
                f"{query} to stdout (format csv, force_quote ({_texts(tables[table])}))".encode()
            ) as lines:
                for row in lines:  # PostgreSQL sends each row in a message of its own
                    stream.write(row)
                    longest = max(longest, len(row))
            names = ", ".join(tables[table])
            cursor.execute(f"insert into {stored(table)} ({names}) {_reading(file, tables[table], longest)}")


def send_all(link: Link, cursor: duckdb.DuckDBPyConnection, tables: Mapping[str, Columns], upto: int) -> None:
    """Append all rows up to a change to PostgreSQL's empty tables, and which tables each change wrote.

    The cursor is in a transaction, which its caller takes back: a table aside is made in it.
    """
    for table, columns in tables.items():
        send(link, table, columns, cursor, f"{table} where seq <= {upto:d}")
    parts = " union all ".join(f"select distinct seq, '{table}' as name from {table}" for table in tables)
    cursor.execute(
        "create temp table wrote as select seq, string_agg(name, ' ' order by name) as tables, '' as token "
        f"from ({parts}) where seq between 1 and {upto:d} group by seq"
    )
    send(link, "wrote", {"seq": "BIGINT", "tables": "VARCHAR", "token": "VARCHAR"}, cursor)


def send(link: Link, table: str, columns: Columns, cursor: duckdb.DuckDBPyConnection, rows: str = "") -> None:
    """Append rows of DuckDB's, those of its table or what a query takes them from, to PostgreSQL's table."""
    names = ", ".join(columns)
    with _file_for_rows() as file:
        cursor.execute(
            f"copy (select {names} from {rows or table}) to {quote_sql(file)} "
            f"(format csv, header false, force_quote ({_texts(columns)}), nullstr '')"
        )
        into = f"copy {table} ({names}) from stdin (format csv)".encode()
        with file.open("rb") as stream, link.cursor().copy(into) as to:
            while part := stream.read(_PART):
                to.write(part)


@contextlib.contextmanager
def _file_for_rows() -> Iterator[Path]:
    """A file for rows on their way. Raises StoreFailed where it cannot be made or has no room."""
    try:
        with folder_for("copy") as folder:
            yield folder / "rows.csv"
    except OSError as error:
        raise StoreFailed(
            f"Rows cannot be put into the folder for temporary files: {error.strerror}. Check its space and rights."
        ) from error


def insert(cursor: duckdb.DuckDBPyConnection, table: str, columns: Collection[str], rows: Sequence[Row]) -> None:
    """Append rows of Python's to DuckDB's table."""
    names = ", ".join(columns)
    if len(rows) >= _BULK:
        values = (pa.array(column) for column in zip(*rows, strict=True))
        cursor.register("incoming", pa.table(dict(zip(columns, values, strict=True))))
        cursor.execute(f"insert into {table} ({names}) select {names} from incoming")
        cursor.unregister("incoming")
    elif rows:
        width = len(rows[0])
        marks = ", ".join(f"({', '.join(f'${r * width + c + 1}' for c in range(width))})" for r in range(len(rows)))
        cursor.execute(f"insert into {table} ({names}) values {marks}", [value for row in rows for value in row])


def _texts(columns: Columns) -> str:
    """The columns that are quoted always, so that an empty text is told from none."""
    return ", ".join(name for name, kind in columns.items() if kind == "VARCHAR")


def _reading(file: Path, columns: Columns, longest: int) -> str:
    """The query that reads a file of PostgreSQL's with exactly these columns, whose longest row has so many bytes."""
    kinds = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    return (
        f"select * from read_csv({quote_sql(file)}, columns = {{{kinds}}}, auto_detect = false, header = false, "
        "delim = ',', quote = '\"', escape = '\"', new_line = '\\n', nullstr = '', allow_quoted_nulls = false, "
        f"strict_mode = true, parallel = false, max_line_size = {longest}, buffer_size = {_ROWS * longest})"
    )


def column_types(cursor: Any) -> dict[str, dict[str, str]]:
    """The tables of a workspace in DuckDB whose rows belong to changes, with their columns."""
    rows = cursor.execute(
        "select table_name, list(column_name order by column_index), list(data_type order by column_index) "
        "from duckdb_columns() join duckdb_tables() using (database_name, schema_name, table_name) "
        "where database_name = current_database() group by table_name order by table_name"
    ).fetchall()
    return {table: dict(zip(names, kinds, strict=True)) for table, names, kinds in rows if "seq" in names}


def digests(cursor: duckdb.DuckDBPyConnection, up_to: int) -> dict[str, tuple[int, int]]:
    """The rows of every table up to a change: how many, and the sum of what each comes to."""
    by_table = {}
    for table, columns in column_types(cursor).items():
        query = f"select count(*), sum(cast(hash({', '.join(columns)}) as hugeint)) from {table} where seq <= $1"
        count, total = cursor.execute(query, [up_to]).fetchall()[0]
        by_table[table] = int(count), int(total or 0)
    return by_table
