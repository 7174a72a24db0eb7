"""Backups made while people save: each is restored, and holds what the store held at its revision."""

from __future__ import annotations

import threading
from pathlib import Path

from data.store import Store, open_store
from data.workspace.restore import restore
from data.workspace.verify import verify
from tests.soak import kills


def run(folder: Path, times: int, seed: int) -> list[str]:
    """Back up and restore that many times under load; what is wrong."""
    store, stop, wrong = open_store(kills.make_workspace(folder)), threading.Event(), list[str]()
    load = threading.Thread(target=kills.save, args=(store, folder, seed, stop))
    load.start()
    try:
        for number in range(times):
            before, copy = store.newest(), folder / f"copy{number}.duckdb"
            store.backup(copy)
            url = f"duckdb:///{folder / f'restored{number}.duckdb'}"
            revision, _ = restore(copy, url)
            restored = open_store(url)
            if revision < before:
                wrong.append(f"The copy ends at {revision}, and {before} was confirmed before it was begun.")
            wrong += [
                f"Copy {number}: {table} is not what the store has" for table in differing(store, restored, revision)
            ]
            wrong += verify(restored)
            restored.close()
    finally:
        stop.set()
        load.join()
        store.close()
    return wrong


def differing(store: Store, restored: Store, revision: int) -> list[str]:
    """The tables whose rows up to a revision are not the same in both."""
    tables = store.rows("select table_name from information_schema.columns where column_name = 'seq' order by 1")
    views = {row[0] for row in store.rows("select table_name from information_schema.tables where table_type = 'VIEW'")}
    return [
        name
        for (name,) in tables
        if name not in views
        and sorted(map(repr, store.rows(f"select * from {name} where seq <= $1", [revision])))
        != sorted(map(repr, restored.rows(f"select * from {name}")))
    ]
