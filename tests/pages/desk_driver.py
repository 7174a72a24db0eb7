"""Driving the desk in a browser as an annotator does: by keys, looking only at what is on the page."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import TimeoutError

from tests import seeds
from tests.server import Server


def seeded_app(serve: Callable[..., Server], count: int = 30, **options: Any) -> Server:
    """The app, running on `count` judged dialogues."""
    app = serve(start=False)
    seeds.dialogues(app.store_path, count, **options)
    app.start()
    return app


def enter(page: Any, url: str, name: str, path: str = "desk?stream=review") -> None:
    """Open a page of the app as somebody who has entered before on this browser."""
    page.context.add_cookies([{"name": "assay_name", "value": name, "url": url}])
    page.goto(f"{url}/{path}")


def turn_to(page: Any, address: str) -> None:
    """Go to another page of the app as its own links do, in the session that is open, and wait until it is drawn."""
    page.evaluate(TURN, address)
    at_rest(page)


def at_rest(page: Any) -> None:
    """Wait until the script of the page has run and, for a quarter of a second, has not begun again."""
    page.wait_for_function(AT_REST, polling=50)  # to ask at every frame would have the browser draw them all


def choose(page: Any, label: str, option: str | re.Pattern[str]) -> None:
    """Choose an option of a select box; its list closes where the page is drawn anew in that moment."""
    for _ in range(5):
        at_rest(page)
        page.get_by_role("combobox", name=label).click()
        try:
            return page.get_by_role("option", name=option, exact=True).click(timeout=8_000)  # type: ignore[no-any-return]
        except TimeoutError:
            page.keyboard.press("Escape")
    raise AssertionError(f"{label!r} never offered {option!r}.")


def press(page: Any, table: Any, right: float, down: float, until: str) -> None:
    """Click on that place of a table until the address has `until`: a canvas does not say when it is ready."""
    for _ in range(5):
        at_rest(page)
        if re.search(until, page.url):
            return
        table.scroll_into_view_if_needed()
        table.click(position={"x": right, "y": down})
        try:
            return page.wait_for_url(re.compile(until), timeout=8_000)  # type: ignore[no-any-return]
        except TimeoutError:
            continue
    raise AssertionError(f"No click led to {until}: {page.url}")


def on_item(page: Any, other_than: str = "") -> str:
    """Wait until an item is on the desk, and give its id."""
    page.wait_for_function(
        "was => { const s = (" + FIND + ")(); return s && s.dataset.item && s.dataset.item !== was }", arg=other_than
    )
    return str(page.evaluate(f"({FIND})().dataset.item"))


def count_unsaved(page: Any) -> int:
    """How many answers the server has not acknowledged."""
    return int(page.evaluate(f"+({FIND})().dataset.unsaved"))


def all_saved(page: Any, seconds: float = 60) -> None:
    """Wait until everything is acknowledged."""
    page.wait_for_function(
        "() => { const s = (" + FIND + ")(); return s && s.dataset.unsaved === '0' }", timeout=seconds * 1000
    )


def accept_all(page: Any, items: int, mark: Callable[[str], None] = lambda _: None) -> list[str]:
    """Accept that many items with Ctrl+Enter, as fast as they are painted; their ids in order."""
    ids: list[str] = []
    for _ in range(items):
        item = on_item(page, ids[-1] if ids else "")
        ids.append(item)
        mark(item)
        accept(page)
    return ids


def accept(page: Any) -> None:
    """Accept what is left of the item, that too which was not on screen."""
    page.keyboard.press("Control+Enter")
    if page.evaluate(f"'asks' in ({FIND})().dataset"):
        page.keyboard.press("Control+Enter")


def patiently(check: Callable[[], bool], seconds: float = 30) -> bool:
    """Whether something becomes true in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if check():
            return True
        time.sleep(0.05)
    return check()


TURN = "to => { history.pushState({}, '', '/' + to); dispatchEvent(new PopStateEvent('popstate')) }"
AT_REST = """() => {
  const app = document.querySelector("[data-testid='stApp']");
  // Until it is connected a page says that its script does not run, as it will when the script has run.
  const still = app?.dataset.testConnectionState === 'CONNECTED' && app.dataset.testScriptState === 'notRunning';
  if (!still) { window.restedFrom = 0; return false }
  window.restedFrom ||= performance.now();
  if (performance.now() - window.restedFrom < 250) return false;
  window.restedFrom = 0;
  return true }"""
FIND = """() => {
  const look = root => { for (const e of root.querySelectorAll('*')) {
    if (e.classList.contains('sheet') && 'item' in e.dataset) return e;
    if (e.shadowRoot) { const found = look(e.shadowRoot); if (found) return found; } } return null };
  if (!window.desk || !window.desk.isConnected) window.desk = look(document);
  return window.desk }"""
