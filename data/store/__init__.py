"""The store: appended rows behind one write lock, the same SQL for every driver.

`ASSAY_STORE` names it: `duckdb:///path` (the default is `duckdb:///assay.duckdb` in the working folder), or
`postgresql://person:password@host/database` for several processes.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from data.store.base import (
    Load,
    Reader,
    Row,
    Store,
    Tx,
    cache_each,
    cache_result,
    columns_of,
    compute_once,
    migrations,
    placeholders,
    preview_rows,
    quote_sql,
    statements,
    table_of,
)
from data.store.duckdb_driver import DuckStore
from data.store.errors import BadInput
from data.store.postgres_driver import PostgresStore

__all__ = [
    "Load", "Reader", "Row", "Store", "Tx", "cache_each", "cache_result", "columns_of", "compute_once", "duckdb_path",
    "hide_password", "is_address", "migrations", "open_store", "placeholders", "preview_rows", "quote_sql",
    "statements", "store_address", "table_of",
]  # fmt: skip

POSTGRES = ("postgresql://", "postgres://")
"""The beginnings of the address of a PostgreSQL database."""


def store_address() -> str:
    """The store that the environment names."""
    return os.environ.get("ASSAY_STORE", "").strip() or "duckdb:///assay.duckdb"


def duckdb_path(url: str) -> Path | None:
    """The file of a DuckDB store, or None for another one."""
    scheme, _, rest = url.partition("://")
    # duckdb:///name is relative to the working folder, duckdb:////folder/name is absolute, as in SQLAlchemy.
    name = rest.removeprefix("/")
    return Path(name) if scheme == "duckdb" and name else None


def is_address(url: str) -> bool:
    """Whether an address is one that `open_store` takes, whatever is there."""
    return duckdb_path(url) is not None or url.startswith(POSTGRES)


def hide_password(url: str) -> str:
    """An address in quotes, for sentences, without the person and the password in it."""
    return repr(re.sub("//.*@", "//...@", url))


def open_store(url: str | None = None, accept: bool = False) -> Store:
    """Open the store of that URL (default: `ASSAY_STORE`), making and migrating it as needed.

    `accept` goes on with what is there although changes that were confirmed are missing, or nothing says how many
    were. Raises StoreLocked, StoreDamaged, StoreFailed or BadInput, each a sentence that says what to do; then every
    byte is as it was.
    """
    url = url or store_address()
    path = duckdb_path(url)
    if path is not None:
        return DuckStore(path, url, accept)
    if url.startswith(POSTGRES):
        return PostgresStore(url)
    raise BadInput(
        f"ASSAY_STORE is {hide_password(url)}. Use duckdb:///file.duckdb (or duckdb:////folder/file.duckdb), or "
        "postgresql://person:password@host/database."
    )
