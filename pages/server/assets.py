"""Streamlit's own files, the HTML that names them, and the libraries of the desk, answered from memory and packed.

A first visit asks for some 130 of them, 5 MB that Streamlit reads from the disk piece by piece and sends as they are.
What is not known here, or asked for in part, is left to Streamlit.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import mimetypes
import re
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from judges.version import VERSION
from pages.server.access import base_address

FOLDER = Path(st.__file__).parent / "static" / "static"
HTML = Path("index.html")
COMPRESSED_SUFFIXES = frozenset({".js", ".css", ".svg", ".html"})
"""Endings of files that are worth packing; fonts and pictures are packed already."""
REVALIDATED = "no-cache"
"""A page's HTML is asked for at every visit, as it names the files of the version that runs."""
CACHED_FOR_A_YEAR = "public, immutable, max-age=31536000"
"""A name has the fingerprint of what is in the file, so it may be kept for a year; Streamlit says the same."""
BUNDLED = Path(__file__).parent / "bundled"
PRELOADED_LIBRARIES = ("markdown-it", "dompurify")
"""The libraries that nearly every text needs. The others are loaded when a text has code, or a formula."""


class Assets:
    """Answers for the files that have one name for good."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = _relative_address(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else ""
        page = path[:1] == "/" and path[1:] in PAGE_ELEMENTS
        if not page and path not in _files():
            return await self.app(scope, receive, send)
        request_headers = Headers(scope=scope)
        if "range" in request_headers:
            return await self.app(scope, receive, send)
        which = path, "gzip" in request_headers.get("accept-encoding", "")
        if which not in _kept:
            _kept[which] = await asyncio.to_thread(_read, *which)
        body, kind, packed = _kept[which]
        headers = {"cache-control": REVALIDATED if page else CACHED_FOR_A_YEAR, "vary": "accept-encoding"}
        headers |= {"content-encoding": "gzip"} if packed else {}
        await Response(body, media_type=kind, headers=headers)(scope, receive, send)


def _relative_address(path: str) -> str:
    """An address as it is below the one that all of Assay is served at; "" where it is not below it."""
    base = base_address()
    return path.removeprefix(base) if path.startswith(f"{base}/") else ""


_kept: dict[tuple[str, bool], tuple[bytes, str, bool]] = {}


@cache
def _files() -> dict[str, Path]:
    """Address -> file, of all that there are: no other can be asked for."""
    own = {f"/static/{file.relative_to(FOLDER).as_posix()}": file for file in FOLDER.rglob("*") if file.is_file()}
    return own | library_files()


def _read(path: str, packs: bool) -> tuple[bytes, str, bool]:
    """Return the content at an address, its type, and whether it is packed."""
    file = _files().get(path, HTML)
    body = first_html(path[1:]) if file is HTML else file.read_bytes()
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    if packs and file.suffix in COMPRESSED_SUFFIXES:
        return gzip.compress(body, 6, mtime=0), kind, True
    return body, kind, False


# -- the libraries that turn judged texts into what their writers meant: addresses that browsers may keep -------------


@cache
def library_files() -> dict[str, Path]:
    """Address -> file. An address has the fingerprint of what is in the file, so it means the same for good."""
    files = sorted(BUNDLED.glob("*.js"))
    return {f"/bundled/{f.stem}.{hashlib.sha256(f.read_bytes()).hexdigest()[:12]}.js": f for f in files}


def library_addresses() -> dict[str, str]:
    """Name -> address, of all."""
    return {file.stem: address for address, file in library_files().items()}


# -- the first HTML of a page: it names the scripts that the page is known to need, so that they load side by side. ----
# Streamlit's own HTML names what its frame needs; what a page's elements need it asks for when they arrive from the
# server, and what these need in turn after that.

SCRIPTS = FOLDER / "js"
STYLE = (Path(__file__).parent / "frame.css").read_text(encoding="utf-8")
FOOTER = (
    f'<style>:root {{ --version: "Assay {VERSION}" }}\n'
    f"{(Path(__file__).parent / 'foot.css').read_text(encoding='utf-8')}</style>"
)
"""The version at the foot of a page, for the pages that have room for it."""
_TABLE = ("DataFrame", "Selectbox")
PAGE_ELEMENTS: dict[str, tuple[str, ...]] = {
    "": ("Button", "Metric", "PageLink", "ProgressBar"),
    "overview": (),
    "desk": ("BidiComponent", "ButtonGroup", "Selectbox"),
    "queue": ("Button", "ButtonGroup", *_TABLE),
    "assignments": ("BidiComponent", "Button", "Selectbox"),
    "adjudication": ("BidiComponent", "Button", "Selectbox"),
    "dashboard": ("BidiComponent", "PageLink", "Selectbox"),
    "calibration": ("BidiComponent", "ButtonGroup", "Metric", *_TABLE),
    "comparison": ("BidiComponent", "Multiselect", *_TABLE),
    "mtbench": ("ButtonGroup", "PlotlyChart", *_TABLE),
    "audits": ("Button", "Selectbox"),
    "annotators": ("BidiComponent", "Metric", "PlotlyChart", *_TABLE),
    "approvals": ("Button", "Checkbox", "NumberInput", "Selectbox", "TextInput"),
    "runs": ("Button", "Checkbox", "NumberInput", "Selectbox"),
    "cards": ("Button", "Multiselect", "TextArea", "TextInput", *_TABLE),
    "import": ("FileUploader",),
    "export": ("Button", "ButtonGroup", "Checkbox", "TextArea", "TextInput", *_TABLE),
    "people": ("Button", "DataFrame"),
    "trail": ("DownloadButton", "Multiselect", *_TABLE),
    "workspace": ("Button",),
    "me": ("Button", *_TABLE),
    "sign-out": (),
}
"""Address of a page -> Streamlit's names of the elements that every view of it has; "overview" leads on to the root."""
TEXT_PAGES = ("desk", "adjudication")
"""The pages that draw judged texts."""
_ROOT = '<script>window.__streamlit = {BACKEND_BASE_URL: new URL("./", location.href).href}</script>\n'
"""The script that names the server's address. Else Streamlit tries below the page's own address first, and waits."""
_IMPORTED = re.compile(r'(?:\bfrom|\bimport)\s*"\./([\w.-]+\.js)"')


@cache
def first_html(address: str) -> bytes:
    """The HTML that a page begins with; its address is one of `PAGE_ELEMENTS`."""
    first = FOLDER.with_name("index.html").read_text(encoding="utf-8").replace("<title>Streamlit<", "<title>Assay<")
    links = "".join(
        f'<link rel="modulepreload" crossorigin href="./static/js/{name}">\n'
        for name in sorted(scripts(PAGE_ELEMENTS[address]))
        if f"/{name}" not in first
    )
    if address in TEXT_PAGES:
        addresses = library_addresses()
        links += "".join(
            f'<link rel="preload" as="script" href=".{addresses[name]}">\n' for name in PRELOADED_LIBRARIES
        )
    return first.replace("</head>", f"{_ROOT}<style>{STYLE}</style>{links}</head>", 1).encode()


def scripts(elements: tuple[str, ...]) -> set[str]:
    """The files that elements are drawn by: their own, and all that these import before they run."""
    names: set[str] = set()
    left = [file.name for element in elements for file in SCRIPTS.glob(f"{element}.*.js")]
    while left:
        name = left.pop()
        if name not in names and (SCRIPTS / name).is_file():
            names.add(name)
            left += _find_imports(name)
    return names


@cache
def _find_imports(name: str) -> list[str]:
    """The files that one imports before it runs."""
    return _IMPORTED.findall((SCRIPTS / name).read_text(encoding="utf-8"))
