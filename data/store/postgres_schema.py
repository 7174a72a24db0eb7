"""The tables of a workspace in PostgreSQL: how one is reached, made, and brought up to date.

The migrations are those of every driver. Texts are ordered by their bytes, as DuckDB orders them, whatever the
database's own language is; and what each change wrote stands in `wrote`, by which every process keeps its copy.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from data import log
from data.store.base import check_version, migrations, statements
from data.store.errors import BadInput
from data.store.ids import now

if TYPE_CHECKING:
    import psycopg

    Link = psycopg.Connection[tuple[Any, ...]]

LOCK = "select pg_advisory_xact_lock(7017202611230015)"
"""Whoever writes holds this until the commit: a number of our own, the same in every process."""
EXCLUSIVE_LOCK = "select pg_advisory_lock(7017202611230016)"
"""Whoever does work of several changes that only one process may do holds this until its connection ends."""
LOCK_TIMEOUT_SECONDS = 120
"""Seconds that a change waits for another one, and that a process may hold the lock without a word."""
_SESSION = f"""
set lock_timeout = '{LOCK_TIMEOUT_SECONDS}s'; set statement_timeout = 0;
set idle_in_transaction_session_timeout = '{LOCK_TIMEOUT_SECONDS}s';
set datestyle = 'ISO, YMD'; set extra_float_digits = 1; set default_transaction_isolation = 'read committed';
select set_config(name, '0', false) from pg_settings where name in ('idle_session_timeout', 'transaction_timeout');
set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')
"""
_VIEW = re.compile(r"create (?:or replace )?view (\w+)")
_REPLACED = re.compile(r"create or replace view (\w+)")
"""PostgreSQL replaces no view whose columns change: it is dropped with all that rest on it, and those are made anew."""
_OLDEST = 130000
_NO_ADDRESS = (
    "ASSAY_STORE is no address of a PostgreSQL database. Use postgresql://person:password@host/database, and in a "
    "password %2F for /, %40 for @ and %25 for %."
)


def store_name(url: str) -> str:
    """Return the name of a database in sentences and in the log: never with its password. Raises BadInput."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError:
        raise BadInput(_NO_ADDRESS) from None
    host = str(parts.get("host") or parts.get("hostaddr") or "/")
    name = f"{parts.get('dbname') or 'postgres'} on {'this machine' if host.startswith('/') else host}"
    if "@" in name:  # what follows a / or @ in a password was taken for the database or the host
        raise BadInput(_NO_ADDRESS)
    return name


def require_packages() -> None:
    """Raises BadInput where what PostgreSQL needs is not installed: it is an extra."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise BadInput(
            "ASSAY_STORE names a PostgreSQL database, which needs more: pip install -r requirements-postgres.txt"
        ) from None


def connect(url: str) -> Link:
    """A connection on which every statement is by itself. Raises BadInput, or psycopg's OperationalError."""
    import psycopg

    try:
        link = psycopg.connect(
            url, autocommit=True, connect_timeout=5, application_name="assay", client_encoding="utf8",
            keepalives_idle=10, keepalives_interval=5, keepalives_count=3, tcp_user_timeout=6_000,
        )  # fmt: skip
    except psycopg.ProgrammingError:
        raise BadInput(_NO_ADDRESS) from None
    try:
        link.execute(_SESSION)
    except BaseException:
        link.close()
        raise
    return link


def bring_up(link: Link, name: str) -> bool:
    """Make the tables of an empty database, or bring those of a workspace up to date; whether it was empty.

    Raises BadInput for a database that is something else's, StoreDamaged for one of a newer Assay; then nothing is
    changed.
    """
    if link.info.server_version < _OLDEST:
        raise BadInput(f"The database {name} is PostgreSQL {link.info.server_version // 10000}: 13 or later is needed.")
    if (encoding := link.info.parameter_status("server_encoding")) != "UTF8":
        raise BadInput(f"The database {name} keeps texts as {encoding}. Make one whose encoding is UTF8.")
    start_version = _version(link, name)
    done = start_version
    for number, title, sql in migrations():
        if number <= done:
            continue
        with link.transaction():
            link.execute(LOCK)
            done = _version(link, name)  # another process may have been faster
            if number > done:
                _script(link, sql, number, title)
                done = number
    if start_version and start_version < done:
        log.info("store_migrated", store=name, from_version=start_version, to_version=done)
    return not start_version


def _version(link: Link, name: str) -> int:
    """The version of the tables that are there; 0 in an empty database."""
    schema = (link.execute("select current_schema()").fetchone() or (None,))[0]
    if schema is None:
        raise BadInput(f"The database {name} has no schema that may be used: its search_path names none that exists.")
    query = "select table_name from information_schema.tables where table_schema = current_schema()"
    tables = {str(table) for (table,) in link.execute(query)}
    if tables and not {"migration", "wrote"} <= tables:
        raise BadInput(
            f"The database {name} holds tables of something else ({', '.join(sorted(tables)[:3])}), so it is not taken "
            "for a store. Name an empty database in ASSAY_STORE."
        )
    row = link.execute("select max(version) from migration").fetchone() if tables else None
    version = int(row[0] or 0) if row else 0
    check_version(name, version, migrations()[-1][0])
    return version


def _script(link: Link, sql: str, number: int, title: str) -> None:
    """Run one migration and its record."""
    if number == 1:
        link.execute("create table migration (version bigint, name text, made_at timestamp)")
        link.execute("create table wrote (seq bigint primary key, tables text not null, token text not null)")
    for statement in statements(sql):
        replaced = _REPLACED.match(statement)
        if replaced and replaced[1] in _view_names(link):  # one of another schema in the search path stays
            link.execute(f"drop view if exists {replaced[1]} cascade".encode())
        link.execute(_order_by_bytes(statement).encode())
        if (table_match := re.match(r"create table (\w+)", statement)) and table_match[1] != "change":
            link.execute(f"create index {table_match[1]}_seq on {table_match[1]} (seq)".encode())
    views = dict[str, str]()
    for statement in (s for earlier, _, text in migrations() if earlier <= number for s in statements(text)):
        if defined := _VIEW.match(statement):
            views.pop(defined[1], None)  # in the order of their newest definitions, which rest on those before
            views[defined[1]] = statement
    existing = _view_names(link)
    for statement in (statement for name, statement in views.items() if name not in existing):
        link.execute(statement.encode())
    link.execute("insert into migration values (%s, %s, %s)", [number, title, now()])


def _view_names(link: Link) -> set[str]:
    """The views that the workspace's own schema has."""
    return {name for (name,) in link.execute("select viewname from pg_views where schemaname = current_schema()")}


def _order_by_bytes(statement: str) -> str:
    """A statement whose columns of text are ordered by bytes."""
    if not re.match(r"create table|alter table", statement):
        return statement
    return re.sub(r"(^\s*|add column )(\w+) text\b", r'\1\2 text collate "C"', statement, flags=re.MULTILINE)
