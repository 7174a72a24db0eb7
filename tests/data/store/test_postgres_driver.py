"""The store in PostgreSQL: one lock for all processes, copies that follow, and a database that goes away."""

from __future__ import annotations

import contextlib
import logging
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.cli import main
from data.records import invitations, logins, people, tokens
from data.records.access import Visit, find_person
from data.store import (
    Load,
    Store,
    Tx,
    base,
    hidden_rows,
    open_store,
    postgres_bulk,
    postgres_driver,
    postgres_schema,
    transfer,
)
from data.store.base import migrations
from data.store.errors import BadInput, NotAllowed, StoreDamaged, StoreFailed
from data.store.ids import new_id
from data.store.postgres_driver import PostgresStore
from data.temp_folders import folder_for
from tests.data.records.test_logins import enter
from tests.data.store.test_hidden_rows import watching
from tests.postgres import Databases, Proxy, empty_copy
from tests.seeds import count, put

pytestmark = pytest.mark.together("postgres")
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def reopen(databases: Databases, empty_database: str) -> Callable[[], PostgresStore]:
    """Opens that workspace once more, as another process would."""

    def connect() -> PostgresStore:
        store = PostgresStore(empty_database)
        databases.opened.append(store)
        return store

    return connect


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def test_what_one_writes_the_other_reads_and_each_its_own_at_once(reopen: Callable[[], PostgresStore]) -> None:
    one, two = reopen(), reopen()
    for n in range(1, 6):
        put(one if n % 2 else two, "x", n * 200)
        assert (one if n % 2 else two).newest() == n
    until(lambda: one.table_version("setting") == two.table_version("setting") == 5)
    assert count(one) == count(two) == 3000
    assert one.table_version("label") == 0, "what nobody wrote is not taken for changed"
    assert count(reopen()) == 3000, "who comes later reads all of it"


def test_changes_of_several_processes_have_numbers_without_gaps(reopen: Callable[[], PostgresStore]) -> None:
    stores = [reopen(), reopen()]
    threads = [threading.Thread(target=lambda s=s: [put(s, "x") for _ in range(10)]) for s in stores * 3]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    until(lambda: stores[0].newest() == stores[1].newest() == 60)
    for store in stores:
        assert store.rows("select count(*), count(distinct seq), max(seq) from change") == [(60, 60, 60)]


def test_whoever_is_out_in_one_process_is_out_in_the_other(reopen: Callable[[], PostgresStore]) -> None:
    """A sign-in that ended, a role that was taken, a person who was deactivated, with their token."""
    one, two = reopen(), reopen()
    people.join_workspace(one, "lea")
    people.set_person(one, "lea", "ann", "researcher")
    invitations.invite_locally(one, "ann@example.org", "", "researcher", person="ann")
    _, token = tokens.new_token(one, "ann", "t", ["read"])
    ended, holds = enter(one, "ann"), enter(one, "ann", nonce="other")
    ended_visit, other = (Visit(two, "ann", visit.login) for visit in (ended, holds))
    until(lambda: all(visit.visitor() is not None for visit in (ended_visit, other)))
    logins.sign_out(one, "ann", str(ended.login))
    until(lambda: ended_visit.visitor() is None)
    assert other.visitor() == find_person(one, "ann") == tokens.find_token(two, token)[1]
    people.set_person(one, "lea", "ann", "annotator")
    until(lambda: other.visitor() == find_person(one, "ann"))
    assert tokens.find_token(two, token)[1].role == "annotator"
    people.set_person(one, "lea", "ann", "annotator", active=False)
    until(lambda: other.visitor() is None)
    with pytest.raises(NotAllowed):
        tokens.find_token(two, token)


def test_a_try_whether_there_is_room_is_written_each_time(
    reopen: Callable[[], PostgresStore], empty_database: str
) -> None:
    """What writes nothing to the disk could not tell that it is full."""

    def wal_position() -> int:
        with psycopg.connect(empty_database) as link:
            return int(link.execute("select pg_current_wal_insert_lsn() - '0/0'").fetchall()[0][0])

    store = reopen()
    for _ in range(3):
        before = wal_position()
        store._write_nothing()
        assert wal_position() > before


def test_rows_that_a_copy_has_already_are_not_hidden_in_it(reopen: Callable[[], PostgresStore]) -> None:
    store = reopen()
    put(store, "x")
    assert not store._hide_rows(hidden_rows.HiddenRows(store.newest(), {"setting": 1}), "token")
    assert store.hidden is None and count(store) == 1


def test_an_error_in_the_middle_keeps_nothing_anywhere(reopen: Callable[[], PostgresStore]) -> None:
    one, two = reopen(), reopen()

    def work(tx: Tx) -> None:
        tx.add("setting", "id, scope, name, value", [(new_id(), "test", "x", "1")])
        assert tx.rows("select count(*) from setting") == [(1,)]
        raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        one.tx("ann", "test", work)
    put(two, "after")
    put(one, "after")
    assert count(one) == 2 == one.newest()


def test_a_change_that_writes_nothing_leaves_no_transaction_open(
    reopen: Callable[[], PostgresStore], empty_database: str
) -> None:
    store = reopen()
    assert store.tx("lea", "look", count) == 0 and store.newest() == 0
    query = "select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in trans%'"
    with psycopg.connect(empty_database, autocommit=True) as link:
        assert link.execute(query).fetchall() == [(0,)], "it would hold the lock that all changes wait for"


def test_an_empty_database_becomes_a_workspace_and_the_log_says_so(
    empty_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    elsewhere = empty_database + "&options=-csearch_path%3Dmade"
    with psycopg.connect(empty_database, autocommit=True) as link, caplog.at_level("INFO", "assay"):
        link.execute("create schema made")
        for event in ("store_made", "store_opened"):
            caplog.clear()
            open_store(elsewhere).close()
            assert [event] == [record.getMessage().split()[0] for record in caplog.records]
        link.execute("drop schema made cascade")


def test_an_older_workspace_is_brought_up_to_date_and_the_log_says_from_which_version(
    empty_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    elsewhere = empty_database + "&options=-csearch_path%3Dolder"
    *older, (newest, _, _) = migrations()
    with psycopg.connect(elsewhere, autocommit=True) as link, caplog.at_level("INFO", "assay"):
        link.execute("create schema older")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(postgres_schema, "migrations", lambda: older)
            assert postgres_schema.bring_up(link, "older")
        assert caplog.records == []
        open_store(elsewhere).close()
        [migrated, opened] = [(record.msg, record.__dict__["facts"]) for record in caplog.records]
        assert migrated[0] == "store_migrated" and opened[0] == "store_opened"
        assert (migrated[1]["from_version"], migrated[1]["to_version"]) == (older[-1][0], newest)
        link.execute("drop schema older cascade")


@pytest.mark.parametrize(
    ("error", "connection_lost"),
    [
        (psycopg.OperationalError("the server closed the connection"), True), (psycopg.errors.AdminShutdown(), True),
        (psycopg.errors.ConnectionFailure(), True), (psycopg.errors.DiskFull(), False),
        (psycopg.errors.QueryCanceled(), False), (psycopg.InterfaceError("closed"), False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)  # fmt: skip
def test_which_errors_say_that_the_connection_is_lost(error: psycopg.Error, connection_lost: bool) -> None:
    assert postgres_driver._is_connection_error(error) is connection_lost


def test_what_is_no_workspace_is_refused_in_a_sentence(databases: Databases, empty_database: str) -> None:
    with psycopg.connect(empty_database, autocommit=True) as link:
        link.execute("insert into migration values (999, 'future', now())")
        with pytest.raises(StoreDamaged, match="newer Assay"):
            open_store(empty_database)
        link.execute("delete from migration where version = 999")
        link.execute("create schema other")
        link.execute("create table other.cats (name text)")
    with pytest.raises(BadInput, match=r"something else \(cats\)"):
        open_store(empty_database + "&options=-csearch_path%3Dother")
    with pytest.raises(BadInput, match="no schema"):
        open_store(empty_database + "&options=-csearch_path%3Dnowhere")
    with pytest.raises(StoreFailed, match=r"nobody_made_it on this machine refuses .* how many connections"):
        open_store(databases.address("nobody_made_it"))
    for wrong in ("host/name?colour=green", "u:pass/word@host/name", "u:pass@word@host/name", "u:pass%word@host/name"):
        with pytest.raises(BadInput, match=r"postgresql://person:password@host/database, and in a password %2F for /"):
            open_store(f"postgresql://{wrong}")
    with psycopg.connect(empty_database, autocommit=True) as link:
        link.execute("drop schema other cascade")


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("lea:pa[ss#wo?rd@db.example:5432/assay", "assay on db.example"),
        ("lea@[::1]/assay", "assay on ::1"),
        ("/assay?host=db.example&password=secret", "assay on db.example"),
        ("/assay?host=/run/postgresql", "assay on this machine"),
        ("", "postgres on this machine"),
    ],
)
def test_a_database_is_named_as_its_own_library_reads_the_address(address: str, name: str) -> None:
    assert postgres_schema.store_name(f"postgresql://{address}") == name


def test_workspaces_in_several_schemas_leave_each_other_alone(empty_database: str) -> None:
    with psycopg.connect(empty_database, autocommit=True) as link:
        query = "select viewname from pg_views where schemaname = 'public' order by 1"
        before = link.execute(query).fetchall()
        link.execute('create schema "Team"')
        with contextlib.closing(open_store(empty_database + "&options=-csearch_path%3D%22Team%22,public")) as store:
            put(store, "x")
            assert count(store) == 1
        assert link.execute(query).fetchall() == before
        link.execute('drop schema "Team" cascade')
    with contextlib.closing(open_store(empty_database)) as store:
        assert count(store) == 0


def test_a_store_that_is_brought_up_to_date_elsewhere_takes_no_more_here(
    reopen: Callable[[], PostgresStore], empty_database: str
) -> None:
    store = reopen()
    with psycopg.connect(empty_database, autocommit=True) as link:
        link.execute("insert into migration values (999, 'future', now())")
        with pytest.raises(StoreFailed, match="Start the newer version"):
            put(store, "x")
        link.execute("delete from migration where version = 999")
    put(store, "x")
    assert store.newest() == 1


def test_a_connection_waits_as_long_as_a_change_may_take_whatever_the_server_says(empty_database: str) -> None:
    with postgres_schema.connect(empty_database) as link:
        names = ("lock_timeout", "idle_in_transaction_session_timeout", "statement_timeout", "datestyle")
        settings = [link.execute(f"show {name}".encode()).fetchall()[0][0] for name in names]
    assert settings == ["2min", "2min", "0", "ISO, YMD"]


def test_a_change_is_tried_until_the_database_is_back(
    reopen: Callable[[], PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_driver, "_RETRY_SECONDS", 0.0)
    answers = iter([*[psycopg.OperationalError("the connection is lost")] * 3, "saved"])

    def write() -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert reopen()._write_with_retries(write) == "saved"


def test_an_older_state_in_its_place_is_noticed(reopen: Callable[[], PostgresStore], empty_database: str) -> None:
    store = reopen()
    put(store, "x")
    put(store, "y")
    with psycopg.connect(empty_database, autocommit=True) as link:
        for table in ("change", "setting", "wrote"):
            link.execute(f"delete from {table} where seq = 2".encode())
    with pytest.raises(StoreFailed, match="no longer holds revision 2"):
        put(store, "z")
    with pytest.raises(StoreFailed, match="Start Assay again"):
        count(store)
    until(lambda: f"store {store.name}" not in {thread.name for thread in threading.enumerate()})
    other = reopen()
    assert count(other) == 1
    for name in ("y", "z"):
        put(other, name)
    with pytest.raises(StoreFailed, match="Start Assay again"):
        put(store, "z")  # although there are as many changes again
    assert count(other) == 3


def test_without_its_packages_it_says_what_to_install() -> None:
    code = (
        "import sys\nsys.modules['psycopg'] = None\nfrom data.store import open_store\n"
        "from data.store.errors import BadInput\n"
        "try: open_store('postgresql://x/y')\nexcept BadInput as e: print(e)"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "pip install -r requirements-postgres.txt" in out


def test_every_table_has_an_index_on_its_changes_and_orders_texts_by_bytes(empty_database: str) -> None:
    with psycopg.connect(empty_database) as link:
        tables = {t for (t,) in link.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()}
        indexed = link.execute("select tablename, indexdef from pg_indexes where schemaname = 'public'").fetchall()
        of_text = link.execute(
            "select distinct collation_name from information_schema.columns c join information_schema.tables t using "
            "(table_name, table_schema) where table_schema = 'public' and data_type = 'text' and t.table_type = "
            "'BASE TABLE' and table_name not in ('migration', 'wrote')"
        ).fetchall()
        done = link.execute("select count(*) from migration").fetchall()
    assert {t for t, definition in indexed if "(seq)" in definition} == tables - {"migration"}
    assert of_text == [("C",)]
    assert done == [(len(migrations()),)]


class Views:
    """A connection that knows of views alone: one is dropped with all that rest on it, and rests on what is there."""

    def __init__(self) -> None:
        self.there: dict[str, str] = {}

    def execute(self, sql: str | bytes, _: object = None) -> list[tuple[str]]:
        text = sql.decode() if isinstance(sql, bytes) else sql
        if creation := re.match(r"create (?:or replace )?view (\w+)", text):
            assert set(re.findall(r"from (v_\w+)", text)) <= self.there.keys(), f"{text} rests on what is not there"
            self.there[creation[1]] = text
        if drop := re.match(r"drop view if exists (\w+) cascade", text):
            self._drop(drop[1])
        return [(name,) for name in self.there]

    def _drop(self, name: str) -> None:
        self.there.pop(name, None)
        for other in [other for other, text in self.there.items() if re.search(rf"from {name}\b", text)]:
            self._drop(other)


def test_views_that_go_with_one_that_is_replaced_are_made_anew_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = [
        "create view v_one as select 1 from t;\ncreate view v_two as select 1 from v_one;\n",
        "create view v_three as select 3 from v_one;\ncreate or replace view v_two as select 2 from v_three;\n",
        "create or replace view v_one as select 4 from t;\n",
    ]
    versions = [(number, "title", sql) for number, sql in enumerate(scripts, 1)]
    monkeypatch.setattr(postgres_schema, "migrations", lambda: versions)
    link: Any = Views()
    for number, title, sql in versions:
        postgres_schema._script(link, sql, number, title)
    assert link.there == {
        "v_one": "create or replace view v_one as select 4 from t",
        "v_three": "create view v_three as select 3 from v_one",
        "v_two": "create or replace view v_two as select 2 from v_three",
    }


@pytest.mark.slow
def test_what_was_confirmed_survives_a_crash_of_the_database(
    databases: Databases, reopen: Callable[[], PostgresStore]
) -> None:
    """It is started anew at once, under the load of two processes: 0 lost, 0 doubled, and both go on by themselves."""
    stores, confirmed, ended = [reopen(), reopen()], list[str](), threading.Event()

    def load(store: PostgresStore) -> None:
        while not ended.is_set():
            name = new_id()
            try:
                put(store, name)
            except StoreFailed:
                continue
            confirmed.append(name)

    threads = [threading.Thread(target=load, args=(s,)) for s in stores]
    for t in threads:
        t.start()
    for crash in range(1, 4):
        until(lambda least=crash * 10: len(confirmed) >= least)
        databases.restart()
    more = len(confirmed) + 10
    until(lambda: len(confirmed) >= more)
    ended.set()
    for t in threads:
        t.join()
    until(lambda: stores[0].newest() == stores[1].newest())
    for store in [*stores, reopen()]:
        names = [name for (name,) in store.rows("select name from setting")]
        assert len(names) == len(set(names)) and set(confirmed) <= set(names)
        assert store.newest() == len(names)


@pytest.fixture
def proxy(databases: Databases) -> Iterator[Proxy]:
    server = Proxy(databases.folder)
    yield server
    server.close()


@pytest.fixture
def through(databases: Databases, empty_database: str, proxy: Proxy) -> PostgresStore:
    """The workspace through the proxy, with one change; nothing is heard but what its own calls ask."""
    path = empty_database.partition("?")[0].replace("@/", f"@127.0.0.1:{proxy.port}/")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PostgresStore, "_listen", lambda self: None)
        store = PostgresStore(path)
    databases.opened.append(store)
    put(store, "first")
    return store


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_change_whose_connection_ends_during_the_commit_is_there_once(
    reopen: Callable[[], PostgresStore], through: PostgresStore, proxy: Proxy, when: str
) -> None:
    """It is cut before the server has the message that ends the change, or when its answer is on the way back."""
    proxy.cut = when
    put(through, "cut")
    assert not proxy.cut, "it was cut"
    put(through, "after")
    for store in (through, reopen()):
        assert [name for (name,) in store.rows("select name from setting order by seq")] == ["first", "cut", "after"]
        assert store.newest() == 3


def test_a_change_takes_a_new_connection_where_the_database_is_back_and_nobody_has_heard_of_it_yet(
    reopen: Callable[[], PostgresStore], through: PostgresStore
) -> None:
    """Its first try is on the connection from before; by the thread that listens the database is away for long."""
    assert through._link is not None
    with postgres_schema.connect(reopen().url) as link:
        link.execute("select pg_terminate_backend(%s)", [through._link.info.backend_pid])
    through._lost_since = time.monotonic() - 60
    put(through, "after")
    assert count(through) == 2


def test_a_change_that_is_cut_off_each_time_is_given_up_though_the_thread_that_listens_hears_the_database(
    reopen: Callable[[], PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, tries = reopen(), list[int]()
    monkeypatch.setattr(postgres_driver, "GRACE_SECONDS", 0.05)
    monkeypatch.setattr(postgres_driver, "_RETRY_SECONDS", 0.03)

    def cut_off() -> None:
        tries.append(1)
        assert len(tries) < 100, "it goes on for ever"
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    with pytest.raises(StoreFailed, match="Nothing was saved"):
        store._write_with_retries(cut_off)
    assert len(tries) > 1 and not store._away_seconds()


def test_reads_go_on_while_only_the_thread_that_listens_has_no_time(
    reopen: Callable[[], PostgresStore], through: PostgresStore, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_driver, "POLL_SECONDS", 0.0)
    put(reopen(), "elsewhere")
    through._lost_since = time.monotonic() - 60
    assert count(through) == 2, "it was asked, and what came meanwhile is read"
    proxy.close()
    through._lost_since = time.monotonic() - 60
    with pytest.raises(StoreFailed, match=r"has not answered for 6. seconds"):
        count(through)


def test_a_copy_that_cannot_follow_says_why_and_follows_when_it_can(
    reopen: Callable[[], PostgresStore], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> Iterator[Path]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(postgres_driver, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(postgres_driver, "POLL_SECONDS", 0.0)
    store, other = reopen(), reopen()
    with monkeypatch.context() as full:
        full.setattr(transfer, "fetch", fail)
        put(store, "x")
        until(lambda: bool(other._obstacle) and not other._listening.is_set())
        with pytest.raises(StoreFailed, match=r"what others saved cannot be taken in\. No space left on device\. When"):
            count(other)
    until(lambda: other._seq == 1 and other._listening.is_set())
    assert count(other) == 1 and not other._obstacle
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]  # whatever the level is
    assert [record.__dict__["facts"]["what"] for record in warnings] == ["The copy is behind"]
    with monkeypatch.context() as full:
        full.setattr(transfer, "MAX_ROWS_AS_VALUES", 0)
        full.setattr(transfer, "folder_for", fail)
        with pytest.raises(StoreFailed, match=r"the folder for temporary files: No space left on device\. Check"):
            put(store, "y")
    put(store, "y")
    assert count(store) == 2


@pytest.mark.parametrize(
    ("port_and_settings", "reason"),
    [
        ("1/name", r"Connection refused"),
        ("1/name?sslmode=sometimes", r'invalid sslmode value: "sometimes"'),
        ("99999/name", r'invalid port number: "99999"'),
    ],
)
def test_why_a_database_does_not_answer_is_said(port_and_settings: str, reason: str) -> None:
    with pytest.raises(StoreFailed, match=rf"the database name on 127.0.0.1 does not answer \({reason}\); see"):
        open_store(f"postgresql://lea:secret@127.0.0.1:{port_and_settings}")


def test_the_folder_for_temporary_files_may_have_any_name(
    reopen: Callable[[], PostgresStore], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = reopen()
    (tmp_path / "o'b [x]*").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "o'b [x]*"))
    monkeypatch.setattr(transfer, "MAX_ROWS_AS_VALUES", 0)
    put(store, "x")
    assert count(reopen()) == 1
    with contextlib.ExitStack() as spilled:
        empty_copy(spilled).close()


def test_a_command_whose_database_is_away_is_not_told_to_wait(
    through: PostgresStore, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    proxy.close()
    monkeypatch.setenv("ASSAY_STORE", through.url)
    assert main(["progress", "--dataset", "demo"]) == 1
    assert "the app goes on by itself; a command that has ended must be run again" in capsys.readouterr().err


def test_the_folder_of_a_copy_goes_when_the_next_one_is_made_or_is_not(
    reopen: Callable[[], PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[Path] = []

    @contextlib.contextmanager
    def record_folder(kind: str) -> Iterator[Path]:
        with folder_for(kind) as folder:
            folders.append(folder)
            yield folder

    def fail(*_: object) -> None:
        raise StoreFailed("It went away.")

    monkeypatch.setattr(postgres_driver, "empty_copy", empty_copy)
    monkeypatch.setattr(postgres_driver, "folder_for", record_folder)
    store = reopen()
    store._con = None
    assert count(store) == 0
    assert [folder.exists() for folder in folders] == [False, True]
    store._con = None
    with monkeypatch.context() as away:
        away.setattr(transfer, "fetch", fail)
        with pytest.raises(StoreFailed, match="went away"):
            count(store)
    assert not folders[2].exists()
    store.close()
    assert not any(folder.exists() for folder in folders)
    with pytest.raises(StoreFailed, match=r"is closed\. Start Assay again\."):
        count(store)


@pytest.fixture
def bulk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Load]:
    """A file with 1,000 settings, which is a large import here."""
    monkeypatch.setattr(hidden_rows, "MIN_ROWS", 1_000)
    rows = {name: [f"{name}{n}" for n in range(1_000)] for name in ("id", "name", "value")}
    pq.write_table(pa.table(rows | {"scope": ["test"] * 1_000}), tmp_path / "bulk.parquet")
    return [Load("setting", "id, scope, name, value", tmp_path / "bulk.parquet")]


def bring(store: Store, bulk: list[Load]) -> None:
    store.tx("lea", "import", lambda tx: [tx.load(*load) for load in bulk], "", bulk)


def remaining_rows(address: str) -> tuple[int, int]:
    """Rows of settings in the database itself, and what is said of bulks that came to no end."""
    with psycopg.connect(address) as link:
        rows = link.execute("select count(*) from setting").fetchall()[0][0]
        return int(rows), len(postgres_bulk.reservations(link))


def test_a_large_import_keeps_nobody_waiting_and_is_seen_at_once(
    reopen: Callable[[], PostgresStore], bulk: list[Load], empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows are in both copies, hidden, before anybody waits for it."""
    one, two = reopen(), reopen()
    really, hidden = postgres_bulk.wait_for_copies, list[str]()

    def look(store: Store, came: int, table: str) -> int:
        return int(store.rows(f"select count(*) from {table} where seq = $1", [came])[0][0])

    def wait(link: postgres_schema.Link, bulk_rows: hidden_rows.HiddenRows) -> None:
        until(lambda: two._copying.locked())
        for store in (one, two):
            put(store, "meanwhile")
        until(lambda: count(one) == count(two) == 2)
        really(link, bulk_rows)
        hidden.append(two._staged)
        assert two.previews == one.previews == {look: (hidden_rows.RESERVED_CHANGES, 1_000)}, "both have looked at them"
        put(two, "later")

    monkeypatch.setattr(postgres_bulk, "wait_for_copies", wait)
    monkeypatch.setattr(base, "PREVIEW_FUNCTIONS", [("setting", look)])
    bring(one, bulk)
    assert hidden[0]
    until(lambda: two.newest() == one.newest() == hidden_rows.RESERVED_CHANGES)
    until(lambda: not two._copying.locked())
    assert two._staged == hidden[0]
    for store in (one, two, reopen()):
        assert store.hidden is None and count(store) == 1_003
        assert not store.rows("select 1 from information_schema.tables where table_name like '%whole'")
    put(two, "after")
    assert two.newest() == hidden_rows.RESERVED_CHANGES + 1 and remaining_rows(empty_database) == (1_004, 0)


@pytest.mark.slow
def test_a_large_import_that_comes_to_no_end_leaves_nothing(
    reopen: Callable[[], PostgresStore], bulk: list[Load], empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused at the end; or its process ends in the middle, and another one, a start or an import cleans up."""
    one, two = reopen(), reopen()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def refuse(tx: Tx) -> None:
        assert not tx.rows("select 1 from setting limit 1"), "not seen before it is loaded"
        assert tx.load(*bulk[0]) == 1_000 and tx.rows("select count(*) from setting") == [(1_000,)]
        raise BadInput("No.")

    with watching(lambda: count(one)) as counts, pytest.raises(BadInput):
        one.tx("lea", "import", refuse, "", bulk)
    assert len(counts) >= 4 and {*counts} == {0}, "no reader misses a table while it is hidden, and shown again"
    assert remaining_rows(empty_database) == (0, 0)
    put(two, "x")
    put(one, "y")
    ways: list[Callable[[], object]] = [lambda: None, reopen, lambda: bring(one, bulk)]
    for times, clean in enumerate(ways):
        with monkeypatch.context() as patch:
            patch.setattr(postgres_bulk, "delete_unfinished_rows", lambda *_: None)
            patch.setattr(postgres_bulk, "wait_for_copies", interrupt)
            if times:
                patch.setattr(PostgresStore, "_stage_rows", lambda *_: None)
            with pytest.raises(KeyboardInterrupt):
                bring(one, bulk)
            assert remaining_rows(empty_database) == (1_002 + times, 1)
            put(two, "x")
            assert count(two) == 3 + times
        clean()
        until(lambda rows=3 + times: remaining_rows(empty_database) in ((rows, 0), (1_000 + rows, 0)))
    until(lambda: count(two) == count(one) == count(reopen()) == 1_005)


def test_a_large_import_whose_connection_ends_says_so_and_goes_through_later(
    through: PostgresStore, proxy: Proxy, bulk: list[Load]
) -> None:
    proxy.cut = "before"
    with pytest.raises(StoreFailed, match=r"^Nothing was saved: the database \w+ on 127.0.0.1 does not answer"):
        bring(through, bulk)
    assert not proxy.cut and count(through) == 1
    bring(through, bulk)
    assert count(through) == 1_001


def test_what_the_server_refuses_is_said_with_what_to_do(
    databases: Databases, reopen: Callable[[], PostgresStore], empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = empty_database.partition("@/")[2].partition("?")[0]
    with psycopg.connect(empty_database, autocommit=True) as link:
        for setting in ("default_transaction_read_only = on", "idle_session_timeout = 3600000"):
            link.execute(f"alter database {name} set {setting}".encode())
    store = reopen()
    with pytest.raises(StoreFailed, match=r"is read-only. Name the server that takes changes"):
        put(store, "x")
    with psycopg.connect(empty_database, autocommit=True) as link:
        link.execute("set default_transaction_read_only = off")
        link.execute(f"alter database {name} reset all".encode())
        put(store, "x")
        assert store._link and store._link.execute("show idle_session_timeout").fetchall() == [("0",)]
        for state, message in {"53100": "Make room there", "XX000": "says not so"}.items():
            link.execute(
                f"create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception "
                f"'not so' using errcode = '{state}'; end $$".encode()
            )
            link.execute("create or replace trigger refuse before insert on setting execute function refuse()")
            with pytest.raises(StoreFailed, match=message):
                put(store, "y")
        link.execute("drop trigger refuse on setting")
        link.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'assay'")
        put(store, "z")
        assert store.newest() == count(store) == 2
        link.execute("create role guest login")
        rules = databases.folder / "pg_hba.conf"
        rules_text = rules.read_text()
        try:
            rules.write_text("local all guest scram-sha-256\n" + rules_text)
            link.execute("select pg_reload_conf()")
            with pytest.raises(StoreFailed, match=r"refuses the connection: password .* check name, password"):
                open_store(empty_database.replace("postgres@", "guest:wrong@"))
        finally:
            rules.write_text(rules_text)
            link.execute("drop role guest")
    monkeypatch.setattr(postgres_schema, "_OLDEST", 10**9)
    with pytest.raises(BadInput, match="13 or later is needed"):
        open_store(empty_database)


def test_no_page_can_show_the_password_of_the_database(databases: Databases, empty_database: str) -> None:
    """A store's name has no password in it, and what pages hold has no address at all."""
    with contextlib.closing(open_store(empty_database.replace("postgres@", "postgres:opensesame@"))) as store:
        assert "opensesame" not in store.name
        visit = Visit(store, "lea")
        assert visit.name == store.name and not hasattr(visit, "url")


def test_hidden_rows_of_another_change_are_left_where_they_are(reopen: Callable[[], PostgresStore]) -> None:
    store, change = reopen(), hidden_rows.HiddenRows(9, {})
    store.hidden = change
    store._discard_hidden_rows(hidden_rows.HiddenRows(9, {}))
    assert store.hidden is change
    store._discard_hidden_rows(change)
    assert store.hidden is None
