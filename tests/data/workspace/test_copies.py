"""A workspace goes from a file to a database and back, row for row; what cannot be copied is left as it was."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.cli import main
from data.store import DuckStore, open_store, postgres_schema, transfer
from data.store.errors import BadInput, NotFound, StoreFailed
from data.workspace.copies import copy_workspace
from data.workspace.restore import restore
from data.workspace.verify import verify
from tests import seeds
from tests.postgres import Databases

pytestmark = [pytest.mark.together("postgres"), pytest.mark.duckdb_only("copies between files and databases")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A workspace in a file: six judged dialogues, drawn and queued."""
    seeds.dialogues(tmp_path / "a.duckdb", 6, audit=3)
    return tmp_path / "a.duckdb"


@pytest.mark.slow
def test_there_and_back_every_row_is_as_it_was(
    empty_database: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    back = f"duckdb:///{tmp_path}/back.duckdb"
    assert main(["copy", f"duckdb:///{file}", empty_database]) == 0
    assert "compared table by table" in capsys.readouterr().out
    newest, rows = copy_workspace(empty_database, back)
    snapshots = []
    for address in (f"duckdb:///{file}", empty_database, back):
        store = open_store(address)
        assert store.newest() == newest and not verify(store)
        snapshots.append((store.digests(newest), store.rows("select * from item order by id")))
        store.close()
    assert snapshots[0] == snapshots[1] == snapshots[2]
    assert rows == sum(count for count, _ in snapshots[0][0].values()) > 100
    assert not list(tmp_path.glob("assay-copy-*"))


def test_a_copy_goes_into_an_empty_store_only(empty_database: str, file: Path, tmp_path: Path) -> None:
    source = f"duckdb:///{file}"
    with pytest.raises(NotFound, match="no store at"):
        copy_workspace(f"duckdb:///{tmp_path}/nowhere.duckdb", empty_database)
    with pytest.raises(BadInput, match="exists already"):
        copy_workspace(source, source)
    for places in ((source, "mysql://x"), (str(file), empty_database)):
        with pytest.raises(BadInput, match="names no store"):
            copy_workspace(*places)
    copy_workspace(source, empty_database)
    with pytest.raises(BadInput, match="A copy goes into an empty store"):
        copy_workspace(source, empty_database)


@pytest.mark.slow
def test_what_arrives_otherwise_than_it_was_sent_is_not_kept(
    empty_database: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = transfer.send

    def lossy(link: object, table: str, columns: object, cursor: object, rows: str = "") -> None:
        really(link, table, columns, cursor, rows + (" and sample = 1" if table == "score" else ""))  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(transfer, "send", lossy)
        with pytest.raises(StoreFailed, match="not what was sent"):
            copy_workspace(f"duckdb:///{file}", empty_database)
    store = open_store(empty_database)
    assert store.newest() == 0 and store.rows("select count(*) from item") == [(0,)]
    store.close()
    copy_workspace(f"duckdb:///{file}", empty_database)


def test_a_file_in_which_something_else_arrives_is_not_kept(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = DuckStore.backup

    def lossy(store: DuckStore, to: Path) -> None:
        really(store, to)
        with duckdb.connect(to) as con:
            con.execute("delete from score where sample = 0 and unit = 'turn:1'")

    monkeypatch.setattr(DuckStore, "backup", lossy)
    with pytest.raises(StoreFailed, match=r"b\.duckdb was not made: what arrived is not what was sent"):
        copy_workspace(f"duckdb:///{file}", f"duckdb:///{tmp_path}/b.duckdb")
    assert not [*tmp_path.glob("b.*"), *tmp_path.glob("assay-copy-*")]


@pytest.mark.slow
def test_what_takes_long_to_compare_is_copied_all_the_same(
    empty_database: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ten million scores, while the database hears nothing for longer than a change may hold others up."""
    really = transfer.digests

    def slowly(cursor: Any, upto: int) -> Any:
        time.sleep(0.8)
        return really(cursor, upto)

    monkeypatch.setattr(postgres_schema, "_SESSION", postgres_schema._SESSION.replace("120s", "1s"))
    monkeypatch.setattr(transfer, "MAX_ROWS_AS_VALUES", 0)
    monkeypatch.setattr(transfer, "digests", slowly)
    newest, rows = copy_workspace(f"duckdb:///{file}", empty_database)
    assert newest and rows > 100


@pytest.mark.slow
def test_a_backup_of_a_database_goes_into_another_and_stays_as_it_was(
    empty_database: str, file: Path, databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_workspace(f"duckdb:///{file}", empty_database)
    monkeypatch.setenv("ASSAY_STORE", empty_database)
    backup = tmp_path / "backup.duckdb"
    assert main(["backup", str(backup)]) == 0
    content = backup.read_bytes()
    with pytest.raises(BadInput, match="python -m data copy duckdb:///"):
        restore(backup, empty_database)
    other = databases.address_of(tmp_path / "other")
    assert copy_workspace(f"duckdb:///{backup}", other) == copy_workspace(empty_database, f"duckdb:///{tmp_path}/c.duckdb")
    assert backup.read_bytes() == content and not backup.with_name("backup.duckdb.mark").exists()


def test_a_store_in_which_nothing_was_done_goes_into_another_file(tmp_path: Path) -> None:
    source, target = (f"duckdb:///{tmp_path / name}.duckdb" for name in ("a", "b"))
    open_store(source).close()
    newest, rows = copy_workspace(source, target)
    store = open_store(target)
    assert (newest, rows) == (0, sum(count for count, _ in store.digests(0).values()))
    store.close()
