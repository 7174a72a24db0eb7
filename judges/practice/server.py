"""The practice endpoint over HTTP: chat completions, models, files and batches as OpenAI's, on this machine only."""

from __future__ import annotations

import asyncio
import hmac
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from judges.practice import model, wire
from judges.practice.batches import Batches
from judges.practice.family import FAMILIES, OWNER
from judges.practice.faults import WIRE, chance, fault, planned
from judges.practice.log import Log
from judges.practice.model import Refusal, dumped
from judges.practice.options import BadOption, Fault, Options

HOST = "127.0.0.1"
HEADER = "X-Practice-Fault"
"""A request's own fault: `429:0.01`, or several for the first, second, ... attempt: `500,reset,none`."""
_MOST_BYTES = 256 << 20


class Server:
    """One practice endpoint: its options, its log, its files and batches. `app` is what serves it."""

    def __init__(self, options: Options) -> None:
        self.options, self.log = options, Log(options.log_keys)
        self.batches = Batches(options, self.log)
        self._closing = asyncio.Event()
        self._tokens, self._filled = float(options.rpm), 0.0
        self.app = web.Application(client_max_size=_MOST_BYTES, middlewares=[self._refusals])
        self.app.add_routes(
            [
                web.post("/v1/chat/completions", self._chat),
                web.get("/v1/models", self._models),
                web.get("/v1/models/{id}", self._model),
                web.post("/v1/files", self._upload),
                web.get("/v1/files/{id}", self._file),
                web.get("/v1/files/{id}/content", self._content),
                web.post("/v1/batches", self._batch_start),
                web.get("/v1/batches", self._batch_list),
                web.get("/v1/batches/{id}", self._batch),
                web.post("/v1/batches/{id}/cancel", self._batch_cancel),
                web.get("/practice/log", self._told),
            ]
        )
        self.app.on_shutdown.append(self._close)

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return list(FAMILIES)

    async def ended(self) -> None:
        """Wait until the server is told to end, or is interrupted."""
        await self._closing.wait()

    async def _close(self, _: web.Application) -> None:
        self._closing.set()
        await self.batches.close()

    @web.middleware
    async def _refusals(self, request: web.Request, handler: Any) -> web.StreamResponse:
        try:
            self._allowed(request)
            answer: web.StreamResponse = await handler(request)
            return answer
        except Refusal as refusal:
            self.log.refuse(refusal.code)
            headers = {"Retry-After": f"{60 / self.options.rpm:.2f}"} if refusal.status == 429 else {}
            return _json(refusal.error, refusal.status, headers)

    def _allowed(self, request: web.Request) -> None:
        """Raises Refusal without the key that is demanded."""
        if not self.options.key_variable or request.path.startswith("/practice/"):
            return
        wanted = os.environ.get(self.options.key_variable, "")
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not wanted or not hmac.compare_digest(given.encode(), wanted.encode()):
            text = f"Incorrect API key provided.{self._note(request)}"
            raise Refusal(401, text, "invalid_request_error", "invalid_api_key")

    def _note(self, request: web.Request) -> str:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return f" You sent {given}." if self.options.echo_key and given else ""

    def _within_limit(self) -> None:
        """Raises Refusal (429) above `rpm` requests a minute: a bucket of a second's worth, at least one."""
        if not self.options.rpm:
            return
        at = asyncio.get_running_loop().time()
        rate = self.options.rpm / 60
        self._tokens = min(max(rate, 1.0), self._tokens + (at - self._filled) * rate)
        self._filled = at
        if self._tokens < 1:
            raise Refusal(429, "Rate limit reached: slow down.", "requests", "rate_limit_exceeded")
        self._tokens -= 1

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        self.log.open += 1
        self.log.widest = max(self.log.widest, self.log.open)
        try:
            return await self._completed(request)
        finally:
            self.log.open -= 1

    async def _completed(self, request: web.Request) -> web.StreamResponse:
        self._within_limit()
        body = _object(await request.read())
        text = model.last_message(body)
        model.check(body, self.options)
        key = model.key_of(body, text)
        attempt = self.log.ask(key)
        chosen = self._fault(request, key, attempt)
        if chosen is not None:
            self.log.fault(key, chosen.name)
        done = model.complete(self.options, body, text, key, attempt, chosen, wire.now())
        await self._wait(key, attempt)
        if chosen is not None and chosen.name in WIRE:
            answer = await wire.send(request, chosen, done, self._closing, self._note(request))
            if chosen.name == "slow":
                self.log.answer(key)
            return answer
        self.log.answer(key)
        return _json(done)

    def _fault(self, request: web.Request, key: str, attempt: int) -> Fault | None:
        own = request.headers.get(HEADER)
        if own is None:
            return planned(self.options, key, attempt)
        script = [part.strip() for part in own.split(",")]
        text = script[min(attempt, len(script)) - 1]
        try:
            return None if text in ("", "none") else fault(text)
        except BadOption as error:
            raise model.bad(str(error), HEADER) from error

    async def _wait(self, key: str, attempt: int) -> None:
        options = self.options
        if options.latency_ms or options.jitter_ms:
            swing = (2 * chance(options.seed, key, attempt, "latency") - 1) * options.jitter_ms
            await asyncio.sleep(max(0.0, options.latency_ms + swing) / 1000)

    async def _models(self, _: web.Request) -> web.Response:
        return _json({"object": "list", "data": [_about(name) for name in FAMILIES]})

    async def _model(self, request: web.Request) -> web.Response:
        model.check({"model": request.match_info["id"]}, self.options)
        return _json(_about(request.match_info["id"]))

    async def _upload(self, request: web.Request) -> web.Response:
        if not request.content_type.startswith("multipart/"):
            raise model.bad("Send the file as multipart/form-data with 'file' and 'purpose'.", "file")
        form = await request.post()
        file, purpose = form.get("file"), form.get("purpose")
        if not isinstance(file, web.FileField) or purpose != "batch":
            raise model.bad("Send a 'file' with the purpose 'batch'.", "purpose")
        return _json(self.batches.keep(file.file.read(), file.filename, purpose))

    async def _file(self, request: web.Request) -> web.Response:
        return _json(self.batches.file(request.match_info["id"])[0])

    async def _content(self, request: web.Request) -> web.Response:
        return web.Response(body=self.batches.file(request.match_info["id"])[1], content_type="application/jsonl")

    async def _batch_start(self, request: web.Request) -> web.Response:
        return _json(self.batches.start(_object(await request.read())))

    async def _batch_list(self, _: web.Request) -> web.Response:
        return _json({"object": "list", "data": self.batches.every(), "has_more": False})

    async def _batch(self, request: web.Request) -> web.Response:
        return _json(self.batches.batch(request.match_info["id"]))

    async def _batch_cancel(self, request: web.Request) -> web.Response:
        return _json(await self.batches.cancel(request.match_info["id"]))

    async def _told(self, _: web.Request) -> web.Response:
        return _json(self.log.as_json())


def _about(name: str) -> dict[str, Any]:
    about = f"Practice, not a language model: {FAMILIES[name].about}."
    return {"id": name, "object": "model", "created": 0, "owned_by": OWNER, "description": about}


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(body=dumped(value), status=status, headers=headers, content_type="application/json")


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise model.bad("The body of the request is no JSON.") from error
    if not isinstance(value, dict):
        raise model.bad("The body of the request is no JSON object.")
    return value


@asynccontextmanager
async def serving(options: Options) -> AsyncIterator[tuple[str, Server]]:
    """A practice endpoint on the running event loop: (its base URL, the server). Port 0 takes a free one.

    Raises BadOption where the port is in use.
    """
    server = Server(options)
    runner = web.AppRunner(server.app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, HOST, options.port, backlog=2048).start()
        except OSError as error:
            said = f"Port {options.port} cannot be used ({error.strerror}): choose another one with --port."
            raise BadOption(said) from error
        yield f"http://{HOST}:{runner.addresses[0][1]}/v1", server
    finally:
        await runner.cleanup()
