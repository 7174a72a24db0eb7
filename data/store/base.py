"""The interface of the store, and the part that all its drivers share. A driver adds the few methods that differ."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from copy import copy
from datetime import datetime
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from data import log
from data.store.errors import BadInput, StoreDamaged
from data.store.ids import now
from judges.errors import AssayError

if TYPE_CHECKING:
    import numpy as np
    import pandas

    Columns = dict[str, np.ndarray[Any, np.dtype[Any]]]

T = TypeVar("T")
R = TypeVar("R", bound="Reader")
P = ParamSpec("P")
Row = tuple[Any, ...]
MIGRATIONS = Path(__file__).parent / "migrations"
NEWEST_SQL = "select coalesce(max(seq), 0) from change"
"""SQL: the number of the newest change."""


class ChangeRow(NamedTuple):
    """The record that every change writes in addition to its rows: when (UTC), who, what was done, and on what."""

    made_at: datetime
    actor: str
    action: str
    target: str


@cache
def table_of(record: type[NamedTuple]) -> str:
    """The table that a record is a row of: `run_event` for RunEventRow."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", record.__name__.removesuffix("Row")).lower()


@cache
def columns_of(record: type[NamedTuple]) -> str:
    """The columns of a record's table, as SQL names them; without `seq`."""
    return ", ".join(record._fields)


class Reader(ABC):
    """The queries that can be asked, in a transaction or outside of one."""

    memory: dict[Any, tuple[dict[str, int | None], Any]]
    previews: dict[Any, tuple[int, Any]]
    """The results of functions given to `preview_rows` on a large change, with its number, until they take them."""
    shared = False
    """Whether other processes work on the same store."""

    @abstractmethod
    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        """The rows of a query as tuples, seeing what the same transaction has written."""

    @abstractmethod
    def table_version(self, table: str) -> int | None:
        """A number that grows with every change to a table; None while this very transaction has written to it."""

    def follow(self, tables: Iterable[str]) -> list[int | None]:
        """`table_version` of tables whose rows the caller has taken in; the answer being made depends on them."""
        versions = {table: self.table_version(table) for table in tables}
        note_tables(versions)
        return list(versions.values())


_TABLES_READ: ContextVar[set[str] | None] = ContextVar("read", default=None)
"""The tables that the answer being made was read from so far; None where nothing is to be kept."""


@cache
def _views() -> tuple[frozenset[str], dict[str, str]]:
    """The names of all tables, and the query of every view by its name."""
    text = "\n;\n".join(statement for _, _, sql in migrations() for statement in statements(sql)).lower()
    tables = frozenset(re.findall(r"create table (?:if not exists )?(\w+)", text))
    return tables, dict(re.findall(r"create (?:or replace )?view (\w+) as\b(.*?)\n;\n", text + "\n;\n", re.DOTALL))


def view_query(name: str) -> str:
    """The query of a view, for statements that say where some of what it reads has been brought together."""
    return _views()[1][name]


@lru_cache(2_000)
def tables_read(sql: str) -> frozenset[str]:
    """The tables that a query may read: those that it names where a table can stand, and those of its views."""
    tables, views = _views()
    named = set(re.findall(r"\b(?:from|join)[\s(]+(\w+)", sql.lower()))
    return frozenset(named & tables).union(*(tables_read(views[view]) for view in named & views.keys()))


def note_tables(tables: Iterable[str]) -> None:
    """Note that the answer being made, which is to be kept, depends on these tables."""
    read = _TABLES_READ.get()
    if read is not None:
        read |= set(tables)


def note_read(sql: str) -> None:
    """Note the tables of a query in the same way; a driver does so for each query that it runs."""
    if _TABLES_READ.get() is not None:
        note_tables(tables_read(sql))


def compute_once(make: Callable[[], T]) -> Callable[[], T]:
    """A function that makes something the first time, for several answers that are kept and all rest on it."""
    memo: list[tuple[T, set[str]]] = []

    def give() -> T:
        if not memo:
            memo.append(compute_with_tables(make))
        note_tables(memo[0][1])
        return memo[0][0]

    return give


def compute_with_tables(make: Callable[[], T]) -> tuple[T, set[str]]:
    """Return what `make` gives, and the tables that it was read from; what is being made around it depends on them.

    This also applies if `make` raises, because the code that catches this has learned it from these tables.
    """
    read: set[str] = set()
    mark = _TABLES_READ.set(read)
    try:
        return make(), read
    finally:
        _TABLES_READ.reset(mark)
        note_tables(read)


def cache_each(
    reader: Reader, keys: Sequence[tuple[Any, ...]], make: Callable[[Sequence[int]], list[T]]
) -> list[T]:
    """Several answers by their keys, made again only when a table was written that they were read from.

    `make` is given the places of those that are not known, and gives their answers together. The store sees which
    tables they are read from, also through what is cached within. So all that `make` knows of the store is read by
    itself, or is a part of the key. An answer is shared by all who ask: nobody changes it.
    """
    by_index = {}
    for n, key in enumerate(keys):
        entry = reader.memory.get(key)
        if entry is not None and all(reader.table_version(table) == number for table, number in entry[0].items()):
            by_index[n] = entry[1]
            note_tables(entry[0])
    if lacking := [n for n in range(len(keys)) if n not in by_index]:
        before = {table: reader.table_version(table) for table in _views()[0]}
        answers, read = compute_with_tables(lambda: make(lacking))
        if len(reader.memory) > 10_000:
            reader.memory.clear()
        by_index |= zip(lacking, answers, strict=True)
        stamp = {table: before[table] for table in read}
        if None not in stamp.values():
            reader.memory |= {keys[n]: (stamp, by_index[n]) for n in lacking}
    return [by_index[n] for n in range(len(keys))]


def cache_result(make: Callable[Concatenate[R, P], T]) -> Callable[Concatenate[R, P], T]:
    """Cache what a function of a store and of values gives, as `cache_each` does; lists and dicts go out as copies."""

    @wraps(make)
    def call(reader: R, /, *args: P.args, **named: P.kwargs) -> T:
        values = tuple(tuple(arg) if isinstance(arg, list) else arg for arg in (*args, *sorted(named.items())))
        key = (make.__module__, make.__qualname__, *values)
        answer = cache_each(reader, [key], lambda _: [make(reader, *args, **named)])[0]
        return copy(answer) if type(answer) in (list, dict) else answer

    return call


RowPreview = Callable[["Store", int, str], object]
PREVIEW_FUNCTIONS: list[tuple[str, RowPreview]] = []
"""Tables, and what looks at rows of them that nobody sees yet."""


def preview_rows(table: str) -> Callable[[RowPreview], RowPreview]:
    """Have a function look at the rows of each large change before it is made; what it gives is kept in `previews`.

    It is given the store, the number of the change, and the name of a table that holds its rows, too. So the holder of
    the lock later has fewer to look at.
    """

    def add(preview: RowPreview) -> RowPreview:
        PREVIEW_FUNCTIONS.append((table, preview))
        return preview

    return add


class Load(NamedTuple):
    """The rows of a Parquet file that Assay itself wrote, for a table; `columns` are exactly those of the file."""

    table: str
    columns: str
    file: Path


class Tx(Reader):
    """One transaction of a store. `seq` is the number of its change, which every row it appends has as last column."""

    store: Store
    seq: int
    wrote: set[str]

    def append(self, rows: Sequence[NamedTuple]) -> int:
        """Append records of one type to their table; how many. `seq` is added by the transaction."""
        return self.add(table_of(type(rows[0])), columns_of(type(rows[0])), rows) if rows else 0

    @abstractmethod
    def add(self, table: str, columns: str, rows: Iterable[Row]) -> int:
        """Append rows to a table; `columns` are their names, separated by commas. `seq` is added by the transaction."""

    @abstractmethod
    def load(self, table: str, columns: str, file: Path) -> int:
        """Append the rows of a file (`Load`); `seq` is added."""

    @abstractmethod
    def derive(self, table: str, columns: str, sql: str, params: Sequence[Any] = ()) -> int:
        """Append the rows of a query that gives exactly those columns, in that order; `seq` is added."""


_ADDITIONAL_APPENDS: ContextVar[list[Callable[[Tx, Any], object]] | None] = ContextVar("beside", default=None)
"""The functions by which the next change of this context appends more than its own rows; None for nothing."""


@contextmanager
def append_in_same_change(append: Callable[[Tx, Any], object]) -> Iterator[list[Callable[[Tx, Any], object]]]:
    """Append more in the first change of the body that gives anything, from what it gives: both are kept, or neither.

    What this gives is empty once that is done.
    """
    waiting = [append]
    mark = _ADDITIONAL_APPENDS.set(waiting)
    try:
        yield waiting
    finally:
        _ADDITIONAL_APPENDS.reset(mark)


class Store(Reader):
    """A workspace's tables. Reads may run at any time and in any thread; writes are one transaction at a time."""

    url: str
    name: str
    """The name of the store in sentences: its file, or its database without the password."""

    @abstractmethod
    def frame(self, sql: str, params: Sequence[Any] = ()) -> pandas.DataFrame:
        """The rows of a query as a data frame."""

    @abstractmethod
    def moment(
        self, tables: Mapping[str, str], params: Sequence[Any] = ()
    ) -> AbstractContextManager[Callable[..., Columns]]:
        """A function that asks several queries, all of one moment, for their columns as numpy has them.

        They rest on tables made for them, each a name and a query, which may rest on those before it; all have the
        same parameters. A query may come with columns of the caller's own, which it reads as the table `given`. In
        numbers with fractions null is nan, both ways; in other columns nothing may be null.
        """

    @abstractmethod
    def stream(self, sql: str, params: Sequence[Any] = (), size: int = 5_000) -> Iterator[Row]:
        """The rows of a query one by one, as they were when it began; `size` of them are held at a time."""

    @abstractmethod
    def write(self, work: Callable[[Tx], T]) -> T:
        """Run `work` in a transaction under the write lock, commit, and return what it gave.

        Nothing is kept when it raises. Raises StoreFailed where the commit did not reach the disk.
        """

    def write_bulk(self, work: Callable[[Tx], T], bulks: Sequence[Load]) -> T:
        """The same, where `work` loads those files; a driver may bring their rows in before it takes the lock.

        Nobody sees any of them before the commit, nor `work` itself before it loads them.
        """
        return self.write(work)

    @abstractmethod
    def check_writable(self) -> None:
        """Commit a change that leaves no row, under the write lock. Raises StoreFailed where nothing can be saved."""

    @contextmanager
    def exclusive_access(self) -> Iterator[None]:
        """Keep out everybody else, in any process, until the body ends: for work of several changes."""
        yield

    @abstractmethod
    def digests(self, up_to: int) -> dict[str, tuple[int, int]]:
        """Return how many rows each table has up to a change, and a checksum of them that ignores their order."""

    def copy_from(self, source: Store) -> None:
        """Fill this store, which is empty, with every row of another, all or nothing. Raises BadInput, StoreFailed."""
        raise BadInput(f"Nothing can be copied into {self.name}. Copy into a file that is not there, or a database.")

    @abstractmethod
    def backup(self, file: Path) -> None:
        """Write a consistent copy to a new file while the store is in use."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the file."""

    def tx(
        self, actor: str, action: str, work: Callable[[Tx], T], target: str = "", bulks: Sequence[Load] = ()
    ) -> T:
        """One change: what `work` appends, and the row that says who did what when; no rows, no change.

        `bulks` are the files that `work` loads.
        """

        def write_change(tx: Tx) -> T:
            result = work(tx)
            if tx.wrote:
                if result is not None:
                    for append in more or ():
                        append(tx, result)
                tx.append([ChangeRow(now(), actor, action, target)])
                revisions.append(tx.seq)
            return result

        revisions: list[int] = []
        more = _ADDITIONAL_APPENDS.get()
        try:
            outcome = self.write_bulk(write_change, bulks) if bulks else self.write(write_change)
        except AssayError as error:
            log.info("change_refused", action=action, person=actor, error=log.error_type(error))
            raise
        if revisions and more and outcome is not None:
            more.clear()
        if revisions:
            log.debug("change", action=action, person=actor, target=target, revision=revisions[-1])
        return outcome

    def newest(self) -> int:
        """The number of the newest change; 0 in a new store."""
        return int(self.rows(NEWEST_SQL)[0][0])


def quote_sql(text: object) -> str:
    """A text as a literal of SQL, in quotes."""
    return "'" + str(text).replace("'", "''") + "'"


def placeholders(values: Collection[object], first: int = 1) -> str:
    """The parameters of SQL that stand for these values, the first with this number: "$2, $3"; "null" for none."""
    return ", ".join(f"${n}" for n in range(first, first + len(values))) or "null"


@cache
def migrations() -> tuple[tuple[int, str, str], ...]:
    """(version, name, SQL) of every migration, in order."""
    files = sorted(MIGRATIONS.glob("[0-9][0-9][0-9]_*.sql"))
    return tuple((int(f.name[:3]), f.stem[4:], f.read_text(encoding="utf-8")) for f in files)


def check_version(store: object, version: int, known: int) -> None:
    """Raise StoreDamaged where the tables of a store (its name) are of a later version than the last known one."""
    if version > known:
        raise StoreDamaged(
            f"The store {store} was written by a newer Assay (its tables are at version {version}, this one knows "
            f"{known}). Start the newer version."
        )


def statements(sql: str) -> list[str]:
    """The statements of a migration, which end with a semicolon at the end of a line; comments are left out."""
    lines = [line for line in sql.splitlines() if not line.lstrip().startswith("--")]
    parts = "\n".join(lines).split(";\n")
    return [part.strip().rstrip(";") for part in parts if part.strip().rstrip(";")]
