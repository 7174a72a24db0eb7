"""The server: opens the store, answers /health, and serves the pages."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from data import runs
from data.begin import begin
from data.publishing.ahead import ahead
from judges.card import cards
from judges.errors import AssayError
from pages.parts import folders, giving, session, sockets
from pages.parts.assets import Assets
from pages.parts.headers import SecurityHeaders
from pages.parts.origins import Origins
from pages.parts.settle import settle
from pages.parts.uploads import Uploads


@contextlib.asynccontextmanager
async def life(_: object) -> AsyncIterator[None]:
    """Hold the store open while the server runs; what is approved is summed up meanwhile."""
    try:
        cards()
        store = begin()
    except AssayError as error:
        print(f"Assay cannot start. {error}", file=sys.stderr, flush=True)
        raise SystemExit(1) from None
    sockets.hasten()
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
        folders.forget()


def health(_: Request) -> JSONResponse:
    """Whether the store answers."""
    return JSONResponse({"status": "ok", "changes": session.store().newest()})


app = st.App(
    "pages/main.py",
    lifespan=life,
    routes=[Route("/health", health), *(Route(address, giving.download) for address in giving.ADDRESSES)],
    middleware=[Middleware(SecurityHeaders), Middleware(Origins), Middleware(Assets), Middleware(Uploads)],
)
