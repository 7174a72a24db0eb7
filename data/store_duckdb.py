"""The store in one DuckDB file: one process owns it, a high-water mark beside it tells whether rows went missing."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from data.errors import StoreDamaged, StoreFailed, StoreLocked
from data.ids import now
from data.mark import Mark
from data.store import Row, Store, T, Tx, migrate, statements

if TYPE_CHECKING:
    import pandas

_BULK = 50
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "preserve_insertion_order": "false",
}


class DuckTx(Tx):
    """A transaction on one cursor of the file."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, seq: int, store: DuckStore) -> None:
        self.cursor, self.seq, self.store, self.memory = cursor, seq, store, store.memory
        self.wrote: set[str] = set()

    def touched(self, table: str) -> int | None:
        return None if table in self.wrote else self.store.touched(table)

    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        return self.cursor.execute(sql, list(params)).fetchall()

    def add(self, table: str, columns: str, rows: Iterable[Row]) -> int:
        values = list(rows)
        if not values:
            return 0
        self.wrote.add(table)
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


class DuckStore(Store):
    """One DuckDB file, opened by one process; reads run on cursors of their own, writes under one lock."""

    def __init__(self, path: Path, url: str, accept: bool = False) -> None:
        self.path, self.url = path, url
        self._lock = threading.RLock()
        self._last: dict[str, int] = {}
        self.memory = {}
        self._con: duckdb.DuckDBPyConnection | None = None
        self._mark = Mark(path.with_name(path.name + ".mark"))
        self._open()
        try:
            if not accept:
                self._check_mark()
            migrate(self, self._version(), before=self._backup_before)
            self._mark.write(self.newest())
        except BaseException:
            self.close()
            raise

    # -- opening ------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._con = duckdb.connect(str(self.path), config=_CONFIG)
        except duckdb.IOException as error:
            raise self._why_not(error) from None
        except duckdb.Error as error:
            raise StoreDamaged(
                f"The store {self.path} cannot be opened: {_first_line(error)} "
                "Restore a backup (python -m data restore BACKUP), or move the file away to begin a new one."
            ) from None
        except OSError as error:
            raise StoreFailed(f"The store {self.path} cannot be opened: {error.strerror}. Check the folder.") from None

    def _why_not(self, error: duckdb.IOException) -> StoreLocked | StoreDamaged | StoreFailed:
        text = str(error)
        if "lock" in text.lower():
            holder = re.search(r"Conflicting lock is held in (.+?) \(PID (\d+)\)", text)
            who = f"{Path(holder[1]).name} (process {holder[2]})" if holder else "another process"
            return StoreLocked(
                f"The store {self.path} is in use by {who}. Do this in the running app instead, or stop it first; "
                "for several processes at once use a PostgreSQL store."
            )
        if "permission" in text.lower() or "read-only" in text.lower():
            return StoreFailed(
                f"The store {self.path} cannot be written: {_first_line(error)} Check the file's rights."
            )
        return StoreDamaged(
            f"The store {self.path} cannot be opened: {_first_line(error)} "
            "Restore a backup (python -m data restore BACKUP), or move the file away to begin a new one."
        )

    def _version(self) -> int:
        known = self.rows("select count(*) from information_schema.tables where table_name = 'migration'")[0][0]
        return int(self.rows("select coalesce(max(version), 0) from migration")[0][0]) if known else 0

    def _check_mark(self) -> None:
        confirmed = self._mark.read()
        held = self.newest() if self._version() else 0
        if confirmed is not None and held < confirmed:
            raise StoreDamaged(
                f"The store {self.path} ends at change {held}, but {confirmed} changes were confirmed: "
                f"{confirmed - held} are missing, probably with a damaged or deleted write-ahead log ({self.path.name}"
                ".wal). Restore a backup (python -m data restore BACKUP), or accept the loss with "
                "python -m data verify --accept."
            )

    def _backup_before(self) -> None:
        self.backup(self.path.with_name(f"{self.path.stem}.before-{now():%Y%m%d-%H%M%S}{self.path.suffix}"))

    # -- reading ------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        con = self._con
        if con is None:
            raise StoreFailed(f"The store {self.path} is closed. Start Assay again.")
        cursor = con.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    def _read(self, run: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        try:
            with self._cursor() as cursor:
                return run(cursor)
        except (duckdb.FatalException, duckdb.ConnectionException):
            self._reopen()
            with self._cursor() as cursor:
                return run(cursor)

    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        return self._read(lambda c: c.execute(sql, list(params)).fetchall())

    def frame(self, sql: str, params: Sequence[Any] = ()) -> pandas.DataFrame:
        return self._read(lambda c: c.execute(sql, list(params)).df())

    def stream(self, sql: str, params: Sequence[Any] = (), size: int = 5_000) -> Iterator[Row]:
        with self._cursor() as cursor:
            cursor.execute(sql, list(params))
            while rows := cursor.fetchmany(size):
                yield from rows

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, work: Callable[[Tx], T]) -> T:
        with self._lock:
            try:
                return self._once(work)
            except duckdb.FatalException:
                # A failed checkpoint makes the whole database object unusable: only a new one can go on.
                self._reopen()
                return self._once(work)

    def _once(self, work: Callable[[Tx], T]) -> T:
        with self._cursor() as cursor:
            cursor.begin()
            try:
                seq = int(cursor.execute("select coalesce(max(seq), 0) + 1 from change").fetchall()[0][0])
                tx = DuckTx(cursor, seq, self)
                result = work(tx)
                if not tx.wrote:
                    cursor.rollback()
                    return result
                cursor.commit()
            except duckdb.FatalException:
                raise
            except duckdb.Error as error:
                self._undo(cursor)
                raise StoreFailed(
                    f"Nothing was saved: the store {self.path} says {_first_line(error)} "
                    "Check the disk's free space and rights, then try again."
                ) from error
            except BaseException:
                self._undo(cursor)
                raise
        self._last.update(dict.fromkeys(tx.wrote, seq))
        self._mark.write(seq)
        return result

    def touched(self, table: str) -> int | None:
        # One process owns the file, so what this process wrote since it opened the store is all there is.
        return self._last.get(table, 0)

    def _undo(self, cursor: duckdb.DuckDBPyConnection) -> None:
        with contextlib.suppress(duckdb.Error):
            cursor.rollback()

    def _reopen(self) -> None:
        with self._lock:
            try:
                if self._con is not None:
                    self._con.execute("select 1").fetchall()
                    return
            except duckdb.Error:
                pass
            with contextlib.suppress(duckdb.Error):
                if self._con is not None:
                    self._con.close()
            self._con = None
            self._open()
            self._check_mark()

    def script(self, sql: str, version: int, name: str) -> None:
        with self._lock, self._cursor() as cursor:
            cursor.execute("create table if not exists migration (version bigint, name text, made_at timestamp)")
            cursor.begin()
            try:
                for statement in statements(sql):
                    cursor.execute(statement)
                cursor.execute("insert into migration values ($1, $2, $3)", [version, name, now()])
                cursor.commit()
            except BaseException:
                self._undo(cursor)
                raise
            cursor.execute("checkpoint")

    def backup(self, file: Path) -> None:
        part = file.with_name(file.name + ".part")
        part.unlink(missing_ok=True)
        quoted = str(part).replace("'", "''")
        with self._cursor() as cursor:
            held = cursor.execute("select current_database()").fetchall()[0][0]
            try:
                cursor.execute(f"attach '{quoted}' as copy_of_store")
                try:
                    cursor.execute(f'copy from database "{held}" to copy_of_store')
                finally:
                    cursor.execute("detach copy_of_store")
                part.replace(file)
            except (duckdb.Error, OSError) as error:
                raise StoreFailed(
                    f"The backup {file} was not made: {_first_line(error)} Nothing was changed."
                ) from None
            finally:
                part.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            if self._con is not None:
                with contextlib.suppress(duckdb.Error):
                    self._con.close()
            self._con = None
            self._mark.close()


def _first_line(error: BaseException) -> str:
    """What DuckDB said, as the end of a sentence of ours."""
    said = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return re.sub(r"^[\w ]+ Error: ", "", said).rstrip(".! ") + "."
