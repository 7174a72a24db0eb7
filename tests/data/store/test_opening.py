"""A start that refuses changes no byte, whatever lies at the store's path; and what may be opened at all."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable
from datetime import datetime
from glob import glob
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data import store as stores
from data.store import open_store, opening
from data.store.errors import BadInput, StoreDamaged, StoreFailed, StoreLocked
from data.store.high_water_mark import Mark
from data.workspace.restore import backup_revision, check_copy, restore
from judges.errors import AssayError
from tests.data.store.test_store import ROOT, at, count, put
from tests.fork_server import Forked, run_forked
from tests.soak import counts, damages

pytestmark = [
    pytest.mark.usefixtures("stores_made_anew"),
    pytest.mark.duckdb_only("files, marks and logs; test_postgres_driver.py has the same of a database"),
]
KILLED = """
import os
from data.store import open_store
from tests.seeds import put
s = open_store("duckdb:///" + {path!r})
[put(s, "x") for _ in range(150)]
os._exit(9)
"""


def python(code: str, **options: Any) -> str:
    """What a process of its own prints."""
    run = run_forked([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, **options)
    assert not run.stderr, run.stderr
    return str(run.stdout)


@pytest.fixture(scope="module")
def killed_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose owner was killed after 150 confirmed changes, all of them in the log."""
    path = tmp_path_factory.mktemp("killed") / "a.duckdb"
    python(KILLED.format(path=str(path)))
    assert [f.name for f in sorted(path.parent.iterdir())] == ["a.duckdb", "a.duckdb.mark", "a.duckdb.wal"]
    return path


@pytest.fixture
def path(killed_store: Path, tmp_path: Path) -> Path:
    """A copy of it of the test's own."""
    return shutil.copytree(killed_store.parent, tmp_path / "w") / "a.duckdb"


def every(folder: Path) -> dict[str, str]:
    """Every file below a folder, with its hash; what is no file, by its sort."""
    return {
        str(f.relative_to(folder)): hashlib.md5(f.read_bytes()).hexdigest() if f.is_file() else str(f.lstat().st_mode)
        for f in folder.rglob("*")
    }


def assert_refused(path: Path, says: str, kind: type[AssayError] = StoreDamaged) -> None:
    before = every(path.parent)
    with pytest.raises(kind, match=says):
        at(path)
    assert every(path.parent) == before
    assert [file for file in map(os.path.realpath, glob("/proc/self/fd/*")) if file.startswith(str(path))] == []


def cut(path: Path) -> None:
    log = opening.beside_path(path, ".wal")
    os.truncate(log, log.stat().st_size // 2)


def mark(path: Path) -> Path:
    return opening.beside_path(path, ".mark")


HURT: list[tuple[str, Callable[[Path], object], str]] = [
    ("moved", lambda p: p.rename(p.parent / "elsewhere"), "but its a.duckdb.mark and a.duckdb.wal are still there"),
    ("moved with its mark", lambda p: (p.rename(p.parent / "m"), mark(p).unlink()), "but its a.duckdb.wal is still"),
    ("log cut", cut, "ends at revision 74, but revision 150 was confirmed: 76 changes are missing"),
    ("log emptied", lambda p: os.truncate(f"{p}.wal", 0), "150 changes are missing"),
    ("log of something else", lambda p: Path(f"{p}.wal").write_bytes(b"log" * 999), "150 changes are missing"),
    ("log gone", lambda p: Path(f"{p}.wal").unlink(), "150 changes are missing"),
    ("log and mark gone", lambda p: (Path(f"{p}.wal").unlink(), mark(p).unlink()), "is missing.*--accept"),
    ("mark gone", lambda p: mark(p).unlink(), "is missing.*150 changes.*--accept"),
    ("mark and half the log damaged", lambda p: (cut(p), mark(p).write_bytes(b"x" * 30)), "cannot be read.*--accept"),
    ("mark empty", lambda p: mark(p).write_bytes(b""), "cannot be read.*--accept"),
    ("mark a folder", lambda p: (mark(p).unlink(), mark(p).mkdir()), "cannot be read.*--accept"),
    ("empty", lambda p: p.write_bytes(b""), "is empty .0 bytes."),
    ("a table of text", lambda p: p.write_text("a,b\n1,2\n"), "is not a DuckDB file"),
    ("a folder", lambda p: (p.unlink(), p.mkdir()), "is not a file"),
    ("a pipe", lambda p: (p.unlink(), os.mkfifo(p)), "is not a file"),
    ("a link to nowhere", lambda p: (p.unlink(), p.symlink_to("nowhere")), "link to nowhere"),
    ("cut", lambda p: os.truncate(p, 20_000), "cannot be opened"),
    ("damaged head", lambda p: p.write_bytes(p.read_bytes()[:4096] + bytes(8192) + p.read_bytes()[12288:]), "Corrupt"),
]


def alien(path: Path, *suffixes: str) -> None:
    """Some files of another store, which has more changes, in the place of these."""
    other = path.parent.with_name("other") / "a.duckdb"
    python(KILLED.replace("150", "170").format(path=str(other)))
    for suffix in suffixes:
        shutil.copyfile(f"{other}{suffix}", f"{path}{suffix}")


def put_away(path: Path) -> None:
    """More changes than the other store has."""
    store = at(path)
    for _ in range(30):
        put(store, "x")
    store.close()


def change_copy(path: Path, to: str, changes: int) -> Path:
    """A copy that is worked on by itself."""
    other = shutil.copytree(path.parent, path.parent.with_name(to)) / "a.duckdb"
    store = at(other)
    for _ in range(changes):
        put(store, to)
    store.close()
    return other


ALIEN: list[tuple[str, Callable[[Path], object]]] = [
    ("log", lambda p: alien(p, ".wal")),
    ("file and log", lambda p: alien(p, "", ".wal")),
    ("mark", lambda p: (put_away(p), alien(p, ".mark"))),
    ("copy that went its own way", lambda p: (change_copy(p, "y", 9), change_copy(p, "z", 5), shutil.copyfile(
        p.parent.with_name("y") / "a.duckdb", p), os.unlink(f"{p}.wal"),
        shutil.copyfile(p.parent.with_name("z") / "a.duckdb.mark", mark(p)))),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("swap", [h[1] for h in ALIEN], ids=[h[0] for h in ALIEN])
def test_what_is_of_another_store_is_refused_however_many_changes_it_has(
    path: Path, swap: Callable[[Path], object]
) -> None:
    swap(path)
    assert_refused(path, "is not the one that its mark a.duckdb.mark confirms.*--accept")
    open_store(f"duckdb:///{path}", accept=True).close()
    at(path).close()


@pytest.mark.parametrize(("hurt", "says"), [h[1:] for h in HURT], ids=[h[0] for h in HURT])
def test_a_start_that_refuses_leaves_every_byte(path: Path, hurt: Callable[[Path], object], says: str) -> None:
    hurt(path)
    assert_refused(path, says)


@pytest.mark.slow
def test_a_start_on_damaged_files_refuses_or_has_all(killed_store: Path, tmp_path: Path) -> None:
    assert damages.run(killed_store.parent, tmp_path, counts.DAMAGES.per_run, seed=1) == []


def test_what_was_moved_away_and_put_back_holds_all(path: Path) -> None:
    path.rename(path.parent / "elsewhere")
    assert_refused(path, "Put the file back")
    (path.parent / "elsewhere").rename(path)
    store = at(path)
    assert count(store) == 150
    store.close()


def test_a_newer_store_and_one_of_something_else_are_left_as_they_are(path: Path, tmp_path: Path) -> None:
    at(path).close()
    with duckdb.connect(str(path)) as con:
        con.execute("insert into migration values (999, 'future', now()::timestamp)")
    assert_refused(path, "newer Assay")
    with duckdb.connect(str(tmp_path / "other.duckdb")) as con:
        con.execute("create table sales as select 1 as n")
    assert_refused(tmp_path / "other.duckdb", "tables of something else")


def test_a_store_in_use_by_another_process_is_left_as_it_is(path: Path) -> None:
    code = f"from data.store import open_store\ns = open_store('duckdb:///{path}')\nprint('open', flush=True)\ninput()"
    with Forked(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "open\n"
        assert_refused(path, f"process {other.pid}", StoreLocked)
        other.communicate("\n")
    at(path).close()


def test_a_store_in_use_by_this_process_is_not_opened_again_under_any_name(path: Path) -> None:
    """Nor is it read, which would drop this process's lock on it."""
    store = at(path)
    path.with_name("link").symlink_to(path)
    os.link(path, path.with_name("second name"))
    for name in ("a.duckdb", "link", "second name"):
        with pytest.raises(StoreLocked, match="in this process already"):
            at(path.with_name(name))
    code = (
        f"from data.store import open_store\nfrom data.store.errors import StoreLocked\ntry: open_store('duckdb:///{path}')"
    )
    assert f"process {os.getpid()}" in python(code + "\nexcept StoreLocked as e: print(e)")
    store.close()
    at(path).close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody without rights")
@pytest.mark.parametrize("name", ["a.duckdb", "a.duckdb.mark", "."])
def test_without_the_right_to_write_nothing_is_opened(killed_store: Path, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:  # one that others may enter
        path = Path(shutil.copytree(killed_store.parent, folder, dirs_exist_ok=True)) / "a.duckdb"
        for file in (path.parent, *path.parent.iterdir()):
            os.chown(file, 65534, 65534)
        path.parent.chmod(0o755)
        os.chown(path.parent / name, 0, 0)
        before = every(path.parent)
        code = (
            "import os\nfrom data.store import open_store\nfrom data.store.errors import StoreFailed\n"
            "import data.store.duckdb_driver\nos.setresgid(65534, 65534, 65534)\nos.setresuid(65534, 65534, 65534)\n"
            f"try: open_store('duckdb:///{path}')\nexcept StoreFailed as e: print(e)"
        )
        assert "cannot be written" in python(code)
        assert every(path.parent) == before


@pytest.fixture
def older(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store, which a newer version than that of this code would have to bring up to date."""
    versions = [
        *stores.migrations(),
        (999, "next", "create table next_one (id text);\ncreate table and_one (id text);\n"),
    ]
    monkeypatch.setattr(opening, "migrations", lambda: versions)
    return path


def test_a_migration_that_fails_half_way_changes_nothing(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = [
        *stores.migrations(),
        (999, "next", "create table next_one (id text);\ncreate table setting (id text);\n"),
    ]
    monkeypatch.setattr(opening, "migrations", lambda: versions)
    assert_refused(older, "was not brought up to date.*setting.*Nothing was changed", StoreFailed)


def test_a_full_disk_before_a_migration_changes_nothing(older: Path) -> None:
    code = (
        "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from data import store\nfrom data.store import opening\nfrom data.store.errors import StoreFailed\n"
        "found = [*store.migrations(), (999, 'next', 'create table next_one (id text);')]\n"
        "opening.migrations = lambda: found\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))\n"
        f"try: store.open_store('duckdb:///{older}')\nexcept StoreFailed as e: print(e)"
    )
    before = every(older.parent)
    assert "was not brought up to date: " in python(code)
    assert every(older.parent) == before


@pytest.mark.parametrize("links", [True, False], ids=["second names", "no second names"])
def test_a_migration_keeps_the_store_as_it_was_under_another_name(
    older: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, links: bool
) -> None:
    caplog.set_level("INFO", "assay")
    if not links:
        monkeypatch.setattr(os, "link", lambda *_: refuse())
    store = at(older)
    assert count(store) == 150 and store.rows("select count(*) from next_one") == [(0,)]
    (backup,) = older.parent.glob("a.before-*")
    [fields] = [record.__dict__["facts"] for record in caplog.records if record.msg == "store_migrated"]
    assert (fields["to_version"], fields["kept"]) == (999, str(backup)) and 0 < fields["from_version"] < 999
    with duckdb.connect(str(backup), read_only=True) as con:
        assert con.execute("select count(*) from setting where scope = 'test'").fetchall() == [(150,)]
        assert con.execute("select count(*) from migration where version = 999").fetchall() == [(0,)]
    put(store, "x")
    store.close()
    assert {f.name for f in older.parent.iterdir()} == {"a.duckdb", "a.duckdb.mark", backup.name}


def refuse() -> None:
    raise OSError(1, "Operation not permitted")


def test_a_full_disk_where_files_have_no_second_names_leaves_no_half_copy(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = shutil.copyfile

    def fill(source: Path, to: Path) -> None:
        copy(source, to)
        if "before" in to.name:
            os.truncate(to, 100)
            raise OSError(28, "No space left on device")

    at(older).close()
    next(older.parent.glob("a.before-*")).unlink()
    monkeypatch.setattr(os, "link", lambda *_: refuse())
    monkeypatch.setattr(shutil, "copyfile", fill)
    versions = [*opening.migrations(), (1000, "last", "create table last_one (id text);")]
    monkeypatch.setattr(opening, "migrations", lambda: versions)
    assert_refused(older, "was not brought up to date: No space left on device", StoreFailed)


def test_a_name_that_something_has_is_given_to_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "now", lambda: datetime(2026, 1, 2, 3, 4, 5))
    paths = []
    for _ in range(3):
        paths.append(opening.free_name(tmp_path / "a.duckdb", "before"))
        paths[-1].symlink_to("nowhere")
    stem = "a.before-20260102-030405"
    assert [file.name for file in paths] == [f"{stem}.duckdb", f"{stem}-2.duckdb", f"{stem}-3.duckdb"]


def test_where_no_file_is_a_mark_says_whether_a_store_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    assert opening.inspect_store(path) is None
    Mark(mark(path)).make(0)
    assert opening.inspect_store(path) is None, "one that was killed before it had confirmed anything"
    for hurt in (lambda: Mark(mark(path)).make(1, "0" * 15 + "1"), lambda: mark(path).write_bytes(b"1")):
        hurt()
        with pytest.raises(StoreDamaged, match=r"is missing, but its a\.duckdb\.mark is still there"):
            opening.inspect_store(path)


def test_a_folder_that_somebody_else_has_locked_is_waited_for_and_one_that_is_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_LOCK_TIMEOUT_SECONDS", 0.0)
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(StoreLocked, match="for a minute"), opening.lock_folder(tmp_path / "a.duckdb"):
        pass
    os.close(handle)
    with opening.lock_folder(tmp_path / "a.duckdb"), opening.lock_folder(tmp_path / "b.duckdb"):
        handle = os.open(tmp_path, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(handle)
    (tmp_path / "file").touch()
    none = opening.lock_folder(tmp_path / "file" / "a.duckdb")
    with pytest.raises(StoreFailed, match=r"cannot be opened: File exists\. Check the folder\."), none:
        pass


RESTORE = "Restore a backup (python -m data restore BACKUP)"


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (duckdb.IOException('Could not set lock on file "/a": Conflicting lock is held in /bin/python3 (PID 41). See'),
         StoreLocked, "The store a is in use by python3 (process 41). Do this"),
        (duckdb.IOException("IO Error: Could not set lock on file: why"), StoreLocked, "in use by another process. Do"),
        (duckdb.ConnectionException("Connection Error: x"), StoreLocked, "is still in use in this process. Try again"),
        (duckdb.IOException("IO Error: No space left on device!"), StoreFailed,
         "The store a cannot be opened: No space left on device. Check the disk's free space and rights."),
        (duckdb.IOException("IO Error: Permission denied\nmore"), StoreFailed, "opened: Permission denied. Check"),
        (duckdb.IOException("IO Error: Bad WAL"), StoreDamaged,
         f"Bad WAL. {RESTORE}, or move a.wal away and accept what is left (python -m data verify --accept), or move"),
        (duckdb.Error("odd"), StoreDamaged, f"opened: odd. {RESTORE}, or move the file away with its .wal and .mark"),
        (duckdb.Error(""), StoreDamaged, f"The store a cannot be opened: Error. {RESTORE}, or move the file away"),
    ],
)  # fmt: skip
def test_why_a_file_cannot_be_opened_is_a_sentence(error: duckdb.Error, kind: type[AssayError], message: str) -> None:
    failure = opening._why_not(Path("a"), error)
    assert type(failure) is kind and message in str(failure)


def test_a_new_store_on_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    for room in (0, 40_000):
        code = (
            "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "from data.store import open_store\nfrom data.store.errors import StoreFailed\n"
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, resource.RLIM_INFINITY))\n"
            f"try: open_store('duckdb:///{tmp_path}/a.duckdb')\nexcept StoreFailed as e: print(e)"
        )
        assert "Check the disk's free space" in python(code)
        assert every(tmp_path) == {}
    at(tmp_path / "a.duckdb").close()


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet", ":memory:"])
def test_a_name_that_duckdb_reads_otherwise_is_a_file_like_any(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store(f"duckdb:///{name}")
    put(store, "x")
    store.close()
    assert (tmp_path / name).read_bytes()[8:12] == b"DUCK"
    store = open_store(f"duckdb:///{name}")
    assert count(store) == 1
    store.close()
    (tmp_path / name).write_text('{"id": 1}\n')
    assert_refused(tmp_path / name, "is not a DuckDB file")


@pytest.mark.parametrize("name", ["what?.duckdb", "what?/a.duckdb"])
def test_a_path_with_a_question_mark_is_refused_as_its_log_would_lie_elsewhere(tmp_path: Path, name: str) -> None:
    (tmp_path / "what?").mkdir()
    before = every(tmp_path)
    with pytest.raises(BadInput, match=r"what\?.*has a question mark in its path.*Rename it"):
        at(tmp_path / name)
    assert every(tmp_path) == before


def test_of_starts_at_once_one_gets_the_store(tmp_path: Path) -> None:
    """New, killed and in need of a migration: nobody sees it half made, and nothing is lost."""
    code = (
        "import sys\nfrom data.store import open_store\nfrom data.store.errors import StoreLocked\n"
        f"try: s = open_store('duckdb:///{tmp_path}/a.duckdb')\nexcept StoreLocked as e: print('locked', flush=True)\n"
        "else: print('open', flush=True)\nsys.stdin.read()"
    )
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    for _ in range(3):
        every_one = [Forked([sys.executable, "-c", code], cwd=ROOT, text=True, **pipes) for _ in range(4)]
        output = sorted(process.stdout.readline().strip() for process in every_one if process.stdout)
        ends = [process.communicate() for process in every_one]
        assert output == ["locked"] * 3 + ["open"], ends
    assert {f.name for f in tmp_path.iterdir()} == {"a.duckdb", "a.duckdb.mark"}


def test_of_threads_at_once_one_gets_the_store(path: Path) -> None:
    outcomes: list[object] = []

    def start() -> None:
        try:
            outcomes.append(at(path))
        except StoreLocked as error:
            outcomes.append(error)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    (store,) = [outcome for outcome in outcomes if not isinstance(outcome, StoreLocked)]
    assert count(store) == 150  # type: ignore[arg-type]
    store.close()  # type: ignore[attr-defined]


def test_accepting_goes_on_with_what_is_left_under_a_new_mark(path: Path) -> None:
    cut(path)
    mark(path).write_bytes(b"x")
    store = open_store(f"duckdb:///{path}", accept=True)
    assert count(store) == 74
    store.close()
    store = at(path)
    assert count(store) == 74
    store.close()
    path.rename(path.parent / "elsewhere")
    with pytest.raises(StoreDamaged, match="is missing"):
        open_store(f"duckdb:///{path}", accept=True)


@pytest.mark.slow
def test_a_restore_takes_stores_only_and_all_of_one(path: Path, tmp_path: Path) -> None:
    url = f"duckdb:///{tmp_path}/b.duckdb"
    with duckdb.connect(str(tmp_path / "other.duckdb")) as con:
        con.execute("create table sales as select 1 as n")
    duckdb.connect(str(tmp_path / "bare.duckdb")).close()
    at(tmp_path / "new.duckdb").close()
    at(tmp_path / "b.duckdb").close()
    before = every(tmp_path)
    for name in ("other.duckdb", "bare.duckdb", "new.duckdb"):
        with pytest.raises(BadInput, match="nothing was changed"):
            restore(tmp_path / name, url)
        assert every(tmp_path) == before
    assert restore(tmp_path / "new.duckdb", url, force=True)[0] == 0
    assert restore(path, url)[0] == 150, "what its log holds belongs to it"
    cut(path)
    with pytest.raises(BadInput, match="76 changes are missing"):
        restore(path, url)
    store = open_store(url)
    with pytest.raises(StoreLocked):
        restore(path, url)
    with pytest.raises(StoreLocked):
        restore(tmp_path / "b.duckdb", f"duckdb:///{tmp_path}/c.duckdb")
    with pytest.raises(StoreLocked, match="is open in this process already"):
        backup_revision(tmp_path / "b.duckdb")
    assert count(store) == 150
    store.close()


def test_a_restore_puts_back_what_lost_its_file(
    path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "assay")
    at(path).close()
    backup = shutil.copy(path, tmp_path / "backup.duckdb")
    path.unlink()
    assert_refused(path, "restore a backup")
    assert restore(Path(backup), f"duckdb:///{path}")[0] == 150
    [fields] = [record.__dict__["facts"] for record in caplog.records if record.msg == "store_restored"]
    assert (fields["revision"], fields["file"], fields["backup"]) == (150, str(path), str(backup))
    store = at(path)
    assert count(store) == 150
    store.close()


def test_a_restore_on_a_full_disk_changes_nothing(path: Path, tmp_path: Path) -> None:
    at(tmp_path / "b.duckdb").close()
    code = (
        "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nfrom pathlib import Path\n"
        "from data.workspace.restore import restore\nfrom data.store.errors import StoreFailed\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))\n"
        f"try: restore(Path('{path}'), 'duckdb:///{tmp_path}/b.duckdb')\nexcept StoreFailed as e: print(e)"
    )
    before = every(tmp_path)
    assert "was not restored" in python(code)
    assert every(tmp_path) == before


@pytest.mark.parametrize("last", ["b.duckdb", "b.duckdb.mark"])
def test_a_restore_whose_files_cannot_be_put_in_place_moves_nothing(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    at(tmp_path / "b.duckdb").close()
    before, replace = every(tmp_path), os.replace

    def refuse_last(source: Path, to: Path) -> None:
        if to == tmp_path / last and "replaced" not in source.name:
            raise OSError(28, "No space left on device")
        replace(source, to)

    with monkeypatch.context() as full:
        full.setattr("data.workspace.restore.os.replace", refuse_last)
        with pytest.raises(StoreFailed, match=r"was not restored: No space left on device\. Check"):
            restore(path, f"duckdb:///{tmp_path}/b.duckdb")
    assert every(tmp_path) == before


@pytest.mark.parametrize("links", [True, False], ids=["second names", "no second names"])
def test_at_every_moment_of_a_restore_a_mark_says_that_a_store_was_there(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """A start after a kill would begin an empty workspace without one; only without second names there is a gap."""
    store, url = at(tmp_path / "b.duckdb"), f"duckdb:///{tmp_path}/b.duckdb"
    put(store, "x")
    store.close()
    present, replace = [], os.replace

    def watch(source: Path, to: Path) -> None:
        replace(source, to)
        present.append([file.exists() for file in (tmp_path / "b.duckdb", mark(tmp_path / "b.duckdb"))])

    if not links:
        monkeypatch.setattr(os, "link", lambda *_: refuse())
    monkeypatch.setattr("data.workspace.restore.os.replace", watch)
    restore(path, url)
    gap = [] if links else [[False, False]]
    assert present[-3 - len(gap) :] == [[False, True], *gap, [False, True], [True, True]]
    assert mark(next(tmp_path.glob("b.replaced-*.duckdb"))).exists()


def test_a_restored_store_is_on_the_disk_before_it_takes_its_place(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(path).close()
    synced: list[int] = []
    monkeypatch.setattr("data.store.opening.os.fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    url = tmp_path / "b.duckdb"
    restore(path, f"duckdb:///{url}")
    assert [*synced[-3:]] == [file.stat().st_ino for file in (mark(url), url, tmp_path)]


@pytest.mark.slow
def test_a_restored_store_of_an_older_version_is_brought_up_to_date_and_is_all_that_is_left(tmp_path: Path) -> None:
    zipfile.ZipFile(ROOT / "tests/data/stores/009-02e00c7.zip").extractall(tmp_path / "old")
    before = every(tmp_path / "old")
    assert check_copy(tmp_path / "old" / "a.duckdb") == 11 and every(tmp_path / "old") == before
    (tmp_path / "new").mkdir()
    assert restore(tmp_path / "old" / "a.duckdb", f"duckdb:///{tmp_path}/new/b.duckdb") == (11, None)
    assert every(tmp_path / "old") == before
    assert every(tmp_path / "new").keys() == {"b.duckdb", "b.duckdb.mark"}
    at(tmp_path / "new" / "b.duckdb").close()


def test_a_backup_that_cannot_be_read_for_want_of_room_is_not_called_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = tmp_path / "b.duckdb"
    store = at(backup)
    put(store, "x")
    store.close()
    assert check_copy(backup) == 1
    before = every(tmp_path)

    def full(_: Path, to: Path) -> None:
        to.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(opening, "copy", full)
    with pytest.raises(StoreFailed, match=r"^b\.duckdb could not be read: .*No space left on device\.$"):
        check_copy(backup)
    assert every(tmp_path) == before


def test_two_who_check_a_backup_at_once_both_read_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = at(tmp_path / "a.duckdb")
    put(store, "x")
    store.backup(tmp_path / "b.duckdb")
    store.close()
    revisions: list[int] = []

    def check_meanwhile(_: object) -> list[str]:
        if not revisions:
            revisions.append(-1)
            revisions.append(check_copy(tmp_path / "b.duckdb"))
        return []

    monkeypatch.setattr("data.workspace.restore.verify", check_meanwhile)
    assert check_copy(tmp_path / "b.duckdb") == 1 and revisions == [-1, 1]


def test_what_a_killed_backup_left_goes_with_the_next_one(path: Path) -> None:
    code = (
        "import os, pathlib\nfrom data.store import open_store\n"
        f"store = open_store('duckdb:///{path}')\npathlib.Path.replace = lambda *_: os._exit(0)\n"
        f"store.backup(pathlib.Path('{path.parent}/one.duckdb'))"
    )
    before = {file.name for file in path.parent.iterdir()}
    python(code)
    store = at(path)
    assert {file.name for file in path.parent.iterdir()} - before, "the copy that was made aside is left"
    store.backup(path.parent / "two.duckdb")
    store.close()
    assert {file.name for file in path.parent.iterdir()} == {"a.duckdb", "a.duckdb.mark", "two.duckdb"}


@pytest.mark.parametrize("name", ["copy_of_store.duckdb", 'a "b".duckdb'])
def test_a_store_of_any_name_can_be_backed_up(tmp_path: Path, name: str) -> None:
    store = at(tmp_path / name)
    put(store, "x")
    store.backup(tmp_path / "backup.duckdb")
    store.close()
    assert backup_revision(tmp_path / "backup.duckdb") == 1


def test_memory_can_be_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_MEMORY", "200MB")
    store = open_store(f"duckdb:///{tmp_path}/a.duckdb")
    [(most,)] = store.rows("select current_setting('memory_limit')")
    assert most == "190.7 MiB"
    store.close()
    for no in ("lots", "0GB", "-1GB", "80%", "1GB; x"):
        monkeypatch.setenv("ASSAY_MEMORY", no)
        with pytest.raises(BadInput, match="ASSAY_MEMORY is an amount such as"):
            open_store(f"duckdb:///{tmp_path}/a.duckdb")
