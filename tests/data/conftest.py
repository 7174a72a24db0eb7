"""The planted workspace for the archives of the rooms of `data`, and how what a room gives is held against one."""

from __future__ import annotations

import logging
import re
import subprocess
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest

from data.store import open_store
from data.trail import trail
from judges.version import VERSION
from tests import seeds
from tests.archives import compare_archive
from tests.data import planted_workspace
from tests.data.planted_workspace import PlantedWorkspace
from tests.fork_server import Forked

Check = Callable[[str, Iterator[str]], None]
ROOMS = Path(__file__).with_name("rooms")


@pytest.fixture
def fork_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets what starts Python programs fork them from one that has loaded data and judges, see tests.fork_server."""
    monkeypatch.setattr(subprocess, "Popen", Forked)


@pytest.fixture(scope="session")
def planted_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PlantedWorkspace, datetime]:
    """The workspace, closed, and the time at which it was."""
    folder = tmp_path_factory.mktemp("rooms")
    store = open_store(seeds.address(folder / "planted.duckdb"))
    with planted_workspace.frozen_clock() as clock:
        workspace = planted_workspace.plant(store, clock)
        store.close()
    return folder / "planted.duckdb", workspace, clock.moment


@pytest.fixture(scope="module")
def planted_file(planted_once: tuple[Path, PlantedWorkspace, datetime]) -> tuple[Path, PlantedWorkspace, datetime]:
    """The same, so that the tests of a file stay together."""
    return planted_once


@pytest.fixture
def workspace(
    planted_file: tuple[Path, PlantedWorkspace, datetime], tmp_path: Path, shipped_cards: None
) -> Iterator[PlantedWorkspace]:
    """A copy of it, at the same time the day after."""
    seeds.copy_store(planted_file[0], tmp_path / "copy.duckdb")
    with planted_workspace.frozen_clock() as clock:
        clock.moment = planted_file[2].replace(microsecond=0)
        clock.random.seed(6)
        clock.pass_(days=1)
        store = open_store(seeds.address(tmp_path / "copy.duckdb"))
        yield PlantedWorkspace(store, clock, planted_file[1].datasets, planted_file[1].judges)
        store.close()


@pytest.fixture
def check(workspace: PlantedWorkspace, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Check:
    """Compares lines, and what was logged and changed meanwhile, with the archive of a room."""
    caplog.set_level(logging.INFO, "assay")
    before = workspace.store.newest()

    def normalize(text: str) -> str:
        text = workspace.replace_ids(text).replace(str(tmp_path), "(folder)").replace(VERSION, "(version)")
        text = re.sub(r"(\d\d:\d\d):\d\d(\.\d+)?(?!\d)", r"\1", text)
        text = re.sub(r"\bassay_[0-9a-f]{8}\b", "assay_(secret)", text)
        return re.sub(r"(?<![\w.:])\d+\.\d{4,}(e-?\d+)?", lambda match: f"{float(match[0]):.4g}", text)

    def compare(room: str, lines: Iterator[str]) -> None:
        output = [*lines, *dict.fromkeys(_format_record(record) for record in caplog.get_records("call"))]
        if room not in ("workspace", "trail"):  # whose tables are broken by then, and which tells of them itself
            entries = trail.trail_entries(
                workspace.store, trail.TrailFilter(kinds=tuple(trail.KINDS)), limit=10_000
            )
            # Runs go on beside what else is done, and into how many changes their replies come depends on time.
            new = [entry for entry in entries[::-1] if entry.seq > before and entry.kind != "replies"]
            changes = [
                f"change by {entry.actor}, {entry.kind} of {entry.dataset}: {entry.description}" for entry in new
            ]
            changes = [re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:(port)", line) for line in changes]
            output += dict.fromkeys(sorted(changes) if any(entry.kind == "runs" for entry in new) else changes)
        compare_archive(normalize("\n".join(output) + "\n"), ROOMS / f"{room}.txt", tmp_path)

    return compare


def _format_record(record: logging.LogRecord) -> str:
    facts = {name: value for name, value in getattr(record, "facts", {}).items() if not isinstance(value, float)}
    return f"log {record.levelname} {record.getMessage()} {facts}"
