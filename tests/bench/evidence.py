"""What the calibration page costs in the browser: `python -m tests.bench.evidence` (two minutes, 200 MB of disk).

A million cells of gold in eight dimensions over a hundred thousand items, a third of the labels beside the judge or by
two people. Measured is the time until all of the page's figures stand: in a browser that opens it for the first time,
loaded again, and turned to in the app. Beside it, in the same run, the page People, which has hardly anything on it.
"""

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from data import people
from data.store import open_store
from judges.card import cards
from tests import browser
from tests.bench import calibration
from tests.conftest import FLAGS
from tests.pages.driving import TURN, turn_to
from tests.server import Server

ITEMS = 100_000
MOST = 4.0
"""A view in the app takes at most so many times as long as one of the emptiest page."""
READY = {"calibration": (3, "canvas"), "people": (0, "h1")}
"""Page -> plots, and what else there is once it stands."""
STANDS = """([name, plots, other]) => {
  const drawn = [...document.querySelectorAll("*")].filter(e => e.shadowRoot?.querySelector("svg.plot")).length;
  return location.pathname.endsWith(name) && drawn >= plots && document.querySelector(other)
    && document.querySelector("[data-testid='stApp']")?.dataset.testScriptState === "notRunning"
    && !document.querySelector("[data-stale=true]") && performance.now() - (window.turned || 0) }"""


def stands(page: Any, name: str) -> float:
    """Milliseconds from turning to a page, or from asking for it, until it stands; looked at in every frame."""
    found: float = page.wait_for_function(STANDS, arg=[name, *READY[name]], timeout=60_000).json_value()
    return found


def loaded(page: Any, url: str, name: str) -> float:
    """Milliseconds from asking for a page of the app until it stands."""
    page.goto(f"{url}/{name}")
    found = stands(page, name)
    page.wait_for_timeout(1500)
    return found


def turned(page: Any, name: str, times: int = 7) -> float:
    """Milliseconds from turning to it in the app until a page that was open before stands; the median of some."""
    found = []
    for _ in range(times):
        turn_to(page, "queue")
        page.wait_for_timeout(1500)
        page.evaluate("() => { window.turned = performance.now() }")
        page.evaluate(TURN, name)
        found.append(stands(page, name))
    return median(found)


def main() -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = Server(Path(folder))
        store = open_store(app.store)
        people.join(store, "lea")
        asked = [one for one in cards()[calibration.CARD].dimensions if one.name in calibration.ASKED]
        calibration.fill(store, asked, items=ITEMS, two=0.1, assisted=0.2)
        store.close()
        with app:
            time.sleep(15)  # what the server computes ahead of the first visit
            opened = playwright.chromium.launch(executable_path=browser.find(shell=False), args=list(FLAGS))
            took = {}
            for name in ("people", "calibration"):
                context = opened.new_context(viewport={"width": 1440, "height": 900})
                context.add_cookies([{"name": "assay_name", "value": "lea", "url": app.url}])
                page = context.new_page()
                first, again = loaded(page, app.url, name), loaded(page, app.url, name)
                took[name] = first, again, turned(page, name)
                context.close()
            opened.close()
    for name, figures in took.items():
        ratios = [f"{ms:.0f} ms ({ms / bare:.1f}x)" for ms, bare in zip(figures, took["people"], strict=True)]
        print(f"{name}: first {ratios[0]}, loaded again {ratios[1]}, turned to in the app {ratios[2]}")
    ratio = took["calibration"][2] / took["people"][2]
    assert ratio <= MOST, f"a view of the calibration page takes {ratio:.1f} times as long as one of the emptiest page"


if __name__ == "__main__":
    main()
