"""A workspace moves from one store to another, a file or a database, row for row and all or nothing."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from data import log
from data.store import Store, duckdb_path, hide_password, is_address, open_store, opening
from data.store.errors import BadInput, NotFound, StoreFailed
from data.temp_folders import folder_for
from data.workspace.restore import restore


def copy_workspace(source: str, target: str) -> tuple[int, int]:
    """Copy the store of one address, or a backup, to the empty store of another: (its newest change, its rows).

    Every row keeps the number of its change. What has arrived is read back and compared table by table before anything
    is kept. Raises NotFound, BadInput or StoreFailed; then the target is as it was.
    """
    for address in (source, target):
        if not is_address(address):
            raise BadInput(
                f"{hide_password(address)} names no store. Use duckdb:///file.duckdb or postgresql://person@host/database."
            )
    path, to = duckdb_path(source), duckdb_path(target)
    if path is not None and not path.exists():
        raise NotFound(f"There is no store at {path}. Name the store to copy, as in duckdb:///file.duckdb.")
    if to is not None and to.exists():
        raise BadInput(f"{to} exists already. Name a file that is not there: a copy goes into an empty store only.")
    with folder_for("copy") as folder:
        backup_copy = folder / "backup.duckdb"
        if backup := path is not None and not opening.beside_path(path, ".mark").exists():
            opening.copy(path, backup_copy)  # the backup stays as it is
        with closing(open_store(f"duckdb:///{backup_copy}" if backup else source, accept=backup)) as origin:
            newest, rows = _to_file(origin, to, target) if to is not None else _to_database(origin, target)
    log.info("store_copied", revision=newest, rows=rows)
    return newest, rows


def _to_database(origin: Store, target: str) -> tuple[int, int]:
    with closing(open_store(target)) as store:
        store.copy_from(origin)
        return store.newest(), sum(count for count, _ in store.digests(store.newest()).values())


def _to_file(origin: Store, to: Path, target: str) -> tuple[int, int]:
    with folder_for("copy", to.resolve().parent) as folder:
        file = folder / "copy.duckdb"
        origin.backup(file)
        with closing(open_store(f"duckdb:///{file}", accept=True)) as new_store:
            newest, digests = new_store.newest(), new_store.digests(new_store.newest())
        if digests != origin.digests(newest):
            raise StoreFailed(f"{to} was not made: what arrived is not what was sent. Check the disk, then try again.")
        restore(file, target, force=True)
    return newest, sum(count for count, _ in digests.values())
