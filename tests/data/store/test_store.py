"""The store: one transaction, one lock, one owner; and what happens when the disk or the file is damaged."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from data.store import Store, Tx, base, cache_result, migrations, open_store, statements
from data.store.base import MIGRATIONS
from data.store.duckdb_driver import DuckStore
from data.store.errors import BadInput, StoreDamaged, StoreFailed, StoreLocked
from data.store.hidden_rows import HiddenRows
from data.store.high_water_mark import Mark
from data.store.ids import new_id
from data.workspace.copies import copy_workspace
from tests.fork_server import Forked, run_forked
from tests.postgres import Databases
from tests.seeds import count, put
from tests.soak import backups, counts, kills

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [
    pytest.mark.usefixtures("stores_made_anew"),
    pytest.mark.duckdb_only("files, marks and logs; test_postgres_driver.py has the same of a database"),
]


def at(path: Path) -> Store:
    return open_store(f"duckdb:///{path}")


def test_a_change_is_its_rows_and_who_made_them(tmp_path: Path) -> None:
    store = at(tmp_path / "a.duckdb")
    put(store, "x", times=3)
    assert store.newest() == 1
    assert store.rows("select actor, action from change") == [("ann", "test")]
    assert store.rows("select distinct seq from setting") == [(1,)]
    store.close()


@pytest.mark.both_stores
def test_a_beat_is_saved_and_leaves_no_row(tmp_path: Path) -> None:
    store = at(tmp_path / "a.duckdb")
    put(store, "x")
    for _ in range(3):
        store.check_writable()
    assert (store.newest(), count(store), store.rows("select count(*) from change")) == (1, 1, [(1,)])
    put(store, "y")
    assert store.newest() == 2
    store.close()


def test_bulk_rows_and_few_rows_are_the_same(tmp_path: Path) -> None:
    store = at(tmp_path / "a.duckdb")
    put(store, "few", times=49)
    put(store, "many", times=500)
    assert count(store) == 549
    assert store.rows("select count(distinct id), max(value) from setting where name = 'many'") == [(500, "99")]
    store.close()


def test_what_stands_beside_a_change_is_kept_with_the_first_that_gives_anything_and_once(tmp_path: Path) -> None:
    store, answers = at(tmp_path / "a.duckdb"), list[object]()

    def keep(tx: Tx, answer: object) -> None:
        answers.append(answer)
        tx.add("setting", "id, scope, name, value", [(new_id(), "test", "beside", "1")])

    def refuse(tx: Tx) -> str:
        tx.add("setting", "id, scope, name, value", [(new_id(), "test", "x", "1")])
        raise BadInput("No.")

    with base.append_in_same_change(keep) as waiting:
        put(store, "gives nothing")
        assert store.tx("ann", "look", lambda tx: 5) == 5, "and changes nothing"
        with pytest.raises(BadInput):
            store.tx("ann", "test", refuse)
        assert (answers, waiting) == ([], [keep])
        for n in (7, 8):
            rows = [(new_id(), "test", "gives", "1") for _ in range(n)]
            store.tx("ann", "test", lambda tx, rows=rows: tx.add("setting", "id, scope, name, value", rows))
        assert (answers, waiting) == ([7], [])
    assert store.rows("select seq, count(*) from setting group by 1 order by 1") == [(1, 1), (2, 8), (3, 8)]
    put(store, "after")
    assert answers == [7]
    store.close()


def test_queries_of_one_moment_rest_on_tables_of_their_own_and_on_columns_that_are_given(tmp_path: Path) -> None:
    store = at(tmp_path / "a.duckdb")
    with store.moment({"one": "select $1::bigint as n", "two": "select n + $2 as n from one"}, [1, 2]) as ask:
        assert ask("select n from two")["n"].tolist() == [3]
        put(store, "x")
        query = "select n, x, x is null as lost, null::double as gone, 'a' as word from given order by n"
        columns = ask(query, n=np.array([2, 1]), x=np.array([np.nan, 0.5]))
        assert columns["n"].tolist() == [1, 2] and columns["lost"].tolist() == [False, True]
        assert columns["x"][0] == 0.5 and np.isnan(columns["x"][1]) and np.isnan(columns["gone"]).all()
        assert list(columns["word"]) == ["a", "a"] and type(columns["gone"]) is np.ndarray
        assert ask("select count(*) as n from given where x = $1", x=np.array([1.0]))["n"].tolist() == [1]
        assert ask("select count(*) as n from setting")["n"].tolist() == [0], "as it was when the moment began"
    store.close()


def test_a_store_that_is_closed_stays_closed(tmp_path: Path) -> None:
    store = at(tmp_path / "a.duckdb")
    put(store, "x")
    store.close()
    for use in (count, lambda store: put(store, "y")):
        with pytest.raises(StoreFailed, match=r"a\.duckdb is closed\. Start Assay again\."):
            use(store)
    again = at(tmp_path / "a.duckdb")
    assert count(again) == 1
    again.close()


def test_nothing_written_is_no_change(tmp_path: Path) -> None:
    store = at(tmp_path / "a.duckdb")
    assert store.tx("ann", "look", lambda tx: len(tx.rows("select 1"))) == 1
    assert store.tx("ann", "look", lambda tx: tx.append([])) == 0
    assert store.newest() == 0
    store.close()


def test_a_store_in_which_somebody_only_looked_opens_again(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    store = at(path)
    put(store, "x")
    store.tx("ann", "look", lambda tx: tx.rows("select 1"))
    assert store.table_version("setting") == store.newest() == 1
    store.close()
    store = at(path)
    assert (store.newest(), count(store)) == (1, 1)
    put(store, "y")
    assert store.newest() == 2
    store.close()


def test_an_error_in_the_middle_keeps_nothing(tmp_path: Path) -> None:
    store = at(tmp_path / "a.duckdb")

    def work(tx: Tx) -> None:
        tx.add("setting", "id, scope, name, value", [(new_id(), "test", "x", "1")])
        raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        store.tx("ann", "test", work)
    assert count(store) == 0 == store.newest()
    put(store, "after")
    assert count(store) == 1
    store.close()


def test_writes_of_twenty_threads_are_one_after_another(tmp_path: Path) -> None:
    store = at(tmp_path / "a.duckdb")
    threads = [threading.Thread(target=lambda: [put(store, "x") for _ in range(10)]) for _ in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert count(store) == 200
    assert store.rows("select count(*), count(distinct seq), max(seq) from change") == [(200, 200, 200)]
    store.close()


def test_a_second_process_gets_a_sentence_that_names_the_holder(tmp_path: Path) -> None:
    store = at(tmp_path / "a.duckdb")
    code = (
        "from data.store import open_store\nfrom data.store.errors import StoreLocked\n"
        f"try: open_store('duckdb:///{tmp_path}/a.duckdb')\nexcept StoreLocked as e: print(e)"
    )
    out = run_forked([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"process {os.getpid()}" in out
    assert "stop it first" in out and "need a workspace in PostgreSQL" in out
    store.close()


def test_a_deleted_write_ahead_log_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    script = (
        "import os\nfrom data.store import open_store\nfrom tests.seeds import put\n"
        f"s = open_store('duckdb:///{path}')\n[put(s, 'x') for _ in range(5)]\nos._exit(9)"
    )
    run_forked([sys.executable, "-c", script], cwd=ROOT)
    wal = path.with_name("a.duckdb.wal")
    assert wal.exists()
    wal.unlink()
    with pytest.raises(StoreDamaged, match=r"ends at revision 0, but revision 5 was confirmed.*restore"):
        at(path)


@pytest.mark.parametrize("cut", [0.3, 0.7, 0.95])
def test_a_truncated_write_ahead_log_is_noticed(tmp_path: Path, cut: float) -> None:
    path = tmp_path / "a.duckdb"
    script = (
        "import os\nfrom data.store import open_store\nfrom tests.seeds import put\n"
        f"s = open_store('duckdb:///{path}')\n[put(s, 'x', 20) for _ in range(5)]\nos._exit(9)"
    )
    run_forked([sys.executable, "-c", script], cwd=ROOT)
    wal = path.with_name("a.duckdb.wal")
    with wal.open("r+b") as file:
        file.truncate(int(wal.stat().st_size * cut))
    with pytest.raises(StoreDamaged):
        at(path)


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 300])
def test_a_file_that_is_no_store_is_refused_in_a_sentence(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "a.duckdb"
    path.write_bytes(damage)
    with pytest.raises(StoreDamaged, match="restore"):
        at(path)


def test_a_store_of_a_newer_assay_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    at(path).close()
    with duckdb.connect(str(path)) as con:
        con.execute("insert into migration values (999, 'future', now()::timestamp)")
    with pytest.raises(StoreDamaged, match="newer Assay"):
        at(path)


def test_a_failed_commit_says_so_keeps_nothing_and_the_store_goes_on(tmp_path: Path) -> None:
    """A disk quota on the process stands in for a full disk: writes beyond it fail as they do there."""
    path = tmp_path / "a.duckdb"
    script = f"""
import resource, signal
from pathlib import Path
from typing import Any
from data.store.errors import AssayError
from data.store import open_store
from data.store.ids import new_id
from tests.seeds import count
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
s = open_store('duckdb:///{path}')
fill = lambda tx: tx.add('setting', 'id, scope, name, value', [(new_id(), 'test', 'x', 'y' * 20000) for _ in range(30)])
limit = Path('{path}').stat().st_size + 3_000_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
good = refused = 0
for _ in range(12):
    try:
        s.tx('ann', 'fill', fill)
        good += 1
    except AssayError as e:
        refused += 1
        assert 'Nothing was saved' in str(e) or 'cannot be' in str(e), e
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
s.tx('ann', 'fill', fill)
print(good + 1, refused, count(s), s.newest())
"""
    run = run_forked([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    good, refused, rows, newest = map(int, run.stdout.split())
    assert refused > 0, "the limit was never met: the test says nothing"
    assert rows == good * 30
    store = at(path)
    assert (count(store), store.newest()) == (rows, newest)
    store.close()


FILLING = """
import os, resource, signal, sys
from pathlib import Path
from typing import Any
from data.store.errors import StoreFailed
from data.store import open_store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder = Path(sys.argv[1])
s = open_store(f'duckdb:///{folder}/a.duckdb')
room = lambda most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
filler = folder / 'filler'
if sys.argv[2] == 'limit':
    room(int(sys.argv[3]))
else:
    filler.write_bytes(bytes(10 << 20))
good = refused = later = 0
for n in range(300):
    if n == 250:
        filler.unlink() if filler.exists() else room(resource.RLIM_INFINITY)
    row = (f'key-{n}', 'test', 'x', os.urandom(45_000).hex())
    try:
        s.tx('ann', 'fill', lambda tx: tx.add('setting', 'id, scope, name, value', [row]))
        good += 1
        later += n >= 250
    except StoreFailed as e:
        refused += 1
        assert str(e).startswith('Nothing was saved'), e
    assert s.newest() == good
print(good, refused, later, flush=True)
os._exit(9)
"""


def fill(folder: Path, disk: str, most: int = 17 << 20) -> None:
    """Save 300 times while there is no room for most of it; AssertionError where not just what was acknowledged stays.

    Past the size of log at which DuckDB folds it into the file, too: a fold that fails ends its database object.
    """
    command = [sys.executable, "-c", FILLING, str(folder), disk, str(most)]
    run = run_forked(command, cwd=ROOT, capture_output=True, text=True)
    assert not run.stderr, run.stderr
    good, refused, later = map(int, run.stdout.split())
    assert refused > 10 and later == 50, run.stdout
    store = at(folder / "a.duckdb")
    assert (count(store), store.newest()) == (good, good)
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("disk", ["limit", "full"])
def test_on_a_full_disk_every_save_is_kept_or_refused_in_a_sentence(tmp_path: Path, disk: str) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=36m", "tmpfs", str(folder)]
    if disk == "full" and (os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode):
        pytest.skip("a small disk needs the right to mount one")
    try:
        fill(folder, disk)
    finally:
        if disk == "full":
            subprocess.run(["umount", str(folder)], check=False)


def test_a_store_that_cannot_be_opened_anew_goes_on_when_it_can(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """However often it fails meanwhile; and nothing is opened for writing but what holds all that was confirmed."""
    path = tmp_path / "a.duckdb"
    store = at(path)
    put(store, "x")
    counted = cache_result(count)
    counted(store)
    assert isinstance(store, DuckStore) and store._con is not None
    store._con.execute("set debug_checkpoint_abort = 'before_header'")
    with contextlib.suppress(duckdb.FatalException):
        store._con.execute("checkpoint")
    moved_path = path.rename(tmp_path / "aside")
    for _ in range(3):
        with pytest.raises(StoreDamaged, match="is missing"):
            put(store, "x")
        with pytest.raises(StoreDamaged, match="is missing"):
            count(store)
        assert not path.exists() and (tmp_path / "a.duckdb.wal").exists()
    moved_path.rename(path)
    store.hidden, store.previews = HiddenRows(9, {"setting": 1}), {"setting": 1}  # opening the file deletes such rows
    put(store, "x")
    assert count(store) == 2 == counted(store)
    assert store.stored_name("setting") == "setting" and not store.previews
    assert [record.msg for record in caplog.records].count("store_recovered") == 1
    store.close()


def test_a_change_that_is_on_the_disk_although_its_commit_raised_is_not_made_twice(tmp_path: Path) -> None:
    store = at(tmp_path / "a.duckdb")
    assert isinstance(store, DuckStore) and store._con is not None
    store._con.execute("set debug_checkpoint_abort = 'before_header'")
    store._con.execute("set checkpoint_threshold = '1KB'")
    for _ in range(3):
        put(store, "x", 20)
    assert (count(store), store.newest()) == (60, 3)
    store.close()


@pytest.mark.slow
def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    saves, wrong = kills.run(tmp_path, counts.KILLS.per_run, counts.SAVES.per_run, seed=1)
    assert saves >= counts.KILLS.per_run * counts.SAVES.per_run and not wrong, wrong[:10]


@pytest.mark.slow
@pytest.mark.together("postgres")
def test_what_a_database_acknowledged_survives_kill_9_of_its_clients(tmp_path: Path, databases: Databases) -> None:
    url = databases.address_of(tmp_path)
    saves, wrong = kills.run(tmp_path, counts.POSTGRES_KILLS.per_run, counts.SAVES.per_run, seed=1, url=url)
    assert saves >= counts.POSTGRES_KILLS.per_run * counts.SAVES.per_run and not wrong, wrong[:10]


@pytest.mark.slow
def test_backups_under_load_hold_what_the_store_held(tmp_path: Path) -> None:
    assert backups.run(tmp_path, counts.BACKUPS.per_run, seed=1) == []


def test_a_backup_that_cannot_be_written_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    store = at(tmp_path / "a.duckdb")
    with pytest.raises(StoreFailed, match="was not made"):
        store.backup(tmp_path / "no such folder" / "b.duckdb")
    (tmp_path / "a folder").mkdir()
    before = set(tmp_path.iterdir())
    with pytest.raises(StoreFailed, match="was not made"):
        store.backup(tmp_path / "a folder")
    assert set(tmp_path.iterdir()) == before, "the copy that was made aside is gone"
    store.close()


@pytest.mark.parametrize("url", ["sqlite:///x", "duckdb:", "duckdb://", "duckdb:///", "x.duckdb", "postgres"])
def test_an_unknown_store_is_refused_with_what_is_known(url: str) -> None:
    with pytest.raises(BadInput, match="duckdb:///file"):
        open_store(url)
    with pytest.raises(BadInput, match="names no store"):
        copy_workspace(url, "duckdb:///b.duckdb")


def test_an_address_that_is_refused_is_shown_without_its_password() -> None:
    for use in (open_store, lambda url: copy_workspace(url, url)):
        with pytest.raises(BadInput, match=r"'postgresql\+psycopg://\.\.\.@host/name'") as refusal:
            use("postgresql+psycopg://lea:geh@e/im@host/name")
        assert not [part for part in ("lea", "geh", "e/im") if part in str(refusal.value)]


def test_the_mark_is_believed_only_when_whole(tmp_path: Path) -> None:
    mark = Mark(tmp_path / "m")
    assert mark.entry() is None
    mark.write(12, "")
    assert mark.entry() is None and not list(tmp_path.iterdir()), "only a whole mark is ever made"
    mark.make(12)
    mark.write(13, "0123456789abcdef")
    assert Mark(tmp_path / "m").entry() == (13, "0123456789abcdef")
    for damage in (b"00000000000000000099 deadbeef\n", b"", b"0" * 30, (tmp_path / "m").read_bytes() + b"x"):
        (tmp_path / "m").write_bytes(damage)
        with pytest.raises(ValueError, match="damaged"):
            mark.entry()
    mark.close()
    digits = b"%020d" % 7
    (tmp_path / "m").write_bytes(digits + b" %08x\n" % zlib.crc32(digits))
    assert Mark(tmp_path / "m").entry() == (7, ""), "one of an Assay that kept no digest"


def test_a_mark_is_on_the_disk_before_it_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the disk has not taken is written again next time; a mark that stands is not."""
    synced: list[bytes] = []
    full = [False]

    def sync(number: int) -> None:
        if full[0]:
            raise OSError(28, "No space left on device")
        synced.append(os.pread(number, 64, 0))

    monkeypatch.setattr(os, "fdatasync", sync, raising=False)
    mark = Mark(tmp_path / "m")
    mark.make(1)
    for number in (2, 2, 3):
        mark.write(number, "")
    full[0] = True
    mark.write(4, "")
    full[0] = False
    mark.write(4, "")
    mark.close()
    assert [int(line.split()[0]) for line in synced] == [2, 3, 4]


def test_migrations_are_numbered_without_gaps_and_split_into_statements() -> None:
    numbers = {m[0] for m in migrations()}
    assert sorted(numbers) == list(range(1, max(numbers) + 1))
    assert {f"{number:03d}_{name}.sql" for number, name, _ in migrations()} == {f.name for f in MIGRATIONS.iterdir()}
    for _, _, sql in migrations():
        assert all(s.split()[0] in ("create", "insert", "drop", "alter") for s in statements(sql))
    assert MIGRATIONS.exists()


def test_the_lock_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    code = f"from data.store import open_store\ns = open_store('duckdb:///{path}')\nprint('open', flush=True)\ninput()"
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with Forked([sys.executable, "-c", code], cwd=ROOT, text=True, **pipes) as other:
        assert other.stdout is not None and other.stdout.readline() == "open\n"
        with pytest.raises(StoreLocked):
            at(path)
        other.kill()
    at(path).close()
