"""Rows go from DuckDB to PostgreSQL and back without loss, whatever they hold."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import people
from data.store import postgres_schema, transfer
from tests.data.imports import pair, source
from tests.facts import refusal
from tests.postgres import Databases

pytestmark = pytest.mark.together("postgres")
COLUMNS = {"a": "VARCHAR", "b": "DOUBLE", "c": "BOOLEAN", "d": "TIMESTAMP", "e": "BIGINT", "seq": "BIGINT"}
KINDS = "a text, b double precision, c boolean, d timestamp, e bigint, seq bigint"
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",))) | st.sampled_from(
    ["", "NULL", '"', '""', "\\N", "\\.", "\n", "\r\n", ",", "a,\"b\"\n", "'", "\ufeff", "é" * 50_000, "1" * 3_000_000]
)  # fmt: skip
ROWS = st.tuples(
    st.none() | TEXTS,
    st.none() | st.floats() | st.sampled_from([5e-324, -0.0, 1e308, 2.2250738585072014e-308, 0.1 + 0.2]),
    st.none() | st.booleans(),
    st.none() | st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)),
    st.none() | st.integers(-(2**63), 2**63 - 1),
)


@pytest.fixture(scope="module")
def link(databases: Databases) -> Iterator[postgres_schema.Link]:
    with postgres_schema.connect(databases.address("postgres")) as link:
        link.execute("create schema transfer")
        link.execute("set search_path = transfer")
        link.execute(f"create table t ({KINDS})".encode())
        yield link
        link.execute("drop schema transfer cascade")


def exact(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows in an order, with the very bits of their numbers; NaN is one, whatever its sign."""
    bits = [tuple(struct.pack("d", math.nan if v != v else v) if isinstance(v, float) else v for v in r) for r in rows]
    return sorted(bits, key=repr)


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "longest"), [("200MB", 10), ("1GB", 30_000_000)])
def test_very_many_rows_take_little_memory_and_their_longest_a_few_times_its_length(
    link: postgres_schema.Link, tmp_path: Path, limit: str, longest: int
) -> None:
    """A machine of 8 GB once could not open a store of 401 rows: room was made for 16 rows of 1 GB."""
    with duckdb.connect(config={"memory_limit": limit, "temp_directory": str(tmp_path / "spilled")}) as con:
        con.execute(f"create table t ({KINDS})")
        link.execute("truncate t")
        many = f"select repeat('x', 5), 7 from generate_series(1, {2 * transfer.MAX_ROWS_AS_VALUES})"
        link.execute(f"insert into t (a, seq) {many}".encode())
        link.execute(f"insert into t (a, seq) values (repeat(E'\"\n', {longest // 2}), 7)".encode())
        transfer.fetch(link, con, {"t": COLUMNS}, 6, 7)
        rows = con.execute("select count(*), max(length(a)), count(distinct a) from t").fetchall()
        assert rows == [(2 * transfer.MAX_ROWS_AS_VALUES + 1, longest, 2)]


def test_a_store_of_many_rows_opens_where_there_is_little_memory(
    databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_MEMORY", "300MB")
    store = databases.open(tmp_path / "many")
    people.join_workspace(store, "lea")
    rows = [pair(f"p{n}") for n in range(transfer.MAX_ROWS_AS_VALUES + 1)]
    import_source(store, "lea", source(rows), ImportPlan("d"))
    store.close()
    store = databases.open(tmp_path / "many")
    assert store.rows("select count(*) from item") == [(len(rows),)]
    message = refusal(lambda: store.rows("select list(repeat(random()::text, 1000)) from range(1_000_000)"))
    assert message.endswith("Let it have more memory (ASSAY_MEMORY, or a larger machine), then try again.")


@pytest.mark.slow
@settings(max_examples=25)
@given(st.lists(ROWS, max_size=12), st.booleans())
def test_all_that_a_column_can_hold_comes_back_as_it_was(
    link: postgres_schema.Link, rows: list[tuple[Any, ...]], many: bool
) -> None:
    with duckdb.connect() as con, pytest.MonkeyPatch.context() as patch:
        patch.setattr(transfer, "MAX_ROWS_AS_VALUES", 0 if many else 400)
        con.execute(f"create table t ({KINDS})")
        for row in rows:
            con.execute("insert into t values ($1, $2, $3, $4, $5, 7)", row)
        link.execute("truncate t")
        transfer.send(link, "t", COLUMNS, con)
        con.execute("delete from t")
        transfer.fetch(link, con, {"t": COLUMNS}, 6, 7)
        assert exact(con.execute("select a, b, c, d, e from t").fetchall()) == exact(rows)
        transfer.fetch(link, con, {"t": COLUMNS}, 7, 9)
        assert con.execute("select count(*) from t").fetchall() == [(len(rows),)]
