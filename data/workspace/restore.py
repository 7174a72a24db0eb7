"""Putting a backup in the place of a DuckDB store; at every moment a whole store exists under some name."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from data import log
from data.records import exposure
from data.store import Row, duckdb_path, opening
from data.store.duckdb_driver import DuckStore
from data.store.errors import BadInput, NotFound, StoreDamaged, StoreFailed
from data.temp_folders import folder_for
from data.workspace.verify import verify
from judges.errors import AssayError


def restore(backup: Path, url: str, force: bool = False) -> tuple[int, Path | None]:
    """Put a copy of the backup where the store of that URL is: (its changes, where the present file was put or None).

    `force` takes a backup that holds no change, or ends before its own mark. Raises NotFound, BadInput or StoreFailed
    for what is no sound backup, StoreLocked while one of both is in use; then nothing is changed.
    """
    named = duckdb_path(url)
    if named is None:
        raise BadInput(
            "ASSAY_STORE is no DuckDB file, and a backup replaces only one. For PostgreSQL make an empty database, "
            f"then: python -m data copy duckdb:///{backup} postgresql://person@host/database"
        )
    if not backup.is_file():
        raise NotFound(f"There is no backup {backup}. Check the path; it is relative to the folder you are in.")
    path, backup = opening.real_path(named), Path(os.path.realpath(backup))
    if path.exists() and backup.samefile(path):
        raise BadInput(f"{backup} is the store itself. Give the backup's file.")
    if path.exists() and not path.is_file():
        raise BadInput(f"{path} is not a file, so no store can take its place. Name another path in ASSAY_STORE.")
    with opening.lock_folder(path):
        opening.check_idle(path)
        try:
            with folder_for("restore", path.parent) as folder:
                part = folder / path.name
                changes = _restore_checked(backup, part, url, force, _exposure_rows(path))
                previous_path = _replace(path, part)
        except (opening.Failure, OSError) as error:
            raise StoreFailed(
                f"{backup} was not restored: {opening.first_line(error)} Check the disk's free space and rights."
            ) from error
    log.info("store_restored", file=str(path), revision=changes, backup=str(backup), kept=str(previous_path or ""))
    return changes, previous_path


def backup_revision(backup: Path) -> int:
    """The newest revision that a backup holds. Raises an AssayError where it cannot be opened."""
    opening.check_unregistered(backup)
    file = opening.inspect_store(backup, accept=True, write=False)
    return file.newest if file else 0


def check_copy(backup: Path) -> int:
    """Read all of a backup, which stays as it is; its newest revision. Raises BadInput or StoreFailed as `restore`."""
    try:
        with folder_for("check", backup.parent) as folder:
            part = folder / backup.name
            return _restore_checked(backup, part, f"duckdb:///{part}", False, [])
    except (opening.Failure, OSError) as error:
        raise StoreFailed(f"{backup.name} could not be read: {opening.first_line(error)}") from error


def _restore_checked(backup: Path, part: Path, url: str, force: bool, seen: list[Row]) -> int:
    """Copy the backup, add what people have seen since, and read all of it; the number of its changes.

    Raises BadInput where it is not whole.
    """
    opening.check_unregistered(backup)
    try:
        marked = opening.beside_path(backup, ".mark").exists()
        file = opening.inspect_store(backup, accept=force or not marked, write=False)
    except StoreDamaged as error:
        raise BadInput(f"{backup} cannot be opened as a backup, so nothing was changed. {error}") from None
    if not force and (file is None or not file.newest):
        raise BadInput(
            f"{backup} has no changes, so it is probably not the backup that you mean; nothing was changed. "
            "To restore it anyway, use --force."
        )
    opening.copy(backup, part)
    with contextlib.closing(DuckStore(part, url, accept=True)) as store:
        exposure.carry_exposures(store, seen)
        if wrong := verify(store):
            raise BadInput(f"{backup} is damaged, so nothing was changed. {' '.join(wrong[:5])}")
        return store.newest()


def _exposure_rows(path: Path) -> list[Row]:
    """Return who was shown what by the store that is replaced; empty if it cannot be read, or has no record of it."""
    with contextlib.suppress(AssayError, opening.Failure), opening.open_read_only(path) as con:
        return con.execute("select distinct item_id, judge_id, person, route from exposure").fetchall()
    return []


def _replace(path: Path, part: Path) -> Path | None:
    """Put a store in the place of another, which gets a new name: that name, None where nothing was there.

    Each with its logs and mark, also what is left of one without its file. Raises OSError; then nothing is moved. A
    mark is there at every moment: without one, a start after a kill would take the place for empty.
    """
    present, new, previous_path = _files(path), [*reversed(_files(part))], opening.free_name(path, "replaced")
    moves = [(file, _name_beside(file, path, previous_path)) for file in present]
    moves += [(file, _name_beside(file, part, path)) for file in new]
    for file in new:
        opening.sync(file)
    done: list[tuple[Path, Path]] = []
    try:
        for file, to in moves:
            if not (file in present and file.suffix == ".mark" and _link(file, to)):
                os.replace(file, to)
            done.append((file, to))
    except OSError:
        for file, to in reversed(done):
            os.replace(to, file)
            to.unlink(missing_ok=True)  # a second name of the same file stays otherwise
        raise
    opening.sync(path.parent)
    return previous_path if present else None


def _files(path: Path) -> list[Path]:
    """What there is of a store: its file, its logs, its mark."""
    files = (path, *opening.logs(path), opening.beside_path(path, ".mark"))
    return [file for file in files if os.path.lexists(file)]


def _name_beside(file: Path, path: Path, to: Path) -> Path:
    """The name of one of a store's files where the store has another one."""
    return to.with_name(to.name + file.name.removeprefix(path.name))


def _link(file: Path, to: Path) -> bool:
    """Whether a file has a second name now: not on every file system."""
    with contextlib.suppress(OSError):
        os.link(file, to)
        return True
    return False
