"""Backups by the plan: one process makes each, all of it is read, and nothing but its own oldest goes."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from data.records import people
from data.records.names import BACKUP_ACTOR
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed, StoreFailed
from data.workspace import backups, figures, schedule
from data.workspace.schedule import RETRY_AFTER, BackupPlan
from tests import seeds


class Clock:
    """The time of the plan, which a test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 31, 12)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in ("schedule", "backups"):
        monkeypatch.setattr(f"data.workspace.{module}.now", clock)
    monkeypatch.setattr("data.store.base.now", clock)
    return clock


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Store:
    store = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(1)])
    schedule.set_backup_plan(store, "lea", BackupPlan(6, 2))
    return store


@pytest.mark.together("postgres")
def test_of_a_database_somebody_has_to_say_where_its_backups_go(
    empty_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_BACKUPS", raising=False)
    store = open_store(empty_database)
    with pytest.raises(BadInput, match="Name one in ASSAY_BACKUPS"):
        backups.backup_folder(store)
    people.join_workspace(store, "lea")
    with pytest.raises(BadInput, match="Name one in ASSAY_BACKUPS"):
        schedule.set_backup_plan(store, "lea", BackupPlan(6, 2))
    schedule.set_backup_plan(store, "lea", BackupPlan(0, 2))
    assert figures.backup_age(store) is None
    monkeypatch.setenv("ASSAY_BACKUPS", str(tmp_path))
    assert backups.backup_folder(store) == tmp_path
    store.close()


def names(store: Store) -> list[str]:
    return [backup.name for backup in backups.list_backups(store)]


def kinds(store: Store) -> list[str]:
    return [str(row[0]) for row in store.rows("select kind from export order by seq")]


@pytest.mark.slow
def test_one_is_made_when_it_is_due_read_as_a_whole_and_can_be_opened(store: Store, clock: Clock) -> None:
    file = schedule.run_due(store)
    assert file is not None and names(store) == [file.name] and kinds(store) == ["backup begun", "backup"]
    [backup] = backups.list_backups(store)
    assert (backup.by, backup.revision) == (BACKUP_ACTOR, store.newest() - 1)
    copy = open_store(f"duckdb:///{file}", accept=True)
    assert copy.rows("select count(*) from item") == [(1,)]
    copy.close()
    clock.now += timedelta(hours=5, minutes=59)
    assert schedule.run_due(store) is None and kinds(store)[2:] == []
    assert schedule.backup_state(store).due_at(BackupPlan(6, 2)) == clock.now + timedelta(minutes=1)
    store.close()


def test_of_several_processes_one_makes_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "_check", lambda _: None)
    with ThreadPoolExecutor(8) as pool:
        files = [file for file in pool.map(lambda _: schedule.run_due(store), range(8)) if file]
    assert len(files) == 1 and names(store) == [files[0].name]
    store.close()


def test_its_oldest_go_and_no_others(store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "_check", lambda _: None)
    manual = {backups.make_backup(store, "lea").name for _ in range(2)}
    assert len(manual) == 2, "two of one second are two"
    alien = backups.backup_folder(store) / "mine.duckdb"
    alien.write_bytes(b"of somebody")
    own = []
    for _ in range(4):
        clock.now += timedelta(hours=6)
        file = schedule.run_due(store)
        assert file is not None
        own.append(file.name)
    assert set(names(store)) == manual | {"mine.duckdb", *own[2:]}
    assert kinds(store).count(schedule.REMOVED) == 2
    store.close()


def test_one_that_can_no_longer_be_opened_is_no_backup_that_is_kept_and_none_that_has_an_age(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "_check", lambda _: None)
    monkeypatch.setattr(figures, "now", clock)
    assert figures.backup_age(store) is None
    own = []
    for _ in range(3):
        clock.now += timedelta(hours=6)
        file = schedule.run_due(store)
        assert file is not None
        own.append(file)
        if len(own) == 2:
            file.write_bytes(b"what a broken disk has left")
    assert set(names(store)) == {file.name for file in own}, "two sound ones are kept, and the other is not removed"
    for file, age in zip(own, (60, 0, 30), strict=True):
        os.utime(file, 2 * (clock.now.replace(tzinfo=UTC).timestamp() - age,))
    assert figures.backup_age(store) == 30
    metrics = {metric.name: metric.values for metric in figures.read_metrics(store)}
    assert metrics["backup_age_seconds"] == {(): 30} and metrics["queue_items"][("stream", "audit"),] == 0
    store.close()


def test_each_of_many_backups_is_opened_once_and_again_only_while_it_cannot_be(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = backups.backup_folder(store)
    place.mkdir()
    for number in range(1_000):
        (place / f"{number}.duckdb").touch()
    (place / "nowhere.duckdb").symlink_to("nothing")
    opened: list[str] = []

    def revision(file: Path) -> int:
        opened.append(file.name)
        if opened.count("7.duckdb") == 1 and file.name == "7.duckdb":
            raise StoreFailed("Too many open files.")
        return 3

    monkeypatch.setattr("data.workspace.restore.backup_revision", revision)
    first, second, third = (
        {backup.name: backup.revision for backup in backups.list_backups(store)} for _ in range(3)
    )
    assert first == second | {"7.duckdb": None} and second == third == {f"{n}.duckdb": 3 for n in range(1_000)}
    assert len(opened) == 1_001
    store.close()


def test_a_folder_without_rights_is_named_in_a_sentence(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    file = backups.make_backup(store, "lea")
    monkeypatch.setattr(Path, "exists", refuse)
    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(StoreFailed, match=r"was not made: Permission denied\. "):
        backups.make_backup(store, "lea")
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(StoreFailed, match=r"cannot be removed: Permission denied\. Check the rights\."):
        backups.remove_backup(store, "lea", file.name, schedule.REMOVED)
    assert kinds(store) == [backups.MADE]
    store.close()


def refuse(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_a_clock_that_was_ahead_and_is_set_back_keeps_no_backup_from_being_made_and_kept(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "_check", lambda _: None)
    file_names = []
    for step in (timedelta(days=365), timedelta(hours=6), timedelta(days=-365), timedelta(hours=6)):
        clock.now += step
        file = schedule.run_due(store)
        assert file is not None
        os.utime(file, 2 * (clock.now.replace(tzinfo=UTC).timestamp(),))
        file_names.append(file.name)
    assert set(names(store)) == set(file_names[2:]), "the two that were made last"
    monkeypatch.setattr(figures, "now", clock)
    ahead = backups.backup_folder(store) / file_names[2]
    os.utime(ahead, 2 * (clock.now.replace(tzinfo=UTC).timestamp() + 1e6,))
    assert figures.backup_age(store) == 0, "of the other one, not less than nothing"
    clock.now -= timedelta(minutes=1)
    assert schedule.run_due(store) is None, "another process's clock may be a little behind"
    store.close()


@pytest.mark.slow
def test_one_that_fails_is_told_leaves_nothing_and_is_tried_again(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write = backups.write_backup

    def full(*_: object) -> None:
        raise StoreFailed("The disk is full.")

    monkeypatch.setattr(backups, "write_backup", full)
    assert schedule.run_due(store) is None
    assert schedule.backup_state(store).failed == "The disk is full."
    assert schedule.run_due(store) is None and kinds(store) == ["backup begun", "backup failed"], "not at once"

    def half(store: Store, file: Path) -> None:
        write(store, file)
        with file.open("r+b") as stream:
            stream.truncate(file.stat().st_size // 2)

    monkeypatch.setattr(backups, "write_backup", half)
    clock.now += RETRY_AFTER
    assert schedule.run_due(store) is None
    assert "could not be read as a whole" in schedule.backup_state(store).failed and names(store) == []
    monkeypatch.setattr(backups, "write_backup", write)
    monkeypatch.setattr(schedule, "_check", lambda _: None)
    clock.now += RETRY_AFTER
    assert schedule.run_due(store) is not None and schedule.backup_state(store).failed == ""
    assert [record.msg for record in caplog.records].count("backup_failed") == 2
    store.close()


def test_the_process_that_reads_it_keeps_to_the_memory_that_is_allowed_and_has_no_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environments: list[dict[str, str]] = []

    def run(command: list[str], env: dict[str, str], **_: object) -> subprocess.CompletedProcess[bytes]:
        environments.append(env)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    for name in ("ASSAY_MEMORY", "ASSAY_TOKEN", "OPENAI_API_KEY", "OTHER"):
        monkeypatch.setenv(name, "200MB")
    schedule._check(tmp_path / "a.duckdb")
    [environment] = environments
    assert environment["ASSAY_MEMORY"] == environment["OTHER"] == "200MB"
    assert not {"ASSAY_TOKEN", "OPENAI_API_KEY"} & environment.keys()


def test_one_that_was_cut_off_is_told_and_made_again(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "_check", lambda _: None)
    assert schedule._claim(store) is not None, "begun by a process that was killed then"
    assert schedule.backup_state(store).failed == "" and schedule.run_due(store) is None
    clock.now += RETRY_AFTER + timedelta(minutes=1)
    assert schedule.backup_state(store).failed == "It was begun, and never ended."
    assert schedule.run_due(store) is not None
    store.close()


def test_a_plan_is_a_leads_and_has_bounds(store: Store, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    with pytest.raises(NotAllowed):
        schedule.set_backup_plan(store, "ann", BackupPlan())
    for wrong in (BackupPlan(-1), BackupPlan(745), BackupPlan(1, 0), BackupPlan(1, 1_001)):
        with pytest.raises(BadInput):
            schedule.set_backup_plan(store, "lea", wrong)
    for least_or_most in (BackupPlan(0, 1), BackupPlan(744, 1_000)):
        assert least_or_most.check() is least_or_most
    schedule.set_backup_plan(store, "lea", BackupPlan(0, 2))
    clock.now += timedelta(days=365)
    assert schedule.run_due(store) is None, "none is made without a plan"
    monkeypatch.setattr(schedule, "_check", lambda _: None)
    schedule.set_backup_plan(store, "lea", BackupPlan(1, 2))
    assert schedule.run_due(store) is not None, "one every hour"
    store.close()
