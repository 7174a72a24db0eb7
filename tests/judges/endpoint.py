"""A scripted OpenAI-compatible endpoint on loopback: what each call gets is what the test says."""

import asyncio
import json
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from judges.protocols.messages import read_fence


@dataclass
class Say:
    """What one call gets. `content` makes a completion; `body` is sent as it is; `hang` never answers."""

    content: str | None = None
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    message: dict[str, Any] = field(default_factory=dict)
    finish: str = "stop"
    usage: tuple[int, int] | None = (100, 20)
    hang: bool = False
    reset: bool = False
    after: float = 0.0

    def text(self) -> bytes:
        if self.body is not None:
            return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        whole: dict[str, Any] = {
            "model": "served-model",
            "choices": [
                {"index": 0, "finish_reason": self.finish, "message": {"content": self.content, **self.message}}
            ],
        }
        if self.usage:
            whole["usage"] = {"prompt_tokens": self.usage[0], "completion_tokens": self.usage[1]}
        return json.dumps(whole).encode()


Script = Callable[[dict[str, Any], int], Say]
"""(body of the call, how often the same material was asked about before) -> what it gets"""


@dataclass
class Served:
    """The endpoint as a test sees it: its address, and every body that it was sent."""

    url: str
    script: Script
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Any] = field(default_factory=list)
    times: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    most: int = 0
    under_way: int = 0
    models: Any = None

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        self.headers.append(request.headers)
        name = key(body)
        nth = self.times[name]
        self.times[name] += 1
        say = self.script(body, nth)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            if say.hang:
                await asyncio.sleep(30)
            await asyncio.sleep(say.after)
            if say.reset:
                response = web.StreamResponse(headers={"Content-Length": "1000"})
                await response.prepare(request)
                await response.write(b'{"choices": [')
                if request.transport:
                    request.transport.close()
                return response
            self.answered[name] += say.status == 200
            return web.Response(
                body=say.text(), status=say.status, headers={"Content-Type": "application/json"} | say.headers
            )
        finally:
            self.under_way -= 1

    async def list_models(self, _: web.Request) -> web.Response:
        if isinstance(self.models, Say):
            return web.Response(body=self.models.text(), status=self.models.status, headers=self.models.headers)
        return web.json_response(self.models or {"data": [{"id": "m"}]})


def key(body: dict[str, Any]) -> str:
    """What a call is about: the material in its last message, or the whole message."""
    last = body["messages"][-1]["content"]
    fence = read_fence(last)
    return json.dumps(fence[1], sort_keys=True) if fence else last


@asynccontextmanager
async def serving(script: Script, port: int = 0, tls: ssl.SSLContext | None = None) -> AsyncIterator[Served]:
    """Serve the script on loopback while the block runs; with `tls` by https."""
    app = web.Application()
    served = Served("", script)
    app.router.add_post("/v1/chat/completions", served.complete)
    app.router.add_get("/v1/models", served.list_models)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, ssl_context=tls)
    await site.start()
    served.url = f"http{'s' if tls else ''}://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/v1"
    try:
        yield served
    finally:
        await runner.cleanup()
