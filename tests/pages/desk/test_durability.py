"""When things go wrong while somebody labels: nothing is lost, doubled, or on the wrong item."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from data.store import Store, open_store
from tests.pages.desk_driver import FIND, accept_all, all_saved, count_unsaved, enter, on_item, patiently, seeded_app
from tests.seeds import dialogues
from tests.server import Server
from tests.soak import counts

pytestmark = pytest.mark.slow

Serve = Callable[..., Server]


def mark_with(page: Any, scores: dict[str, int]) -> Callable[[str], None]:
    """Gives each item a first score of its own, so that an answer on the wrong item shows."""

    def mark(item: str) -> None:
        scores[item] = int(item[:4], 16) % 3 + 1
        page.keyboard.press(str(scores[item]))

    return mark


def check(store: Store, scores: dict[str, int]) -> None:
    """Every answer that was given is stored once, on its item, with its value."""
    rows = store.rows("select item_id, value from label_now where unit = 'turn:1' and dimension = 'context_use'")
    assert len(rows) == len({r[0] for r in rows})
    assert {item: int(value) for item, value in rows} == scores
    assert store.rows("select count(*), count(distinct item_id) from answer") == [(len(scores), len(scores))]
    assert store.rows("select item_id from label_now group by item_id having count(*) <> 14") == []


def kill(app: Server, page: Any, times: int) -> None:
    """Kill and restart the server while somebody answers; AssertionError where an answer is not where it was given."""
    enter(page, app.url, "ann")
    scores: dict[str, int] = {}
    last, alone = "", 0
    for _ in range(times):
        on_item(page, last)
        last = accept_all(page, 5, mark_with(page, scores))[-1]
        app.kill()
        if page.evaluate(f"({FIND})().dataset.item") not in ("", last):  # what was sent ahead, with no server
            last = accept_all(page, 1, mark_with(page, scores))[-1]
            alone += 1
            assert count_unsaved(page) >= 1
        app.start()
        all_saved(page)
    assert alone, "nothing was ever answered without a server: the test says nothing"
    app.stop()
    store = open_store(app.store)
    check(store, scores)
    store.close()


def test_the_server_killed_with_the_browser_open(serve: Serve, page: Any) -> None:
    kill(seeded_app(serve, 60), page, counts.BROWSER_KILLS.per_run)


def test_the_browser_closed_with_answers_that_were_not_acknowledged(serve: Serve, page: Any) -> None:
    app = seeded_app(serve, 40)
    enter(page, app.url, "ann")
    scores: dict[str, int] = {}
    for _ in range(3):
        accept_all(page, 1, mark_with(page, scores))
        all_saved(page)  # the next items have come with the word that it is
        assert app.process is not None
        os.kill(app.process.pid, signal.SIGSTOP)
        accept_all(page, 3, mark_with(page, scores))
        assert count_unsaved(page) >= 1
        context = page.context
        page.close()
        os.kill(app.process.pid, signal.SIGCONT)
        page = context.new_page()
        page.goto(f"{app.url}/desk?stream=review")
        on_item(page)
        all_saved(page)
    app.stop()
    store = open_store(app.store)
    check(store, scores)
    store.close()


def test_a_full_disk_is_said_on_the_desk_and_costs_nothing(serve: Serve, page: Any) -> None:
    """A limit on the size of the app's files stands in for a full disk: writes beyond it fail as they do there."""
    app = seeded_app(serve, 30)
    enter(page, app.url, "ann")
    scores: dict[str, int] = {}
    last = accept_all(page, 2, mark_with(page, scores))[-1]
    on_item(page, last)
    all_saved(page)
    assert app.process is not None
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    accept_all(page, 1, mark_with(page, scores))
    page.locator(".notice").get_by_text("Nothing was saved").wait_for()
    assert count_unsaved(page) == 1
    page.get_by_role("link", name="Overview").click()
    page.get_by_text("are not saved yet. They are kept in this browser. Nothing was saved").wait_for()
    page.get_by_role("link", name="Review desk").click()
    on_item(page)
    goes_on(app, page, scores)


def goes_on(app: Server, page: Any, scores: dict[str, int]) -> None:
    """Give the app room again: then all is saved, the notice goes, and the store has every answer."""
    assert app.process is not None
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    all_saved(page)
    page.locator(".notice").wait_for(state="detached")
    app.stop()
    store = open_store(app.store)
    check(store, scores)
    store.close()


FILLED = """
import os, sys
from pathlib import Path
from data.store import open_store
path = Path(sys.argv[1])
s = open_store(f"duckdb:///{path}")
log = path.with_name(path.name + ".wal")
def put(size, n):
    rows = [(os.urandom(8).hex(), "test", "x", os.urandom(size // 2).hex()) for _ in range(n)]
    s.tx("lea", "fill", lambda tx: tx.add("setting", "id, scope, name, value", rows))
put(90_000, 200)
s.close()
s = open_store(f"duckdb:///{path}")
for _ in range(500):
    left = (31 << 19) - (log.stat().st_size if log.exists() else 0)  # it is folded half a MB before the 16
    if left > 12_000:
        put(90_000 if left > 300_000 else 3_000, 1)
print(log.stat().st_size, flush=True)
os._exit(9)
"""
"""Leaves a log just short of the size at which DuckDB folds it into the file."""


def test_a_disk_that_is_full_when_the_log_is_folded_costs_nothing(serve: Serve, page: Any) -> None:
    """That ends DuckDB's database object; the desk keeps the answers, and goes on when there is space."""
    app = serve(start=False)
    dialogues(app.store_path, 30)
    command = [sys.executable, "-c", FILLED, str(app.store_path)]
    log = int(subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True).stdout)
    assert log > 16_000_000, "nothing will be folded: the test says nothing"
    app.start()
    assert app.process is not None
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, ((31 << 19) + 15_000, resource.RLIM_INFINITY))
    enter(page, app.url, "ann")
    scores: dict[str, int] = {}
    last = ""
    for _ in range(25):
        on_item(page, last)
        last = accept_all(page, 1, mark_with(page, scores))[-1]
        if not patiently(lambda: not count_unsaved(page), 3):
            break
    page.locator(".notice").get_by_text("Nothing was saved").wait_for()
    assert count_unsaved(page) == 1
    assert app.store_path.with_name("assay.duckdb.wal").stat().st_size > 31 << 19, "it was not to be folded"
    goes_on(app, page, scores)
