"""Only Assay's own pages, opened under a name of this server, may ask it for anything; others may only lead to it."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import re
from typing import Any

import pytest
import streamlit as st
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from judges.errors import BadInput
from pages.server.access import OriginCheck, check_hosts
from tests.server import Server

OWN = "127.0.0.1:8601"
LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


def is_allowed(kind: str = "http", method: str = "GET", path: str = "/", scheme: str = "http", **headers: Any) -> bool:
    """Whether a request with those headers comes through; a list is the same header several times."""
    through = []

    async def app(*_: Any) -> None:
        through.append(True)

    async def stub(*_: Any) -> Any:
        return {"type": "http.request"}

    header_pairs = [
        (name.replace("_", "-").encode(), text.encode("latin-1"))
        for name, value in headers.items()
        for text in ([value] if isinstance(value, str) else value)
    ]
    scope = {"type": kind, "method": method, "path": path, "headers": header_pairs, "server": ("127.0.0.1", 8601)}
    asyncio.run(OriginCheck(app)({**scope, "scheme": {"websocket": "ws"}.get(kind, scheme)}, stub, stub))
    return bool(through)


@pytest.mark.parametrize("host", [OWN, "localhost:8601", "[::1]:8601", "LOCALHOST:8601"])
def test_this_machine_under_its_names_and_port(host: str) -> None:
    for kind in ("http", "websocket"):
        assert is_allowed(kind, host=host) and is_allowed(kind, host=host, origin=f"http://{host}")


@pytest.mark.parametrize(
    "host",
    ["evil.test", "evil.test:8601", "127.0.0.1", "127.0.0.1:8602", "localhost.:8601", "127.0.0.1:8601@evil.test", "",
     "evil.test@127.0.0.1:8601", "127.0.0.1:8601/x", "127.0.0.1:x", "127.0.0.1:99999", "[::1", "0x7f.1:8601",
     "127.0.0.1.nip.io:8601", ["127.0.0.1:8601", "evil.test"], []],
)  # fmt: skip
def test_another_name_is_refused_for_whatever_is_asked(host: Any) -> None:
    for kind, path in (("http", "/"), ("http", "/health"), ("http", "/given/a/b"), ("websocket", "/_stcore/stream")):
        assert not is_allowed(kind, path=path, host=host)


@pytest.mark.parametrize(
    "origin",
    ["null", "", "http://127.0.0.1:8602", "http://127.0.0.1", "http://localhost:8601", "https://127.0.0.1:8601",
     "http://evil.test", "http://127.0.0.1:8601.evil.test", "http://a@127.0.0.1:8601", "file://",
     ["http://127.0.0.1:8601", "http://evil.test"]],
)  # fmt: skip
def test_another_origin_is_refused_its_port_and_scheme_count(origin: Any) -> None:
    for kind, method in (("http", "GET"), ("http", "PUT"), ("http", "OPTIONS"), ("websocket", "GET")):
        assert not is_allowed(kind, method, host=OWN, origin=origin)


def test_a_cookie_alone_is_never_enough() -> None:
    assert not is_allowed("websocket", host=OWN, cookie="assay_name=lea")
    assert is_allowed("websocket", host=OWN, cookie="assay_name=lea", origin=f"http://{OWN}")
    assert is_allowed("websocket", host=OWN), "a program that brings nobody's cookie has nothing to misuse"


def test_from_another_page_a_link_may_lead_here_and_nothing_else() -> None:
    assert is_allowed(host=OWN, **LINK) and is_allowed(host=OWN, sec_fetch_site="same-origin")
    for other in ({"sec-fetch-mode": "no-cors"}, {"sec-fetch-dest": "iframe"}, {"sec-fetch-mode": "cors"}):
        for site in ("cross-site", "same-site"):
            assert not is_allowed(host=OWN, **{**LINK, **other, "sec-fetch-site": site})
    assert not is_allowed(method="POST", host=OWN, **LINK)


def test_a_team_behind_a_proxy_names_its_host(monkeypatch: pytest.MonkeyPatch) -> None:
    named = ["assay.example.org", "*.lab.example.org"]
    monkeypatch.setattr(st, "get_option", lambda name: named if name == "server.allowedHosts" else None)
    for host in ("assay.example.org", "assay.example.org:8443", "a.lab.example.org"):
        assert is_allowed("websocket", host=host, origin=f"https://{host}", cookie="a=b")
        assert is_allowed("websocket", host=host, origin=f"http://{host}")
        assert not is_allowed("http", scheme="https", host=host, origin=f"http://{host}")
        assert not is_allowed("websocket", host=host, origin=f"https://{host}:1")
    assert is_allowed(host=OWN), "the machine itself can always ask, as its health check does"
    assert not is_allowed(host="lab.example.org") and not is_allowed(host="xassay.example.org")


@pytest.mark.parametrize(
    ("name", "right"),
    [("assay.example.org", True), ("*.lab.example.org", True), ("*", True), ("::1", True), ("team_a", True), ("", True),
     ("https://assay.example.org", False), ("assay.example.org:8443", False), ('["assay.example.org"]', False),
     ("assay.example.org assay", False), ("assay.example.org/assay", False)],
)  # fmt: skip
def test_a_name_that_no_browser_sends_ends_the_start(monkeypatch: pytest.MonkeyPatch, name: str, right: bool) -> None:
    monkeypatch.setattr(st, "get_option", lambda _: ["localhost", name])
    with contextlib.nullcontext() if right else pytest.raises(BadInput, match=re.escape(f"lists {name!r}, which is")):
        check_hosts()


def test_of_streamlit_s_own_addresses_only_what_the_browser_needs() -> None:
    for path in ("metrics", "metrics/", "script-health-check", "agent", "", "x/../metrics"):
        assert not is_allowed(path=f"/_stcore/{path}", host=OWN)
        assert not is_allowed(path=f"/base/_stcore/{path}", host=OWN)
    for path in ("health", "host-config", "upload_file/a/b", "bidi-components/x/y.js"):
        assert is_allowed(path=f"/_stcore/{path}", host=OWN)


def test_the_server_itself_refuses(assay: Server) -> None:
    def status(path: str, **headers: str) -> int:
        line = http.client.HTTPConnection("127.0.0.1", assay.port, timeout=60)
        line.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = line.getresponse()
        assert answer.getheader("x-content-type-options") == "nosniff"
        return answer.status

    assert [status(path) for path in ("/", "/health", "/_stcore/health")] == [200] * 3
    assert [status(path, Host=f"evil.test:{assay.port}") for path in ("/", "/health", "/desk")] == [403] * 3
    assert status("/health", Origin="http://127.0.0.1:1") == 403
    code, headers, body = assay.get("/api/v1/me", {"Origin": "http://127.0.0.1:1"})
    assert (code, headers["content-type"]) == (403, "application/problem+json") and json.loads(body)["status"] == 403
    assert [status(path) for path in ("/_stcore/metrics", "/_stcore/metrics/")] == [404] * 2
    stream = f"ws://127.0.0.1:{assay.port}/_stcore/stream"
    cookie = {"Cookie": "assay_name=lea"}
    with connect(stream, origin=assay.url, additional_headers=cookie, proxy=None) as client:  # type: ignore[arg-type]
        client.send("a text, where the protocol has bytes")
        with pytest.raises(ConnectionClosed):
            client.recv(timeout=60)
    for origin in ("http://127.0.0.1:1", assay.url.replace("127.0.0.1", "localhost"), "null", None):
        with pytest.raises(InvalidStatus) as refused:
            connect(stream, origin=origin, additional_headers=cookie, proxy=None).__enter__()  # type: ignore[arg-type]
        assert refused.value.response.status_code == 403


def test_the_name_in_the_cookie_goes_to_no_other_site(assay: Server, page: Any) -> None:
    page.goto(assay.url)
    page.get_by_label("Your name").fill("Lea")
    page.get_by_role("button", name="Enter").click()
    page.wait_for_function("() => document.cookie.includes('assay_name=')")
    [cookie] = [entry for entry in page.context.cookies() if entry["name"] == "assay_name"]
    assert cookie["sameSite"] == "Strict"
