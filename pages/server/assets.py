"""Streamlit's own files, the HTML that names them, and the libraries of the desk, answered from memory and packed.

A first visit asks for some 130 of them, 5 MB that Streamlit reads from the disk piece by piece and sends as they are.
What is not known here, or asked for in part, is left to Streamlit.
"""

from __future__ import annotations

import asyncio
import gzip
import mimetypes
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server import first_html, libraries

FOLDER = Path(st.__file__).parent / "static" / "static"
HTML = Path("index.html")
PACKED = frozenset({".js", ".css", ".svg", ".html"})
"""Endings of files that are worth packing; fonts and pictures are packed already."""
ASKED_AGAIN = "no-cache"
"""A page's HTML is asked for at every visit, as it names the files of the version that runs."""
KEPT = "public, immutable, max-age=31536000"
"""A name has the fingerprint of what is in the file, so it may be kept for a year; Streamlit says the same."""


class Assets:
    """Answers for the files that have one name for good."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = _below(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else ""
        page = first_html.first_html(path[1:]) is not None if path else False
        if not page and path not in _files():
            return await self.app(scope, receive, send)
        asked = Headers(scope=scope)
        if "range" in asked:
            return await self.app(scope, receive, send)
        which = path, "gzip" in asked.get("accept-encoding", "")
        if which not in _kept:
            _kept[which] = await asyncio.to_thread(_read, *which)
        body, kind, packed = _kept[which]
        headers = {"cache-control": ASKED_AGAIN if page else KEPT, "vary": "accept-encoding"}
        headers |= {"content-encoding": "gzip"} if packed else {}
        await Response(body, media_type=kind, headers=headers)(scope, receive, send)


def _below(path: str) -> str:
    """An address as it is below the one that all of Assay is served at; "" where it is not below it."""
    base = f"/{st.get_option('server.baseUrlPath').strip('/')}".rstrip("/")
    return path.removeprefix(base) if path.startswith(f"{base}/") else ""


_kept: dict[tuple[str, bool], tuple[bytes, str, bool]] = {}


@cache
def _files() -> dict[str, Path]:
    """Address -> file, of all that there are: no other can be asked for."""
    own = {f"/static/{file.relative_to(FOLDER).as_posix()}": file for file in FOLDER.rglob("*") if file.is_file()}
    return own | libraries.files()


def _read(path: str, packs: bool) -> tuple[bytes, str, bool]:
    """What is at an address, its type, and whether it is packed."""
    file = _files().get(path, HTML)
    body = (first_html.first_html(path[1:]) or b"") if file is HTML else file.read_bytes()
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    if packs and file.suffix in PACKED:
        return gzip.compress(body, 6, mtime=0), kind, True
    return body, kind, False
