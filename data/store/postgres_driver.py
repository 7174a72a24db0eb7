"""The store in PostgreSQL, for several processes: all write under one lock, each reads a copy of its own in DuckDB.

A transaction runs on the copy, brought up to date under the lock, and what it wrote is sent to the database before
either is committed. So every query has one engine, whatever the driver, and PostgreSQL says what is saved. Changes are
numbered under the lock: the numbers follow the commits, and a copy is up to date by its newest number.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from data import log
from data.store import hidden_rows, opening, postgres_bulk, postgres_schema, transfer
from data.store.base import NEWEST_SQL, Load, Store, T, Tx, migrations, quote_sql
from data.store.combination import combine
from data.store.duckdb_driver import UNUSABLE, DuckTables, DuckTx
from data.store.errors import BadInput, StoreFailed
from data.store.hidden_rows import HiddenRows
from data.store.high_water_mark import CHANGE, digest
from data.store.ids import new_id
from data.temp_folders import folder_for

if TYPE_CHECKING:
    import psycopg

    from data.store.postgres_schema import Link

POLL_SECONDS = 1.0
"""Seconds after which the database is asked at the latest, whether or not it told of a change."""
GRACE_SECONDS = 5.0
"""Seconds for which a database may be away: reads go on as of then, and changes wait."""
_RETRY_SECONDS = 0.1
_LOST_CONNECTION_STATES = ("08", "57P01", "57P02", "57P03", "57P05")
"""States of SQL in which the connection is lost or was ended, or the server ends or begins."""
_CONNECTION_PREFIX = re.compile(r"^.*(?:is bad|failed|host '[^']*'): (?:\[Errno -?\d+\] )?")
"""What stands before the reason in a message on a connection: whom it was to reach, which its user knows."""
_READ_ONLY_STATE = "25006"
_RECOVERY_NOTE = "When it answers again, the app goes on by itself; a command that has ended must be run again."


class PostgresStore(DuckTables):
    """A database that several processes work on, with this process's copy of it to read."""

    shared = True

    def __init__(self, url: str) -> None:
        self.url = url
        postgres_schema.require_packages()
        super().__init__(postgres_schema.store_name(url))
        self._copy_lock = threading.RLock()
        """Held by whoever brings the copy up to date."""
        self._seq = 0
        """The newest change in the copy."""
        self._newest_version = migrations()[-1][0]
        self._tables: dict[str, dict[str, str]] = {}
        self._link: Link | None = None
        self._closed, self._listening = threading.Event(), threading.Event()
        self._staged = ""
        """The token of the bulk whose rows are in the copy, hidden."""
        self._lost_since: float | None = None
        """Since when the database is away, or the copy cannot follow it."""
        self._obstacle = ""
        """Why the copy cannot follow a database that answers."""
        self._asking, self._last_poll = threading.Lock(), 0.0
        self._spilled = contextlib.ExitStack()
        """The folder of what of the copy does not fit into memory."""
        self._wrong = ""
        try:
            with self._translate_errors("Nothing was read"):
                with postgres_schema.connect(url) as link:
                    empty = postgres_schema.bring_up(link, self.name)
                    postgres_bulk.sweep(link, self._begin)
                self._reopen()
        except BaseException:
            self.close()
            raise
        self._base = self._seq
        log.info("store_made" if empty else "store_opened", store=self.name, revision=self._seq)
        threading.Thread(target=self._listen, name=f"store {self.name}", daemon=True).start()

    # -- the copy -----------------------------------------------------------------------------------------------

    def _reopen(self) -> None:
        """Make the copy anew, with all that the database holds."""
        with self._copy_lock:
            if self._closed.is_set():
                raise StoreFailed(f"The store {self.name} is closed. Start Assay again.")
            if self._con is not None:
                with contextlib.suppress(duckdb.Error):
                    self._con.execute("select 1 from change limit 1").fetchall()
                    return
            with contextlib.ExitStack() as spilled, postgres_schema.connect(self.url) as link:
                con = empty_copy(spilled)
                self._tables = transfer.column_types(con)
                newest = _newest_change(link)
                con.begin()
                transfer.fetch(link, con, self._tables, 0, newest)
                con.commit()
                self._spilled.close()
                self._spilled = spilled.pop_all()
            self._last.clear()
            self._base = self._seq = newest
            self._con = con
            self._forget_hidden_rows()

    def _update_copy(self, link: Link, newest: int) -> None:
        """Bring the copy up to a change, in one transaction of its own."""
        with self._copy_lock:
            if newest <= self._seq:
                return
            query = "select seq, tables, token from wrote where seq > %s and seq <= %s order by seq"
            rows = link.execute(query, [self._seq, newest]).fetchall()
            wrote = {table: int(seq) for seq, tables, _ in rows for table in tables.split()}
            change, shown = self.hidden, dict[str, int]()
            if change and change.seq <= newest:
                if (change.seq, self._staged) not in ((seq, token) for seq, _, token in rows):
                    self._con = None  # it came before all its rows were in the copy
                    return self._reopen()
                shown = change.rows
            with super()._cursor() as cursor:
                cursor.begin()
                for table in shown:
                    hidden_rows.show_table(cursor, table)
                changed = {table: self._tables[table] for table in wrote if table in self._tables}
                stored = str if shown else self.stored_name
                change_by_table = dict.fromkeys(shown, change.seq if change else 0)
                transfer.fetch(link, cursor, changed, self._seq, newest, stored, change_by_table)
                cursor.commit()
            self.hidden = None if shown else change
            self._last.update(wrote)
            self._seq = newest

    @contextlib.contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor on the copy, which is as the database was a moment ago; at most `GRACE_SECONDS` where it is away."""
        if self._wrong:
            raise StoreFailed(self._wrong)
        away = self._away_seconds()
        if away and not self._listening.wait(max(POLL_SECONDS - away, 0.0)) and not self._is_reachable():
            silence = f"Nothing was read: the database {self.name} has not answered for {away:.0f} seconds."
            raise StoreFailed(f"{self._obstacle or silence} {_RECOVERY_NOTE}")
        with super()._cursor() as cursor:
            yield cursor

    def _listen(self) -> None:
        """Bring the copy up to date whenever the database tells of a change, until the store is closed or wrong."""
        while not (self._closed.is_set() or self._wrong):
            with self._note_obstacle(), postgres_schema.connect(self.url) as ear:
                ear.execute(f"listen {postgres_bulk.CHANNEL}".encode())
                self._check_same_database(ear)
                while not self._closed.is_set():
                    known, newest = self._seq, _newest_change(ear)
                    self._check_not_older(newest, known)
                    if not self._obstacle:
                        self._listening.set()  # before it waits for a long change of this process
                    self._update_copy(ear, newest)
                    self._obstacle, self._lost_since = "", None
                    self._listening.set()
                    for reservation in postgres_bulk.reservations(ear):
                        if not self._copying.locked():
                            threading.Thread(target=self._stage_rows, args=reservation, daemon=True).start()
                    for _ in ear.notifies(timeout=POLL_SECONDS, stop_after=1):
                        pass
            self._listening.clear()
            self._lost_since = self._lost_since or time.monotonic()
            self._closed.wait(_RETRY_SECONDS)

    @contextlib.contextmanager
    def _note_obstacle(self) -> Iterator[None]:
        """Suppress what keeps the copy from following the database, and note it where that is not the connection."""
        import psycopg

        try:
            yield
        except psycopg.Error:
            self._obstacle = ""
        except Exception as error:  # whatever it is: a copy that no thread brings up to date is behind for good
            obstacle = f"Nothing was read, as what others saved cannot be taken in. {opening.first_line(error)}"
            if obstacle != self._obstacle and not (self._closed.is_set() or self._wrong):
                log.error("store_failed", error, what="The copy is behind", store=self.name)
            self._obstacle = obstacle

    def _is_reachable(self) -> bool:
        """Whether the database has been away for no longer than `GRACE_SECONDS`.

        It is asked, once in `POLL_SECONDS`, as the thread that listens may only have had no time.
        """
        with self._asking:
            if self._away_seconds() > GRACE_SECONDS and time.monotonic() - self._last_poll > POLL_SECONDS:
                with self._note_obstacle():
                    with postgres_schema.connect(self.url) as link:
                        self._check_same_database(link)
                        self._update_copy(link, _newest_change(link))
                    self._lost_since = None
                self._last_poll = time.monotonic()
            return self._away_seconds() <= GRACE_SECONDS

    def _away_seconds(self) -> float:
        """For how many seconds the database has been away; 0.0 while it is there."""
        return time.monotonic() - self._lost_since if self._lost_since else 0.0

    # -- the database -------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _writing_link(self) -> Iterator[Link]:
        """The connection on which this process writes; a lost one is let go of."""
        if self._link is None or self._link.closed:
            link = postgres_schema.connect(self.url)
            self._check_same_database(link)
            self._link = link
        try:
            yield self._link
        except BaseException as error:
            link = self._link
            try:
                link.execute("rollback")
            except Exception:
                link.close()
            if getattr(error, "sqlstate", "") == _READ_ONLY_STATE:  # another server may take changes by now
                link.close()
            raise

    def _check_same_database(self, link: Link) -> None:
        """Raises StoreFailed where the database is not the one that this process has read: it was restored, say."""
        if not self._seq or self._con is None:
            return
        with super()._cursor() as cursor:
            known = self._seq
            local_rows = cursor.execute(CHANGE, [known]).fetchall()
        rows = link.execute("select made_at, actor, action, target from change where seq = %s", [known]).fetchall()
        self._check_not_older(known if digest(rows) == digest(local_rows) else 0, known)

    def _check_not_older(self, newest: int, known: int) -> None:
        """Raises StoreFailed where the database lacks a change that this process has seen."""
        if newest < known:
            self._wrong = (
                f"The database {self.name} no longer holds revision {known}, which was confirmed: an older state was "
                "put in its place. Start Assay again to go on with what it holds now."
            )
            log.error("store_failed", what="An older state", store=self.name)
            raise StoreFailed(self._wrong)

    @contextlib.contextmanager
    def _translate_errors(self, failure: str) -> Iterator[None]:
        """Every error of PostgreSQL, too, is one sentence of ours."""
        with super()._translate_errors(failure):
            import psycopg

            try:
                yield
            except psycopg.Error as error:
                log.error("store_failed", what=failure, store=self.name, error=type(error).__name__, why=error.sqlstate)
                raise StoreFailed(f"{failure}: {self._error_text(error)}") from error

    def _error_text(self, error: psycopg.Error) -> str:
        message = error.diag.message_primary or (str(error).strip().splitlines() or [type(error).__name__])[-1]
        seconds = postgres_schema.LOCK_TIMEOUT_SECONDS
        if error.sqlstate == "55P03":
            return f"another process has been writing to {self.name} for {seconds} seconds. Try again."
        if error.sqlstate == "25P03":
            return f"it took longer than {seconds} seconds, and others have to wait. Do it in parts."
        if error.sqlstate == "23505":
            return "another import is adding some of the same rows. Try again when it has ended."
        if error.sqlstate == _READ_ONLY_STATE:
            return f"the database {self.name} is read-only. Name the server that takes changes in ASSAY_STORE."
        if error.sqlstate == "53100":
            return f"the disk of the database {self.name} is full. Make room there, then try again."
        if _is_connection_error(error) and "FATAL:" in message:
            refused = message.rpartition("FATAL:")[2].strip()
            return (
                f"the database {self.name} refuses the connection: {refused}. If that does not pass by itself, check "
                "name, password and database in ASSAY_STORE, and how many connections the server allows."
            )
        if _is_connection_error(error):
            reason = _CONNECTION_PREFIX.sub("", (str(error).splitlines() or ["no reason is known"])[0])
            return f"the database {self.name} does not answer ({reason}); see its own log. {_RECOVERY_NOTE}"
        return f"the database {self.name} says {message}. See its own log."

    # -- writing ------------------------------------------------------------------------------------------------

    def _write_with_retries(self, once: Callable[[], T]) -> T:
        """Try under the lock of this process, and again while the database is away, for `GRACE_SECONDS`."""
        import psycopg

        with self._lock, self._translate_errors("Nothing was saved"):
            until = None
            while True:
                if self._wrong:
                    raise StoreFailed(self._wrong)
                try:
                    return once()
                except UNUSABLE:
                    if until is not None:
                        raise
                    until = time.monotonic()
                    self._reopen()
                except psycopg.OperationalError as error:
                    now, first = time.monotonic(), until is None  # the first may be of a connection that is long lost
                    until = until or now + GRACE_SECONDS
                    too_long = now > until or (not first and self._away_seconds() > GRACE_SECONDS)
                    if too_long or not _is_connection_error(error):
                        raise
                    time.sleep(_RETRY_SECONDS)

    def _write_hidden(self, work: Callable[[Tx], T], bulks: Sequence[Load], rows: dict[str, int]) -> T:
        with postgres_schema.connect(self.url) as link:
            link.execute(postgres_bulk.LOCK.encode())
            change, token = postgres_bulk.reserve(link, self._begin, rows)
            try:
                self._hide_rows(change, token)
                for bulk in bulks:
                    with super()._cursor() as cursor:
                        incoming = hidden_rows.file_rows_sql(bulk, change.seq)
                        into = f"{bulk.table}{hidden_rows.TABLE_SUFFIX} ({bulk.columns}, seq)"
                        cursor.execute(f"insert into {into} {incoming}")
                        transfer.send(link, bulk.table, self._tables[bulk.table], cursor, f"({incoming})")
                self._preview_rows(change)
                postgres_bulk.wait_for_copies(link, change)
                return self._write_with_retries(lambda: self._write_once(work, change, token))
            finally:
                if self.hidden is change:
                    self._discard_hidden_rows(change)
                    with contextlib.suppress(Exception):  # the next bulk, or start, does it otherwise
                        postgres_bulk.delete_unfinished_rows(link, self._begin)

    def _stage_rows(self, seq: int, tables: Sequence[str], token: str) -> None:
        """Take the rows of another process's bulk into the copy, hidden, until its change shows them, or it is gone."""
        import psycopg

        if not self._copying.acquire(blocking=False):
            return
        change, state = HiddenRows(seq, dict.fromkeys(tables, 0)), postgres_bulk.COMING
        unseen = "", postgres_bulk.COMING, postgres_bulk.COME
        try:
            with postgres_schema.connect(self.url) as link:
                link.execute(postgres_bulk.STAGING)
                while state in unseen[1:] and not self._closed.wait(_RETRY_SECONDS):
                    state = postgres_bulk.reservation_state(link, seq, token)
                    if state in unseen[1:] and postgres_bulk.sweep(link, self._begin):
                        continue
                    if state == postgres_bulk.COME and self.hidden is not change:
                        if not self._hide_rows(change, ""):
                            return
                        with super()._cursor() as cursor:
                            columns = {table: self._tables[table] for table in tables}
                            transfer.fetch(link, cursor, columns, seq - 1, seq, self.stored_name)
                        self._preview_rows(change)
                        self._staged = token
                        link.execute("select pg_advisory_unlock_all()")
        except (psycopg.Error, duckdb.Error, StoreFailed) as error:
            log.error("store_failed", what="No rows ahead of an import", store=self.name, error=type(error).__name__)
        finally:
            if state in unseen:
                self._discard_hidden_rows(change)
            self._copying.release()

    def _hide_rows(self, change: HiddenRows, token: str) -> bool:
        """Hide the rows that a change will have in the copy; False where it is there already."""
        with self._copy_lock:
            if self._seq >= change.seq:
                return False
            with super()._cursor() as cursor:
                cursor.begin()
                hidden_rows.hide_change(cursor, change.rows, change.seq)
                cursor.commit()
            self.hidden, self._staged = change, token
        return True

    def _discard_hidden_rows(self, change: HiddenRows) -> None:
        """Take hidden rows out of the copy; a copy that cannot is made anew when it is asked."""
        with self._copy_lock:
            if self.hidden is not change:
                return
            try:
                with super()._cursor() as cursor:
                    hidden_rows.show_tables(cursor, hidden_rows.delete_hidden_rows(cursor))
            except duckdb.Error:
                self._con = None
            self._forget_hidden_rows()

    def _write_once(self, work: Callable[[Tx], T], change: HiddenRows | None = None, token: str = "") -> T:
        """One try. It raises psycopg's errors before anything is saved, and where that is not known StoreFailed.

        `change`: the rows of a bulk that its change will show.
        """
        token = token or new_id()
        with self._writing_link() as link:
            newest = self._begin(link)
            with self._copy_lock:
                self._update_copy(link, newest)
                with super()._cursor() as cursor:  # what is not committed is rolled back when it is closed
                    cursor.begin()
                    seq = change.seq if change else newest + 1
                    if change and not (self.hidden is change and postgres_bulk.reservation_state(link, seq, token)):
                        raise StoreFailed("Nothing was saved: rows that had come in were lost. Try again.")
                    tx = DuckTx(cursor, seq, self)
                    result = work(tx)
                    if "score" in tx.wrote:
                        combine(tx)
                    if not tx.wrote:
                        link.execute("rollback")
                        return result
                    if self._commit(link, cursor, tx, token):
                        self._commit_copy(cursor, tx)
                        if change:
                            self.hidden = None
                        return result
        if self._was_committed(tx.seq, token):
            return result
        return self._write_once(work, change, token)

    def _write_nothing(self) -> None:
        with self._writing_link() as link:
            self._begin(link)
            link.execute("select setval('beat', 1)")  # which, unlike nextval, is written each time
            link.execute("commit")

    def _commit_copy(self, cursor: duckdb.DuckDBPyConnection, tx: DuckTx) -> None:
        """Take into the copy what the database has; a copy that cannot is made anew when it is asked."""
        try:
            cursor.commit()
        except duckdb.Error as error:
            log.error("store_failed", what="The copy was lost", store=self.name, error=type(error).__name__)
            self._con = None
            return
        self._last.update(dict.fromkeys(tx.wrote, tx.seq))
        self._seq = tx.seq

    def _begin(self, link: Link) -> int:
        """Begin a transaction under the lock of all processes; the number of the newest change."""
        with link.pipeline():
            link.execute("begin")
            link.execute(postgres_schema.LOCK)
            result = link.execute("select coalesce(max(seq), 0), (select max(version) from migration) from change")
        newest, version = result.fetchall()[0]
        if version > self._newest_version:
            raise StoreFailed(
                f"The store {self.name} was brought up to date by a newer Assay (version {version}, this one knows "
                f"{self._newest_version}). Start the newer version here, too."
            )
        self._check_not_older(newest, self._seq)
        return int(newest)

    def _commit(self, link: Link, cursor: duckdb.DuckDBPyConnection, tx: DuckTx, token: str) -> bool:
        """Send what was written, and commit; False where the connection broke in the middle of that."""
        import psycopg

        rows_by_table, statement = {}, "insert into wrote (tables, seq, token) values (%s, %s, %s)"
        if tx.shown_tables:
            statement = postgres_bulk.SHOW
        for table in sorted(tx.wrote):
            if table in tx.shown_tables:
                counts = cursor.execute(f"select count(*) from {table} where seq = $1", [tx.seq]).fetchall()
                assert self.hidden and counts == [(self.hidden.rows[table],)], "it has only rows that were loaded"
                continue
            names = ", ".join(self._tables[table])
            query = f"select {names} from {table} where seq = $1 limit {transfer.MAX_ROWS_AS_VALUES + 1}"
            rows_by_table[table] = cursor.execute(query, [tx.seq]).fetchall()
            if len(rows_by_table[table]) > transfer.MAX_ROWS_AS_VALUES:
                del rows_by_table[table]
                transfer.send(link, table, self._tables[table], cursor, f"{table} where seq = {tx.seq:d}")
        try:
            with link.pipeline():
                for table, rows in rows_by_table.items():
                    marks = ", ".join("%s" for _ in self._tables[table])
                    insert = f"insert into {table} ({', '.join(self._tables[table])}) values ({marks})"
                    link.cursor().executemany(insert.encode(), rows)
                link.execute(statement.encode(), [" ".join(sorted(tx.wrote)), tx.seq, token])
                link.execute(f"select pg_notify('{postgres_bulk.CHANNEL}', %s)".encode(), [str(tx.seq)])
                link.execute("commit")
        except psycopg.OperationalError as error:
            if not _is_connection_error(error):
                raise
            link.close()
            return False
        return True

    def _was_committed(self, seq: int, token: str) -> bool:
        """Whether a change was saved although its commit did not answer; if so, it is in the copy, too.

        Who has the lock knows: the transaction of the lost connection held it to its end. Its own number would not do,
        as PostgreSQL may give it to another transaction after a crash.
        """
        import psycopg

        until = time.monotonic() + postgres_schema.LOCK_TIMEOUT_SECONDS
        while True:
            try:
                with self._writing_link() as link:
                    newest = self._begin(link)
                    query = "select 1 from wrote where seq = %s and token = %s and seq <= %s"
                    rows = link.execute(query, [seq, token, newest]).fetchall()
                    self._update_copy(link, newest)
                    link.execute("rollback")
                    return bool(rows)
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise StoreFailed(
                        f"The database {self.name} stopped answering during a change, and it is not known whether the "
                        "change was saved. Check it when the database is back."
                    ) from None
                time.sleep(_RETRY_SECONDS)

    @contextlib.contextmanager
    def exclusive_access(self) -> Iterator[None]:
        with self._translate_errors("Nothing was done"), postgres_schema.connect(self.url) as link:
            link.execute(postgres_schema.EXCLUSIVE_LOCK)
            yield

    def copy_from(self, source: Store) -> None:
        assert isinstance(source, DuckTables)
        with self._lock, self._translate_errors("Nothing was copied"), self._writing_link() as link, self._copy_lock:
            if newest := self._begin(link):
                raise BadInput(f"The store {self.name} holds {newest:,} changes. A copy goes into an empty store only.")
            # The database hears nothing while millions of rows are compared here; nobody waits for an empty workspace.
            link.execute("set local idle_in_transaction_session_timeout = 0")
            with (
                source._copying, source._cursor() as cursor, contextlib.ExitStack() as spilled,
                contextlib.closing(empty_copy(spilled)) as copy,
            ):  # fmt: skip
                cursor.begin()
                upto = opening.newest(cursor)
                transfer.send_all(link, cursor, self._tables, upto)
                transfer.fetch(link, copy, self._tables, 0, upto)
                if transfer.digests(copy, upto) != transfer.digests(cursor, upto):
                    raise StoreFailed("Nothing was copied: what arrived is not what was sent. Try again.")
                self._rollback(cursor)
            link.execute(f"select pg_notify('{postgres_bulk.CHANNEL}', '{upto:d}')".encode())
            link.execute("commit")
            self._update_copy(link, upto)

    def backup(self, file: Path) -> None:
        with self._translate_errors("The backup was not made"), postgres_schema.connect(self.url) as link:
            self._update_copy(link, _newest_change(link))
        super().backup(file)

    def close(self) -> None:
        self._closed.set()
        with self._lock, self._copy_lock:
            if self._link is not None:
                self._link.close()
            if self._con is not None:
                self._con.close()
            self._link = self._con = self.hidden = None
            self._spilled.close()


def empty_copy(spilled: contextlib.ExitStack) -> duckdb.DuckDBPyConnection:
    """A database in memory with the tables of a workspace; what memory cannot hold goes to a folder in `spilled`."""
    con = opening.connect(Path(":memory:"))
    con.execute(f"set temp_directory = {quote_sql(spilled.enter_context(folder_for('copy')) / 'spilled')}")
    for number, title, sql in migrations():
        opening.run_script(con, sql, number, title)
    return con


def _newest_change(link: Link) -> int:
    """The number of the newest change in the database."""
    return int(link.execute(NEWEST_SQL.encode()).fetchall()[0][0])


def _is_connection_error(error: psycopg.Error) -> bool:
    """Whether an error says that the connection is lost, or could not be made."""
    import psycopg

    unknown = error.sqlstate is None and isinstance(error, psycopg.OperationalError)
    return unknown or (error.sqlstate or "").startswith(_LOST_CONNECTION_STATES)
