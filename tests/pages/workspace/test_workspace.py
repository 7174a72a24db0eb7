"""The page of the workspace in a real browser: backups and their plan, the integrity check, webhooks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from data.records import people
from data.records.access import find_person
from data.store import open_store
from tests import seeds
from tests.pages.contrast import faint
from tests.pages.desk_driver import at_rest, enter, turn_to
from tests.server import Server


@pytest.fixture
def app(serve: Callable[..., Server]) -> Server:
    """A small workspace with somebody whose name needs more than letters of English."""
    server = serve(start=False)
    seeds.dialogues(server.store_path, 6, audit=2)
    store = open_store(server.store)
    people.set_person(store, "lea", "日本 花子", "researcher")
    store.close()
    server.start()
    return server


def test_a_backup_is_made_checked_and_downloaded_which_the_audit_log_tells(
    app: Server, page: Any, tmp_path: Path
) -> None:
    enter(page, app.url, "lea", "workspace")
    page.get_by_role("button", name="Make a backup").click()
    page.get_by_text("Backup made:").wait_for()
    page.get_by_role("button", name="Check assay").click()
    page.get_by_text("No problem was found. It can be restored").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Download assay").click()
    page.get_by_text("that you may still be asked to label blind will go to others").wait_for()
    page.get_by_role("button", name="Record it and get the file").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    download.value.save_as(tmp_path / "copy.duckdb")
    turn_to(page, "trail?kinds=exports")
    expect(page.get_by_text("downloaded the backup assay-")).to_be_visible()
    (app.store_path.parent / "backups" / "broken.duckdb").write_bytes(b"the newest")
    turn_to(page, "workspace")
    page.get_by_text("cannot be opened").wait_for()
    expect(page.get_by_text("python -m data restore")).to_have_text(re.compile(r"backups/assay-[\d-]+\.duckdb$"))
    copy = open_store(f"duckdb:///{tmp_path / 'copy.duckdb'}", accept=True)
    assert find_person(copy, "日本 花子").role == "researcher"
    copy.close()


@pytest.mark.slow
def test_a_plan_makes_backups_by_itself_and_the_check_finds_nothing_wrong(app: Server, page: Any) -> None:
    enter(page, app.url, "lea", "workspace")
    page.get_by_text("There is no backup yet").wait_for()
    at_rest(page)
    page.get_by_role("spinbutton", name="Hours between backups").fill("24")
    page.get_by_role("button", name="Save the plan").click()
    page.get_by_text("The first one by this plan is made within a minute or two").wait_for()
    at_rest(page)
    page.get_by_role("button", name="Check the workspace").click()
    page.get_by_text("No problem was found.").wait_for()


@pytest.mark.slow
def test_a_webhook_shows_its_secret_once_is_tested_paused_and_removed(app: Server, page: Any) -> None:
    enter(page, app.url, "lea", "workspace")
    page.get_by_text("Add a webhook").click()
    at_rest(page)
    chosen = page.get_by_test_id("stMultiSelect")
    assert chosen.locator("[data-tag]").count() == 3 and faint(chosen) == {}
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === 'dark'")
    assert faint(chosen) == {}
    at_rest(page)
    page.get_by_label("Address").fill("http://127.0.0.1:1/")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("ASSAY_WEBHOOK_PRIVATE=1").wait_for()
    at_rest(page)
    page.get_by_label("Address").fill("https://hooks.example.org/secret-path")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("whsec_").wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Activate").wait_for()
    assert "secret-path" not in page.content().replace('value="https://hooks.example.org/secret-path"', "")
    page.get_by_role("button", name="Remove").click()
    page.get_by_text("The webhook to hooks.example.org is removed.").wait_for()
    expect(page.get_by_role("button", name="Activate")).to_have_count(0)
    expect(page.get_by_text("whsec_")).to_have_count(0)


@pytest.mark.slow
def test_annotators_have_no_such_page(app: Server, page: Any) -> None:
    enter(page, app.url, "ann", "workspace")
    page.get_by_text("This page is for leads").wait_for()
    expect(page.get_by_role("button", name="Make a backup")).to_have_count(0)
