"""The trail in a browser: narrowed by what is chosen, a row opens what the change wrote, and all of it as a file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import TimeoutError, expect

from data import datasets, people
from data.settings import QueueRules, set_rules
from data.store import open_store
from tests import seeds
from tests.pages.driving import enter
from tests.server import Server


@pytest.fixture(scope="module")
def app(serve_all: Callable[..., Server]) -> Server:
    """A workspace in which a few things have happened."""
    found = serve_all(start=False)
    seeds.dialogues(found.store_path, 6, audit=2)
    store = open_store(found.store)
    set_rules(store, "lea", datasets.dataset(store, "demo").id, QueueRules(overlap=3))
    people.set_person(store, "lea", "日本 花子", "researcher")
    store.close()
    found.start()
    return found


def test_the_trail_is_narrowed_opened_and_taken_along(app: Server, page: Any, tmp_path: Path) -> None:
    enter(page, app.url, "lea", "trail?who=lea")
    page.get_by_text("Click a row to see what the change wrote").wait_for()
    with page.expect_download() as got:
        page.get_by_role("button", name="All of these as CSV").click()
    got.value.save_as(tmp_path / "trail.csv")
    lines = (tmp_path / "trail.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[0] == "seq,at,actor,kind,dataset,what"
    assert "made 日本 花子 researcher" in lines[1] and all(",lea," in line for line in lines[1:])
    for _ in range(6):  # a canvas does not say when it is ready
        page.get_by_test_id("stDataFrame").first.click(position={"x": 800, "y": 52})
        with contextlib.suppress(TimeoutError):
            page.get_by_text("person event").wait_for(timeout=4000)
            break
    expect(page.get_by_text("person event")).to_be_visible()
    page.goto(f"{app.url}/trail?kinds=exports")
    page.get_by_text("Nothing of that sort has happened").wait_for()


def test_annotators_have_no_trail(app: Server, page: Any) -> None:
    enter(page, app.url, "ann", "trail")
    page.get_by_role("link", name="Overview").wait_for()
    assert page.get_by_role("heading", name="Trail").count() == 0
