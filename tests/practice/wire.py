"""Faults of the connection, and errors as bodies: what is sent in place of a reply."""

from __future__ import annotations

import asyncio
from email.utils import formatdate
from typing import Any

from aiohttp import web

from judges.practice.completion import unix_seconds
from judges.practice.model import to_bytes
from tests.practice.options import Fault

_JSON = "application/json"
_WORDS = {
    "401": ("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
    "404": ("There is nothing here (a planted fault).", "invalid_request_error", None),
    "408": ("The request took too long (a planted fault).", "server_error", None),
    "409": ("The request conflicts with another (a planted fault).", "server_error", None),
    "429": ("Too many requests (a planted fault): slow down.", "requests", "rate_limit_exceeded"),
    "500": ("The server had an error (a planted fault).", "server_error", None),
    "502": ("Bad gateway (a planted fault).", "server_error", None),
    "503": ("The engine is overloaded (a planted fault): try again later.", "server_error", None),
    "504": ("Gateway timeout (a planted fault).", "server_error", None),
}
_QUOTA = "You have used up your quota (a planted fault): check your plan."
_PAGE = "<!doctype html><title>Sign in</title><p>This is a page, not an API (a planted fault).</p>"


def error(message: str, kind: str, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """An error body."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def failure(fault: Fault, note: str = "") -> tuple[int, dict[str, str], dict[str, Any]]:
    """(status, headers, body) of a fault that is an error status; `note` is added to the message."""
    if fault.name == "quota":
        return 429, {}, error(_QUOTA + note, "insufficient_quota", "insufficient_quota")
    message, kind, code = _WORDS[fault.name]
    return int(fault.name), retry_after(fault), error(message + note, kind, code)


def retry_after(fault: Fault) -> dict[str, str]:
    """The Retry-After header: of 429 in seconds (1 unless the detail says otherwise), as a date, or none."""
    if fault.name not in ("429", "503") or fault.detail == "none" or (fault.name == "503" and not fault.detail):
        return {}
    if fault.detail == "date":
        return {"Retry-After": formatdate(unix_seconds() + 1, usegmt=True)}
    return {"Retry-After": fault.detail or "1"}


async def send(
    request: web.Request, fault: Fault, body: dict[str, Any], closing: asyncio.Event, note: str
) -> web.StreamResponse:
    """Carry out a fault of the connection; `body` is the completion that would have been sent."""
    if fault.name == "timeout":
        await closing.wait()
        return _drop(request)
    if fault.name == "html":
        return web.Response(text=_PAGE, content_type="text/html", status=int(fault.detail or 200))
    data = to_bytes(body)
    if fault.name == "bad_body":
        return web.Response(body=data[: len(data) // 2] + b'"', content_type=_JSON)
    if fault.name in ("reset", "slow"):
        response = web.StreamResponse(headers={"Content-Type": _JSON, "Content-Length": str(len(data))})
        await response.prepare(request)
        if fault.name == "reset":
            await response.write(data[: len(data) // 2])
            return _drop(request, response)
        step = max(1, len(data) // 5 + 1)
        for start in range(0, len(data), step):
            await response.write(data[start : start + step])
            await asyncio.sleep(float(fault.detail or 1) / 5)
        return response
    status, headers, failed = failure(fault, note)
    return web.Response(body=to_bytes(failed), status=status, headers=headers, content_type=_JSON)


def _drop(request: web.Request, response: web.StreamResponse | None = None) -> web.StreamResponse:
    """Drop the connection without a word more."""
    if request.transport is not None:
        request.transport.abort()
    return response or web.Response(status=500)
