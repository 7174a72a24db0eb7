"""Several real processes on one workspace in PostgreSQL: what one does counts for all, and nothing of it is lost."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import datasets, people
from data.store import Store, open_store
from tests import seeds
from tests.fork_server import Forked
from tests.postgres import Databases

pytestmark = pytest.mark.together("postgres")
ROOT = Path(__file__).resolve().parents[3]
ITEMS = 60
LABELLING = """
import sys, time
from pathlib import Path
from data.desk import desk, labels
from data.queue import queue
from data.records import datasets
from data.store import open_store
from data.store.ids import new_id
from tests.data.desk.test_races import answer
address, person, both_began = sys.argv[1:]
store = open_store(address)
found = datasets.dataset_named(store, "demo")
count = 0
while given := queue.claim_items(store, person, found.id, "review", queue.QueueFilters(), [], 1):
    key = new_id()
    sent = answer(given[0].item, given[0].draw, key, [("turn:1", "helpfulness", 4.0)]) | {"person": person}
    saved, refused = labels.save_answers(store, person, [sent])
    assert [s.key for s in saved] == [key], refused
    print(key, given[0].item, flush=True)
    count += 1
    while count == 5 and not Path(both_began).exists():
        time.sleep(0.01)
"""
"""Answer all that there is; after five items, wait until the other process has as many."""


@pytest.fixture
def address(databases: Databases, tmp_path: Path) -> Iterator[str]:
    """A workspace with items in the review queue, two annotators, and nobody at work."""
    counts = len(databases.opened), len(databases.named)
    address = databases.address_of(tmp_path)
    store = open_store(address)
    for name in ("lea", "ann", "ben"):
        people.join_workspace(store, name)
    items = [seeds.dialogue(n, turns=1) for n in range(1, ITEMS + 1)]
    file = seeds.lines(tmp_path / "a.jsonl", [*items, *(seeds.judgment(i) for i in items)])
    import_source(store, "lea", from_path(file), ImportPlan(dataset="demo"))
    dataset = datasets.dataset_named(store, "demo")
    queue.fill_review(store, "lea", dataset.id, datasets.dataset_judges(store, dataset.id)[0].id, limit=ITEMS)
    store.close()
    yield address
    databases.tidy(*counts)


def read_lines(file: Path) -> list[list[str]]:
    return [line.split() for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]


def check(store: Store, acknowledged: list[list[str]]) -> None:
    rows = store.rows("select id, item_id from answer")
    items = [item for _, item in rows]
    assert len(items) == len(set(items)), "an item went to two people"
    keys = [key for key, _ in rows]
    assert all(keys.count(key) == 1 for key, _ in acknowledged), "what was acknowledged is there once"
    assert store.rows("select count(*) from (select answer_id from label group by answer_id having count(*) <> 1)") == [
        (0,)
    ]


@pytest.mark.slow
def test_two_processes_share_a_queue_and_one_that_is_killed_loses_nothing(address: str, tmp_path: Path) -> None:
    started = []
    for person in ("ann", "ben"):
        with (tmp_path / person).open("w") as out:
            command = [sys.executable, "-c", LABELLING, address, person, str(tmp_path / "both began")]
            started.append(Forked(command, cwd=ROOT, stdout=out, stderr=subprocess.PIPE))
    end = time.monotonic() + 120
    while len(read_lines(tmp_path / "ann")) < 5 or len(read_lines(tmp_path / "ben")) < 5:
        assert time.monotonic() < end and started[0].poll() is None, started[0].stderr
        time.sleep(0.01)
    (tmp_path / "both began").touch()
    while len(read_lines(tmp_path / "ann")) < 7 and started[0].poll() is None:
        time.sleep(0.001)
    started[0].kill()
    started[0].wait()
    assert started[1].wait(180) == 0, started[1].stderr.read() if started[1].stderr else ""
    store = open_store(address)
    check(store, [*read_lines(tmp_path / "ann"), *read_lines(tmp_path / "ben")])
    assert len(read_lines(tmp_path / "ann")) + len(read_lines(tmp_path / "ben")) >= ITEMS - 2, (
        "one claim ended with its process"
    )
    store.close()
