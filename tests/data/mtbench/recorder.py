"""An endpoint that answers MT-Bench's calls as a script says and keeps every body that it was sent."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.judges.endpoint import Say, Script, Served, serving


def is_judging(body: dict[str, Any]) -> bool:
    """Whether a call asks for a judgment."""
    return "[[" in " ".join(m["content"] for m in body["messages"] if m["role"] != "assistant")


def answering(body: dict[str, Any], nth: int) -> Say:
    """An answer that tells what it was asked after, or a rating."""
    if is_judging(body):
        pair = "[[A]]" in body["messages"][0]["content"] + body["messages"][-1]["content"]
        return Say("The first is better. [[A]]" if pair else "Good enough.\n\nRating: [[7]]")
    prompt = body["messages"][-1]["content"]
    return Say(f"answer {nth} to {prompt}")


@contextmanager
def recording(script: Script = answering, models: tuple[str, ...] = ("m", "m2", "j")) -> Iterator[Served]:
    """Serve in a thread of its own while the block runs."""
    ready, servers = threading.Event(), list[Served]()
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    async def serve() -> None:
        async with serving(script) as served:
            served.models = {"data": [{"id": name} for name in models]}
            servers.append(served)
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert ready.wait(30)
    try:
        yield servers[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(30)
        loop.close()
