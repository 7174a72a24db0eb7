"""The store in one DuckDB file: one process owns it, a high-water mark beside it shows whether rows went missing."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from data import log
from data.store import opening
from data.store.base import Row, Store, T, Tx, note_read
from data.store.combination import combine
from data.store.errors import StoreDamaged, StoreFailed, StoreLocked
from data.store.high_water_mark import CHANGE, Mark, change_digest, digest

if TYPE_CHECKING:
    import pandas

_BULK = 50
_CHECKPOINT = 16
"""MB of log after which DuckDB folds it into the file."""
_TRIES = 40
_UNUSABLE = (duckdb.FatalException, duckdb.InternalException, duckdb.ConnectionException)
"""After these the database object is lost, and the file is opened anew."""


class DuckTx(Tx):
    """A transaction on one cursor of the file."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, seq: int, store: DuckStore) -> None:
        self.cursor, self.seq, self.store, self.memory = cursor, seq, store, store.memory
        self.wrote: set[str] = set()
        self.digest = ""

    def touched(self, table: str) -> int | None:
        return None if table in self.wrote else self.store.touched(table)

    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        note_read(sql)
        return self.cursor.execute(sql, list(params)).fetchall()

    def add(self, table: str, columns: str, rows: Iterable[Row]) -> int:
        values = list(rows)
        if not values:
            return 0
        self.wrote.add(table)
        if table == "change":
            self.digest = change_digest(values[0])
        if len(values) >= _BULK:
            names = [name.strip() for name in columns.split(",")]
            batch = pa.table(dict(zip(names, (pa.array(c) for c in zip(*values, strict=True)), strict=True)))
            self.cursor.register("incoming", batch)
            self.cursor.execute(f"insert into {table} ({columns}, seq) select {columns}, {self.seq} from incoming")
            self.cursor.unregister("incoming")
            return len(values)
        width = len(values[0])
        marks = ", ".join(
            "(" + ", ".join(f"${r * width + c + 1}" for c in range(width)) + f", {self.seq})"
            for r in range(len(values))
        )
        self.cursor.execute(f"insert into {table} ({columns}, seq) values {marks}", [v for row in values for v in row])
        return len(values)

    def load(self, table: str, columns: str, file: Path) -> int:
        self.wrote.add(table)
        quoted = str(file).replace("'", "''")
        query = f"insert into {table} ({columns}, seq) select {columns}, {self.seq} from read_parquet('{quoted}')"
        return int(self.cursor.execute(query).fetchall()[0][0])

    def derive(self, table: str, columns: str, sql: str, params: Sequence[Any] = ()) -> int:
        query = f"insert into {table} ({columns}, seq) select {columns}, {self.seq} from ({sql}) derived"
        added = int(self.cursor.execute(query, list(params)).fetchall()[0][0])
        self.wrote |= {table} if added else set()
        return added


class DuckStore(Store):
    """One DuckDB file, opened by one process; reads run on cursors of their own, writes under one lock."""

    def __init__(self, path: Path, url: str, accept: bool = False) -> None:
        self.path, self.url = opening.real_path(path), url
        self.memory = {}
        self._lock, self._copying = threading.RLock(), threading.Lock()
        self._last: dict[str, int] = {}
        self._log = 0
        self._closed = False
        self._con: duckdb.DuckDBPyConnection | None = None
        self._mark = Mark(opening.beside_path(self.path, ".mark"))
        self._base = 0
        """No table was written after this change, but for those in `_last`."""
        with opening.lock_folder(self.path):
            opening.check_unregistered(self.path)
            found = opening.inspect_store(self.path, accept)
            self._begin(found)
            try:
                self._con = opening.connect(self.path)
                opening.register_store(self.path, self)
                self._confirmed = self._ends_at(found.newest if found else 0)
                rows = self._con.execute(CHANGE, [self._confirmed]).fetchall()
            except BaseException:
                self.close()
                raise
        self._mark.write(self._confirmed, digest(rows))
        how = "store_made" if found is None else "store_opened"
        log.info(how, file=str(self.path), revision=self._confirmed, accepted=True if accept else None)

    # -- opening ------------------------------------------------------------------------------------------------

    def _begin(self, found: opening.StoreFile | None) -> None:
        """Make the mark and the tables that are missing. What fails leaves nothing behind."""
        made = found is None or not found.marked
        try:
            if made:
                self._mark.make(*((found.newest, found.digest) if found else (0, "")))
            self._mark.hold()
            opening.migrate_store(self.path, found)
        except BaseException as error:
            self._mark.close()
            if found is None:
                self._mark.path.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise StoreFailed(
                    f"The store {self.path} cannot be opened: its mark {self._mark.path.name} cannot be written "
                    f"({error.strerror}). Check the disk's free space and rights."
                ) from None
            raise

    def _ends_at(self, seen: int) -> int:
        """The newest change, which is no older than what was seen before the file was opened for writing."""
        assert self._con is not None
        with self._told("Nothing was read"):
            held = opening.newest(self._con)
        if held < seen:
            raise StoreDamaged(
                f"The store {self.path} was changed while it was opened: it ended at revision {seen}, now at {held}. "
                "See that nothing else works on its files, then start again."
            )
        return held

    def _reopen(self) -> None:
        """Open the file anew where the connection is of no use any more, as often as that is needed.

        A failed checkpoint makes the whole database object unusable, and lack of space is how one fails: until the
        next one, the log may grow by as much again.
        """
        with self._lock:
            if self._closed:
                raise StoreFailed(f"The store {self.path} is closed. Start Assay again.")
            if self._con is not None:
                with contextlib.suppress(duckdb.Error):
                    self._con.execute("select 1 from change limit 1").fetchall()
                    return
                self._log += _CHECKPOINT
                with contextlib.suppress(duckdb.Error):
                    self._con.close()
                self._con = None
            with opening.lock_folder(self.path):
                found = self._look_again()
                if found is None or found.newest < self._confirmed:
                    raise StoreDamaged(
                        f"The store {self.path} ends at revision {found.newest if found else 0}, but revision "
                        f"{self._confirmed} was confirmed. See what was done to its files; nothing is saved until they "
                        "are back."
                    )
                self._con = opening.connect(self.path, self._log + _CHECKPOINT)
                opening.register_store(self.path, self)
            # A change whose commit raised may have reached the disk all the same.
            self._base = self._ends_at(found.newest)
            self._last.clear()
            log.warning("store_recovered", file=str(self.path), revision=self._base)

    def _look_again(self) -> opening.StoreFile | None:
        """Look once the reads that were under way have let go of the old connection."""
        for _ in range(_TRIES):
            with contextlib.suppress(StoreLocked):
                return opening.inspect_store(self.path)
            time.sleep(0.05)
        return opening.inspect_store(self.path)

    # -- reading ------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        con = self._con
        if con is None:
            self._reopen()
            con = self._con
        assert con is not None
        cursor = con.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    @contextlib.contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Every error of DuckDB is one sentence of ours."""
        try:
            yield
        except duckdb.Error as error:
            # Only what the system said of the file: other messages may quote what was to be stored.
            why = opening.first_line(error) if isinstance(error, duckdb.IOException) else None
            log.error("store_failed", what=what, file=str(self.path), error=type(error).__name__, why=why)
            raise StoreFailed(
                f"{what}: the store {self.path} says {opening.first_line(error)} "
                "Check the disk's free space and rights, then try again."
            ) from error

    def _read(self, run: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        with self._told("Nothing was read"):
            try:
                with self._cursor() as cursor:
                    return run(cursor)
            except _UNUSABLE:
                self._reopen()
                with self._cursor() as cursor:
                    return run(cursor)

    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        note_read(sql)
        return self._read(lambda c: c.execute(sql, list(params)).fetchall())

    def frame(self, sql: str, params: Sequence[Any] = ()) -> pandas.DataFrame:
        note_read(sql)
        return self._read(lambda c: c.execute(sql, list(params)).df())

    def stream(self, sql: str, params: Sequence[Any] = (), size: int = 5_000) -> Iterator[Row]:
        note_read(sql)
        with self._told("Not all was read"), self._cursor() as cursor:
            cursor.execute(sql, list(params))
            while rows := cursor.fetchmany(size):
                yield from rows

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, work: Callable[[Tx], T]) -> T:
        with self._lock, self._told("Nothing was saved"):
            try:
                return self._once(work)
            except _UNUSABLE:
                self._reopen()
                return self._once(work)

    def _once(self, work: Callable[[Tx], T]) -> T:
        with self._cursor() as cursor:
            cursor.begin()
            try:
                seq = opening.newest(cursor) + 1
                tx = DuckTx(cursor, seq, self)
                result = work(tx)
                if "score" in tx.wrote:
                    combine(tx)
                if not tx.wrote:
                    cursor.rollback()
                    return result
            except BaseException:
                self._undo(cursor)
                raise
            try:
                cursor.commit()
            except duckdb.Error as error:
                self._undo(cursor)
                cursor.close()
                if not (isinstance(error, _UNUSABLE) and self._landed(seq)):
                    raise
        self._last.update(dict.fromkeys(tx.wrote, seq))
        self._confirmed = seq
        self._mark.write(seq, tx.digest)
        return result

    def _landed(self, seq: int) -> bool:
        """Whether a change is on the disk although its commit raised: the checkpoint after it may be what failed."""
        self._reopen()
        return self.newest() >= seq

    def touched(self, table: str) -> int | None:
        # One process owns the file, so what this process wrote since it opened the store is all there is.
        return self._last.get(table, self._base)

    def _undo(self, cursor: duckdb.DuckDBPyConnection) -> None:
        with contextlib.suppress(duckdb.Error):
            cursor.rollback()

    def backup(self, file: Path) -> None:
        part = opening.beside_path(file, ".part")
        quoted = str(part).replace("'", "''")
        with self._copying, self._cursor() as cursor:
            try:
                opening.remove_copy(part)
                held = cursor.execute("select current_database()").fetchall()[0][0]
                cursor.execute(f"attach '{quoted}' as copy_of_store")
                try:
                    cursor.execute(f'copy from database "{held}" to copy_of_store')
                finally:
                    cursor.execute("detach copy_of_store")
                part.replace(file)
            except (duckdb.Error, OSError) as error:
                raise StoreFailed(
                    f"The backup {file} was not made: {opening.first_line(error)} Nothing was changed."
                ) from None
            finally:
                with contextlib.suppress(OSError):
                    opening.remove_copy(part)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._con is not None:
                with contextlib.suppress(duckdb.Error):
                    self._con.close()
            self._con = None
            opening.unregister_store(self)
            self._mark.close()
