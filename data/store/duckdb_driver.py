"""The store in one DuckDB file: one process owns it, a high-water mark beside it shows whether rows went missing."""

from __future__ import annotations

import contextlib
import re
import shutil
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa

from data import log
from data.store import base, hidden_rows, opening, transfer
from data.store.base import Load, Row, Store, T, Tx, note_read, quote_sql
from data.store.combination import combine
from data.store.errors import StoreDamaged, StoreFailed, StoreLocked
from data.store.hidden_rows import HiddenRows
from data.store.high_water_mark import CHANGE, Mark, change_digest, digest
from data.temp_folders import folder_for
from judges.process import delay_interrupts

if TYPE_CHECKING:
    import pandas

    from data.store.base import Columns

_CHECKPOINT_MB = 16
"""MB of log after which DuckDB folds it into the file."""
_MAX_TRIES = 40
_COMMIT_TARGET_SECONDS = 0.03
"""Seconds that one commit of a bulk aims to take."""
_MAX_LOG_BYTES = 256 * 2**20
"""Bytes of log after which a bulk has it folded into the file, beside those who save."""
_RESERVE_BYTES = 64 * 2**20
"""Bytes of the disk that a bulk leaves free, so that others can save, and its own log can be folded away."""
UNUSABLE = (duckdb.FatalException, duckdb.InternalException, duckdb.ConnectionException)
"""After these the database object is lost, and the file is opened anew."""


class DuckTx(Tx):
    """A transaction on one cursor."""

    store: DuckTables

    def __init__(self, cursor: duckdb.DuckDBPyConnection, seq: int, store: DuckTables) -> None:
        self.cursor, self.seq, self.store = cursor, seq, store
        self.memory, self.previews = store.memory, store.previews
        self.shared = store.shared
        self.wrote: set[str] = set()
        self.shown_tables: set[str] = set()
        """Tables whose hidden rows this transaction has brought to light."""
        self.digest = ""

    def _current_name(self, table: str) -> str:
        """The name that a table has in the file by now."""
        return table if table in self.shown_tables else self.store.stored_name(table)

    def table_version(self, table: str) -> int | None:
        return None if table in self.wrote else self.store.table_version(table)

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
        names = [name.strip() for name in columns.split(",")]
        transfer.insert(self.cursor, self._current_name(table), [*names, "seq"], [(*row, self.seq) for row in values])
        return len(values)

    def load(self, table: str, columns: str, file: Path) -> int:
        self.wrote.add(table)
        hidden = self.store.hidden
        if hidden and hidden.seq == self.seq:
            hidden_rows.show_table(self.cursor, table)
            self.shown_tables.add(table)
            return hidden.rows[table]
        rows = hidden_rows.file_rows_sql(Load(table, columns, file), self.seq)
        query = f"insert into {self._current_name(table)} ({columns}, seq) {rows}"
        return int(self.cursor.execute(query).fetchall()[0][0])

    def derive(self, table: str, columns: str, sql: str, params: Sequence[Any] = ()) -> int:
        into = self._current_name(table)
        query = f"insert into {into} ({columns}, seq) select {columns}, {self.seq} from ({sql}) derived"
        added = int(self.cursor.execute(query, list(params)).fetchall()[0][0])
        self.wrote |= {table} if added else set()
        return added


class DuckTables(Store):
    """A workspace's tables in a DuckDB database of this process; reads run on cursors of their own."""

    def __init__(self, name: str) -> None:
        self.name, self.memory, self.previews = name, {}, {}
        self._lock, self._copying = threading.RLock(), threading.Lock()
        self.hidden: HiddenRows | None = None
        self._con: duckdb.DuckDBPyConnection | None = None
        self._last: dict[str, int] = {}
        self._base = 0
        """No table was written after this change, but for those in `_last`."""

    def stored_name(self, table: str) -> str:
        """The name that a table has outside of a transaction that shows its hidden rows."""
        return f"{table}{hidden_rows.TABLE_SUFFIX}" if self.hidden and table in self.hidden.rows else table

    def _preview_rows(self, change: HiddenRows) -> None:
        """Have the rows of a change looked at that are all there, hidden."""
        for table, look in base.PREVIEW_FUNCTIONS:
            if table in change.rows:
                self.previews[look] = change.seq, look(self, change.seq, self.stored_name(table))

    def _forget_hidden_rows(self) -> None:
        """There are no hidden rows any more, nor what was known of them."""
        self.hidden = None
        self.previews.clear()

    @abstractmethod
    def _reopen(self) -> None:
        """Make the database anew where it is of no use any more, or missing."""

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
        except RuntimeError as error:
            if isinstance(error.__cause__, KeyboardInterrupt):  # so DuckDB says that it came in a statement
                raise KeyboardInterrupt from None
            raise
        finally:
            cursor.close()

    @contextlib.contextmanager
    def _translate_errors(self, failure: str) -> Iterator[None]:
        """Every error of DuckDB is one sentence of ours."""
        try:
            yield
        except duckdb.Error as error:
            # Only what the system said of the file: other messages may quote what was to be stored.
            why = opening.first_line(error) if isinstance(error, duckdb.IOException) else None
            log.error("store_failed", what=failure, store=self.name, error=type(error).__name__, why=why)
            then = "Check the disk's free space and rights, then try again."
            if isinstance(error, duckdb.OutOfMemoryException):
                then = "Let it have more memory (ASSAY_MEMORY, or a larger machine), then try again."
            elif isinstance(error, duckdb.ProgrammingError):
                then = "This is an error in Assay: please report it."
            raise StoreFailed(f"{failure}: the store {self.name} says {opening.first_line(error)} {then}") from error

    def _read(self, run: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        with self._translate_errors("Nothing was read"):
            try:
                with self._cursor() as cursor:
                    return run(cursor)
            except UNUSABLE:
                self._reopen()
                with self._cursor() as cursor:
                    return run(cursor)

    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        note_read(sql)
        return self._read(lambda c: c.execute(sql, list(params)).fetchall())

    def frame(self, sql: str, params: Sequence[Any] = ()) -> pandas.DataFrame:
        note_read(sql)
        return self._read(lambda c: c.execute(sql, list(params)).df())

    @contextlib.contextmanager
    def moment(self, tables: Mapping[str, str], params: Sequence[Any] = ()) -> Iterator[Callable[..., Columns]]:
        with self._translate_errors("Not all was read"), self._cursor() as cursor:

            def run(sql: str, begin: str = "") -> duckdb.DuckDBPyConnection:
                note_read(sql)
                used = {name[1:]: params[int(name[1:]) - 1] for name in re.findall(r"\$\d+", sql)}
                return cursor.execute(begin + sql, used)

            def ask(sql: str, **columns: Any) -> Columns:
                if columns:
                    cursor.register("given", pa.table({n: pa.array(c, from_pandas=True) for n, c in columns.items()}))
                # A result that is fetched is made by one thread; a table is made by all of them.
                run(sql, "create or replace temp table asked as ")
                fetched = cursor.execute("select * from asked").fetchnumpy()
                arrays = {name: np.asanyarray(column) for name, column in fetched.items()}
                return {name: np.ma.filled(c, np.nan) if c.dtype.kind == "f" else c for name, c in arrays.items()}

            cursor.begin()
            for name, sql in tables.items():
                run(sql, f"create temp table {name} as ")
            yield ask

    def stream(self, sql: str, params: Sequence[Any] = (), size: int = 5_000) -> Iterator[Row]:
        note_read(sql)
        with self._translate_errors("Not all was read"), self._cursor() as cursor:
            cursor.execute(sql, list(params))
            while rows := cursor.fetchmany(size):
                yield from rows

    def table_version(self, table: str) -> int | None:
        # All changes are taken in by this process, so what it has seen since it opened the store is all there is.
        return self._last.get(table, self._base)

    def digests(self, up_to: int) -> dict[str, tuple[int, int]]:
        return self._read(lambda cursor: transfer.digests(cursor, up_to))

    def write(self, work: Callable[[Tx], T]) -> T:
        return self._write_with_retries(lambda: self._write_once(work))

    def write_bulk(self, work: Callable[[Tx], T], bulks: Sequence[Load]) -> T:
        rows = {bulk.table: hidden_rows.count_file_rows(bulk.file) for bulk in bulks}
        with self._copying:  # no two at a time, nor a backup of half of one
            if sum(rows.values()) < hidden_rows.MIN_ROWS:
                return self.write(work)
            with self._translate_errors("Nothing was saved"):
                return self._write_hidden(work, bulks, rows)

    def check_writable(self) -> None:
        self._write_with_retries(self._write_nothing)

    @abstractmethod
    def _write_with_retries(self, once: Callable[[], T]) -> T:
        """Return the result of a try under the write lock, after further tries where they may help."""

    @abstractmethod
    def _write_once(self, work: Callable[[Tx], T]) -> T:
        """Run `work` in a transaction and commit, in one try."""

    @abstractmethod
    def _write_hidden(self, work: Callable[[Tx], T], bulks: Sequence[Load], rows: dict[str, int]) -> T:
        """Bring the rows of files in, hidden, and then make the change that shows them."""

    @abstractmethod
    def _write_nothing(self) -> None:
        """Commit a change that leaves no row, in one try."""

    def _rollback(self, cursor: duckdb.DuckDBPyConnection) -> None:
        with contextlib.suppress(duckdb.Error):
            cursor.rollback()

    def backup(self, file: Path) -> None:
        with self._copying, self._cursor() as cursor:
            try:
                with folder_for("backup", file.parent) as folder:
                    part = folder / "part.duckdb"
                    database = str(cursor.execute("select current_database()").fetchall()[0][0]).replace('"', '""')
                    cursor.execute(f'attach {quote_sql(part)} as "copy of {database}"')
                    try:
                        cursor.execute(f'copy from database "{database}" to "copy of {database}"')
                    finally:
                        self._rollback(cursor)  # DuckDB goes on with a copy that was interrupted
                        cursor.execute(f'detach "copy of {database}"')
                    part.replace(file)
            except (duckdb.Error, OSError) as error:
                raise StoreFailed(
                    f"The backup {file} was not made: {opening.first_line(error)} Nothing was changed. "
                    "Check the disk's free space and rights."
                ) from None


class DuckStore(DuckTables):
    """One DuckDB file, opened by one process; writes are under one lock."""

    def __init__(self, path: Path, url: str, accept: bool = False) -> None:
        self.path, self.url = opening.real_path(path), url
        super().__init__(str(self.path))
        self._log = 0
        self._closed = False
        self._mark = Mark(opening.beside_path(self.path, ".mark"))
        with opening.lock_folder(self.path):
            opening.check_unregistered(self.path)
            file = opening.inspect_store(self.path, accept)
            self._begin(file)
            try:
                self._con = opening.connect(self.path)
                opening.register_store(self.path, self)
                self._base = self._confirmed = self._check_newest(file.newest if file else 0)
                rows = self._con.execute(CHANGE, [self._confirmed]).fetchall()
            except BaseException:
                self.close()
                raise
        self._mark.write(self._confirmed, digest(rows))
        event = "store_made" if file is None else "store_opened"
        log.info(event, file=str(self.path), revision=self._confirmed, accepted=True if accept else None)

    # -- opening ------------------------------------------------------------------------------------------------

    def _begin(self, file: opening.StoreFile | None) -> None:
        """Make the mark and the tables that are missing. What fails leaves nothing behind."""
        mark_is_new = False
        try:
            if file is None or not file.marked:
                self._mark.make(*((file.newest, file.digest) if file else (0, "")))
                mark_is_new = True
            self._mark.hold()
            opening.migrate_store(self.path, file)
        except BaseException as error:
            self._mark.close()
            if mark_is_new:
                self._mark.path.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise StoreFailed(
                    f"The store {self.path} cannot be opened: its mark {self._mark.path.name} cannot be written "
                    f"({error.strerror}). Check the disk's free space and rights."
                ) from None
            raise

    def _check_newest(self, seen: int) -> int:
        """The newest change, which is no older than what was seen before the file was opened for writing."""
        assert self._con is not None
        with self._translate_errors("Nothing was read"):
            newest = opening.newest(self._con)
        if newest < seen:
            raise StoreDamaged(
                f"The store {self.path} was changed while it was opened: it ended at revision {seen}, now at {newest}. "
                "Make sure that nothing else uses its files, then start again."
            )
        return newest

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
                self._log += _CHECKPOINT_MB
                with contextlib.suppress(duckdb.Error):
                    self._con.close()
                self._con = None
            with opening.lock_folder(self.path):
                file = self._inspect_after_reads()
                if file is None or file.newest < self._confirmed:
                    raise StoreDamaged(
                        f"The store {self.path} ends at revision {file.newest if file else 0}, but revision "
                        f"{self._confirmed} was confirmed. Find out what happened to its files; nothing is saved until "
                        "they are back."
                    )
                self._con = opening.connect(self.path, self._log + _CHECKPOINT_MB)
                opening.register_store(self.path, self)
                self._forget_hidden_rows()
            # A change whose commit raised may have reached the disk all the same.
            self._base = self._check_newest(file.newest)
            self._last.clear()
            log.warning("store_recovered", file=str(self.path), revision=self._base)

    def _inspect_after_reads(self) -> opening.StoreFile | None:
        """Look once the reads that were under way have let go of the old connection."""
        for _ in range(_MAX_TRIES):
            with contextlib.suppress(StoreLocked):
                return opening.inspect_store(self.path)
            time.sleep(0.05)
        return opening.inspect_store(self.path)

    # -- writing ------------------------------------------------------------------------------------------------
    # Interrupts are delayed: in a statement or a commit, DuckDB would raise them at once but go on with it, so that the
    # transaction is still open, or comes to its end, beside what is done next. And where a table's new name is not
    # committed yet, what others commit stands in the log under that name, so that the log cannot be read any more.

    def _write_with_retries(self, once: Callable[[], T]) -> T:
        """Try under the write lock, and again if the file has to be opened anew."""
        with self._lock, self._translate_errors("Nothing was saved"):
            try:
                return once()
            except UNUSABLE:
                self._reopen()
                return once()

    def _write_hidden(self, work: Callable[[Tx], T], bulks: Sequence[Load], rows: dict[str, int]) -> T:
        try:
            return self._write_hidden_once(work, bulks, rows)
        except UNUSABLE:
            self._reopen()  # which takes out what has come so far
            return self.write(work)

    def _write_hidden_once(self, work: Callable[[Tx], T], bulks: Sequence[Load], rows: dict[str, int]) -> T:
        with self._lock, delay_interrupts(), self._cursor() as cursor:
            self._remove_hidden_rows(cursor)
            cursor.execute("set global checkpoint_threshold = '1TB'")
            cursor.begin()
            change = HiddenRows(opening.newest(cursor) + hidden_rows.RESERVED_CHANGES, rows)
            hidden_rows.hide_change(cursor, rows, change.seq)
            cursor.commit()
            self.hidden = change
        try:
            for bulk in bulks:
                self._append_hidden_rows(bulk, change)
            self._preview_rows(change)
            with self._lock:
                return self._write_once(work, change)
        finally:
            with contextlib.suppress(duckdb.Error, StoreFailed), delay_interrupts(), self._cursor() as cursor:
                if self.hidden is change:
                    self._remove_hidden_rows(cursor)
                self._checkpoint()
                cursor.execute(f"set global checkpoint_threshold = '{self._log + _CHECKPOINT_MB}MB'")

    def _append_hidden_rows(self, bulk: Load, change: HiddenRows) -> None:
        """Bring in the rows of a file, so many at a time that each commit is short."""
        size, log = 1_000, opening.beside_path(self.path, ".wal")
        for batch in hidden_rows.read_slices(bulk.file):
            start = 0
            while start < batch.num_rows:
                if shutil.disk_usage(self.path.parent).free < _RESERVE_BYTES:
                    raise StoreFailed(
                        f"Nothing was saved: the disk of {self.path} has less than {_RESERVE_BYTES >> 20} MB left, "
                        "which others need to save. Make room there, or import less."
                    )
                with delay_interrupts(), self._cursor() as cursor:
                    cursor.begin()
                    cursor.register("incoming", pa.Table.from_batches([batch.slice(start, size)]))
                    cursor.execute(
                        f"insert into {bulk.table}{hidden_rows.TABLE_SUFFIX} ({bulk.columns}, seq) "
                        f"select {bulk.columns}, {change.seq} from incoming"
                    )
                    with self._lock:
                        self._check_hidden(change)
                        began = time.perf_counter()
                        cursor.commit()
                        took = time.perf_counter() - began
                start += size
                aim = size * min(max(_COMMIT_TARGET_SECONDS / took, 0.5), 2)
                size = int(min(max(aim, 100), hidden_rows.MAX_ROWS_PER_COMMIT))
            if log.exists() and log.stat().st_size > _MAX_LOG_BYTES:
                self._checkpoint()

    def _check_hidden(self, change: HiddenRows) -> None:
        if self.hidden is not change:
            raise duckdb.ConnectionException("The file was opened anew, without these rows.")

    def _remove_hidden_rows(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Take out rows of a bulk that did not come to its end."""
        if self.hidden:
            left = hidden_rows.delete_hidden_rows(cursor)
            with self._lock:
                hidden_rows.show_tables(cursor, left)
                self._forget_hidden_rows()

    def _checkpoint(self) -> None:
        """Fold the log into the file while others save: DuckDB lets them if a transaction that writes is open."""
        try:
            with self._cursor() as other, self._cursor() as cursor:
                other.begin()
                other.execute("insert into export select * from export where false")
                for _ in range(_MAX_TRIES):
                    with contextlib.suppress(duckdb.TransactionException):
                        cursor.execute("checkpoint")
                        break
                    time.sleep(0.05)
        except duckdb.Error:
            self._reopen()

    @delay_interrupts()
    def _write_once(self, work: Callable[[Tx], T], change: HiddenRows | None = None) -> T:
        with self._cursor() as cursor:
            cursor.begin()  # closed before it commits, it takes back all
            seq = opening.newest(cursor) + 1
            if change:
                self._check_hidden(change)
                seq = change.seq
            elif self.hidden and seq >= self.hidden.seq:
                raise StoreFailed(
                    f"So much was saved while an import came in that revision {self.hidden.seq} is reached. "
                    "Try again when the import has ended."
                )
            tx = DuckTx(cursor, seq, self)
            result = work(tx)
            if "score" in tx.wrote:
                combine(tx)
            if not tx.wrote:
                return result
            try:
                cursor.commit()
            except duckdb.Error as error:
                self._rollback(cursor)
                cursor.close()
                if not (isinstance(error, UNUSABLE) and self._was_committed(seq)):
                    raise
        if change:
            self.hidden = None
        self._last.update(dict.fromkeys(tx.wrote, seq))
        self._confirmed = seq
        self._mark.write(seq, tx.digest)
        return result

    def _write_nothing(self) -> None:
        with self._cursor() as cursor:
            cursor.execute("select nextval('beat')").fetchall()  # the number goes through the log

    def _was_committed(self, seq: int) -> bool:
        """Whether a change is on the disk although its commit raised: the checkpoint after it may be what failed."""
        self._reopen()
        return self.newest() >= seq

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._con is not None:
                with contextlib.suppress(duckdb.Error):
                    self._con.close()
            self._con = None
            opening.unregister_store(self)
            self._mark.close()
