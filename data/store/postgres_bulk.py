"""The rows of a large import that PostgreSQL has before the change: under a number that no change has reached yet.

A row of `wrote` reserves the number, ahead of the others, and says how far the import is; its token is that of the
change. A process that brings rows in holds a lock meanwhile: rows without that lock are of a process that has ended.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from data.store.hidden_rows import RESERVED_CHANGES, HiddenRows
from data.store.ids import new_id

if TYPE_CHECKING:
    from data.store.postgres_schema import Link

CHANNEL = "assay"
"""The channel on which all processes hear that something was written, or is coming."""
COMING, COME = "~ ", "= "
"""The beginnings of the column `tables` of `wrote` before the change: rows are coming, all rows are there."""
LOCK = "set lock_timeout = 0; select pg_advisory_lock(7017202611230017)"
_FREE = "select pg_try_advisory_lock(7017202611230017)"
STAGING = "select pg_advisory_lock_shared(7017202611230018)"
"""Held while a process takes the rows into its copy."""
_STAGED = "set lock_timeout = '60s'; select pg_advisory_lock(7017202611230018)"
_RESERVED = "select seq, tables, token from wrote where seq > (select coalesce(max(seq), 0) from change)"
SHOW = "update wrote set tables = %s where seq = %s and token = %s"
"""Ends it, in the transaction of its change."""


def reservations(link: Link) -> list[tuple[int, list[str], str]]:
    """Return the imports that are coming, or were left: number, tables, and token, which is empty during a deletion."""
    return [(int(seq), tables.split()[1:], str(token)) for seq, tables, token in link.execute(_RESERVED).fetchall()]


def reserve(link: Link, begin: Callable[[Link], int], rows: dict[str, int]) -> tuple[HiddenRows, str]:
    """The change that will show so many rows of each table, with its token; for who holds the lock.

    `begin` begins a transaction under the lock of all changes, and gives the newest one's number.
    """
    delete_unfinished_rows(link, begin)
    change, token = HiddenRows(begin(link) + RESERVED_CHANGES, rows), new_id()
    link.execute("insert into wrote values (%s, %s, %s)", [change.seq, COMING + " ".join(rows), token])
    link.execute(f"select pg_notify('{CHANNEL}', 'coming')".encode())
    link.execute("commit")
    return change, token


def delete_unfinished_rows(link: Link, begin: Callable[[Link], int]) -> None:
    """Delete the rows of what came to no end; for who holds the lock."""
    for seq, tables, _ in reservations(link):
        if unseen := begin(link) < seq:
            link.execute("update wrote set token = '' where seq = %s", [seq])  # from here on nothing can end it
        link.execute("commit")
        for table in tables if unseen else ():
            link.execute(f"delete from {table} where seq = {seq:d}".encode())
        link.execute("delete from wrote where seq = %s and token = ''", [seq])


def sweep(link: Link, begin: Callable[[Link], int]) -> bool:
    """Whether nobody brings rows in; what somebody left is taken out then."""
    if free := link.execute(_FREE).fetchall() == [(True,)]:
        delete_unfinished_rows(link, begin)
        link.execute("select pg_advisory_unlock_all()")
    return free


def wait_for_copies(link: Link, change: HiddenRows) -> None:
    """Say that all rows are there, and wait until other processes have them in their copies, but not for ever."""
    import psycopg

    link.execute("update wrote set tables = %s where seq = %s", [COME + " ".join(change.rows), change.seq])
    with contextlib.suppress(psycopg.errors.LockNotAvailable):
        link.execute(_STAGED.encode())


def reservation_state(link: Link, seq: int, token: str) -> str:
    """Return how far an import is: COMING, COME, the beginning of something else once it is seen, "" if it is gone."""
    query = "select left(tables, 2) from wrote where seq = %s and token = %s"
    return str((link.execute(query, [seq, token]).fetchone() or [""])[0])

