"""Two servers behind nginx on one database, as deploy/ has it: one is killed, and the database crashes.

Four people here; `make load` has fifty.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from data.store import open_store
from tests.load import proxy
from tests.load.__main__ import fill
from tests.pages.desk_driver import FIND
from tests.postgres import Databases
from tests.server import Server

PEOPLE = ("lea", "mia", "noé", "愛子")
ITEMS = 48
SAVED = f"() => ({FIND})()?.dataset.unsaved === '0' && ({FIND})()?.dataset.item"
"""Whether the desk shows an item and knows of nothing that is not saved."""

pytestmark = pytest.mark.skipif(proxy.program() is None, reason="nginx is not installed")


@pytest.fixture
def replicas(tmp_path: Path, databases: Databases) -> Iterator[tuple[str, list[Server], proxy.Proxy]]:
    """The database's address, two servers on it, and nginx before them."""
    url = fill(databases.address_of(tmp_path / "database"), tmp_path, ITEMS, PEOPLE)
    apps = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        apps.append(Server(tmp_path / name, store=url, env=proxy.ENVIRONMENT))
    with apps[0], apps[1]:
        before = proxy.Proxy(tmp_path / "nginx", apps)
        yield url, apps, before
        before.close()


@pytest.fixture
def browsers(chromium: Any, browser_path: Path) -> Iterator[Any]:
    """A browser to which the name of the example leads to this machine."""
    opened = chromium.browser_type.launch(executable_path=browser_path, args=proxy.flags())
    yield opened
    opened.close()


def accept(page: Any) -> str:
    """Accept the item that is shown, and wait for the next one; whose item it was."""
    item = page.evaluate(f"() => ({FIND})().dataset.item")
    page.keyboard.press("Control+Enter")
    if page.evaluate(f"() => 'asks' in ({FIND})().dataset"):
        page.keyboard.press("Control+Enter")
    page.wait_for_function(f"(was) => ({FIND})()?.dataset.item && ({FIND})().dataset.item !== was", arg=item)
    return str(item)


def test_a_replica_is_killed_and_the_database_crashes(replicas, browsers, databases):
    """Nothing that anybody answered is lost or twice, whichever server they were with; the desk goes on by itself."""
    url, apps, before = replicas
    pages, done = {}, Counter()
    for name in PEOPLE:
        context = browsers.new_context(viewport={"width": 1440, "height": 900}, ignore_https_errors=True)
        context.add_cookies([{"name": "assay_name", "value": quote(name), "url": before.url}])
        context.set_default_timeout(90_000)
        pages[name] = context.new_page()
        pages[name].goto(f"{before.url}/desk?stream=review")
        pages[name].wait_for_function(SAVED)
    kept = {name: page.context.cookies(before.url) for name, page in pages.items()}
    stays = {name: next(c["value"] for c in found if c["name"] == "assay_replica") for name, found in kept.items()}
    assert len(set(stays.values())) == len(PEOPLE)

    def everybody(times: int) -> None:
        for _ in range(times):
            for name, page in pages.items():
                done[name, accept(page)] += 1

    everybody(2)
    apps[0].kill()
    everybody(2)
    for page in pages.values():
        page.wait_for_function(SAVED)
    databases.restart()
    everybody(2)
    for page in pages.values():
        page.wait_for_function(SAVED)
    apps[0].start()
    apps[1].kill()
    everybody(1)
    for page in pages.values():
        page.wait_for_function(SAVED)
    with contextlib.closing(open_store(url)) as store:
        rows = store.rows("select person, item_id from answer where previous = '' and action = 'save'")
    held = Counter((str(person), str(item)) for person, item in rows)
    assert max(held.values()) == 1
    assert held == done
