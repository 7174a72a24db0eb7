"""Two servers behind nginx on one database, as deploy/ has it: killed, crashed, upgraded one after the other.

Four people here; `make load` has fifty.
"""

from __future__ import annotations

import contextlib
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from data.store import postgres_schema
from data.store.base import migrations
from tests.load import proxy
from tests.load.__main__ import fill
from tests.pages.desk_driver import FIND
from tests.postgres import Databases
from tests.server import ROOT, Server

PEOPLE = ("lea", "mia", "noé", "愛子")
ITEMS = 48
SAVED = f"() => ({FIND})()?.dataset.unsaved === '0' && ({FIND})()?.dataset.item"
"""Whether the desk shows an item and knows of nothing that is not saved."""
NOT_SERVED = shutil.ignore_patterns(".[!s]*", "tests", "docs", "__pycache__", "*.duckdb*", "backups")

pytestmark = pytest.mark.skipif(proxy.program() is None, reason="nginx is not installed")


@pytest.fixture
def replicas(tmp_path: Path, databases: Databases) -> Iterator[tuple[str, list[Server], proxy.Proxy]]:
    """The database's address, two servers on it, and nginx before them."""
    url = databases.address_of(tmp_path / "database")
    fill(url, tmp_path, ITEMS, PEOPLE)
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


class Team:
    """Everybody on the desk through the proxy, each in a browser of their own, and what each has answered."""

    def __init__(self, browsers: Any, before: proxy.Proxy) -> None:
        self.pages, self.done = dict[str, Any](), Counter[tuple[str, str]]()
        for name in PEOPLE:
            context = browsers.new_context(viewport={"width": 1440, "height": 900}, ignore_https_errors=True)
            context.add_cookies([{"name": "assay_name", "value": quote(name), "url": before.url}])
            context.set_default_timeout(90_000)
            self.pages[name] = context.new_page()
            self.pages[name].goto(f"{before.url}/desk?stream=review")
            self.pages[name].wait_for_function(SAVED)

    def work(self, times: int) -> None:
        """Everybody accepts so many items, which are then in their browsers, whether or not they are saved."""
        for _ in range(times):
            for name, page in self.pages.items():
                self.done[name, accept(page)] += 1

    def all_saved(self) -> None:
        """Wait until each desk knows that all is saved."""
        for page in self.pages.values():
            page.wait_for_function(SAVED)

    def check(self, url: str) -> None:
        """Every answer is in the database, and once."""
        query = "select person, item_id from answer where previous = '' and action = 'save'"
        with contextlib.closing(postgres_schema.connect(url)) as link:
            stored = Counter((str(person), str(item)) for person, item in link.execute(query))
        assert max(stored.values()) == 1
        assert stored == self.done


def test_a_replica_is_killed_and_the_database_crashes(replicas, browsers, databases):
    """Nothing that anybody answered is lost or twice, whichever server they were with; the desk goes on by itself."""
    url, apps, before = replicas
    team = Team(browsers, before)
    cookies = [page.context.cookies(before.url) for page in team.pages.values()]
    assert len({next(c["value"] for c in jar if c["name"] == "assay_replica") for jar in cookies}) == len(PEOPLE)
    team.work(2)
    apps[0].kill()
    team.work(2)
    team.all_saved()
    databases.restart()
    team.work(2)
    team.all_saved()
    apps[0].start()
    apps[1].kill()
    team.work(1)
    team.all_saved()
    team.check(url)


def test_one_replica_after_the_other_is_upgraded_while_people_work(replicas, browsers, tmp_path):
    """With new tables: who is with the old one waits until it is stopped, and then all is saved by the new one."""
    url, apps, before = replicas
    newer = shutil.copytree(ROOT, tmp_path / "newer", ignore=NOT_SERVED)
    known = migrations()[-1][0]
    (newer / "data" / "store" / "migrations" / f"{known + 1:03}_mood.sql").write_text(
        "create table mood (\n    id text primary key,\n    said text not null,\n    seq bigint not null\n);\n"
        "alter table comment add column mood text;\n"
    )
    team = Team(browsers, before)
    team.work(1)
    for app in apps:
        app.stop()
        team.all_saved()
        app.root = newer
        app.start()
        team.work(1)
        status = app.get("/healthz")[0], apps[1].get("/healthz")[0]
        assert status == ((200, 503) if app is apps[0] else (200, 200)), "the old one saves nothing more"
    team.all_saved()
    team.check(url)
    assert f"from_version={known} to_version={known + 1}" in apps[0].log
