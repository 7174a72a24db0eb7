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

from data.store import open_store
from tests import browser, seeds
from tests.conftest import FLAGS
from tests.pages.desk_driver import FIND, accept, all_saved, enter, on_item
from tests.server import Server
from tools import sample

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


RICH = """Order **%s** was `shipped`; see [the page](https://example.org/%s).

| step | day |
|---|--:|
| sorted | 1 |
| *delivered* | 3 |

1. It costs $x^2+1$, not $5.
2. Then:

```python
def refund(order: int) -> bool:  # at once
    return order > %s
```
"""


def rich(item: dict[str, Any]) -> dict[str, Any]:
    """A dialogue with Markdown, code and a formula in every answer, different in each item."""
    turns = [
        {**t, "text": f"{t['text']}\n\n" + RICH % ((item["id"],) * 3)} if t["role"] == "assistant" else t
        for t in item["turns"]
    ]
    return {**item, "turns": turns}


@contextmanager
def running(count: int) -> Iterator[Server]:
    """The app on `count` sample dialogues with 13 scored cells and Markdown, all in the review queue."""
    with tempfile.TemporaryDirectory() as folder:
        app = Server(Path(folder))
        dialogues = sample.make_bench_dialogues(count)
        seeds.workspace(app.store_path, [*map(rich, dialogues.items), *dialogues.judgments]).close()
        with app:
            yield app


def ready(page: Any, url: str) -> None:
    """Open the desk, let it settle, and start its clock."""
    enter(page, url, "ann")
    on_item(page)
    page.wait_for_timeout(3000)
    page.evaluate(f"({CLOCK})(() => ({FIND})().dataset.item)")
    page.evaluate(ACKS % FIND)


def press(page: Any, count: int) -> None:
    """Accept items one by one, each as soon as it is painted, with a tenth of a second to look at it."""
    last = ""
    for _ in range(count):
        last = on_item(page, last)
        accept(page)
        page.wait_for_timeout(100)


def hold(page: Any, count: int) -> None:
    """Hold Ctrl+Enter down until all items are gone; the browser sees a key that repeats."""
    page.keyboard.down("Control")
    while page.evaluate(f"({FIND})().dataset.item !== '' || painted.length < {count}"):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    page.keyboard.up("Control")


def measure_bare(page: Any) -> list[float]:
    """The same clock on a page that does nothing but swap in 400 nodes."""
    page.set_content(BARE)
    page.evaluate(f"({CLOCK})(() => document.body.dataset.item)")
    for _ in range(100):
        page.keyboard.press("Enter")
        page.wait_for_timeout(30)
    times: list[float] = page.evaluate("painted")
    return times


def pair(number: int) -> dict[str, Any]:
    """A pair of which the input and both responses have 30,000 characters in 12 sections."""
    part = "The carrier reports a delay at its sorting centre and expects to deliver in one or two days. " * 27
    text = "".join(f"## Section {n}\n\n{part}\n\n" for n in range(12))[:30_000]
    sides = {f"response_{s}": {"system": s, "text": text} for s in "ab"}
    return {"id": f"p-{number}", "kind": "pair", "input": text, **sides}


def large(page: Any, url: str) -> tuple[list[float], list[float]]:
    """Milliseconds to a large item painted after the key, and to a key's effect on one."""
    enter(page, url, "ann", "desk?stream=audit")
    last = on_item(page)
    page.wait_for_timeout(3000)
    page.evaluate(f"({CLOCK})(() => ({FIND})().dataset.item)")
    for _ in range(6):
        for key in ("s", "1", "Enter"):
            page.keyboard.press(key)
        last = on_item(page, last)
        page.wait_for_timeout(700)
    painted: list[float] = page.evaluate("painted")
    cell = f"(({FIND})().querySelector('.cell[data-here]') || {{dataset: {{}}}}).dataset"
    page.evaluate(f"({CLOCK})(() => {cell}.unit + {cell}.dimension)")
    for _ in range(30):
        page.keyboard.press("j")
        page.wait_for_timeout(60)
    return painted, page.evaluate("painted")


def measure_large(opened: Any) -> None:
    """A 40-turn dialogue, and pairs of 3 x 30,000 characters."""
    long = [seeds.dialogue(n, 40, "He asked for the refund and gave the order number again. " * 12) for n in range(10)]
    for name, rows in (("40 turns", long), ("pair of 3 x 30,000 characters", [pair(n) for n in range(10)])):
        with tempfile.TemporaryDirectory() as folder:
            app = Server(Path(folder))
            seeds.workspace(app.store_path, rows, audit=10, review=False).close()
            with app:
                context = opened.new_context(viewport={"width": 1440, "height": 900})
                painted, keys = (quantiles(times) for times in large(context.new_page(), app.url))
                context.close()
            print(
                f"{name}: painted p50 {painted[0]:.0f} ms, p95 {painted[1]:.0f} ms; "
                f"key response p50 {keys[0]:.1f} ms, p95 {keys[1]:.1f} ms"
            )


def main() -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser.find(shell=False), args=FLAGS)
        base50, base95 = quantiles(measure_bare(opened.new_page(viewport={"width": 1440, "height": 900})))
        print(f"bare page, 400 nodes: p50 {base50:.1f} ms, p95 {base95:.1f} ms")
        for name, accept in (("item by item", press), ("key held down", hold)):
            with running(100) as app:
                # high enough for an item: what is not on screen is not accepted by a held key
                context = opened.new_context(viewport={"width": 1440, "height": 3000})
                page = context.new_page()
                ready(page, app.url)
                began = page.evaluate("performance.now()")
                accept(page, 100)
                rate = 100_000 / (page.evaluate("performance.now()") - began)
                all_saved(page)
                painted, acked = page.evaluate("painted"), page.evaluate("acked")
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
                f"stored {stored[0]} answers of {stored[1]} items, 100 given"
            )
        measure_large(opened)
        opened.close()
