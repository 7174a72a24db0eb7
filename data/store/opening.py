"""The steps before a DuckDB file is opened for writing, so that a start that refuses changes no byte.

Opened for writing, DuckDB makes a file that is not there, deletes a log that belongs to none, and takes a torn log for
a whole one. So `inspect_store` reads first: read-only, DuckDB replays the log in memory and touches nothing. Tables are
made and brought up to date in a copy aside, which takes the file's place when it is done.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import stat
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakValueDictionary

import duckdb

from data import log as events
from data.store.base import NEWEST_SQL, Store, check_version, migrations, statements
from data.store.errors import BadInput, StoreDamaged, StoreFailed, StoreLocked
from data.store.hidden_rows import delete_hidden_rows, show_tables
from data.store.high_water_mark import CHANGE, Mark, digest
from data.store.ids import now
from judges.errors import AssayError
from judges.plural import many, verb

LOGS = (".wal", ".wal.checkpoint", ".wal.recovery")
"""The files that DuckDB keeps next to a store's file: the log, and what an interrupted checkpoint leaves of it."""
RESTORE = "Restore a backup (python -m data restore BACKUP)"
ACCEPT = "python -m data verify --accept"
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "preserve_insertion_order": "false",
}
_LOCK_TIMEOUT_SECONDS = 60.0  # for another start in the same folder, which may be bringing a large store up to date
_opening = threading.RLock()
_folders: set[Path] = set()
_open_stores: WeakValueDictionary[tuple[int, int], Store] = WeakValueDictionary()

Failure = duckdb.Error
"""The error that the database raises while a file is read."""


@dataclass(frozen=True)
class StoreFile:
    """A store as it lies on the disk.

    It has the version of its tables, its newest change with its digest, and whether a mark is beside it.
    """

    version: int
    newest: int
    digest: str
    marked: bool


# -- one at a time ----------------------------------------------------------------------------------------------------


def real_path(path: Path) -> Path:
    """The file that a store's path means, past links.

    Raises StoreDamaged for a link to nowhere, and BadInput for a path with a question mark.
    """
    if os.path.islink(path) and not os.path.exists(path):
        raise StoreDamaged(f"The store {path} is a link to {os.readlink(path)}, which does not exist. Fix the link.")
    real = os.path.realpath(path)
    if "?" in real:  # DuckDB takes what follows for options, and puts the .wal of its log's name before it
        raise BadInput(f"The store {real} has a question mark in its path, so its log would lie elsewhere. Rename it.")
    return Path(real)


@contextlib.contextmanager
def lock_folder(path: Path) -> Iterator[None]:
    """Nobody else opens, makes or restores a store in this folder meanwhile, in this process or in another one."""
    with _opening:
        if path.parent in _folders:
            yield
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            folder = os.open(path.parent, os.O_RDONLY)
        except OSError as error:
            raise StoreFailed(f"The store {path} cannot be opened: {error.strerror}. Check the folder.") from None
        _folders.add(path.parent)
        try:
            _lock_with_timeout(folder, path)
            yield
        finally:
            _folders.discard(path.parent)
            os.close(folder)


def _lock_with_timeout(folder: int, path: Path) -> None:
    """Lock the folder: a lock on it needs no file that a start would leave behind."""
    until = time.monotonic() + _LOCK_TIMEOUT_SECONDS
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise StoreLocked(
                    f"Another process has been opening a store in {path.parent} for a minute. Wait for it, or stop it."
                ) from None
            time.sleep(0.02)
        except OSError:
            return  # a file system without such locks: DuckDB's own lock still keeps a second writer out


def register_store(path: Path, store: Store) -> None:
    """Remember which store of this process holds the file."""
    file_stat = path.stat()
    _open_stores[file_stat.st_dev, file_stat.st_ino] = store


def unregister_store(store: Store) -> None:
    """Forget it again."""
    for key in [key for key, holder in _open_stores.items() if holder is store]:
        _open_stores.pop(key, None)


def check_unregistered(path: Path) -> None:
    """Raise StoreLocked while this very process holds the file: even to read it would drop the lock on it."""
    with contextlib.suppress(OSError):
        file_stat = path.stat()
        if (file_stat.st_dev, file_stat.st_ino) in _open_stores:
            raise StoreLocked(f"The store {path} is open in this process already. Use that one, or close it first.")


def check_idle(path: Path) -> None:
    """Raise StoreLocked while anybody holds the file; what is no store, or a damaged one, nobody holds."""
    check_unregistered(path)
    with contextlib.suppress(StoreDamaged, StoreFailed):
        inspect_store(path)


# -- looking ----------------------------------------------------------------------------------------------------------


def beside_path(path: Path, suffix: str) -> Path:
    """The log or mark of a store's file."""
    return path.with_name(path.name + suffix)


def logs(path: Path) -> list[Path]:
    """The logs that lie beside a store's file."""
    return [log for suffix in LOGS if os.path.lexists(log := beside_path(path, suffix))]


def inspect_store(path: Path, accept: bool = False, write: bool = True) -> StoreFile | None:
    """Return the store file at a path, None if nothing is there, without changing anything.

    Raises StoreDamaged, StoreLocked or StoreFailed if it must not be opened. With `accept`, missing changes and a mark
    that is missing or damaged are no reason for that. With `write` False, the lack of the right to write is none.
    """
    mark = Mark(beside_path(path, ".mark"))
    if not os.path.lexists(path):
        _refuse_leftovers(path, mark)
        return None
    _is_file(path)
    if write:
        _may_write(path)
    with open_read_only(path) as con:
        version, newest = _read_state(con, path)
        entry, unreadable = mark.entry_or_fault()
        seq, at = entry or (0, "")
        own = digest(con.execute(CHANGE, [newest]).fetchall()) if newest else ""
        other = bool(at) and seq <= newest and digest(con.execute(CHANGE, [seq]).fetchall()) != at
    check_version(path, version, migrations()[-1][0])
    if accept:
        return StoreFile(version, newest, own, False)
    if unreadable:
        raise StoreDamaged(
            f"The mark {mark.path} cannot be read ({unreadable}), so it is not known whether {path.name} "
            f"({many(newest, 'change')}) has all that was confirmed. {RESTORE}, or go on with what is there: {ACCEPT}"
        )
    if entry is None and version:  # with no change in it, too: its changes may all have been in a log
        raise StoreDamaged(
            f"The mark {mark.path.name} of the store {path} is missing, so it is not known whether the store "
            f"({many(newest, 'change')}) has all that was confirmed. If the store was moved, copy its .wal and .mark, "
            f"too. If it is a backup, put it in the store's place with python -m data restore {path.name}. Or go on "
            f"with what is there: {ACCEPT}"
        )
    if newest < seq:
        loss = f"{many(seq - newest, 'change')} {verb(seq - newest, 'is', 'are')} missing"
        raise StoreDamaged(
            f"The store {path} ends at revision {newest}, but revision {seq} was confirmed: {loss}, probably with a "
            f"damaged or deleted write-ahead log ({path.name}.wal). {RESTORE}, or accept the loss with {ACCEPT}."
        )
    if other:
        raise StoreDamaged(
            f"Change {seq} in the store {path} is not the one that its mark {mark.path.name} confirms: the file, its "
            f"write-ahead log ({path.name}.wal) or the mark is of another store, or of a copy that was changed "
            f"separately. Put the files of one store together. {RESTORE}, or go on with what is there: {ACCEPT}"
        )
    return StoreFile(version, newest, own, entry is not None)


def _refuse_leftovers(path: Path, mark: Mark) -> None:
    """Raise StoreDamaged where a log or a mark says that a store was here."""
    entry, unreadable = mark.entry_or_fault()
    if left := [*([mark.path] if unreadable or (entry and entry[0]) else []), *logs(path)]:
        names = " and ".join(file.name for file in left)
        raise StoreDamaged(
            f"The store {path} is missing, but its {names} {'are' if len(left) > 1 else 'is'} still there, so a store "
            f"with confirmed changes was here. Put the file back, or move {names} away and then "
            "restore a backup (python -m data restore BACKUP) or begin a new store."
        )


def _is_file(path: Path) -> None:
    """Raise for what is no DuckDB file: DuckDB would open a .csv as a view, and save to nowhere."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise StoreDamaged(f"The store {path} is not a file. Name a DuckDB file, or a path where nothing is yet.")
        with path.open("rb") as file:
            head = file.read(12)
    except OSError as error:
        raise StoreFailed(f"The store {path} cannot be opened: {error.strerror}. Check the file's rights.") from None
    if head[8:] != b"DUCK":
        problem = "is not a DuckDB file" if head else "is empty (0 bytes), not a DuckDB file"
        raise StoreDamaged(
            f"{path} {problem}, so it is not opened as a store. Name another path in ASSAY_STORE; or, if a store was "
            "here, restore a backup (python -m data restore BACKUP)."
        )


def _may_write(path: Path) -> None:
    """Raise StoreFailed where the rights on the file or its folder would make every save fail."""
    for place in (path, path.parent):
        if not os.access(place, os.W_OK):
            raise StoreFailed(f"The store {path} cannot be written: there is no right to write {place}.")


def _read_state(con: duckdb.DuckDBPyConnection, path: Path) -> tuple[int, int]:
    """The version of the tables and the newest change."""
    try:
        version = con.execute("select coalesce(max(version), 0) from migration").fetchall()[0][0]
    except duckdb.CatalogException:  # asked for only here: the list of all tables takes longer than all else
        if con.execute("select table_name from information_schema.tables").fetchall():
            raise StoreDamaged(
                f"{path} is a DuckDB file with tables of something else, so it is not opened as a store. Name another "
                "path in ASSAY_STORE."
            ) from None
        version = 0
    return version, newest(con) if version else 0


def newest(con: duckdb.DuckDBPyConnection) -> int:
    """The number of the newest change in an open file."""
    return int(con.execute(NEWEST_SQL).fetchall()[0][0])


# -- opening ----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def open_read_only(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A store's file, read-only."""
    try:
        with _without_progress_bar(duckdb.connect(str(path), read_only=True, config=_config())) as con:
            yield con
    except duckdb.Error as error:
        raise _why_not(path, error) from None


def _config() -> dict[str, str | bool | int | float | list[str]]:
    """DuckDB's settings, with the memory that ASSAY_MEMORY allows it. Raises BadInput."""
    most = os.environ.get("ASSAY_MEMORY", "").strip()
    if most and not re.fullmatch(r"[1-9]\d{0,6}(MB|GB)", most):
        raise BadInput(f"ASSAY_MEMORY is an amount such as 800MB or 4GB, not {most[:20]!r}.")
    return _CONFIG | ({"memory_limit": most} if most else {})


def _without_progress_bar(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A connection without the progress bar that DuckDB draws over the screen of `python -c` and of notebooks."""
    con.execute("set enable_progress_bar = false")
    return con


def connect(path: Path, log: int = 0) -> duckdb.DuckDBPyConnection:
    """Open for writing what `inspect_store` has passed.

    A log above `log` MB (0: DuckDB's own limit) is folded into the file.
    """
    try:
        config = _config() | ({"checkpoint_threshold": f"{log}MB"} if log else {})
        con = _without_progress_bar(duckdb.connect(str(path), config=config))
        if left := delete_hidden_rows(con):
            show_tables(con, left)
    except duckdb.Error as error:
        raise _why_not(path, error) from None
    return con


def _why_not(path: Path, error: duckdb.Error) -> AssayError:
    text = str(error)
    if "set lock on file" in text:
        holder = re.search(r"Conflicting lock is held in (.+?) \(PID (\d+)\)", text)
        by = f"{Path(holder[1]).name} (process {holder[2]})" if holder else "another process"
        return StoreLocked(
            f"The store {path} is in use by {by}. Do this in the running app instead, or stop it first. Several "
            "processes at a time need a workspace in PostgreSQL (docs/team.md)."
        )
    if isinstance(error, duckdb.ConnectionException):
        return StoreLocked(f"The store {path} is still in use in this process. Try again in a moment.")
    if re.search(r"permission denied|read-only file|no space left|quota|too large", text, re.IGNORECASE):
        return StoreFailed(
            f"The store {path} cannot be opened: {first_line(error)} Check the disk's free space and rights."
        )
    log = f", or move {path.name}.wal away and accept what is left ({ACCEPT})" if "WAL" in text else ""
    return StoreDamaged(
        f"The store {path} cannot be opened: {first_line(error)} {RESTORE}{log}, or move the file away with its .wal "
        "and .mark to begin a new one."
    )


def first_line(error: BaseException) -> str:
    """Return the first line of DuckDB's message, as the end of a sentence of ours."""
    message = (isinstance(error, OSError) and error.strerror) or str(error)
    line = (message.strip().splitlines() or [type(error).__name__])[0]
    return re.sub(r"^[\w ]+ Error: ", "", line).rstrip(".! ") + "."


# -- making -----------------------------------------------------------------------------------------------------------


def migrate_store(path: Path, file: StoreFile | None) -> None:
    """Make a store, or bring one up to date, in a copy aside; the file as it was is kept beside as a backup.

    Raises StoreFailed where that does not succeed; then nothing is changed.
    """
    done = file.version if file else 0
    waiting = [m for m in migrations() if m[0] > done]
    if not waiting:
        return
    part = beside_path(path, ".making")
    try:
        remove_copy(part)
        if file:
            copy(path, part)
        con = connect(part)
        try:
            if file and (newest(con) if done else 0) != file.newest:
                raise StoreLocked(f"The store {path} was written while it was copied. Start again.")
            for version, name, sql in waiting:
                run_script(con, sql, version, name)
            con.execute("checkpoint")
        finally:
            con.close()
        backup = None
        if file:
            shutil.copymode(path, part)
            _checkpoint(path)
            backup = _keep_copy(path) if done else None
        try:
            os.replace(part, path)
        except OSError:
            if backup is not None:
                backup.unlink()
            raise
        if backup is not None:
            to = waiting[-1][0]
            events.info("store_migrated", file=str(path), from_version=done, to_version=to, kept=str(backup))
    except (duckdb.Error, OSError) as error:
        raise StoreFailed(
            f"The store {path} was not {'brought up to date' if file else 'made'}: {first_line(error)} Nothing was "
            "changed. Check the disk's free space and rights, then start again."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            remove_copy(part)


def run_script(con: duckdb.DuckDBPyConnection, sql: str, version: int, name: str) -> None:
    """Run one migration and its record in one transaction."""
    con.begin()
    con.execute("create table if not exists migration (version bigint, name text, made_at timestamp)")
    for statement in statements(sql):
        con.execute(statement)
    con.execute("insert into migration values ($1, $2, $3)", [version, name, now()])
    con.commit()


def _checkpoint(path: Path) -> None:
    """Write the log into the file, so that the file can be replaced and is a whole backup by itself."""
    if logs(path):
        with connect(path) as con:
            con.execute("checkpoint")


def _keep_copy(path: Path) -> Path:
    """Give the file a second name, under which it stays as it is; that name. Raises OSError, and leaves nothing."""
    backup = free_name(path, "before")
    try:
        os.link(path, backup)
    except OSError:  # a file system without second names
        try:
            shutil.copyfile(path, backup)
        except OSError:
            backup.unlink(missing_ok=True)
            raise
    return backup


def free_name(path: Path, word: str) -> Path:
    """A name beside the store that nothing has, with the time in it."""
    stem = f"{path.stem}.{word}-{now():%Y%m%d-%H%M%S}"
    candidate, number = path.with_name(stem + path.suffix), 1
    while os.path.lexists(candidate):
        number += 1
        candidate = path.with_name(f"{stem}-{number}{path.suffix}")
    return candidate


def copy(path: Path, to: Path) -> None:
    """Copy a store that nobody has open, with its logs. Raises OSError."""
    for file in [*logs(path), path]:
        shutil.copyfile(file, to.with_name(to.name + file.name.removeprefix(path.name)))


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_copy(part: Path) -> None:
    """Remove a copy aside, with all that lies beside it."""
    for file in (part, beside_path(part, ".mark"), *(beside_path(part, suffix) for suffix in LOGS)):
        file.unlink(missing_ok=True)
