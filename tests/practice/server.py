"""The practice endpoint over HTTP, with what the tests plant in it."""

from __future__ import annotations

import asyncio
import hmac
import os
from typing import Any

from aiohttp import web

from judges.practice import model
from judges.practice.model import ErrorReply, to_bytes
from judges.practice.options import BadOption
from judges.practice.server import Server, read_object
from tests.practice import faults, wire
from tests.practice.log import Log
from tests.practice.options import Equipment, Fault

HEADER = "X-Practice-Fault"
"""A request's own fault: `429:0.01`, or several for the first, second, ... attempt: `500,reset,none`."""


class FaultyServer(Server):
    """A practice endpoint with faults; `log` is what it was asked, which GET /practice/log gives, too."""

    def __init__(self, options: Equipment) -> None:
        super().__init__(options)
        self.equipment, self.log = options, Log(options.log_keys)
        self._tokens, self._filled = float(options.rpm), 0.0
        self.app.middlewares.append(self._handle)
        self.app.router.add_get("/practice/log", self._send_log)

    @web.middleware
    async def _handle(self, request: web.Request, handler: Any) -> web.StreamResponse:
        try:
            self._check_key(request)
            return await handler(request)
        except ErrorReply as refusal:
            error = refusal.error["error"]
            self.log.refuse(error["code"] or error["type"])
            if refusal.status != 429:
                raise
            headers = {"Retry-After": f"{60 / self.equipment.rpm:.2f}"}
            return web.Response(
                body=to_bytes(refusal.error), status=429, headers=headers, content_type="application/json"
            )

    def _check_key(self, request: web.Request) -> None:
        """Raises ErrorReply without the key that is demanded."""
        if not self.equipment.key_variable or request.path.startswith("/practice/"):
            return
        expected = os.environ.get(self.equipment.key_variable, "")
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not expected or not hmac.compare_digest(key.encode(), expected.encode()):
            text = f"Incorrect API key provided.{self._note(request)}"
            raise ErrorReply(401, text, "invalid_request_error", "invalid_api_key")

    def _note(self, request: web.Request) -> str:
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return f" You sent {key}." if self.equipment.echo_key and key else ""

    def _within_limit(self) -> None:
        """Raises ErrorReply (429) above `rpm` requests a minute: a bucket of a second's worth, at least one."""
        if not self.equipment.rpm:
            return
        at = asyncio.get_running_loop().time()
        rate = self.equipment.rpm / 60
        self._tokens = min(max(rate, 1.0), self._tokens + (at - self._filled) * rate)
        self._filled = at
        if self._tokens < 1:
            raise ErrorReply(429, "Rate limit reached: slow down.", "requests", "rate_limit_exceeded")
        self._tokens -= 1

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """The answer to a chat completion, or the fault that the call gets."""
        self.log.open += 1
        self.log.widest = max(self.log.widest, self.log.open)
        try:
            return await self._answer(request)
        finally:
            self.log.open -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self._within_limit()
        body = read_object(await request.read())
        text, key, attempt = self._asked_for(body)
        chosen = self._fault(request, key, attempt)
        if chosen is not None:
            self.log.fault(key, chosen.name)
        done = faults.make_completion(self.equipment, body, text, key, attempt, chosen)
        await self.wait(key, attempt)
        if chosen is not None and chosen.name in faults.WIRE:
            answer = await wire.send(request, chosen, done, self.closing, self._note(request))
            if chosen.name == "slow":
                self.log.answer(key)
            return answer
        self.log.answer(key)
        return web.Response(body=to_bytes(done), content_type="application/json")

    def of_batch(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and body for the body of a line of a batch; faults of the connection become lines of its errors."""
        try:
            text, key, attempt = self._asked_for(body)
            fault = faults.plan_fault(self.equipment, key, attempt)
            if fault is not None:
                self.log.fault(key, fault.name)
            if fault is not None and fault.name in faults.WIRE and fault.name != "slow":
                known = fault.name == "quota" or fault.name.isdigit()
                status, _, failed = wire.failure(fault if known else Fault("500"))
                return status, failed
            done = faults.make_completion(self.equipment, body, text, key, attempt, fault)
            self.log.answer(key)
            return 200, done
        except ErrorReply as refusal:
            return refusal.status, refusal.error

    def _asked_for(self, body: dict[str, Any]) -> tuple[str, str, int]:
        """The text of a request, the key of its call, and how often that was asked by now. Raises ErrorReply."""
        text = model.last_message(body)
        model.check_request(body)
        self._check_support(body)
        key = model.call_key(body, text)
        return text, key, self.log.ask(key)

    def _check_support(self, body: dict[str, Any]) -> None:
        """Raises ErrorReply for what the options say is refused."""
        refuses, shape = self.equipment.refuses, model.response_format(body)
        if shape in ("json_schema", "json_object") and shape in refuses:
            text = f"Invalid parameter: 'response_format' of type '{shape}' is not supported with this model."
            raise model.bad_request(text, "response_format", "unsupported_value")
        for name in refuses - {"json_schema", "json_object"}:
            if body.get(name) not in (None, False):
                text = f"Unsupported parameter: '{name}' is not supported with this model."
                raise model.bad_request(text, name, "unsupported_parameter")

    def _fault(self, request: web.Request, key: str, attempt: int) -> Fault | None:
        own = request.headers.get(HEADER)
        if own is None:
            return faults.plan_fault(self.equipment, key, attempt)
        script = [part.strip() for part in own.split(",")]
        text = script[min(attempt, len(script)) - 1]
        try:
            return None if text in ("", "none") else faults.fault(text)
        except BadOption as error:
            raise model.bad_request(str(error), HEADER) from error

    async def _send_log(self, _: web.Request) -> web.Response:
        return web.Response(body=to_bytes(self.log.as_json()), content_type="application/json")
