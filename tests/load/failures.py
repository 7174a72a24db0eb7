"""What fails while people work, and people who come back: `python -m tests.load --replicas 2 --failures`."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from typing import Any
from uuid import uuid4

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import WebSocketException

from tests.bench.people import Person
from tests.load import proxy
from tests.pages.desk_driver import FIND
from tests.postgres import Databases
from tests.server import Server

PATIENCE = 240.0
"""Seconds for which an answer is sent again, before it counts as one that nobody took."""
AWAY = 20.0
"""Seconds for which the database is away."""
READ_STATUS = (
    f"() => ({FIND})()?.querySelector('.status')?.textContent || document.querySelector('.stAlert')?.innerText"
)


class Returning(Person):
    """Somebody behind the proxy who connects again, and sends an answer until it is told of, as the desk does."""

    def __init__(self, app: Any, name: str) -> None:
        super().__init__(app, name)
        self.browser = uuid4().hex

    async def connect(self, cookies: str = "", **more: Any) -> ClientConnection:
        """Through nginx, whose name leads here."""
        where = {"host": "127.0.0.1", "port": self.app.port, "ssl": proxy.trusting()}
        return await super().connect(f"; assay_replica={self.browser}", **where)

    async def save(self, answer: dict[str, Any], have: list[str], patience: float = 10) -> None:
        """Send it until it is told of."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                if self.listening.done():
                    self.runs, self.elements = 0, {}
                    await self.open("desk", "stream=review")
                return await super().save(answer, have, patience)
            except (OSError, WebSocketException, TimeoutError, KeyError):
                if time.monotonic() > until:
                    raise TimeoutError from None
                self.listening.cancel()
                await asyncio.sleep(1)


async def fail(apps: list[Server], databases: Databases, seconds: float) -> None:
    """Kill a server and start it again, crash the database for a while, and kill the other server."""

    async def at(share: float, event: str, work: Any, *arguments: Any) -> None:
        await asyncio.sleep(max(0.0, began + share * seconds - time.monotonic()))
        print(f"{time.monotonic() - began:.0f} s: {event}", flush=True)
        await asyncio.to_thread(work, *arguments)

    began = time.monotonic()
    await at(0.15, "one server is killed", apps[0].kill)
    await at(0.35, "it is started again", apps[0].start)
    await at(0.5, f"the database crashes and is away for {AWAY:.0f} s", databases.restart, AWAY)
    await at(0.7, "the other server is killed", apps[1].kill)
    await at(0.85, "it is started again", apps[1].start)


async def listen(page: Any, counts: Counter[str]) -> None:
    """Count what the desk says, twice a second."""
    while True:
        words = await page.evaluate(READ_STATUS)
        counts[re.sub(r"\d+", "N", words or "")] += 1
        await asyncio.sleep(0.5)
