"""Fifty people over Streamlit's own protocol and ten in real browsers, on the desk at once: `make load`.

Each thinks for five seconds on average and accepts an item. Measured is the time from sending an answer, or from the
key, until it is known as saved. `--replicas 2` has them on that many servers over one PostgreSQL database. At the end
the store is read: nothing that was acknowledged may lack, or be there twice. With `--failures` they come through nginx,
a server is killed, then the database is away, then the other server is killed; what the desk says is counted.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright

from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import datasets, people, tokens
from data.store import open_store
from tests import browser, seeds
from tests.bench.desk import quantiles
from tests.bench.people import Measured, Person, resource_use
from tests.conftest import FLAGS
from tests.load import proxy
from tests.load.failures import Returning, fail, listen
from tests.pages.api.client import load_client
from tests.pages.desk_driver import FIND
from tests.server import Server
from tools import sample

TARGET = 300
"""Milliseconds within which 95 of 100 answers are to be saved."""


@dataclass
class Load:
    """Who works on what for how long, and what it took them."""

    apps: list[Server]
    seconds: float
    thinking: float
    protocol: Measured = field(default_factory=Measured)
    browsers: Measured = field(default_factory=Measured)
    api: Measured = field(default_factory=Measured)
    before: proxy.Proxy | None = None
    databases: Any = None
    messages: Counter[str] = field(default_factory=Counter)
    all_in: asyncio.Barrier = field(init=False)

    def app(self, number: int) -> Any:
        """Where a person comes: through the proxy, or to a server that stays the same as behind one."""
        return self.before or self.apps[number % len(self.apps)]

    async def over_protocol(self, count: int) -> None:
        """People over the protocol."""
        sort = Returning if self.before else Person
        all_ = [sort(self.app(n), f"ann{n:02d}") for n in range(count)]
        for person in all_:
            await person.open("desk", "stream=review")
        await self.all_in.wait()
        until = time.monotonic() + self.seconds
        await asyncio.gather(*(person.work(until, self.protocol, random.Random(person.name)) for person in all_))
        for person in all_:
            await person.close()

    async def in_browsers(self, count: int) -> None:
        """People in browsers, each in a context of their own."""
        async with async_playwright() as playwright:
            flags = proxy.flags() if self.before else list(FLAGS)
            opened = await playwright.chromium.launch(executable_path=browser.find(), args=flags)
            pages = []
            for number in range(count):
                app, name = self.app(number), f"web{number:02d}"
                context = await opened.new_context(
                    viewport={"width": 1440, "height": 900}, reduced_motion="reduce", ignore_https_errors=True
                )
                await context.add_cookies([{"name": "assay_name", "value": name, "url": app.url}])
                page = await context.new_page()
                page.set_default_timeout(120_000)
                await page.goto(f"{app.url}/desk?stream=review")
                await page.wait_for_function(f"() => ({FIND})()?.dataset.item")
                pages.append((page, random.Random(name)))
            await self.all_in.wait()
            until = time.monotonic() + self.seconds
            listening = [asyncio.create_task(listen(page, self.messages)) for page, _ in pages if self.before]
            await asyncio.gather(*(self._browse(page, chance, until) for page, chance in pages))
            for task in listening:
                task.cancel()
            await asyncio.gather(*listening, return_exceptions=True)
            await opened.close()

    async def over_api(self, clients: Sequence[str]) -> None:
        """Programs that ask the API without a pause, with a token each: items in, scores out, figures."""
        await self.all_in.wait()
        until = time.monotonic() + self.seconds
        await asyncio.gather(*(asyncio.to_thread(self._ask, n, token, until) for n, token in enumerate(clients)))

    def _ask(self, number: int, token: str, until: float) -> None:
        module = load_client()
        client = module.Assay(self.app(number).url, token)
        requests: list[Callable[[], object]] = [
            lambda: client.send("demo", new_items(f"{token[-4:]} {number}")),
            lambda: client.get("/datasets/demo/scores", limit=1_000),
            lambda: client.get("/datasets/demo/calibration", judge=sample.JUDGE_A.model),
        ]
        while time.monotonic() < until:
            began = time.perf_counter()
            try:
                requests[number % len(requests)]()
                self.api.took.append(time.perf_counter() - began)
            except module.Refused as error:
                self.api.wrong.append(str(error))
            number += 1

    async def _browse(self, page: Any, chance: random.Random, until: float) -> None:
        think = chance.uniform(0, 2 * self.thinking)
        while time.monotonic() + think < until:
            await asyncio.sleep(think)
            think = chance.expovariate(1 / self.thinking)
            try:
                await page.wait_for_function(f"() => ({FIND})()?.dataset.item")
                began = time.perf_counter()
                await page.keyboard.press("Control+Enter")
                if await page.evaluate(f"'asks' in ({FIND})().dataset"):
                    await page.keyboard.press("Control+Enter")
                await page.wait_for_function(f"() => ({FIND})()?.dataset.unsaved === '0'")
                self.browsers.took.append(time.perf_counter() - began)
            except Exception as error:  # a person would look again, too
                self.browsers.wrong.append(f"{type(error).__name__} in a browser")


def print_times(title: str, measured: Measured, noun: str = "answers") -> float:
    """Print what it took; the 95th percentile in milliseconds."""
    took = sorted(measured.took)
    if not took:
        print(f"{title}: no {noun}; {len(measured.wrong)} errors")
        return 0.0
    p50, p95 = quantiles(took)
    p99 = took[min(int(len(took) * 0.99), len(took) - 1)]
    print(
        f"{title}: {len(took)} {noun}; p50 {p50 * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms; "
        f"{len(measured.wrong)} errors {measured.wrong[:3] or ''}",
        flush=True,
    )
    return p95 * 1000


def count_answers(url: str) -> list[tuple[int, int]]:
    """(answers, different pairs of item and person) in the store."""
    store = open_store(url)
    try:
        return [tuple(row) for row in store.rows(  # type: ignore[misc]
            "select count(*), count(distinct item_id || ' ' || person) from answer where previous = ''"
        )]  # fmt: skip
    finally:
        store.close()


def new_items(name: str) -> list[Any]:
    """A hundred items that are not there yet."""
    ids = [f"{name}/{n}" for n in range(100)]
    return [{"id": id_, "kind": "response", "task": f"What is {id_}?", "output": id_[::-1]} for id_ in ids]


def fill(url: str, folder: Path, items: int, names: Sequence[str], clients: int = 0) -> list[str]:
    """Make a workspace with a review queue of so many dialogues, and these people; the first leads.

    Gives a token of theirs for each client of the API.
    """
    dialogues = sample.make_bench_dialogues(items)
    store = open_store(url)
    for name in names:
        people.join_workspace(store, name)
    file = seeds.lines(folder / "rows.jsonl", [*dialogues.items, *dialogues.judgments])
    import_source(store, names[0], from_path(file), ImportPlan("demo"))
    dataset = datasets.dataset_named(store, "demo")
    judge = datasets.dataset_judges(store, dataset.id)[0].id
    queue.fill_review(store, names[0], dataset.id, judge, limit=items)
    client_tokens = [tokens.new_token(store, names[0], f"client {n}", ["read", "write"])[1] for n in range(clients)]
    store.close()
    return client_tokens


async def all_at_once(load: Load, count: int, browsers: int, clients: Sequence[str]) -> None:
    """All of them, and what fails."""
    load.all_in = asyncio.Barrier(4)
    await asyncio.gather(
        load.over_protocol(count), load.in_browsers(browsers), load.over_api(clients), what_fails(load)
    )


async def what_fails(load: Load) -> None:
    """Once all are in, what fails while they work."""
    await load.all_in.wait()
    if load.before:
        await fail(load.apps, load.databases, load.seconds)


def measure(options: Any, folder: Path, databases: Any = None) -> int:
    """Fill a workspace, let everybody work, and say what it took and what is there; 1 where something is wrong."""
    names = ("lea", *(f"ann{n:02d}" for n in range(options.people)), *(f"web{n:02d}" for n in range(options.browsers)))
    path, url = folder / "assay.duckdb", databases.address_of(folder / "database") if databases else None
    store = url or f"duckdb:///{path}"
    clients = fill(store, folder, options.items, names, options.clients)
    with ExitStack() as stack:
        apps = []
        for number in range(options.replicas):
            place = folder / str(number) if url else folder
            place.mkdir(exist_ok=True)
            app = Server(place, store=url, env=proxy.ENVIRONMENT if options.failures else None)
            apps.append(stack.enter_context(app))
        load = Load(apps, options.seconds, options.thinking, databases=databases)
        if options.failures:
            load.before = stack.enter_context(closing(proxy.Proxy(folder / "nginx", apps)))
        before, began = [resource_use(app) for app in apps], time.monotonic()
        asyncio.run(all_at_once(load, options.people, options.browsers, clients))
        span, after = time.monotonic() - began, [resource_use(app) for app in apps]
        answers = len(load.protocol.took) + len(load.browsers.took)
        worst = print_times(f"{options.people} people over the protocol", load.protocol)
        print_times(f"{options.browsers} people in browsers", load.browsers)
        print_times(f"{options.clients} clients of the API", load.api, "requests")
        for words, times in load.messages.most_common():
            print(f"the desk said {times} times: {words!r}")
        cpu = sum(now[0] - then[0] for then, now in zip(before, after, strict=True))
        print(
            f"The server used {cpu * 1000 / max(answers, 1):.1f} ms of processor time an answer (each runs its page "
            f"once), {cpu / span:.0%} of a core; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        )
    [(stored, different)] = count_answers(store)
    print(f"acknowledged {answers}, stored {stored}; lost {max(answers - stored, 0)}, twice {stored - different}")
    wrong = sum(len(measured.wrong) for measured in (load.protocol, load.browsers, load.api))
    late = worst > TARGET and not options.failures  # with them people wait for what is away
    if not options.failures:
        print(f"p95 {worst:.0f} ms of at most {TARGET}: {'NOT held' if late else 'held'}")
    return int(bool(wrong) or stored < answers or stored != different or late)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--browsers", type=int, default=10)
    parser.add_argument("--clients", type=int, default=0, help="programs that ask the API without a pause")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--thinking", type=float, default=5.0)
    parser.add_argument("--items", type=int, default=3_000)
    parser.add_argument("--replicas", type=int, default=1, help="with 2 or more, over one PostgreSQL database")
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL database for one server, too")
    parser.add_argument("--failures", action="store_true", help="servers are killed, and the database is away")
    options = parser.parse_args(arguments)
    if options.failures and options.replicas < 2:
        parser.error("--failures is for --replicas 2 or more")
    with tempfile.TemporaryDirectory(prefix="assay-load-") as name:
        if options.replicas == 1 and not options.postgres:
            return measure(options, Path(name))
        from tests.postgres import Databases

        databases = Databases()
        try:
            return measure(options, Path(name), databases)
        finally:
            databases.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
