"""The server: opens the store, answers /health, sets the security headers, and serves the pages."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from data import runs
from data.begin import begin
from data.publishing.ahead import ahead
from judges.card import cards
from judges.errors import AssayError
from pages.parts import giving, session
from pages.parts.settle import settle

HEADERS = {
    b"content-security-policy": b"img-src 'self' data: blob:; connect-src 'self' ws: wss:; object-src 'none'; "
    b"base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"same-origin",
    b"x-frame-options": b"DENY",
}


class SecurityHeaders:
    """Puts the headers on every answer; the policy stops whatever a judged text would make the browser fetch."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [h for h in message["headers"] if h[0].lower() not in HEADERS]
                message["headers"] = [*kept, *HEADERS.items()]
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


@contextlib.asynccontextmanager
async def life(_: object) -> AsyncIterator[None]:
    """Hold the store open while the server runs; what is approved is summed up meanwhile."""
    try:
        cards()
        store = begin()
    except AssayError as error:
        print(f"Assay cannot start. {error}", file=sys.stderr, flush=True)
        raise SystemExit(1) from None
    session.serve(store)
    settle()
    runs.look_after_all(store)
    ahead(store)
    try:
        yield
    finally:
        session.serve(None)
        runs.close(store)
        store.close()


def health(_: Request) -> JSONResponse:
    """Whether the store answers."""
    return JSONResponse({"status": "ok", "changes": session.store().newest()})


app = st.App(
    "pages/main.py",
    lifespan=life,
    routes=[Route("/health", health), Route(giving.ADDRESS, giving.download)],
    middleware=[Middleware(SecurityHeaders)],
)
