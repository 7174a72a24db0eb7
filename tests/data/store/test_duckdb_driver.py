"""The life of a store, as text: how its file is made, opened, damaged, brought up to date, filled, saved and put back.

Each part has an archive of its own in `lives/`: refusals, events that are logged, files that lie there, rows. Stores
whose tables do not matter have few of them, so that they are made and opened at once.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data import samples
from data.records import people
from data.records.tables import ExposureRow, ScoreRow, SettingRow
from data.store import (
    Load,
    Store,
    Tx,
    base,
    combination,
    duckdb_path,
    hidden_rows,
    is_address,
    open_store,
    opening,
    sandbox,
    store_address,
    transfer,
)
from data.store import duckdb_driver as driver
from data.store.errors import BadInput, StoreFailed, StoreLocked
from data.store.high_water_mark import Mark
from data.store.ids import new_id
from data.workspace import backups, bootstrap, schedule
from data.workspace.copies import copy_workspace
from data.workspace.restore import backup_revision, check_copy, restore
from data.workspace.schedule import BackupPlan, BackupState
from data.workspace.verify import verify
from judges.errors import AssayError
from tests import seeds
from tests.archives import compare_archive
from tests.data.planted_workspace import Clock, frozen_clock
from tests.facts import facts
from tests.seeds import count, put

pytestmark = pytest.mark.duckdb_only("files, marks and logs")
LIVES = Path(__file__).with_name("lives")
SETTING = "id, scope, name, value"
TABLES = """-- The fewest tables that a store can have.
create table change (seq bigint primary key, made_at timestamp, actor text, action text, target text);
create table setting (id text, scope text, name text, value text, seq bigint);
create table export (id text, seq bigint);
create table item (id text, name text, seq bigint);
create sequence beat;
"""
VERSIONS = ((1, "begin", TABLES), (2, "more", "create table more (id text, seq bigint);\n"))


class Book:
    """What is told of one part, and the folder in which it happens."""

    def __init__(self, folder: Path, caplog: pytest.LogCaptureFixture, patch: pytest.MonkeyPatch, clock: Clock) -> None:
        self.folder, self.caplog, self.patch, self.clock = folder, caplog, patch, clock
        self.lines: list[str] = []
        self._logged = 0

    def say(self, name: str, value: Any) -> None:
        self.lines += facts(name, self._without_folder(value))

    def _without_folder(self, value: Any) -> Any:
        """The value without the folder in its texts, whose length would else decide what fits in a line."""
        if isinstance(value, str | Path):
            return str(value).replace(str(self.folder), "(folder)")
        if type(value) in (list, tuple):
            return [self._without_folder(part) for part in value]
        return value

    def ask(self, name: str, call: Callable[[], Any]) -> Any:
        """What a call gives, or how it is refused, and what is logged meanwhile; what it gives."""
        answer = None
        try:
            answer = call()
        except (AssayError, ValueError, OSError, duckdb.Error) as error:
            message = str(error).partition("\n")[0] if isinstance(error, duckdb.Error) else str(error)
            self.lines.append(f"{name}: {type(error).__name__}: {message}")
        else:
            self.say(name, answer)
        self.tell_log()
        return answer

    def tell_log(self) -> None:
        records = self.caplog.get_records("call")
        for record in records[self._logged :]:
            if record.name == "assay":
                fields = {
                    name: value for name, value in record.__dict__["facts"].items() if not isinstance(value, float)
                }
                why = f" {type(record.exc_info[1]).__name__}" if record.exc_info else ""
                self.lines.append(f"  log {record.levelname} {record.getMessage()} {fields}{why}")
        self._logged = len(records)

    def files(self, folder: Path, name: str = "  files") -> None:
        """What lies in a folder, with what marks say."""
        self.lines.append(f"{name}: {', '.join(sorted(map(_describe_file, folder.iterdir()))) or 'none'}")

    def text(self) -> str:
        text = "\n".join(self.lines) + "\n"
        text = text.replace(str(self.folder), "(folder)").replace(tempfile.gettempdir(), "(temporary)")
        text = re.sub(r"\b[0-9a-f]{20}\b(?! [0-9a-f]{16})", "(id)", text)
        return re.sub(r"assay-(check|copy|restore)-\w+", r"assay-\1-(any)", text)


def _describe_file(file: Path) -> str:
    if file.is_symlink():
        return f"{file.name} -> {os.path.basename(os.readlink(file))}"
    if not file.is_file():
        return f"{file.name}, a {'folder' if file.is_dir() else 'pipe'}"
    if file.name.endswith(".mark"):
        return f"{file.name} ({file.read_bytes()!r})"
    return file.name


def file_stamps(folder: Path) -> dict[str, str]:
    """Every file of a folder with what shows that it was written."""
    entries = [(file.name, file.lstat()) for file in folder.iterdir()]
    return {name: f"{status.st_size} {status.st_mtime_ns} {status.st_mode}" for name, status in entries}


def at(path: Path, accept: bool = False) -> Store:
    return open_store(f"duckdb:///{path}", accept)


def sibling(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def look_in(path: Path, accept: bool = False) -> str:
    """Open a store and close it: what it held."""
    store = at(path, accept)
    try:
        return f"{store.newest()} changes, {count(store)} rows"
    finally:
        store.close()


def mark_line(words: str) -> bytes:
    """A sound mark that says this."""
    return f"{words} {zlib.crc32(words.encode()):08x}\n".encode()


def snapshot(path: Path, to: Path) -> Path:
    """The files of an open store as a power cut would leave them."""
    to.mkdir()
    for file in path.parent.glob(f"{path.name}*"):
        shutil.copyfile(file, to / file.name)
    return to / path.name


def current_settings(con: duckdb.DuckDBPyConnection, *names: str) -> dict[str, str]:
    return {name: str(con.execute(f"select current_setting('{name}')").fetchall()[0][0]) for name in names}


def date_backups(folder: Path) -> None:
    """Give the backups that are new the time of a minute after all others."""
    files = list(folder.glob("*.duckdb"))
    dated = [int(file.stat().st_mtime) for file in files if file.stat().st_mtime < 1_700_000_000]
    for n, file in enumerate(sorted(file for file in files if file.stat().st_mtime >= 1_700_000_000)):
        os.utime(file, (max(dated, default=1_600_000_000) + 60 * (n + 1),) * 2)


def raising(error: BaseException) -> Callable[..., Any]:
    def call(*_: object, **__: object) -> Any:
        raise error

    return call


# -- the file ---------------------------------------------------------------------------------------------------------


def tell_files(book: Book) -> None:
    path = book.folder / "a" / "a.duckdb"
    store = book.ask("made", lambda: at(path))
    book.files(path.parent)
    book.ask("opened twice", lambda: at(path))
    path.with_name("link").symlink_to(path)
    book.ask("opened twice by a link", lambda: at(path.with_name("link")))
    for n in range(6):
        put(store, f"x{n}")
        if n == 3:
            early = sibling(path, ".mark").read_bytes()
    book.tell_log()
    killed = snapshot(path, book.folder / "killed")
    store.close()
    book.files(path.parent, "closed")
    book.ask("opened", lambda: look_in(path))
    book.ask("opened by a link", lambda: look_in(path.with_name("link")))
    book.files(killed.parent, "killed")
    _tell_states(book, killed, early)
    _tell_folders(book)
    _tell_errors(book)
    _tell_memory(book)
    _tell_marks(book)
    _tell_migrations(book, killed)


def _tell_states(book: Book, killed: Path, early: bytes) -> None:
    whole = sibling(killed, ".mark").read_bytes()
    newest, digest = whole.decode().split()[:2]

    def mark(content: bytes) -> Callable[[Path], object]:
        return lambda path: sibling(path, ".mark").write_bytes(content)

    def cut(path: Path) -> None:
        os.truncate(sibling(path, ".wal"), sibling(path, ".wal").stat().st_size // 2)

    def move(path: Path, *suffixes: str) -> None:
        path.rename(path.with_name("elsewhere"))
        for suffix in suffixes:
            sibling(path, suffix).unlink()

    def leave(path: Path, *suffixes: str, mark: bytes = b"") -> None:
        """Nothing but these, of what may lie beside a file."""
        move(path, ".wal", ".mark")
        for suffix in suffixes:
            sibling(path, suffix).write_bytes(mark if suffix == ".mark" else b"left")

    def version(number: int) -> Callable[[Path], None]:
        def change(path: Path) -> None:
            with duckdb.connect(str(path)) as con:
                con.execute("insert into migration values ($1, 'future', '2026-01-01')", [number])

        return change

    def others(path: Path, *statements: str) -> None:
        move(path, ".wal", ".mark")
        with duckdb.connect(str(path)) as con:
            for statement in statements:
                con.execute(statement)

    def twice(path: Path) -> None:
        """A change of a number that another one has, too."""
        with duckdb.connect(str(path)) as con:
            con.execute("create table two as select * from change")
            con.execute("insert into two select * replace ('bob' as actor) from two")
            con.execute("drop table change")
            con.execute("alter table two rename to change")

    states: dict[str, Callable[[Path], object]] = {
        "whole": lambda _: None,
        "moved without its mark": lambda p: sibling(p, ".mark").unlink(),
        "log gone": lambda p: sibling(p, ".wal").unlink(),
        "log cut": cut,
        "log cut and mark damaged": lambda p: (cut(p), sibling(p, ".mark").write_bytes(b"x")),
        "mark empty": mark(b""),
        "mark with a wrong sum": mark(whole[:-9] + b"00000000\n"),
        "mark a folder": lambda p: (sibling(p, ".mark").unlink(), sibling(p, ".mark").mkdir()),
        "mark of an older version": mark(mark_line(newest)),
        "mark of no digest": mark(mark_line(f"{newest} {'0' * 16}")),
        "mark of another store": mark(mark_line(f"{newest} {'1' * 16}")),
        "mark of an earlier change of another store": mark(mark_line(f"{4:020d} {digest}")),
        "mark that lags behind": mark(early),
        "mark one newer": mark(mark_line(f"{7:020d} {digest}")),
        "two changes of a number": twice,
        "file gone": lambda p: move(p),
        "file and mark gone": lambda p: move(p, ".mark"),
        "a checkpoint's log left": lambda p: leave(p, ".wal.checkpoint"),
        "a recovery's log left": lambda p: leave(p, ".wal.recovery", ".wal"),
        "a mark of nothing left": lambda p: leave(p, ".mark", mark=mark_line(f"{0:020d}")),
        "a mark of one change left": lambda p: leave(p, ".mark", mark=mark_line(f"{1:020d}")),
        "a damaged mark left": lambda p: leave(p, ".mark", mark=b"1"),
        "all left": lambda p: leave(p, ".mark", *opening.LOGS, mark=b"1"),
        "nothing": lambda p: leave(p),
        "empty": lambda p: p.write_bytes(b""),
        "eleven bytes": lambda p: p.write_bytes(b"12345678DUC"),
        "a table of text": lambda p: p.write_text("a,b\n1,2\n"),
        "a folder": lambda p: (p.unlink(), p.mkdir()),
        "a pipe": lambda p: (p.unlink(), os.mkfifo(p)),
        "a link to nowhere": lambda p: (p.unlink(), p.symlink_to("nowhere")),
        "no tables": lambda p: others(p),
        "other tables": lambda p: others(p, "create table sales as select 1 as n"),
        "no migration yet": lambda p: others(p, "create table migration (version bigint)"),
        "newer by one": version(3),
        "cut off": lambda p: os.truncate(p, 5_000),
    }
    accepted = (
        "moved without its mark", "log cut and mark damaged", "mark a folder", "mark of another store",
        "two changes of a number", "file gone", "newer by one",
    )  # fmt: skip
    opened = ("whole", "a mark of nothing left", "a link to nowhere", "no tables", "no migration yet")
    for name, hurt in states.items():
        path = shutil.copytree(killed.parent, book.folder / name.replace(" ", "-").replace(",", "")) / "a.duckdb"
        hurt(path)
        before = file_stamps(path.parent)
        inspect = look_in if name in opened else opening.inspect_store
        answer = book.ask(name, lambda path=path, inspect=inspect: inspect(path))
        if answer is None and name in accepted:
            answer = book.ask("  accepted", lambda path=path: look_in(path, True))
        if file_stamps(path.parent) != before:
            book.files(path.parent)


def _tell_folders(book: Book) -> None:
    """Rights, and who else is at work in a folder."""
    path = book.folder / "rights" / "a.duckdb"
    at(path).close()
    real = os.access
    for place in (path, path.parent):
        with book.patch.context() as patch:
            patch.setattr(os, "access", lambda file, mode, place=place: file != place and real(file, mode))
            book.ask(f"no right to write {place.name}", lambda: at(path))
            book.ask("  only read", lambda: opening.inspect_store(path, write=False))
    with book.patch.context() as patch:
        patch.setattr(Path, "open", raising(PermissionError(13, "Permission denied")))
        book.ask("no right to read it", lambda: opening.inspect_store(path))
    with book.patch.context() as patch:
        patch.setattr(os, "open", raising(PermissionError(13, "Permission denied")))
        book.ask("no right to read the folder", lambda: at(path))
    for error in ("Conflicting lock is held in /usr/bin/python3.13 (PID 41). See", "why"):
        with book.patch.context() as patch:
            patch.setattr(duckdb, "connect", raising(duckdb.IOException(f"Could not set lock on file: {error}")))
            book.ask("in use", lambda: at(path))
            book.ask("  idle", lambda: opening.check_idle(path))
    store = at(path)
    book.ask("idle while open", lambda: opening.check_idle(path))
    store.close()
    book.ask("idle", lambda: opening.check_idle(path))
    book.ask("idle, none", lambda: opening.check_idle(path.with_name("none")))
    path.with_name("file").touch()
    book.ask("below a file", lambda: at(path / "b.duckdb"))
    book.ask("beside an empty file", lambda: opening.check_idle(path.with_name("file")))
    book.ask("connected to a folder", lambda: opening.connect(path.parent))
    real_lock, slept = fcntl.flock, list[float]()
    for name, times, late in (("waited for", 3, 0.0), ("not ended", 3, 40.0), ("just in time", 2, 30.0)):
        left, clock = [True] * times, iter([100.0 + n * late for n in range(9)])

        def lock(folder: int, operation: int, left: list[bool] = left) -> None:
            if left:
                left.pop()
                raise BlockingIOError
            real_lock(folder, operation)

        with book.patch.context() as patch:
            patch.setattr(fcntl, "flock", lock)
            patch.setattr(opening, "time", SimpleNamespace(monotonic=lambda c=clock: next(c), sleep=slept.append))
            book.ask(f"a locked folder {name}", lambda: look_in(path))
        book.say("  slept", slept)
        slept.clear()
    with book.patch.context() as patch:
        patch.setattr(fcntl, "flock", raising(OSError(95, "not supported")))
        book.ask("a folder without locks", lambda: look_in(path))
    with opening.lock_folder(path), opening.lock_folder(path.with_name("b")):
        handle = os.open(path.parent, os.O_RDONLY)
        book.ask("locked by us", lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB))
    book.ask("free again", lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB))
    os.close(handle)
    with book.patch.context() as patch:
        patch.setattr(opening, "inspect_store", lambda *_: opening.StoreFile(2, 3, "", True))
        book.ask("changed while it was opened", lambda: at(path))
    for failing in ("make", "hold"):
        with book.patch.context() as patch:
            patch.setattr(Mark, failing, raising(OSError(28, "No space left on device")))
            book.ask(f"a mark that fails to {failing}", lambda: at(path.with_name("new.duckdb")))
            if failing == "hold":
                book.ask("  of a store", lambda: at(path))
        book.files(path.parent)
    with book.patch.context() as patch:
        patch.setattr(opening, "connect", raising(StoreFailed("No.")))
        book.ask("a store that cannot be connected", lambda: at(path))
    with book.patch.context() as patch:
        patch.setattr(opening, "register_store", raising(OSError(2, "gone")))
        book.ask("a file that goes", lambda: at(path))
    book.ask("opened after all that", lambda: look_in(path))
    for number in range(3):
        book.clock.moment = datetime(2026, 1, 2, 3, 4, 5)
        book.say(f"name {number}", opening.free_name(path, "before").name)
        opening.free_name(path, "before").symlink_to("nowhere")


def _tell_errors(book: Book) -> None:
    for error in (
        duckdb.IOException("IO Error: No space left on device!"), duckdb.IOException("IO Error: Permission denied\nx"),
        duckdb.IOException("IO Error: a read-only file."), duckdb.IOException("IO Error: Quota is reached"),
        duckdb.IOException("IO Error: File too large"), duckdb.IOException("IO Error: Bad WAL"),
        duckdb.ConnectionException("Connection Error: x"), duckdb.Error("odd"), duckdb.Error(""),
        duckdb.Error("  \nMore Error: of it"), duckdb.Error("Not an Error:"),
    ):  # fmt: skip
        failure = opening._why_not(Path("w/a.duckdb"), error)
        book.say(repr(str(error)), f"{type(failure).__name__}: {failure}")
        book.say("  first line", opening.first_line(error))


def _tell_memory(book: Book) -> None:
    path = book.folder / "memory" / "a.duckdb"
    at(path).close()
    for limit in ("", " ", "200MB", " 1GB ", "9999999MB", "10000000MB", "0GB", "-1GB", "1.5GB", "1gb", "80%", "GB",
                  "1GB; x", "an amount of many gigabytes"):  # fmt: skip
        book.patch.setenv("ASSAY_MEMORY", limit)
        book.ask(f"ASSAY_MEMORY={limit!r}", lambda: {n: v for n, v in opening._config().items() if n != "threads"})
    book.ask("opened with it", lambda: at(path))
    book.patch.setenv("ASSAY_MEMORY", "200MB")
    for log in (0, 7):
        with opening.connect(path, log) as con:
            names = "memory_limit", "checkpoint_threshold", "enable_progress_bar", "preserve_insertion_order"
            book.say(f"settings with a log of {log}", current_settings(con, *names))
    book.patch.delenv("ASSAY_MEMORY")


def _tell_marks(book: Book) -> None:
    """What a mark writes, and when."""
    path, written = book.folder / "marks" / "m", list[bytes]()
    path.parent.mkdir()
    real = os.pwrite

    def write(fd: int, line: bytes, at: int) -> int:
        written.append(line[:at] + b"|" + line)
        if line.startswith(b"0" * 19 + b"5"):
            raise OSError(28, "full")
        return real(fd, line, at)

    mark = Mark(path)
    book.patch.setattr(os, "pwrite", write)
    book.ask("no mark", mark.entry)
    mark.write(3, "")
    book.ask("written where none is", mark.entry_or_fault)
    mark.make(1)
    book.ask("made", mark.entry)
    for number, digest in ((2, "a" * 16), (2, "a" * 16), (3, ""), (5, ""), (3, ""), (4, "b" * 16)):
        mark.write(number, digest)
        book.ask(f"written {number}", mark.entry)
    book.say("lines", [str(line) for line in written])
    mark.close()
    mark.close()
    with book.patch.context() as patch:
        patch.delattr(os, "fdatasync")
        mark.write(6, "")
    book.ask("written when closed", mark.entry)
    mark.close()
    with book.patch.context() as patch:
        patch.setattr(os, "fsync", raising(OSError(28, "full")))
        book.ask("made on a full disk", lambda: mark.make(9))
    book.files(path.parent)
    path.write_bytes(b"0" * 20 + b" 00000000\n")
    book.ask("damaged", mark.entry_or_fault)
    path.unlink()
    path.mkdir()
    book.ask("a folder", mark.entry)


def _tell_migrations(book: Book, killed: Path) -> None:
    """A store that a newer version brings up to date."""
    newer = "create table next_one (id text);\n-- a comment;\ncreate table and_one (id text);\n"
    book.patch.setattr(opening, "migrations", lambda: [*VERSIONS, (3, "next", newer), (4, "last", "select 1;\n")])

    def copy(name: str) -> Path:
        path = shutil.copytree(killed.parent, book.folder / name) / "a.duckdb"
        path.chmod(0o640)
        return path

    path = copy("migrated")
    sibling(path, ".making").write_bytes(b"left of another start")
    book.ask("migrated", lambda: look_in(path))
    book.files(path.parent)
    book.say("  rights", oct(stat.S_IMODE(path.stat().st_mode)))
    with duckdb.connect(str(path), read_only=True) as con:
        book.say("  versions", con.execute("select version, name from migration order by all").fetchall())
    [before] = path.parent.glob("*.before-*")
    with duckdb.connect(str(before), read_only=True) as con:
        query = "select (select max(version) from migration), count(*) from setting"
        book.say("  before", con.execute(query).fetchall())
    path = copy("written-meanwhile")
    file = opening.inspect_store(path)
    assert file is not None
    book.ask("written meanwhile", lambda: opening.migrate_store(path, replace(file, newest=5)))
    book.files(path.parent)
    book.ask("up to date", lambda: opening.migrate_store(path, replace(file, version=4)))
    for name, change in {
        "a statement that fails": lambda p: p.setattr(opening, "migrations", lambda: [
            *VERSIONS, (3, "next", "create table next_one (id text);\ncreate table setting (id text);\n")]),
        "a copy that fails": lambda p: p.setattr(opening, "copy", raising(OSError(28, "No space left on device"))),
        "a place that fails": lambda p: p.setattr(os, "replace", raising(OSError(5, "Input/output error"))),
    }.items():  # fmt: skip
        path = copy(name.replace(" ", "-"))
        with book.patch.context() as patch:
            change(patch)
            book.ask(name, lambda path=path: look_in(path))
            if "place" in name:
                book.ask("  of a new store", lambda path=path: look_in(path.with_name("new.duckdb")))
        book.files(path.parent)
    book.patch.setattr(opening, "migrations", lambda: VERSIONS)


# -- saving -----------------------------------------------------------------------------------------------------------


Plan = list[tuple[str, BaseException | None, bool]]


class Faulty:
    """A connection that fails by a plan: at which words, how (None: not yet), and whether after what it does."""

    def __init__(self, con: Any, plan: Plan) -> None:
        self._con, self._plan = con, plan

    def __getattr__(self, name: str) -> Any:
        return getattr(self._con, name)

    def cursor(self) -> Faulty:
        return Faulty(self._con.cursor(), self._plan)

    def execute(self, sql: str, *parameters: Any) -> Any:
        self._fail(sql)
        return self._con.execute(sql, *parameters)

    def commit(self) -> None:
        late = self._plan and self._plan[0][0] == "commit" and self._plan[0][2]
        if not late:
            self._fail("commit")
        self._con.commit()
        if late:
            self._fail("commit")

    def _fail(self, words: str) -> None:
        if self._plan and re.search(self._plan[0][0], words):
            error = self._plan.pop(0)[1]
            if error is not None:
                raise error


@contextlib.contextmanager
def failing(store: driver.DuckStore, plan: Plan) -> Iterator[None]:
    """Have the store's connection fail by a plan."""
    store._con = Faulty(store._con, plan)  # type: ignore[assignment]
    yield
    if isinstance(store._con, Faulty):
        store._con = store._con._con


IO = duckdb.IOException('IO Error: Could not write file "a": No space left on device\nmore')
FATAL = duckdb.FatalException("FATAL Error: the database is invalidated")
CONNECTION_LOSS = ("select 1 from change", FATAL, False)
"""What makes a store open its file anew: the connection cannot even be asked."""


def tell_driver(book: Book) -> None:
    path = book.folder / "a" / "a.duckdb"
    store = at(path)
    assert isinstance(store, driver.DuckStore)
    _tell_use(book, store)
    _tell_failures(book, store)
    store.close()
    for use in (count, lambda store: put(store, "y"), lambda store: store.check_writable()):
        book.ask("closed", lambda use=use: use(store))
    store.close()
    _tell_bulks(book)
    _tell_backups(book)


def _tell_use(book: Book, store: driver.DuckStore) -> None:
    """Rows go in and come out."""

    def versions(reader: base.Reader) -> list[int | None]:
        return [reader.table_version(table) for table in ("setting", "item", "change")]

    def rows(number: int, *more: Any) -> list[tuple[Any, ...]]:
        return [(f"{number}-{n}", "test", f"n{n}", more[n % len(more)] if more else None) for n in range(number)]

    book.say("new", versions(store))
    for number in (0, 1, 2, 49, 50, 51):
        book.ask(f"{number} rows", lambda number=number: store.tx(
            "ann", "rows", lambda tx: tx.add("setting", SETTING, rows(number, "a", None, "b")), "t"))  # fmt: skip
    book.ask("rows of a record", lambda: store.tx("ann", "one", lambda tx: tx.append([SettingRow("i", "s", "n", "v")])))
    book.ask("no record", lambda: store.tx("ann", "one", lambda tx: tx.append([])))
    query = "select seq, count(*), count(value), min(id), max(id) from setting group by seq order by seq"
    book.ask("there", lambda: store.rows(query))
    book.ask("as a frame", lambda: store.frame(query).to_dict("list"))
    book.ask("from 50", lambda: store.frame("select * from setting where seq = $1", [5]).to_dict("list")["value"][:4])
    book.ask("changes", lambda: store.rows("select seq, actor, action, target from change order by seq"))

    def work(tx: Tx) -> list[Any]:
        answers: list[Any] = [tx.seq, versions(tx), tx.follow(["item"])]
        answers.append(tx.derive("item", "id, name", "select id, name from setting where false"))
        answers += [sorted(tx.wrote), versions(tx)]
        answers.append(tx.derive("item", "id, name", "select id, name from setting where value = $1", ["a"]))
        answers += [sorted(tx.wrote), versions(tx), tx.rows("select count(*) from item where seq = $1", [tx.seq])]
        return answers

    book.ask("derived", lambda: store.tx("bob", "derive", work))
    book.ask("nothing derived", lambda: store.tx("bob", "derive", lambda tx: tx.derive(
        "item", "id, name", "select id, name from item where false")))  # fmt: skip
    book.say("versions", versions(store))
    book.ask("tables", lambda: {name: digest[0] for name, digest in store.digests(5).items()})
    book.ask("tables then", lambda: {name: digest[0] for name, digest in store.digests(99).items()})
    book.say("alike", store.digests(99) == store.digests(store.newest()) != store.digests(store.newest() - 1))
    for size in (1, 5_000):
        batches = store.stream("select id from setting where seq = $1 order by id", [2], size)
        book.ask(f"stream by {size}", lambda batches=batches: [row[0] for row in batches])
    book.ask("a broken stream", lambda: list(store.stream("select 1 from nothing")))
    with store.moment({"one": "select $1::bigint as n", "two": "select n + $2 as n from one"}, [1, 2]) as query_moment:
        book.ask("moment", lambda: query_moment("select n from two")["n"].tolist())
        book.ask("given", lambda: {name: column.tolist() for name, column in query_moment(
            "select n, x, x is null as lost, null::double as gone from given order by n",
            n=[2, 1], x=[0.25, float("nan")]).items()})  # fmt: skip
    book.ask("a broken moment", lambda: store.moment({"one": "select nothing"}).__enter__())

    def refuse(tx: Tx) -> None:
        tx.add("setting", SETTING, rows(1))
        raise BadInput("No.")

    book.ask("refused", lambda: store.tx("ann", "no", refuse))
    book.ask("a broken change", lambda: store.tx("ann", "no", lambda tx: tx.rows("select 1 from nothing")))
    book.ask("a text too many", lambda: store.tx("ann", "no", lambda tx: tx.add("item", "id, seq", [("1", "x")])))
    book.ask("beat", store.check_writable)
    book.say("newest", store.newest())
    calls: list[Any] = []

    def keep(tx: Tx, answer: object) -> None:
        calls.append((tx.seq, answer))
        tx.add("item", "id, name", [("beside", "b")])

    with base.append_in_same_change(keep) as waiting:
        put(store, "gives nothing")
        book.say("looked", store.tx("ann", "look", lambda tx: 5))
        book.ask("refused beside", lambda: store.tx("ann", "no", refuse))
        book.say("waiting", (len(waiting), calls))
        for number in (2, 3):
            store.tx("ann", "gives", lambda tx, number=number: tx.add("setting", SETTING, rows(number)))
            book.say("waiting", (len(waiting), calls, store.rows("select seq from item where id = 'beside'")))
    put(store, "after")
    book.say("after", calls)
    book.tell_log()


def _tell_failures(book: Book, store: driver.DuckStore) -> None:
    """Commits and reads that fail, with what is there afterwards."""

    def save() -> None:
        store.tx("ann", "save", lambda tx: tx.add("item", "id, name", [("1", "saved")]))

    def read() -> int:
        return len(store.rows("select 1 from item where name = 'saved'"))

    slept: list[float] = []
    book.patch.setattr(driver, "time", SimpleNamespace(sleep=slept.append, perf_counter=lambda: 0.0))
    commit, done = ("commit", FATAL, False), ("commit", FATAL, True)
    cases: dict[str, tuple[Callable[[], Any], Plan]] = {
        "a commit without room": (save, [("commit", IO, False)]),
        "a commit that ends the database": (save, [commit, CONNECTION_LOSS]),
        "a commit that seems to": (save, [commit]),
        "a commit that did": (save, [done, CONNECTION_LOSS]),
        "a commit that did, and is well": (save, [done]),
        "a commit that fails twice": (save, [commit, commit]),
        "a read that ends it": (read, [("where name", FATAL, False), CONNECTION_LOSS]),
        "a read that fails twice": (read, [("where name", FATAL, False), ("where name", FATAL, False)]),
        "a read without room": (read, [("where name", IO, False)]),
        "a beat that ends it": (
            store.check_writable,
            [("nextval", duckdb.InternalException("odd"), False), CONNECTION_LOSS],
        ),
        "a beat without room": (store.check_writable, [("nextval", IO, False)]),
        "a beat that is cut off": (store.check_writable, [("nextval", duckdb.ConnectionException("closed"), False)]),
    }
    for name, (call, plan) in cases.items():
        before = len(store.rows("select 1 from item where name = 'saved'"))
        with failing(store, plan):
            book.ask(name, call)
        added = len(store.rows("select 1 from item where name = 'saved'")) - before
        mark = store._mark.entry()
        [(limit,)] = store.rows("select current_setting('checkpoint_threshold')")
        version = store.table_version("item")
        book.say("  then", (added, store.newest(), mark and mark[0], version, len(plan), str(limit)))
    with failing(store, [("insert into item", FATAL, False), CONNECTION_LOSS]):
        moved_path = store.path.rename(store.path.with_name("aside"))
        for call in (save, read, store.check_writable):
            book.ask("while the file is away", call)
        moved_path.rename(store.path)
    book.ask("it is back", save)
    inspect = opening.inspect_store
    for name, times, changes in (
        ("held twice", 2, {}), ("held too long", 3, {}), ("with a change less", 0, {"newest": 1}),
    ):  # fmt: skip
        left = [True] * times

        def look(path: Path, left: list[bool] = left, changes: dict[str, Any] = changes) -> opening.StoreFile | None:
            if left:
                left.pop()
                raise StoreLocked(f"It is held ({len(left)}).")
            current = inspect(path)
            return replace(current, **changes) if current else None

        with book.patch.context() as patch:
            patch.setattr(opening, "inspect_store", look)
            patch.setattr(driver, "_MAX_TRIES", 2)
            with failing(store, [("where name", FATAL, False), CONNECTION_LOSS]):
                book.ask(f"a file {name}", read)
        store.rows("select 1")  # so that it is open again
        book.say("  slept", slept)
        slept.clear()
    book.ask("in the end", lambda: (read(), store.newest()))


def _tell_bulks(book: Book) -> None:
    """Rows of files that come by many commits."""
    file = book.folder / "rows's.parquet"
    sizes: list[int] = []
    spans = SimpleNamespace(now=0.0, took=0.03)

    def cut(batches: Sequence[pa.RecordBatch]) -> pa.Table:
        sizes.extend(batch.num_rows for batch in batches)
        return pa.Table.from_batches(batches)

    def tick() -> float:
        spans.now += spans.took
        return float(spans.now)

    def write(rows: int) -> Load:
        names = {name: pa.array([f"{name}{n}" for n in range(rows)]) for name in ("id", "scope", "name", "value")}
        pq.write_table(pa.table(names), file)
        return Load("setting", SETTING, file)

    def bring(bulk: Load) -> tuple[int, int]:
        def work(tx: Tx) -> int:
            before = tx.rows("select count(*) from setting")[0][0]
            return tx.load(*bulk) + 10_000 * int(before)

        return store.tx("lea", "import", work, "d", [bulk]), store.newest()

    def table_state() -> tuple[Any, ...]:
        counts = store.rows("select count(*), count(distinct seq), max(seq) from setting")[0]
        hidden = store.rows("select table_name from duckdb_tables() where table_name like '%whole'")
        [(limit,)] = store.rows("select current_setting('checkpoint_threshold')")
        return (*counts, store.newest(), len(hidden), str(limit), store.stored_name("setting"))

    book.patch.setattr(driver, "time", SimpleNamespace(perf_counter=tick, sleep=lambda _: None))
    tables = SimpleNamespace(from_batches=cut)
    book.patch.setattr(driver, "pa", SimpleNamespace(Table=tables, table=pa.table, array=pa.array))
    path = book.folder / "bulks" / "a.duckdb"
    store = at(path)
    assert isinstance(store, driver.DuckStore)
    book.patch.setattr(base, "PREVIEW_FUNCTIONS", [("setting", _look_at_rows), ("item", _look_at_rows)])
    for rows, took in ((4_999, 0.03), (5_000, 0.02), (8_000, 0.005)):
        spans.took = took
        book.ask(f"{rows} rows at {took} s a commit", lambda rows=rows: bring(write(rows)))
        book.say("  by", sizes)
        book.say("  then", table_state())
        sizes.clear()
    book.patch.setattr(hidden_rows, "MIN_ROWS", 20)
    read, observations, logs = hidden_rows.read_slices, list[Any](), list[int]()
    book.patch.setattr(hidden_rows, "MAX_ROWS_PER_COMMIT", 2_000)
    spans.took = 0.07
    book.ask("slow commits", lambda: bring(write(2_100)))
    book.say("  by", sizes)
    book.patch.setattr(hidden_rows, "MAX_ROWS_PER_COMMIT", 12)

    def save() -> str:
        try:
            put(store, "meanwhile")
        except StoreFailed as error:
            return str(error)
        return f"saved {store.newest()}"

    def slices(file: Path) -> Iterator[pa.RecordBatch]:
        for part in read(file):
            yield part
            log = sibling(path, ".wal")
            logs.append(log.exists() and log.stat().st_size > 0)
            hidden = store.hidden
            count_ = "select (select count(*) from setting where scope <> 'test'), (select count(*) from setting_whole)"
            [(limit,)] = store.rows("select current_setting('checkpoint_threshold')")
            known = [store.stored_name("setting"), store.stored_name("item"), list(store.previews.values())]
            observations.append(
                (*store.rows(count_)[0], hidden and hidden.rows, hidden and hidden.seq, str(limit), *known, save())
            )

    book.patch.setattr(hidden_rows, "read_slices", slices)
    store.close()
    path = book.folder / "hidden" / "a.duckdb"
    store = at(path)
    for name, ahead, most, log in (
        ("seen meanwhile", 100_000, 40, 1 << 30), ("so many saved", 3, 50, 1 << 30), ("a log folded", 100, 30, 0),
    ):  # fmt: skip
        book.patch.setattr(hidden_rows, "RESERVED_CHANGES", ahead)
        book.patch.setattr(driver, "_MAX_LOG_BYTES", log)
        book.ask(name, lambda most=most: bring(write(most)))
        book.say("  seen", observations)
        book.say("  logs", logs)
        book.say("  then", table_state())
        book.say("  foreseen", list(store.previews.values()))
        for entries in (observations, logs, sizes):
            entries.clear()
    book.patch.setattr(hidden_rows, "read_slices", read)
    _tell_cut_off_bulks(book, store, write(30), table_state)
    store.close()


def _look_at_rows(store: Store, seq: int, table: str) -> tuple[int, str, int]:
    return seq, table, int(store.rows(f"select count(*) from {table} where seq = {seq:d}")[0][0])


def _tell_cut_off_bulks(book: Book, store: driver.DuckStore, bulk: Load, table_state: Callable[[], Any]) -> None:
    def work(tx: Tx) -> int:
        return tx.load(*bulk)

    def refuse(tx: Tx) -> int:
        tx.load(*bulk)
        raise BadInput("No.")

    statements: list[str] = []

    class Watched:
        """A connection that tells what is done to a table."""

        def __init__(self, con: Any) -> None:
            self._con, self.begin, self.commit = con, con.begin, con.commit

        def execute(self, sql: str) -> Any:
            statements.append(sql)
            return self._con.execute(sql)

    with book.patch.context() as patch:
        for name in ("hide_change", "show_tables", "delete_hidden_rows"):
            real = getattr(hidden_rows, name)
            patch.setattr(hidden_rows, name, lambda con, *arguments, real=real: real(Watched(con), *arguments))
        book.ask("refused in the end", lambda: store.tx("lea", "import", refuse, "", [bulk]))
    book.say("  by", statements)
    book.say("  then", table_state())
    fold = ("^checkpoint", duckdb.TransactionException("busy"), False)
    fill = ("insert into setting_whole", FATAL, False)
    plans: dict[str, Plan] = {
        "that ends the database": [fill, CONNECTION_LOSS],
        "that has no room": [("insert into setting_whole", IO, False)],
        "with a fold that waits": [fold, fold],
        "with a fold that fails": [("^checkpoint", FATAL, False), CONNECTION_LOSS],
        "with a fold that never comes": [fold] * 4,
        "with a last commit that did": [("insert into change", None, False), ("commit", FATAL, True), CONNECTION_LOSS],
    }
    for name, plan in plans.items():
        with book.patch.context() as patch:
            patch.setattr(driver, "_MAX_TRIES", 3)
            with failing(store, plan):
                book.ask(f"a bulk {name}", lambda: store.tx("lea", "import", work, "", [bulk]))
        book.say("  then", (len(plan), *table_state()))
    left, read = book.folder / "left", hidden_rows.read_slices

    def slices(file: Path) -> Iterator[pa.RecordBatch]:
        for part in read(file):
            yield part
            if not left.exists():
                snapshot(store.path, left)

    with book.patch.context() as patch:
        patch.setattr(hidden_rows, "read_slices", slices)
        book.ask("killed in the middle", lambda: store.tx("lea", "import", work, "", [bulk]))
    path = left / "a.duckdb"
    tables = "select table_name from information_schema.tables where table_name like 'setting%' order by 1"
    hidden = "select count(*) from setting_whole where seq > (select max(seq) from change)"
    with duckdb.connect(str(path)) as con:
        book.say("  left", [con.execute(sql).fetchall() for sql in (tables, hidden)])
    book.ask("  opened", lambda: look_in(path))
    with duckdb.connect(str(path)) as con:
        book.say("  tables", con.execute(tables).fetchall())
    rows = store.hidden = hidden_rows.HiddenRows(7, {"item": 1})
    book.ask("rows that are not hidden any more", lambda: store._check_hidden(hidden_rows.HiddenRows(7, {"item": 1})))
    book.ask("rows that are", lambda: store._check_hidden(rows))
    book.say("names", [store.stored_name(table) for table in ("item", "setting")])
    store.hidden = None


def _tell_backups(book: Book) -> None:
    """The store's own copies."""
    path = book.folder / "backups" / "a.duckdb"
    store = at(path)
    put(store, "x", 3)
    to = book.folder / "to"
    to.mkdir()
    for name in ("b.duckdb", "of o'brien.duckdb", "no/where.duckdb"):
        if "/" not in name:
            (to / "assay-backup-killed").mkdir()
            (to / "assay-backup-killed" / "lock").touch()
        book.ask(f"backup {name}", lambda name=name: store.backup(to / name))
        book.files(to)
    with book.patch.context() as patch:
        patch.setattr(Path, "replace", raising(OSError(28, "No space left on device")))
        book.ask("no room", lambda: store.backup(to / "c.duckdb"))
        book.files(to)
    book.ask("a backup opened", lambda: look_in(to / "b.duckdb"))
    book.ask("and accepted", lambda: look_in(to / "b.duckdb", True))
    store.close()


# -- what is kept, and what goes in and out ---------------------------------------------------------------------------


def tell_exchange(book: Book) -> None:
    path = book.folder / "a" / "a.duckdb"
    store = at(path)
    _tell_cache(book, store)
    store.close()
    _tell_words(book)
    _tell_transfer(book)
    _tell_parquet(book)


def _tell_cache(book: Book, store: Store) -> None:
    """Answers that are made once, and again when what they rest on was written."""
    calls: list[str] = []

    @base.cache_result
    def settings(reader: base.Reader, name: str, *, more: int = 0) -> list[int]:
        calls.append(f"settings {name} {more}")
        return [int(reader.rows("select count(*) from setting where scope <> $1", [name])[0][0]) + more]

    @base.cache_result
    def items(reader: base.Reader, names: list[str]) -> dict[str, int]:
        calls.append(f"items {names}")
        return {name: len(reader.rows("select 1 from item")) for name in names}

    @base.cache_result
    def both(reader: base.Reader) -> tuple[Any, ...]:
        calls.append("both")
        return (*settings(reader, "a"), *items(reader, ["a"]).values())

    def ask(reader: base.Reader) -> list[Any]:
        answers = [settings(reader, "a"), settings(reader, "a", more=1), items(reader, ["a", "b"]), both(reader)]
        answers[0].append(99)  # a copy of one's own
        return answers

    def tell(name: str, call: Callable[[], Any]) -> None:
        book.ask(name, call)
        book.say("  made", list(calls))
        calls.clear()

    tell("first", lambda: ask(store))
    tell("again", lambda: ask(store))
    put(store, "x")
    tell("a setting more", lambda: ask(store))
    store.tx("ann", "item", lambda tx: tx.add("item", "id, name", [("1", "one")]))
    tell("an item more", lambda: ask(store))

    def work(tx: Tx) -> list[Any]:
        answers = [ask(tx)]
        tx.add("item", "id, name", [("2", "two")])
        return [*answers, ask(tx), ask(tx)]

    tell("in a change", lambda: store.tx("ann", "item", work))
    tell("after it", lambda: ask(store))

    def item_counts(names: str) -> list[str]:
        def make(places: Sequence[int]) -> list[str]:
            calls.append(str(list(places)))
            return [f"{names[n]}{len(store.rows('select 1 from item'))}" for n in places]

        return base.cache_each(store, [("several", name) for name in names], make)

    for names in ("ab", "bca", "", "cdab"):
        tell(f"several {names!r}", lambda names=names: item_counts(names))
    once = base.compute_once(lambda: calls.append("once") or len(store.rows("select 1 from item")))  # type: ignore[func-returns-value]
    tell("once", lambda: [base.compute_with_tables(once), base.compute_with_tables(once), once()])
    for more in (10_000, 10_001):
        store.memory.clear()
        store.memory.update({n: ({}, n) for n in range(more)})
        settings(store, "a")
        tell(f"memory of {more}", lambda: len(store.memory))
    tell(
        "noted", lambda: base.compute_with_tables(lambda: (store.rows("select 1 from item"), store.follow(["setting"])))
    )
    store.rows("select 1 from item")
    book.tell_log()


def _tell_words(book: Book) -> None:
    """What is made of names and queries."""
    for record in (SettingRow, ScoreRow, ExposureRow, combination.CombinationRow, base.ChangeRow):
        book.say(base.table_of(record), base.columns_of(record))
    for query in (
        "select 1", "select * from setting", "SELECT * FROM setting_now s JOIN item i ON true", "select 1 from (item)",
        "select * from x, change", "select (select count(*) from label_now), 1 from\nscore_now",
    ):  # fmt: skip
        book.say(query, sorted(base.tables_read(query)))
    book.say("view", base.view_query("setting_now"))
    for sql in ("", ";", "-- no;\n", "select 1", "select 1;\nselect ';'\n;\n\n  -- a;\nselect 2; select 3;", "a;;\nb"):
        book.say(repr(sql), base.statements(sql))
    book.say("migrations", [(version, name) for version, name, _ in base.migrations()][:3])
    for address in ("", " ", " duckdb:///b.duckdb "):
        book.patch.setenv("ASSAY_STORE", address)
        book.say(f"ASSAY_STORE={address!r}", store_address())
    for url in (
        "duckdb:///a.duckdb", "duckdb:////w/a.duckdb", "duckdb://a", "duckdb://", "duckdb:a", "a.duckdb", "mysql://x",
        "postgres://host/x", "postgresql://host/x", "xpostgres://host/x",
    ):  # fmt: skip
        book.say(url, (duckdb_path(url), is_address(url)))
    book.ask("no store", lambda: open_store("mysql://x"))
    bulk = Load("item", "id, name", Path("o'brien.parquet"))
    book.say("rows of a file", hidden_rows.file_rows_sql(bulk, 7))


class Link:
    """A database that is asked, and what it is asked and sent."""

    def __init__(self, rows: list[tuple[Any, ...]], csv: bytes = b"") -> None:
        self.rows, self.csv, self.told = rows, csv, list[str]()

    @contextlib.contextmanager
    def pipeline(self) -> Iterator[None]:
        yield

    def execute(self, query: bytes) -> SimpleNamespace:
        self.told.append(query.decode())
        return SimpleNamespace(fetchall=lambda: self.rows)

    def cursor(self) -> Link:
        return self

    @contextlib.contextmanager
    def copy(self, query: bytes) -> Iterator[Any]:
        self.told.append(query.decode())
        if "to stdout" in self.told[-1]:
            yield [self.csv[:9], self.csv[9:]]
        else:
            yield SimpleNamespace(write=lambda part: self.told.append(str(sorted(part.decode().splitlines()))))


def _tell_transfer(book: Book) -> None:
    """Rows between databases, with one that only tells what it is asked."""
    columns = {"id": "VARCHAR", "x": "DOUBLE", "moment": "TIMESTAMP", "seq": "BIGINT"}
    tables = {"t": columns, "u": columns}
    kinds = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    with duckdb.connect() as con:
        con.execute(f"create table t_here ({kinds})")
        con.execute(f"create table u ({kinds})")
        con.execute("create table bare (id text)")
        con.execute("create view v as select * from u")
        csv = b'"1",0.5,2026-01-02 03:04:05,3\n"",,,4\n,1e-300,,5\n"a,""b""\n\\N",-0,,6\n'
        for number in (0, 2, 400, 401):
            link = Link([(f"r{n}", n / 4, None, 3) for n in range(number)], csv)
            stored = {"t": "t_here", "u": "u"}.__getitem__
            transfer.fetch(link, con, tables, 2, 9, stored, {"u": 5})  # type: ignore[arg-type]
            book.say(f"fetched {number}", link.told)
            for table in ("t_here", "u"):
                query = f"select count(*), count(id), sum(x), min(seq), max(seq) from {table}"
                book.say(f"  {table}", con.execute(query).fetchall()[0])
                if number > 400:
                    fetched = con.execute(f"select * from {table} order by seq").fetchall()
                    book.say("  rows", [str(row) for row in fetched if row[0] is None or row[0][:1] != "r"])
                con.execute(f"delete from {table}")
        rows = [("a", 1.5, datetime(2026, 1, 2), 1), ("", None, None, 2), ("z", 0, None, 9)]
        transfer.insert(con, "t_here", columns, rows)
        book.say("types", transfer.column_types(con))
        book.say("digests", {name: digest[0] for name, digest in transfer.digests(con, 2).items()})
        book.say("another", transfer.digests(con, 2) != transfer.digests(con, 9))
        link = Link([])
        con.begin()
        transfer.send_all(link, con, {"t_here": columns, "u": columns}, 2)  # type: ignore[arg-type]
        con.rollback()
        book.say("sent", link.told)
        for number in (49, 50):
            transfer.insert(con, "u", columns, [(f"i{n}", n, None, n) for n in range(number)])
            book.say(f"inserted {number}", con.execute("select count(*), sum(x), max(id) from u").fetchall()[0])


def _tell_parquet(book: Book) -> None:
    """Files that nobody vouches for."""

    def write(name: str, **columns: Any) -> Path:
        file = book.folder / f"{name}.parquet"
        pq.write_table(pa.table(columns), file)
        return file

    def tell(name: str, file: Path, copied: bool = False) -> None:
        with file.open("rb") as stream:
            book.ask(name, lambda: [
                (record.line, repr(record.value), record.text, record.problem)
                for record in sandbox.parquet_records(file.name, None if copied else file, stream)])  # fmt: skip

    nan, inf = float("nan"), float("inf")
    every = write(
        "every", text=["a", None, "b\0"], whole=[1, 2, None], true=[True, None, False], x=[0.5, nan, inf],
        d=[Decimal("1.50"), Decimal("2.00"), None], day=[date(2026, 1, 2), None, None],
        at=[datetime(2026, 1, 2, 3, 4, 5), None, None], time=[time(3, 4, 5), None, None], many=[[1, 2], [], None],
        record=[{"a": 1, "b": nan}, None, {"a": 2, "b": None}],
    )  # fmt: skip
    tell("every kind", every)
    tell("as a copy", every, True)
    spans = pa.array([timedelta(days=1, seconds=2)], pa.duration("us"))
    tell("a span", write("span", **{'a "span"': spans}))
    tell("bytes", write("bytes", x=[b"1"]))
    tell("none", write("none", x=pa.array([], pa.string())))
    tell("no texts", write("empty", x=["", ""]))
    broken = book.folder / "broken.parquet"
    broken.write_bytes(b"PAR1 nothing of it PAR1")
    tell("broken", broken)
    long = write("long", x=["a" * 30, "b" * 31, "c"])
    book.patch.setattr(sandbox, "MAX_LINE_BYTES", 30)
    tell("a long text", long)
    ten_rows = write("few", x=[f"{n:04d}" for n in range(10)], y=list(range(10)))
    for name, value in (
        ("_COLUMNS", 1), ("_COLUMNS", 2), ("UNFOLDED", 49), ("UNFOLDED", 50), ("_ROWS", 9), ("_ROWS", 10),
    ):  # fmt: skip
        with book.patch.context() as patch:
            patch.setattr(sandbox, name, value)
            tell(f"{name} {value}", ten_rows)
    limits: list[str] = []

    class RecordedConnection:
        """A connection whose questions are told."""

        def __init__(self, con: Any) -> None:
            self._con = con

        def execute(self, sql: str) -> Any:
            limits.extend(re.findall(r"limit.*", sql))
            return self._con.execute(sql)

    for page in (10, 25, 1_000):
        with book.patch.context() as patch:
            patch.setattr(sandbox, "_PAGE", page)
            with sandbox._open(ten_rows) as con:
                lines = [
                    record.line for record in sandbox._records("few", RecordedConnection(con), base.quote_sql(ten_rows))
                ]  # type: ignore[arg-type]
            book.say(f"pages of {page}", limits)
            book.say("  rows", lines)
            limits.clear()
    with sandbox._open(ten_rows) as con:
        for sql in ("select count(*) from read_parquet('{few}')", "select * from read_parquet('{every}')",
                    "attach '{every}'", "set threads = 2", "copy (select 1) to '{every}'"):  # fmt: skip
            book.ask(sql, lambda sql=sql: con.execute(sql.format(few=ten_rows, every=every)).fetchall())
        names = "memory_limit", "threads", "max_temp_directory_size", "autoload_known_extensions"
        book.say("settings", current_settings(con, *names))
    with book.patch.context() as patch:
        patch.setattr(sandbox, "_records", raising(duckdb.OutOfMemoryException("Out of Memory Error: no")))
        tell("too large", ten_rows)


# -- the workspace ----------------------------------------------------------------------------------------------------


def tell_workspace(book: Book) -> None:
    path = book.folder / "a" / "a.duckdb"
    book.patch.setattr(samples, "SAMPLES", [SimpleNamespace(name="sample", items=3, seed=1, lines=_sample_lines)])
    store = _tell_samples(book, path)
    for name in ("lea", "ann"):
        people.join_workspace(store, name)
    book.ask("samples by ann", lambda: bootstrap.install_samples(store, "ann"))
    _tell_combinations(book, store)
    _tell_made_backups(book, store)
    _tell_schedule(book, store)
    store.close()
    book.tell_log()
    _tell_restores(book, path)
    _tell_copies(book, path)


def _sample_lines() -> bytes:
    items = [seeds.dialogue(n, 1) for n in range(1, 4)]
    lines = [*items, *(seeds.judgment(item) for item in items[:2])]
    return b"".join(str(line).replace("'", '"').replace("None", "null").encode() + b"\n" for line in lines)


def _tell_samples(book: Book, path: Path) -> Store:
    """How a workspace begins."""
    url = f"duckdb:///{path}"

    def tell(name: str) -> Store:
        store: Store = book.ask(name, lambda: bootstrap.open_workspace(url))
        query = (
            "select actor, action, (select count(*) from item i where i.seq = c.seq), (select count(*) from draw d "
            "where d.seq = c.seq) from change c order by seq"
        )
        book.say("  changes", [str(row) for row in store.rows(query)])
        return store

    book.patch.setenv("ASSAY_SAMPLES", "1")
    with book.patch.context() as patch:
        patch.setattr("data.importing.importing.import_source", raising(BadInput("Cut off.")))
        book.ask("cut off", lambda: bootstrap.open_workspace(url))
    [leftover] = [store for store in opening._open_stores.values() if store.url == url]  # the one that was cut off
    leftover.close()
    tell("begun again").close()
    return tell("and opened")


def _tell_combinations(book: Book, store: Store) -> None:
    """Several samples become one answer."""
    book.patch.setattr(combination, "_MAX_NAMED_ITEMS", 2)
    [(judge, judgment)] = store.rows("select judge_id, min(id) from judgment group by 1")
    items = [row[0] for row in store.rows("select id from item order by name")]

    def score(sample: int, values: dict[int, float | None]) -> Callable[[Tx], object]:
        return lambda tx: tx.append([
            ScoreRow(judgment, judge, items[n], "conversation", "coherence", value, 0.5, "", sample)
            for n, value in values.items()])  # fmt: skip

    for name, sample, values in (
        ("asked once", 0, {2: 3.0}), ("asked twice", 1, {0: 5.0, 1: None, 2: 4.0}), ("one more", 2, {0: 2.0}),
        ("two more", 3, {0: 1.0, 1: 2.0}), ("three more", 4, {0: 1.0, 1: 5.0, 2: 5.0}),
    ):  # fmt: skip
        book.ask(name, lambda sample=sample, values=values: store.tx("lea", "score", score(sample, values)))
        query = (
            "select i.name, c.value, c.confidence, c.samples, round(c.agreement, 3), c.highest, c.lowest, c.flips from "
            "combination c join item i on i.id = c.item_id where c.seq = $1 and c.dimension = 'coherence' order by 1"
        )
        book.say("  came", [str(row) for row in store.rows(query, [store.newest()])])
        book.say("  in all", store.rows("select count(*) from combination where seq = $1", [store.newest()]))


def _tell_made_backups(book: Book, store: Store) -> None:
    """Backups that people make."""

    def tell() -> None:
        date_backups(backups.backup_folder(store))
        files = backups.list_backups(store)
        book.say(
            "  listed",
            [(backup.name, backup.size > 1_000, backup.made_at, backup.revision, backup.by) for backup in files],
        )

    for setting in ("", " ", str(book.folder / "else"), f" {book.folder}/x/../y "):
        book.patch.setenv("ASSAY_BACKUPS", setting)
        for url in (store.url, "postgresql://host/x"):
            book.ask(f"folder of {url} for {setting!r}", lambda url=url: str(
                backups.backup_folder(SimpleNamespace(url=url))))  # type: ignore[arg-type] # fmt: skip
    book.clock.moment = datetime(2026, 4, 1, 10)
    book.ask("name for a database", lambda: backups.new_file(SimpleNamespace(url="postgresql://host/x"), "-z"))  # type: ignore[arg-type]
    book.patch.delenv("ASSAY_BACKUPS")
    tell()
    for actor in ("lea", "lea", "ann", "nobody"):
        book.clock.moment = datetime(2026, 4, 1, 10)
        book.ask(f"made by {actor}", lambda actor=actor: backups.make_backup(store, actor))
    place = backups.backup_folder(store)
    (place / "mine.duckdb").write_bytes(b"of somebody")
    (place / "mine.txt").write_bytes(b"of somebody")
    tell()
    second = "a-20260401-100000-2.duckdb"
    for actor, file in (("lea", second), ("lea", "mine.duckdb"), ("lea", "n" * 90), ("ann", second)):
        for name, use in (("checked", backups.check_backup), ("taken", backups.take_backup)):
            book.ask(f"{name} by {actor}: {file[:9]}", lambda use=use, actor=actor, file=file: use(store, actor, file))
    book.files(place)
    exposure_query = "select person, judge_id <> '', route, count(*) from exposure group by all order by all"
    book.say("  shown", [str(row) for row in store.rows(exposure_query)])
    book.ask("removed", lambda: backups.remove_backup(store, "lea", second, schedule.REMOVED))
    book.ask("removed again", lambda: backups.remove_backup(store, "lea", second, schedule.REMOVED))
    tell()
    query = "select kind, settings, lines from export order by seq, kind"
    book.say("  record", [str(row) for row in store.rows(query)])
    book.say("revision", backup_revision(place / "a-20260401-100000.duckdb"))
    for _ in range(3):
        book.clock.moment = datetime(2026, 4, 1, 10)
        book.say("name", backups.new_file(store).name)
        book.clock.moment = datetime(2026, 4, 1, 10)
        backups.new_file(store).touch()
    for number in ("", "-2", "-3", "-4"):
        (place / f"a-20260401-100000{number}.duckdb").unlink(missing_ok=bool(number))
    for folder in (book.folder / "no" / "where", book.folder / "file" / "f"):
        (book.folder / "file").touch()
        book.ask("no folder", lambda folder=folder: backups.write_backup(store, folder / "b.duckdb"))


def _tell_schedule(book: Book, store: Store) -> None:
    """Backups by themselves."""
    for plan in (BackupPlan(-1), BackupPlan(0, 1), BackupPlan(744, 1_000), BackupPlan(745), BackupPlan(1, 0),
                 BackupPlan(1, 1_001)):  # fmt: skip
        book.ask(f"{plan}", plan.check)
    hour, noon = timedelta(hours=1), datetime(2026, 5, 1, 12)
    for every in (1, 6):
        for made_at in (None, noon):
            for begun_at in (None, noon - 7 * hour, noon, noon + 5 * hour, noon + 6 * hour):
                state = BackupState(made_at, begun_at, "")
                book.say(f"due, every {every} made {made_at} begun {begun_at}", state.due_at(BackupPlan(every)))
    book.say("due, every 0", BackupState(noon, noon, "").due_at(BackupPlan(0)))
    for actor, keep in (("ann", 1), ("lea", 0), ("lea", 1), ("lea", 1)):
        plan = BackupPlan(6, keep)
        before = store.newest()
        book.ask(f"plan of {actor}", lambda actor=actor, plan=plan: schedule.set_backup_plan(store, actor, plan))
        book.say("  holds", (schedule.backup_plan(store), store.newest() - before))
    calls: list[Any] = []
    returns = [0]

    def run(command: list[str], **options: Any) -> SimpleNamespace:
        variables = sorted(
            name for name in options.pop("env") if name == "PATH" or name.startswith(("ASSAY_", "OPENAI_"))
        )
        options["cwd"] = options["cwd"] == Path(schedule.__file__).parents[2]
        calls.append((command[1:], variables, sorted(options.items(), key=str)))
        date_backups(backups.backup_folder(store))
        return SimpleNamespace(returncode=returns[0])

    book.patch.setattr(schedule.subprocess, "run", run)

    def step(name: str, at: datetime) -> None:
        book.clock.moment = at - timedelta(milliseconds=1)
        before = store.newest()
        book.say(f"{name}: state", schedule.backup_state(store))
        book.clock.moment = at - timedelta(milliseconds=1)
        book.ask(f"  run at {at}", lambda: schedule.run_due(store))
        date_backups(backups.backup_folder(store))
        new = store.rows("select kind, settings, lines from export where seq > $1 order by seq", [before])
        book.say("  record", [str(row) for row in new])

    begin, bit = datetime(2026, 5, 1, 12), timedelta(milliseconds=500)
    book.patch.setenv("ASSAY_SAMPLES", "0")
    step("first", begin)
    book.say("  child", calls)
    step("too early", begin + 6 * hour - bit)
    returns[0] = 1
    step("unreadable", begin + 6 * hour + bit)
    step("again too early", begin + 7 * hour)
    with book.patch.context() as patch:
        patch.setattr(store, "backup", raising(StoreFailed("The disk is full.")))
        step("failed", begin + 7 * hour + 2 * bit)
    returns[0] = 0
    step("mended, and the oldest goes", begin + 16 * hour)
    claim = begin + 31 * hour
    looks = iter([BackupState(None, None, ""), BackupState(claim, None, "")])
    with book.patch.context() as patch:
        patch.setattr(schedule, "backup_state", lambda _: next(looks))
        book.ask("begun by another", lambda: schedule._claim(store))
    book.clock.moment = claim
    book.ask("begun", lambda: schedule._claim(store))
    for later in (hour - 5 * bit / 500, hour, hour + 10 * bit):
        book.clock.moment = claim + later
        book.say(f"cut off, {later} later", schedule.backup_state(store))
    listing = [(backup.name, backup.by, backup.revision) for backup in backups.list_backups(store)]
    book.say("there", listing)
    schedule.set_backup_plan(store, "lea", BackupPlan(0, 2))
    step("no plan", claim + 500 * hour)
    waits: list[float] = []
    stops = iter([False, False, False, True])

    class Event:
        """One that is set after some looks."""

        def wait(self, seconds: float) -> bool:
            waits.append(seconds)
            return next(stops)

        def set(self) -> str:
            return "stopped"

    def thread(target: Callable[[], None], name: str, daemon: bool) -> SimpleNamespace:
        calls.append((name, daemon))
        return SimpleNamespace(start=target)

    answers = iter([None, StoreFailed("No."), RuntimeError("odd")])

    def due(_: Store) -> None:
        error = next(answers)
        if error:
            raise error

    calls.clear()
    with book.patch.context() as patch:
        patch.setattr(schedule, "threading", SimpleNamespace(Event=Event, Thread=thread))
        patch.setattr(schedule, "run_due", due)
        book.ask("looks", lambda: schedule.start_schedule(store)())
    book.say("  waits", (waits, calls))


def _tell_restores(book: Book, path: Path) -> None:
    """A backup takes the place of a store."""
    folder = book.folder / "restores"
    folder.mkdir()
    backup = sorted((path.parent / "backups").glob("a-*.duckdb"))[0]
    target = folder / "here.duckdb"
    seeds.opening.copy(path, target)
    shutil.copyfile(sibling(path, ".mark"), sibling(target, ".mark"))
    store = at(target)
    [(item,)] = store.rows("select min(id) from item")
    store.tx("ann", "see", lambda tx: tx.append([
        ExposureRow(new_id(), item, "j", "ann", "desk"), ExposureRow(new_id(), item, "j", "ann", "desk"),
        ExposureRow(new_id(), "gone", "j", "ann", "desk")]))  # fmt: skip
    url = f"duckdb:///{target}"
    book.ask("restored while in use", lambda: restore(backup, url))
    store.close()
    (folder / "folder").mkdir()
    (folder / "text.duckdb").write_text("a,b\n")
    with duckdb.connect(str(folder / "other.duckdb")) as con:
        con.execute("create table sales as select 1 as n")
    new = folder / "new.duckdb"
    book.patch.setenv("ASSAY_SAMPLES", "0")
    bootstrap.open_workspace(f"duckdb:///{new}").close()
    damaged = folder / "damaged.duckdb"
    shutil.copyfile(backup, damaged)
    with duckdb.connect(str(damaged)) as con:
        con.execute("update item set content = '[]', hash = ''")
        con.execute("delete from change where seq = 2")
    torn = folder / "torn.duckdb"
    shutil.copyfile(backup, torn)
    Mark(sibling(torn, ".mark")).make(99)
    before = file_stamps(folder)
    free = f"duckdb:///{folder}/free.duckdb"
    cases: list[tuple[Path, str, bool]] = [
        (backup, "postgresql://host/x", False), (folder / "none", url, False), (folder / "folder", url, False),
        (target, url, False), (backup, f"duckdb:///{folder}/folder", False), (folder / "text.duckdb", free, False),
        (folder / "other.duckdb", free, False), (new, free, False), (torn, free, False),
    ]  # fmt: skip
    for source, to, force in cases:
        book.ask(
            f"restore {source.name} to {Path(to).name}",
            lambda source=source, to=to, force=force: restore(source, to, force),
        )
        assert file_stamps(folder) == before, source
    for source in (damaged, folder / "text.duckdb"):
        book.ask(f"checked {source.name}", lambda source=source: check_copy(source))
    with book.patch.context() as patch:
        patch.setattr(opening, "copy", raising(OSError(28, "No space left on device")))
        book.ask("no room", lambda: restore(backup, url))
        book.ask("  checked", lambda: check_copy(backup))
    assert file_stamps(folder) == before
    query = "select item_id = $1, judge_id, person, route, count(*) from exposure group by all order by all"
    book.clock.moment = datetime(2026, 6, 1, 10)
    book.ask("restore torn", lambda: restore(torn, url, True))
    store = at(target)
    book.say("  shown", [str(row) for row in store.rows(query, [item])])
    book.say("  held", (store.newest(), store.rows("select count(*) from item")))
    book.ask("taken over", lambda: store.copy_from(store))
    _damage(book, store)
    store.close()
    book.ask("restore new", lambda: restore(new, free, True))
    book.files(folder)


def _damage(book: Book, store: Store) -> None:
    """What does not fit together any more."""
    assert isinstance(store, driver.DuckStore) and store._con is not None
    book.ask("sound", lambda: verify(store))
    newest = "seq = (select max(seq) from change)"
    for changes in (
        [f"update change set seq = seq + 100000, action = 'import' where {newest}"],
        [
            f"update change set seq = seq + 1 where {newest}", "update person_event set seq = 777 where rowid = 0",
            "update draw set item_id = 'x', judge_id = '' where rowid < 1",
            "update draw set judge_id = 'y' where rowid = 1",
            "update judge set card_version = 'z'", "update combination set value = value + 0.5 where rowid < 3",
            "update item set kind = 'pair' where name = 'd-0001'",
            "update item set content = replace(content, '\"d-0002\"', '\"d-0009\"') where name = 'd-0002'",
            "update item set content = 'x', hash = 'y' where name = 'd-0003'",
            "update score set unit = 'turn:9' where rowid = 0",
        ],
    ):  # fmt: skip
        for change in changes:
            store._con.execute(change)
        book.ask(
            " and ".join(changes), lambda: [re.sub(r"'[0-9a-f-]{20,}'", "'(id)'", fault) for fault in verify(store)]
        )


def _tell_copies(book: Book, path: Path) -> None:
    """A workspace goes into another file."""
    folder = book.folder / "copies"
    folder.mkdir()
    source, backup = (
        f"duckdb:///{book.folder}/restores/new.duckdb",
        sorted((path.parent / "backups").glob("a-*.duckdb"))[0],
    )
    for of, to in (
        (f"duckdb:///{folder}/none", f"duckdb:///{folder}/b.duckdb"), (source, "mysql://x"), (source, "duckdb://"),
        (source, source),
    ):  # fmt: skip
        book.ask(f"copy {Path(of).name} to {Path(to).name}", lambda of=of, to=to: copy_workspace(of, to))
    book.files(folder)
    calls: list[str] = []
    to_database = SimpleNamespace(
        copy_from=lambda store: calls.append(f"{store.newest()}"), newest=lambda: 7,
        digests=lambda upto: {"a": (upto, 1), "b": (2, 9)}, close=lambda: calls.append("closed"))  # fmt: skip
    with book.patch.context() as patch:
        patch.setattr("data.workspace.copies.open_store", lambda url, accept=False: (
            to_database if url.startswith("postgres") else open_store(url, accept)))  # fmt: skip
        book.ask("a backup into a database", lambda: copy_workspace(f"duckdb:///{backup}", "postgresql://host/x"))
    book.say("  taken", calls)


# -- the archives -----------------------------------------------------------------------------------------------------

PARTS: dict[str, tuple[Callable[[Book], None], bool]] = {
    "files": (tell_files, True),
    "driver": (tell_driver, True),
    "exchange": (tell_exchange, True),
    "workspace": (tell_workspace, False),
}
"""The parts, and whether their stores have the fewest tables."""


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_the_life_of_a_store(
    part: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch,
    one_empty_store: Callable[..., None],
) -> None:  # fmt: skip
    tell, minimal = PARTS[part]
    if minimal:
        monkeypatch.setattr(opening, "migrate_store", one_empty_store)
        monkeypatch.setattr(opening, "migrations", lambda: VERSIONS)
    else:
        at(tmp_path / "before.duckdb").close()  # the empty store is there, so nothing is asked for the time to make it
    caplog.set_level("DEBUG", "assay")
    caplog.clear()
    with frozen_clock() as clock:
        book = Book(tmp_path, caplog, monkeypatch, clock)
        tell(book)
    compare_archive(book.text(), LIVES / f"{part}.txt", tmp_path)
