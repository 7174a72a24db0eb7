"""Streamlit's own files and the bundled ones come from memory, whole, packed where asked for, and no others do."""

from __future__ import annotations

import gzip
import http.client
import os
import re
import socket

import pytest
import streamlit as st

from pages.main import ROUTES
from pages.server import assets, startup
from pages.server.assets import FOLDER
from tests.server import Server


def fetch(app: Server, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a GET, whose path is sent as it stands."""
    line = http.client.HTTPConnection("127.0.0.1", app.port, timeout=60)
    line.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = line.getresponse()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


def test_files_are_whole_and_packed_where_asked_for(assay: Server) -> None:
    script, font = next(FOLDER.rglob("protobuf.*.js")), next(FOLDER.rglob("*.woff2"))
    own = [(f"/static/{file.relative_to(FOLDER).as_posix()}", file, file is script) for file in (script, font)]
    for path, file, packs in (*own, *((path, file, True) for path, file in assets.library_files().items())):
        for _ in range(2):  # read, then remembered
            status, headers, body = fetch(assay, path, Accept_Encoding="gzip, br")
            assert (status, headers.get("content-encoding")) == (200, "gzip" if packs else None)
            assert (gzip.decompress(body) if packs else body) == file.read_bytes()
            assert "immutable" in headers["cache-control"] and headers["vary"] == "accept-encoding"
            assert headers["x-content-type-options"] == "nosniff"
        status, headers, body = fetch(assay, path)
        assert (status, body) == (200, file.read_bytes()) and "content-encoding" not in headers
    path = f"/static/{script.relative_to(FOLDER).as_posix()}"
    assert "javascript" in fetch(assay, path)[1]["content-type"]
    assert fetch(assay, path, Range="bytes=0-9")[2] == script.read_bytes()[:10]
    for elsewhere in ("/static/js/../../index.html", "/static/js/none.js", "/static/..%2f..%2f__init__.py"):
        assert b"import" not in fetch(assay, elsewhere)[2][:400]


def test_a_page_begins_with_the_names_of_the_scripts_that_it_needs(assay: Server) -> None:
    own = fetch(assay, "/unknown-page")[2]
    status, headers, body = fetch(assay, "/desk", Accept_Encoding="gzip")
    assert status == 200 and headers["cache-control"] == "no-cache" and headers["content-type"].startswith("text/html")
    assert headers["content-security-policy"]
    page = gzip.decompress(body)
    named = re.findall(rb'"(\./static/js/[^"]+)"', page)
    assert len(named) == len(set(named)) and set(re.findall(rb'"(\./static/js/[^"]+)"', own)) < set(named)
    assert any(b"/BidiComponent." in name for name in named)
    assert all(fetch(assay, name.decode()[1:])[0] == 200 for name in named)
    assert b"BACKEND_BASE_URL" in page and b"BACKEND_BASE_URL" not in own
    assert b"<title>Assay</title>" in fetch(assay, "/overview")[2], "it leads on to the root, within the same frame"


def test_all_of_it_may_be_served_below_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for base, below in (("", "/desk"), ("team/a", ""), ("/team/a/", "")):
        monkeypatch.setattr(st, "get_option", lambda _, base=base: base)
        assert (assets._relative_address("/desk"), assets._relative_address("/team/a/desk")) == (
            below,
            "/desk" if base else "/team/a/desk",
        )
        assert assets._relative_address("/team/abc") == ("" if base else "/team/abc")


def test_every_page_is_known_and_every_script_that_it_needs_is_there() -> None:
    assert set(assets.PAGE_ELEMENTS) == {"", *(address for _, _, _, _, address, _ in ROUTES)}
    assert not [e for needed in assets.PAGE_ELEMENTS.values() for e in needed if not assets.scripts((e,))]


def test_what_listens_sends_small_messages_at_once() -> None:
    """Made as Streamlit makes its own; connections inherit it."""
    with socket.socket(family=socket.AF_INET) as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        files = sorted(os.listdir(startup.FOLDER))
        startup.disable_nagle()
        assert sorted(os.listdir(startup.FOLDER)) == files  # else pipes of other processes would stay open
        with socket.create_connection(server.getsockname()), server.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
