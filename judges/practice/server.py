"""The practice endpoint over HTTP: chat completions, models, files and batches as OpenAI's, on this machine only."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from judges.practice import model
from judges.practice.batches import Batches
from judges.practice.family import FAMILIES, OWNER, draw_chance
from judges.practice.model import ErrorReply, to_bytes
from judges.practice.options import BadOption, PracticeOptions

HOST = "127.0.0.1"
_MOST_BYTES = 256 << 20
_MOST_CALLS = 200_000
"""Calls of which it is known how often they were asked."""


class Server:
    """One practice endpoint: its options, its files and batches. `app` is what serves it."""

    def __init__(self, options: PracticeOptions) -> None:
        self.options = options
        self.batches = Batches(options, self.of_batch)
        self.closing = asyncio.Event()
        self._attempts: dict[str, int] = {}
        self.app = web.Application(client_max_size=_MOST_BYTES, middlewares=[self._refusals])
        self.app.add_routes(
            [
                web.post("/v1/chat/completions", self.chat),
                web.get("/v1/models", self._models),
                web.get("/v1/models/{id}", self._model),
                web.post("/v1/files", self._upload),
                web.get("/v1/files/{id}", self._file),
                web.get("/v1/files/{id}/content", self._content),
                web.post("/v1/batches", self._batch_start),
                web.get("/v1/batches", self._batch_list),
                web.get("/v1/batches/{id}", self._batch),
                web.post("/v1/batches/{id}/cancel", self._batch_cancel),
            ]
        )
        self.app.on_shutdown.append(self._close)

    async def wait_until_ended(self) -> None:
        """Wait until the server is told to end, or is interrupted."""
        await self.closing.wait()

    async def _close(self, _: web.Application) -> None:
        self.closing.set()
        await self.batches.close()

    @web.middleware
    async def _refusals(self, request: web.Request, handler: Any) -> web.StreamResponse:
        try:
            answer: web.StreamResponse = await handler(request)
            return answer
        except ErrorReply as refusal:
            return _json(refusal.error, refusal.status)

    def of_batch(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and body for the body of a line of a batch."""
        try:
            return 200, self._complete(body)[0]
        except ErrorReply as refusal:
            return refusal.status, refusal.error

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """The answer to a chat completion."""
        done, key, attempt = self._complete(read_object(await request.read()))
        await self.wait(key, attempt)
        return _json(done)

    def _complete(self, body: dict[str, Any]) -> tuple[dict[str, Any], str, int]:
        """The completion, the key of the call, and how often it was asked so far: a repeated call draws new noise."""
        text = model.last_message(body)
        model.check_request(body)
        key = model.call_key(body, text)
        attempt = self._attempts.get(key, 0) + 1
        if attempt > 1 or len(self._attempts) < _MOST_CALLS:
            self._attempts[key] = attempt
        reply = model.make_reply(self.options, body, text, key, attempt)
        return model.complete_chat(body, reply, f"{key} {attempt}"), key, attempt

    async def wait(self, key: str, attempt: int) -> None:
        """Wait for the answer's delay from the options."""
        options = self.options
        if options.latency_ms or options.jitter_ms:
            swing = (2 * draw_chance(options.seed, key, attempt, "latency") - 1) * options.jitter_ms
            await asyncio.sleep(max(0.0, options.latency_ms + swing) / 1000)

    async def _models(self, _: web.Request) -> web.Response:
        return _json({"object": "list", "data": [_about(name) for name in FAMILIES]})

    async def _model(self, request: web.Request) -> web.Response:
        model.check_request({"model": request.match_info["id"]})
        return _json(_about(request.match_info["id"]))

    async def _upload(self, request: web.Request) -> web.Response:
        if not request.content_type.startswith("multipart/"):
            raise model.bad_request("Send the file as multipart/form-data with 'file' and 'purpose'.", "file")
        form = await request.post()
        file, purpose = form.get("file"), form.get("purpose")
        if not isinstance(file, web.FileField) or purpose != "batch":
            raise model.bad_request("Send a 'file' with the purpose 'batch'.", "purpose")
        return _json(self.batches.keep(file.file.read(), file.filename, purpose))

    async def _file(self, request: web.Request) -> web.Response:
        return _json(self.batches.file(request.match_info["id"])[0])

    async def _content(self, request: web.Request) -> web.Response:
        return web.Response(body=self.batches.file(request.match_info["id"])[1], content_type="application/jsonl")

    async def _batch_start(self, request: web.Request) -> web.Response:
        return _json(self.batches.start(read_object(await request.read())))

    async def _batch_list(self, _: web.Request) -> web.Response:
        return _json({"object": "list", "data": self.batches.list_batches(), "has_more": False})

    async def _batch(self, request: web.Request) -> web.Response:
        return _json(self.batches.batch(request.match_info["id"]))

    async def _batch_cancel(self, request: web.Request) -> web.Response:
        return _json(await self.batches.cancel(request.match_info["id"]))


def _about(name: str) -> dict[str, Any]:
    about = f"Practice, not a language model: {FAMILIES[name].about}."
    return {"id": name, "object": "model", "created": 0, "owned_by": OWNER, "description": about}


def _json(value: Any, status: int = 200) -> web.Response:
    return web.Response(body=to_bytes(value), status=status, content_type="application/json")


def read_object(data: bytes) -> dict[str, Any]:
    """The JSON object that a request's body holds. Raises ErrorReply."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise model.bad_request("The body of the request is no JSON.") from error
    if not isinstance(value, dict):
        raise model.bad_request("The body of the request is no JSON object.")
    return value


@asynccontextmanager
async def serve_app(server: Server) -> AsyncIterator[str]:
    """Serve on the running event loop; the base URL. Raises BadOption where the port is in use."""
    runner = web.AppRunner(server.app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, HOST, server.options.port, backlog=2048).start()
        except OSError as error:
            message = f"Port {server.options.port} cannot be used ({error.strerror}): choose another one with --port."
            raise BadOption(message) from error
        yield f"http://{HOST}:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()
