"""A bulk comes in by many commits, and is seen at once or never: by readers, after a refusal, after a kill."""

from __future__ import annotations

import shutil
import threading
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from data.importing.staging import Spool
from data.records.tables import ExposureRow, ItemRow, ScoreRow
from data.store import Load, Store, Tx, hidden_rows, open_store
from data.store.errors import BadInput, StoreFailed
from data.store.ids import new_id

pytestmark = pytest.mark.duckdb_only("short commits into a file; test_postgres_driver.py has large imports there")
ROW_COUNT = 300


@pytest.fixture
def bulks() -> Iterator[list[Load]]:
    with Spool() as spool:
        for n in range(ROW_COUNT):
            spool.add([ItemRow(f"i{n}", "d", f"n{n}", "response", "s", "", "{}", "{}", f"i{n}", 2)])
            spool.add([ScoreRow("j", "judge", f"i{n}", unit, "q", n % 5, None, "", 0) for unit in ("a", "b")])
        spool.finish()
        yield [spool.bulk("item"), spool.bulk("score")]


@pytest.fixture
def bulk_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(hidden_rows, "MIN_ROWS", ROW_COUNT)
    monkeypatch.setattr(hidden_rows, "MAX_ROWS_PER_COMMIT", 50)
    store = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    yield store
    store.close()


def bring(store: Store, bulks: list[Load]) -> None:
    store.tx("lea", "import", lambda tx: [tx.load(*bulk) for bulk in bulks], "", bulks)


def counts(store: Store) -> tuple[int, int, int]:
    items = "select (select count(*) from item), (select count(*) from score_now), (select count(*) from change)"
    row: Any = store.rows(items)[0]
    return row


def meanwhile(monkeypatch: pytest.MonkeyPatch, look: Callable[[], None]) -> None:
    """Call it between two commits of a bulk."""
    read = hidden_rows.read_slices

    def slices(file: Path) -> Iterator[Any]:
        for part in read(file):
            yield part
            look()

    monkeypatch.setattr(hidden_rows, "read_slices", slices)


@contextmanager
def watching(look: Callable[[], Any]) -> Iterator[list[Any]]:
    """What is seen after each statement that hides tables, or shows them again."""
    observations = []

    class Watched:
        def __init__(self, con: Any) -> None:
            self._con, self.begin, self.commit = con, con.begin, con.commit

        def execute(self, sql: str) -> Any:
            answer = self._con.execute(sql)
            observations.append(look())
            return answer

    with pytest.MonkeyPatch.context() as patch:
        for name in ("hide_change", "show_tables"):
            real = getattr(hidden_rows, name)
            patch.setattr(hidden_rows, name, lambda con, *arguments, real=real: real(Watched(con), *arguments))
        yield observations


def save(store: Store, name: str) -> None:
    row = ItemRow(name, "other", name, "response", "s", "", "{}", "{}", name, 1)
    store.tx("ann", "save", lambda tx: tx.append([ExposureRow(new_id(), "i", "", "ann", "r")]) + tx.append([row]))


def test_a_bulk_is_seen_at_once_and_is_what_the_short_way_gives(
    bulk_store: Store, bulks: list[Load], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    observations: list[tuple[int, int, int]] = []

    def look() -> None:
        observations.append(counts(bulk_store))
        save(bulk_store, f"x{len(observations)}")

    meanwhile(monkeypatch, look)
    bring(bulk_store, bulks)
    assert len(observations) >= 10
    assert observations == [(n, 0, n) for n in range(len(observations))], (
        "none of the bulk's rows, and all that others saved"
    )
    assert counts(bulk_store) == (ROW_COUNT + len(observations), 2 * ROW_COUNT, len(observations) + 1)
    changes = [(str(actor), int(seq)) for actor, seq in bulk_store.rows("select actor, seq from change order by seq")]
    assert [actor for actor, _ in changes] == ["ann"] * len(observations) + ["lea"]
    assert {int(s) for (s,) in bulk_store.rows("select distinct seq from score")} == {changes[-1][1]}
    save(bulk_store, "after")
    assert bulk_store.newest() == changes[-1][1] + 1
    assert not bulk_store.rows("select 1 from information_schema.tables where table_name like '%whole'")

    monkeypatch.setattr(hidden_rows, "MIN_ROWS", 10**6)
    short = open_store(f"duckdb:///{tmp_path / 'short.duckdb'}")
    bring(short, bulks)
    for table in ("item", "score"):
        query = f"select * from {table} where {'dataset_id' if table == 'item' else 'judge_id'} in ('d', 'judge')"
        bulk_rows, short_rows = (sorted(row[:-1] for row in store.rows(query)) for store in (bulk_store, short))
        assert bulk_rows == short_rows and len(bulk_rows) >= ROW_COUNT
    short.close()


def test_what_is_refused_in_the_end_leaves_nothing(bulk_store: Store, bulks: list[Load]) -> None:
    def refuse(tx: Tx) -> None:
        assert not tx.rows("select 1 from item limit 1"), "not seen before it is loaded"
        tx.load(*bulks[0])
        assert tx.rows("select count(*) from item") == [(ROW_COUNT,)]
        raise BadInput("No.")

    with watching(lambda: counts(bulk_store)) as observations, pytest.raises(BadInput):
        bulk_store.tx("lea", "import", refuse, "", bulks)
    assert observations == [(0, 0, 0)] * 8, "no reader misses a table while it is hidden, and shown again"
    assert counts(bulk_store) == (0, 0, 0)
    save(bulk_store, "x")
    assert bulk_store.newest() == 1
    bring(bulk_store, bulks)
    assert counts(bulk_store) == (ROW_COUNT + 1, 2 * ROW_COUNT, 2)


def test_a_bulk_leaves_room_on_the_disk_for_others_to_save(
    bulk_store: Store, bulks: list[Load], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without any, neither they could save nor the log of the bulk be folded away, until somebody made room."""
    usage = shutil.disk_usage(tmp_path)._replace(free=64 << 20)
    meanwhile(monkeypatch, lambda: monkeypatch.setattr(shutil, "disk_usage", lambda _: usage))
    bring(bulk_store, bulks)
    usage = usage._replace(free=usage.free - 1)
    with pytest.raises(StoreFailed, match=r"^Nothing was saved: the disk .* has less than 64 MB left.*import less\."):
        bring(bulk_store, bulks)
    assert counts(bulk_store) == (ROW_COUNT, 2 * ROW_COUNT, 1)
    assert not (tmp_path / "a.duckdb.wal").exists()
    save(bulk_store, "x")
    assert bulk_store.newest() == hidden_rows.RESERVED_CHANGES + 1


def test_a_kill_in_the_middle_leaves_nothing(
    bulk_store: Store, bulks: list[Load], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    copies: list[Path] = []

    def look() -> None:
        save(bulk_store, f"x{len(copies)}")
        copies.append(tmp_path / f"left{len(copies)}.duckdb")
        for file in tmp_path.glob("a.duckdb*"):
            shutil.copyfile(file, tmp_path / file.name.replace("a.duckdb", copies[-1].name))

    meanwhile(monkeypatch, look)
    bring(bulk_store, bulks)
    monkeypatch.undo()
    monkeypatch.setattr(hidden_rows, "MIN_ROWS", ROW_COUNT)
    for n in (0, len(copies) // 2, len(copies) - 1):
        store = open_store(f"duckdb:///{copies[n]}")
        assert counts(store) == (n + 1, 0, n + 1)
        save(store, "more")
        bring(store, bulks)
        assert counts(store) == (n + 2 + ROW_COUNT, 2 * ROW_COUNT, n + 3)
        store.close()


def interrupt_statement(rows: Callable[[str], Any]) -> Any:
    """The answer to a query that takes a while, during which the process is interrupted."""
    threading.Timer(0.05, interrupt_main).start()
    return rows("select count(*) from range(60_000_000) t(i) where hash(i) % 2 < 2")


def left_by_a_kill(folder: Path, name: str) -> tuple[int, int, int]:
    """What is in the store of a process that ends without closing it."""
    for file in folder.glob("a.duckdb*"):
        shutil.copyfile(file, folder / file.name.replace("a.duckdb", name))
    with closing(open_store(f"duckdb:///{folder / name}")) as copy:
        assert not copy.rows("select 1 from duckdb_tables() where table_name like '%whole'")
        return counts(copy)


def test_an_interrupt_waits_for_the_end_of_a_transaction(
    bulk_store: Store, bulks: list[Load], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupt_statement(bulk_store.rows)
    assert counts(bulk_store) == (0, 0, 0)

    answers: list[Any] = []
    check = bulk_store._check_hidden  # type: ignore[attr-defined]

    def interrupt(change: hidden_rows.HiddenRows) -> None:
        check(change)
        interrupt_main()
        answers.append("goes on")

    monkeypatch.setattr(bulk_store, "_check_hidden", interrupt)
    with pytest.raises(KeyboardInterrupt):  # as the first rows are committed
        bring(bulk_store, bulks)
    assert answers == ["goes on"] and counts(bulk_store) == left_by_a_kill(tmp_path, "first.duckdb") == (0, 0, 0)
    monkeypatch.setattr(bulk_store, "_check_hidden", check)

    def work(tx: Tx) -> None:
        for bulk in bulks:
            tx.load(*bulk)
        answers.append(interrupt_statement(tx.rows))

    with pytest.raises(KeyboardInterrupt):
        bulk_store.tx("lea", "import", work, "", bulks)
    assert answers[1:] == [[(60_000_000,)]]
    assert counts(bulk_store) == left_by_a_kill(tmp_path, "last.duckdb") == (ROW_COUNT, 2 * ROW_COUNT, 1)


def test_an_interrupted_backup_is_no_failure_and_leaves_nothing(
    bulk_store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """DuckDB went on with it and refused to let go of the new file: "check the disk's free space", said the command."""

    cursor = bulk_store._cursor  # type: ignore[attr-defined]

    @contextmanager
    def interrupt() -> Iterator[Any]:
        with cursor() as real:
            real.execute("create table long as select hash(i) h from range(6_000_000) t(i)")
            threading.Timer(0.05, interrupt_main).start()
            yield real

    (tmp_path / "backups").mkdir()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(bulk_store, "_cursor", interrupt)
        bulk_store.backup(tmp_path / "backups" / "b.duckdb")
    assert not list((tmp_path / "backups").iterdir())
    with cursor() as real:
        real.execute("drop table long")
    bulk_store.backup(tmp_path / "backups" / "b.duckdb")
    assert [file.name for file in (tmp_path / "backups").iterdir()] == ["b.duckdb"]


def test_numbers_that_a_bulk_has_taken_are_given_to_nobody_else(
    bulk_store: Store, bulks: list[Load], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hidden_rows, "RESERVED_CHANGES", 3)
    saved: list[bool] = []

    def look() -> None:
        try:
            save(bulk_store, f"x{len(saved)}")
            saved.append(True)
        except StoreFailed:
            saved.append(False)

    meanwhile(monkeypatch, look)
    bring(bulk_store, bulks)
    assert saved[:4] == [True, True, False, False]
    assert counts(bulk_store) == (ROW_COUNT + 2, 2 * ROW_COUNT, 3)
