"""What pages cost in the browser at size: `python -m tests.bench.pages` (four minutes, 2 GB of disk).

Calibration: a million cells of gold in eight dimensions over a hundred thousand items, a third of the labels beside the
judge or by two people. Dashboard: ten million scores over a million dialogues of five systems, in seven approved
dimensions. Measured is the time until all figures of the page stand: in a browser that opens it for the first time,
loaded again, and turned to in the app. Beside each, in the same run, the page People, which has hardly anything on it.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from data.records import people
from data.store import Store, open_store
from judges.cards import cards
from tests import browser
from tests.bench import calibration, dashboard
from tests.conftest import FLAGS
from tests.pages.desk_driver import TURN, turn_to
from tests.server import Server

MOST = 4.0
"""A view in the app takes at most so many times as long as one of the emptiest page."""
READY = {"calibration": (3, "svg.plot", "canvas"), "dashboard": (7, ".tile", "h1"), "people": (0, "none", "h1")}
"""Page -> how many components have something drawn, what, and what else is there once it stands."""
STANDS = """([name, plots, inside, other]) => {
  const drawn = [...document.querySelectorAll("*")].filter(e => e.shadowRoot?.querySelector(inside)).length;
  return document.querySelector("h1")?.textContent.toLowerCase() === name
    && drawn >= plots && document.querySelector(other)
    && document.querySelector("[data-testid='stApp']")?.dataset.testScriptState === "notRunning"
    && !document.querySelector("[data-stale=true]") && performance.now() - (window.turned || 0) }"""


def gold(store: Store) -> None:
    """A million cells with gold."""
    dimensions = [d for d in cards()[calibration.CARD].dimensions if d.name in calibration.UNITS]
    calibration.fill(store, dimensions, items=100_000, two=0.1, assisted=0.2)


SIZES: dict[str, Callable[[Store], None]] = {"calibration": gold, "dashboard": dashboard.fill}
"""Page -> what fills the workspace that it is measured on."""


def stands(page: Any, name: str) -> float:
    """Milliseconds from turning to a page, or from asking for it, until it stands; looked at in every frame."""
    milliseconds: float = page.wait_for_function(STANDS, arg=[name, *READY[name]], timeout=60_000).json_value()
    return milliseconds


def time_load(page: Any, url: str, name: str) -> float:
    """Milliseconds from asking for a page of the app until it stands."""
    page.goto(f"{url}/{name}")
    milliseconds = stands(page, name)
    page.wait_for_timeout(1500)
    return milliseconds


def time_turns(page: Any, name: str, times: int = 7) -> float:
    """Milliseconds from turning to it in the app until a page that was open before stands; the median of some."""
    milliseconds = []
    for _ in range(times):
        turn_to(page, "cards")
        page.wait_for_timeout(1500)
        page.evaluate("() => { window.turned = performance.now() }")
        page.evaluate(TURN, name)
        milliseconds.append(stands(page, name))
    return median(milliseconds)


def measure(opened: Any, page_name: str, fill: Callable[[Store], None]) -> None:
    """Fill a workspace, measure the page and the emptiest one in it, and print."""
    with tempfile.TemporaryDirectory() as folder:
        app = Server(Path(folder))
        store = open_store(app.store)
        people.join_workspace(store, "lea")
        fill(store)
        store.close()
        took = {}
        with app:
            time.sleep(20)  # what the server computes ahead of the first visit
            for name in ("people", page_name):
                context = opened.new_context(viewport={"width": 1440, "height": 900})
                context.add_cookies([{"name": "assay_name", "value": "lea", "url": app.url}])
                page = context.new_page()
                first, again = time_load(page, app.url, name), time_load(page, app.url, name)
                took[name] = first, again, time_turns(page, name)
                context.close()
    for name, figures in took.items():
        ratios = [f"{ms:.0f} ms ({ms / bare:.1f}x)" for ms, bare in zip(figures, took["people"], strict=True)]
        print(f"{name}: first {ratios[0]}, loaded again {ratios[1]}, turned to in the app {ratios[2]}")
    ratio = took[page_name][2] / took["people"][2]
    assert ratio <= MOST, f"a view of the page {page_name} takes {ratio:.1f} times as long as one of the emptiest page"


def main() -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser.find(shell=False), args=list(FLAGS))
        for name, fill in SIZES.items():
            measure(opened, name, fill)
        opened.close()


if __name__ == "__main__":
    main()
