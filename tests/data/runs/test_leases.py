"""A run of a workspace that several processes share is worked by one of them at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from data.records import people
from data.records.tables import RunEventRow
from data.runs import leases, runs
from data.runs.run_config import RunConfig
from data.runs.worker import LiveRun
from data.store import Store
from data.store.errors import BadInput
from judges.client.runner import RunNotice
from tests import seeds
from tests.data.runs.test_runs import config, scripted_source
from tests.postgres import Databases

pytestmark = pytest.mark.together("postgres")


@pytest.fixture
def shared_store(databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Four dialogues in PostgreSQL that nobody has judged."""
    from tests.conftest import take_databases

    counts = len(databases.opened), len(databases.named)
    take_databases(monkeypatch, databases)
    store = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(n) for n in range(1, 5)])
    people.set_person(store, "lea", "rae", "researcher")
    yield store
    runs.close(store)
    databases.tidy(*counts)


async def slow(live: LiveRun, capabilities: dict[str, str]) -> AsyncIterator[Any]:
    while not live.should_stop():
        await asyncio.sleep(0.005)
    yield RunNotice("stopped", "Stopped.")


def start_elsewhere(store: Store, run_config: RunConfig, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run that another process has begun, which has said nothing of its end."""
    run_id = runs.start(store, "rae", run_config, source=slow)
    runs.close(store)
    with monkeypatch.context() as patch:
        patch.setattr(leases, "HOLDER", "another")
        resumed = RunEventRow(f"{run_id}/2", run_id, "started", "resumed")
        store.tx("rae", "test", lambda tx: (leases.take_lease(tx, run_id), tx.append([resumed])))
    return run_id


def test_a_run_of_another_process_is_seen_refused_and_stopped_from_here(
    shared_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = start_elsewhere(shared_store, config(shared_store), monkeypatch)
    assert runs.run_progress(shared_store, run_id).state == runs.list_runs(shared_store)[0].state == "running"
    with pytest.raises(BadInput, match="goes on already"):
        runs.resume(shared_store, "rae", run_id, source=scripted_source())
    with pytest.raises(BadInput, match="already"):
        runs.start(shared_store, "rae", config(shared_store), source=scripted_source())
    runs.stop(shared_store, "lea", run_id)
    assert leases.stop_reason(shared_store, run_id).startswith("lea stopped it.")


def test_a_run_whose_process_is_silent_for_too_long_goes_on_in_another(
    shared_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LEASE_DURATION", timedelta(seconds=-1))
    run_id = start_elsewhere(shared_store, config(shared_store), monkeypatch)
    assert runs.run_progress(shared_store, run_id).state == "interrupted"
    monkeypatch.undo()
    runs.resume(shared_store, "rae", run_id, source=scripted_source())
    assert runs.wait(shared_store, run_id).state == "finished"
    with monkeypatch.context() as patch, pytest.raises(BadInput, match="taken over"):
        patch.setattr(leases, "HOLDER", "another")
        shared_store.tx("rae", "test", lambda tx: leases.renew_lease(tx, run_id))


def test_a_wish_to_stop_and_a_loss_of_the_lease_end_the_run_here(
    shared_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "STOP_CHECK_SECONDS", 0.01)
    run_id = runs.start(shared_store, "rae", config(shared_store), source=slow)
    leases.ask_to_stop(shared_store, "lea", run_id, "lea stopped it.")
    end = runs.wait(shared_store, run_id)
    assert (end.state, end.why) == ("stopped", "lea stopped it.")
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.0)
    runs.resume(shared_store, "rae", run_id, source=slow)
    with monkeypatch.context() as patch:
        patch.setattr(leases, "LEASE_DURATION", timedelta(0))
        shared_store.tx("rae", "test", lambda tx: leases.renew_lease(tx, run_id))

    def seize(tx: Any) -> None:
        leases._append(tx, run_id, "another", timedelta(seconds=60))

    shared_store.tx("rae", "test", seize)
    assert runs.wait(shared_store, run_id).state == "running", "where it goes on"
    assert shared_store.rows("select kind from run_now where run_id = $1", [run_id]) == [("started",)]

    def end(tx: Any) -> None:
        tx.append([RunEventRow(f"{run_id}/3", run_id, "finished", "")])
        leases._append(tx, run_id, "another", timedelta(0))

    shared_store.tx("rae", "test", end)
    assert runs.run_progress(shared_store, run_id).state == "finished", "as it ended there"
