"""Putting a backup in the place of a DuckDB store, so that at no moment there is no whole store under some name."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import duckdb

from data.errors import BadInput, NotFound, StoreDamaged, StoreLocked
from data.ids import now
from data.mark import Mark
from data.store import duckdb_path
from data.store_duckdb import DuckStore
from data.verify import verify


def restore(backup: Path, url: str) -> tuple[int, Path | None]:
    """Put a copy of the backup where the store of that URL is: (its changes, where the present file was put or None).

    Raises NotFound or BadInput for what is no sound backup, StoreLocked while the store is in use; then nothing is
    changed.
    """
    path = duckdb_path(url)
    if path is None:
        raise BadInput("Only a DuckDB file can be restored here. Use the tools of the database that ASSAY_STORE names.")
    if not backup.is_file():
        raise NotFound(f"There is no backup {backup}. Check the path; it is relative to the folder you are in.")
    if path.exists() and backup.samefile(path):
        raise BadInput(f"{backup} is the store itself. Give the backup's file.")
    _check_free(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".restoring")
    _forget(part)
    try:
        changes = _sound(backup, part, url)
        aside = _aside(path)
        os.replace(part, path)
    finally:
        _forget(part)
    mark = Mark(_beside(path, ".mark"))
    mark.write(changes)
    mark.close()
    return changes, aside


def _check_free(path: Path) -> None:
    """Raise StoreLocked while another process holds the store; a store that cannot be opened is free."""
    if not path.exists():
        return
    try:
        duckdb.connect(str(path)).close()
    except duckdb.IOException as error:
        if "lock" in str(error).lower():
            raise StoreLocked(f"The store {path} is in use. Stop Assay first, then restore.") from None
    except duckdb.Error:
        pass


def _sound(backup: Path, part: Path, url: str) -> int:
    """Copy the backup and read all of it; the number of its changes. Raises BadInput where it is not whole."""
    shutil.copyfile(backup, part)
    try:
        store = DuckStore(part, url, accept=True)
    except StoreDamaged as error:
        raise BadInput(f"{backup} is no backup that can be opened, so nothing was changed. {error}") from None
    try:
        found = verify(store)
        if found:
            raise BadInput(f"{backup} is damaged, so nothing was changed. {' '.join(found[:5])}")
        return store.newest()
    finally:
        store.close()


def _aside(path: Path) -> Path | None:
    """Give the present store, with its write-ahead log, another name."""
    if not path.exists():
        return None
    stem = f"{path.stem}.replaced-{now():%Y%m%d-%H%M%S}"
    aside = path.with_name(stem + path.suffix)
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{stem}-{number}{path.suffix}")
    log = _beside(path, ".wal")
    if log.exists():
        os.replace(log, _beside(aside, ".wal"))
    os.replace(path, aside)
    return aside


def _forget(part: Path) -> None:
    for file in (part, _beside(part, ".wal"), _beside(part, ".mark")):
        with contextlib.suppress(FileNotFoundError):
            file.unlink()


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
