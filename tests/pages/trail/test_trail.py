"""The audit log in a browser: narrowed and searched, a row opens what was written, and all of it as a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from data.records import datasets, people
from data.records.settings import QueueRules, set_queue_rules
from data.store import open_store
from data.trail.trail import TrailEntry
from pages.trail import page as trail_page
from tests import seeds
from tests.pages.desk_driver import enter
from tests.server import Server


@pytest.fixture(scope="module")
def app(serve_all: Callable[..., Server]) -> Server:
    """A workspace in which a few things have happened."""
    server = serve_all(start=False)
    seeds.dialogues(server.store_path, 6, audit=2)
    store = open_store(server.store)
    set_queue_rules(store, "lea", datasets.dataset_named(store, "demo").id, QueueRules(overlap=3))
    people.set_person(store, "lea", "日本 花子", "researcher")
    for n in range(trail_page.PAGE_ROWS):
        set_queue_rules(store, "日本 花子", datasets.dataset_named(store, "demo").id, QueueRules(claim_minutes=n + 1))
    store.close()
    server.start()
    return server


@pytest.mark.slow
def test_the_trail_is_narrowed_opened_and_taken_along(app: Server, page: Any, tmp_path: Path) -> None:
    enter(page, app.url, "lea", "trail?who=lea")
    page.get_by_text("Select a row to see what was stored").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download all as CSV").click()
    download.value.save_as(tmp_path / "trail.csv")
    lines = (tmp_path / "trail.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[0] == "seq,at,actor,kind,dataset,what"
    assert "added 日本 花子 as researcher" in lines[1] and all(",lea," in line for line in lines[1:])
    page.get_by_role("textbox", name="Search").fill("花子")
    page.keyboard.press("Enter")
    page.get_by_text("1 change shown").wait_for()
    page.get_by_role("row", name="added 日本 花子 as researcher").get_by_role("button").click()
    expect(page.get_by_role("columnheader", name="Role")).to_be_visible()
    expect(page.get_by_role("region", name="Person")).to_contain_text("researcher")
    page.goto(f"{app.url}/trail?kinds=exports")
    page.get_by_text("Nothing fits").wait_for()


def test_a_page_of_changes_that_has_all_of_them_leads_no_further(app: Server, page: Any) -> None:
    enter(page, app.url, "lea", "trail?who=日本 花子")
    page.get_by_text(f"{trail_page.PAGE_ROWS} changes shown").wait_for()
    expect(page.get_by_role("button", name="Older")).to_have_count(0)
    page.goto(f"{app.url}/trail")
    page.get_by_role("button", name="Older").click()
    expect(page.get_by_text(re.compile(r"^\d{1,2} changes? shown"))).to_be_visible()
    page.get_by_role("button", name="Newer").click()
    expect(page.get_by_text(f"{trail_page.PAGE_ROWS} changes shown")).to_be_visible()


def test_a_change_that_did_several_things_counts_once_and_has_a_row_of_each() -> None:
    entry = TrailEntry(7, datetime(2026, 5, 3), "lea", "runs", "demo", "a run")
    entries = [entry, replace(entry, kind="exports"), replace(entry, seq=6)]
    assert trail_page.count_changes(entries) == "2 changes shown, in 3 rows"
    assert trail_page.count_changes([entry]) == "1 change shown"


def test_annotators_have_no_trail(app: Server, page: Any) -> None:
    enter(page, app.url, "ann", "trail")
    page.get_by_text("This page is for researchers and leads").wait_for()
    expect(page.get_by_role("textbox", name="Search")).to_have_count(0)
