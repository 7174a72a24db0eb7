"""Backups of the workspace, made while it is in use, in a folder beside its file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from data import people
from data.errors import BadInput, StoreFailed
from data.ids import now
from data.store import Store, duckdb_path


@dataclass(frozen=True)
class Backup:
    """A backup file: its name, bytes and when it was made (UTC)."""

    name: str
    size: int
    made_at: datetime


def folder(store: Store) -> Path:
    """Where the backups of this store are kept. Raises BadInput for a store that is no file."""
    path = duckdb_path(store.url)
    if path is None:
        raise BadInput("Only a DuckDB file is backed up here. Use the tools of the database that ASSAY_STORE names.")
    return path.resolve().parent / "backups"


def make(store: Store, actor: str) -> Path:
    """Write a consistent copy while others go on working (leads). Raises StoreFailed where it cannot be written."""
    people.require(store, actor, "lead")
    place = folder(store)
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreFailed(f"The folder {place} cannot be made: {error.strerror}. Check its rights.") from None
    path = duckdb_path(store.url)
    file = place / f"{path.stem if path else 'store'}-{now():%Y%m%d-%H%M%S}.duckdb"
    store.backup(file)
    return file


def listing(store: Store) -> list[Backup]:
    """The backups there are, newest first."""
    place = folder(store)
    files = [(f, f.stat()) for f in place.glob("*.duckdb")] if place.is_dir() else []
    made = [Backup(f.name, s.st_size, datetime.fromtimestamp(s.st_mtime, UTC).replace(tzinfo=None)) for f, s in files]
    return sorted(made, key=lambda b: b.made_at, reverse=True)
