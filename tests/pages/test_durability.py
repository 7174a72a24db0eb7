"""When things go wrong while somebody labels: nothing is lost, doubled, or on the wrong item."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from typing import Any

from data.store import Store, open_store
from tests.pages.driving import FIND, accept_all, all_saved, enter, on_item, seeded, unsaved
from tests.server import Server

Serve = Callable[..., Server]


def mark_with(page: Any, given: dict[str, int]) -> Callable[[str], None]:
    """Gives each item a first score of its own, so that an answer on the wrong item shows."""

    def each(item: str) -> None:
        given[item] = int(item[:4], 16) % 3 + 1
        page.keyboard.press(str(given[item]))

    return each


def check(store: Store, given: dict[str, int]) -> None:
    """Every answer that was given is stored once, on its item, with its value."""
    rows = store.rows("select item_id, value from label_now where unit = 'turn:1' and dimension = 'context_use'")
    assert len(rows) == len({r[0] for r in rows})
    assert {item: int(value) for item, value in rows} == given
    assert store.rows("select count(*), count(distinct item_id) from answer") == [(len(given), len(given))]
    assert store.rows("select item_id from label_now group by item_id having count(*) <> 14") == []


def test_the_server_killed_three_times_with_the_browser_open(serve: Serve, page: Any) -> None:
    app = seeded(serve, 60)
    enter(page, app.url, "ann")
    given: dict[str, int] = {}
    last, alone = "", 0
    for _ in range(3):
        on_item(page, last)
        last = accept_all(page, 5, mark_with(page, given))[-1]
        app.kill()
        if page.evaluate(f"({FIND})().dataset.item") not in ("", last):  # what was sent ahead, with no server
            last = accept_all(page, 1, mark_with(page, given))[-1]
            alone += 1
            assert unsaved(page) >= 1
        app.start()
        all_saved(page)
    assert alone, "nothing was ever answered without a server: the test says nothing"
    app.stop()
    store = open_store(app.store)
    check(store, given)
    store.close()


def test_the_browser_closed_with_answers_that_were_not_acknowledged(serve: Serve, page: Any) -> None:
    app = seeded(serve, 40)
    enter(page, app.url, "ann")
    given: dict[str, int] = {}
    for _ in range(3):
        on_item(page)
        page.wait_for_timeout(400)  # so that the next items have been sent ahead
        assert app.process is not None
        os.kill(app.process.pid, signal.SIGSTOP)
        accept_all(page, 3, mark_with(page, given))
        assert unsaved(page) >= 1
        context = page.context
        page.close()
        os.kill(app.process.pid, signal.SIGCONT)
        page = context.new_page()
        page.goto(f"{app.url}/desk?stream=review")
        on_item(page)
        all_saved(page)
    app.stop()
    store = open_store(app.store)
    check(store, given)
    store.close()


def test_a_full_disk_is_said_on_the_desk_and_costs_nothing(serve: Serve, page: Any) -> None:
    """A limit on the size of the app's files stands in for a full disk: writes beyond it fail as they do there."""
    app = seeded(serve, 30)
    enter(page, app.url, "ann")
    given: dict[str, int] = {}
    last = accept_all(page, 2, mark_with(page, given))[-1]
    on_item(page, last)
    all_saved(page)
    assert app.process is not None
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    accept_all(page, 1, mark_with(page, given))
    page.locator(".notice").get_by_text("Nothing was saved").wait_for()
    assert unsaved(page) == 1
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    all_saved(page)
    page.locator(".notice").wait_for(state="detached")
    app.stop()
    store = open_store(app.store)
    check(store, given)
    store.close()
