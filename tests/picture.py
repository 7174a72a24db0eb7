"""Takes the README's picture of the desk: `python -m tests.picture`, with the sample workspace, in the real browser."""

from __future__ import annotations

import tempfile
from pathlib import Path

from data.desk import desk
from data.queue import queue
from data.records import datasets, people
from data.workspace.bootstrap import open_workspace
from tests import browser
from tests.conftest import FLAGS
from tests.pages.desk_driver import enter, on_item
from tests.server import ROOT, Server

PICTURE = ROOT / "docs" / "desk.png"


def telling(app: Server) -> str:
    """An item whose judge broke its own rule and was unsure, with few turns, so that the picture shows both."""
    store = open_workspace(app.store)
    people.join_workspace(store, "mio")
    dataset = datasets.dataset_named(store, "support-dialogues")
    items = queue.claim_items(store, "mio", dataset.id, "review", queue.QueueFilters(reason="broken rule"), [], 60)
    views = desk.desk_views(store, "mio", items)
    short = [v for v in views if v.mode == "assisted" and len(v.item.content.turns) == 6 and len(v.why) <= 3]  # type: ignore[union-attr]
    store.close()
    return (short or views)[0].item.id


def main() -> None:
    """Start, label a little, and keep what is on the screen."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = Server(Path(folder), samples=True)
        item = telling(app)
        with app:
            opened = playwright.chromium.launch(executable_path=browser.find(shell=False), args=FLAGS)
            page = opened.new_page(viewport={"width": 1440, "height": 900}, device_scale_factor=1)
            enter(page, app.url, "mio", f"desk?dataset=support-dialogues&item={item}")
            on_item(page)
            page.wait_for_timeout(1500)
            for key in ("Enter", "Enter", "Enter", "Enter", "2", "Enter"):
                page.keyboard.press(key)
            page.wait_for_timeout(800)
            page.screenshot(path=PICTURE)
            opened.close()


if __name__ == "__main__":
    main()
