"""The records of the tables are held against the columns of a store that all migrations have made."""

import inspect
from pathlib import Path
from typing import NamedTuple, get_args, get_type_hints

import pytest

from data.importing.staging import RECORDS
from data.records import tables
from data.store import Store, base, combination, open_store, table_of
from data.store.ids import now

UNWRITTEN_TABLES = {"migration", "reveal"}
"""Tables that no change appends to: of the migrations themselves, and one that `exposure` stands in place of."""
TYPES = {"VARCHAR": str, "BIGINT": int, "DOUBLE": float, "BOOLEAN": bool, "TIMESTAMP": type(now())}
ALL: dict[str, type[NamedTuple]] = {
    table_of(record): record
    for module in (tables, base, combination)
    for name, record in inspect.getmembers(module, inspect.isclass)
    if name.endswith("Row") and hasattr(record, "_fields") and record.__module__ == module.__name__
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    file: Path = tmp_path_factory.mktemp("tables") / "a.duckdb"
    return open_store(f"duckdb:///{file}")


def columns(store: Store, table: str) -> list[tuple[str, object]]:
    """(name, Python type, with None where the column may be null) of a table's columns, without the change's number."""
    rows = store.rows(
        "select column_name, data_type, is_nullable from information_schema.columns where table_name = $1 "
        "order by ordinal_position",
        [table],
    )
    return [(n, TYPES[t] | None if null == "YES" else TYPES[t]) for n, t, null in rows if n != "seq"]


def test_every_table_that_is_written_has_a_record(store: Store) -> None:
    names = store.rows("select table_name from information_schema.tables where table_type = 'BASE TABLE'")
    assert {str(name) for (name,) in names} - UNWRITTEN_TABLES == ALL.keys()


@pytest.mark.parametrize("table", ALL)
def test_a_record_has_the_columns_of_its_table_in_their_order(store: Store, table: str) -> None:
    hints = get_type_hints(ALL[table])
    assert [(name, hints[name]) for name in ALL[table]._fields] == columns(store, table)


def test_a_record_knows_its_table_and_only_new_columns_have_defaults(store: Store) -> None:
    assert table_of(tables.ApprovalEvidenceRow) == "approval_evidence"
    for record in ALL.values():
        for name in getattr(record, "_field_defaults"):  # noqa: B009
            assert type(None) in get_args(get_type_hints(record)[name]), f"{record.__name__}.{name}"


def test_what_is_staged_are_rows_of_tables() -> None:
    assert set(RECORDS) <= set(ALL.values())


def test_records_are_appended_to_their_table(store: Store) -> None:
    rows = [tables.SettingRow(f"id{n}", "test", "x", str(n)) for n in range(60)]
    assert store.tx("ann", "test", lambda tx: tx.append(rows[:2]) + tx.append(rows[2:]) + tx.append([])) == 60
    query = "select id, scope, name, value from setting where scope = 'test' order by cast(value as int)"
    assert store.rows(query) == rows
