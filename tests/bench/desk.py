"""The desk's speed, measured in the browser by the page's own clock: `python -m tests.bench desk`.

100 sample dialogues with 13 scored cells each, everything accepted, once at a person's fastest pace and once with the
key held down. Beside each figure stands its ratio to a bare page of the same run that swaps in as many nodes on a key.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data import samples
from data.store import open_store
from tests import browser, seeds
from tests.conftest import FLAGS
from tests.pages.driving import FIND, all_saved, enter, on_item
from tests.server import Server

CLOCK = """item => { window.painted = []; window.acked = []; let pressed = 0, was = '', sent = {}, held = 0;
  addEventListener('keydown', () => { pressed = performance.now(); was = item();
    const after = () => { if (item() !== was) painted.push(performance.now() - pressed) };
    requestAnimationFrame(() => setTimeout(after)) }, true) }"""
ACKS = """() => { const s = (%s)(); let held = 0, since = [];
  const count = () => { const now = +s.dataset.unsaved, t = performance.now();
    for (; held < now; held++) since.push(t);
    for (; held > now; held--) acked.push(t - since.shift()) };
  new MutationObserver(count).observe(s, {attributes: true, attributeFilter: ['data-unsaved']}) }"""
BARE = """<main></main><script>let n = 0; const paint = () => { const rows = document.createDocumentFragment();
  for (let t = 0; t < 400; t++) {
    const b = document.createElement('button'); b.textContent = n + ' ' + t; rows.append(b) }
  document.querySelector('main').replaceChildren(rows); document.body.dataset.item = ++n };
  addEventListener('keydown', paint); paint()</script>"""


def quantiles(values: list[float]) -> tuple[float, float]:
    """Median and 95th percentile."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2], ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)]


@contextmanager
def running(count: int) -> Iterator[Server]:
    """The app on `count` sample dialogues with 13 scored cells each, all in the review queue."""
    with tempfile.TemporaryDirectory() as folder:
        app = Server(Path(folder))
        made = samples.bench_dialogues(count)
        seeds.workspace(app.store_path, [*made.items, *made.judgments]).close()
        with app:
            yield app


def label(page: Any, url: str, count: int, pause: float) -> tuple[list[float], list[float], float]:
    """Accept `count` items: milliseconds to the next item painted, to the acknowledgement, and items a second."""
    enter(page, url, "ann")
    on_item(page)
    page.wait_for_timeout(3000)
    page.evaluate(f"({CLOCK})(() => ({FIND})().dataset.item)")
    page.evaluate(ACKS % FIND)
    began = page.evaluate("performance.now()")
    last = ""
    for _ in range(count - 1):
        last = on_item(page, last)
        page.keyboard.press("Control+Enter")
        if pause:
            page.wait_for_timeout(pause)
    rate = 1000 * (count - 1) / (page.evaluate("performance.now()") - began)
    all_saved(page)
    return page.evaluate("painted"), page.evaluate("acked"), rate


def bare(page: Any) -> list[float]:
    """The same clock on a page that does nothing but swap in 400 nodes."""
    page.set_content(BARE)
    page.evaluate(f"({CLOCK})(() => document.body.dataset.item)")
    for _ in range(100):
        page.keyboard.press("Enter")
        page.wait_for_timeout(30)
    found: list[float] = page.evaluate("painted")
    return found


def main() -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser.find(), args=FLAGS)
        base50, base95 = quantiles(bare(opened.new_page(viewport={"width": 1440, "height": 900})))
        print(f"bare page, 400 nodes: p50 {base50:.1f} ms, p95 {base95:.1f} ms")
        for name, pause in (("one item in half a second", 500), ("as fast as keys come", 0)):
            with running(100) as app:
                context = opened.new_context(viewport={"width": 1440, "height": 900})
                painted, acked, rate = label(context.new_page(), app.url, 100, pause)
                context.close()
                app.stop()
                store = open_store(app.store)
                stored = store.rows("select count(*), count(distinct item_id) from answer")[0]
                store.close()
            p50, p95 = quantiles(painted)
            a50, a95 = quantiles(acked)
            print(
                f"{name}: next item painted p50 {p50:.1f} ms ({p50 / base50:.2f}x bare), p95 {p95:.1f} ms "
                f"({p95 / base95:.2f}x bare); acknowledged p50 {a50:.0f} ms, p95 {a95:.0f} ms; {rate:.1f} items/s; "
                f"stored {stored[0]} answers of {stored[1]} items, {99} given"
            )
        opened.close()
