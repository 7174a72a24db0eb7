"""Whoever signs in comes back to the page they had asked for, and to no other place; nobody may ask without end."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest
import streamlit as st
from streamlit.auth_util import set_cookie_with_chunks
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value, decode_signed_value

from pages.server import access, limits
from pages.server.access import SecurityHeaders
from pages.server.auth_routes import BACK_COOKIE, AuthRoutes
from pages.server.limits import Buckets, Limit

HOST = "assay.example.org"
SIGNED = [(b"location", b"/"), (b"set-cookie", b"_streamlit_user=signed; Path=/")]
USER, TOKENS = "_streamlit_user", "_streamlit_user_tokens"


COOKIES: list[str] = []
"""The cookies of the request as Streamlit sees them."""


def respond(
    path: str, headers: dict[str, str], own_headers: list[tuple[bytes, bytes]], scheme: str = "https"
) -> tuple[int, list[tuple[str, str]]]:
    """Status and headers of the answer, where Streamlit itself would give those."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        COOKIES[:] = [value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie"]
        await send({"type": "http.response.start", "status": 302, "headers": own_headers})

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": path, "scheme": scheme, "client": ("10.0.0.1", 1),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in {"host": HOST, **headers}.items()],
    }  # fmt: skip
    asyncio.run(SecurityHeaders(AuthRoutes(app))(scope, None, send))  # type: ignore[arg-type]
    return sent[0]["status"], [(n.decode(), v.decode()) for n, v in sent[0]["headers"]]


def back(referer: str) -> str:
    """Where somebody lands who begins to sign in on a page."""
    _, headers = respond("/auth/login", {"referer": referer}, [])
    [cookie] = [value for name, value in headers if name == "set-cookie"]
    assert cookie.endswith("; HttpOnly; SameSite=Lax; Secure")
    return landing_path(cookie.partition(";")[0])


def landing_path(cookie: str, own_headers: list[tuple[bytes, bytes]] | None = None) -> str:
    """Where the answer to the provider's leads with a cookie; the cookie ends with it."""
    _, headers = respond("/oauth2callback", {"cookie": cookie}, SIGNED if own_headers is None else own_headers)
    assert any(value.startswith(f"{BACK_COOKIE}=;") and "Max-Age=0" in value for _, value in headers)
    return next(value for name, value in headers if name == "location")


@pytest.mark.parametrize("page", ["desk?stream=review&item=d-1", "sign-in", "?dataset=%E6%84%9B", "people", ""])
def test_a_link_leads_where_it_led(page: str) -> None:
    assert back(f"https://{HOST}/{page}") == f"/{page}"


@pytest.mark.parametrize(
    "referer",
    ["https://evil.test/desk", f"https://{HOST}.evil.test/desk", f"https://{HOST}@evil.test/desk", "//evil.test/desk",
     f"https://{HOST}//evil.test", f"https://{HOST}/\\evil.test", f"https://{HOST}/sign-out", f"https://{HOST}/a/b",
     f"https://{HOST}/sign-out?x", f"https://{HOST}:1/desk", f"https://{HOST}/desk?{'x' * 2_000}", "https://[/desk",
     f"https://{HOST}/desk?\u00e9", "nonsense", f"https://{HOST}/oauth2callback", f"https://{HOST}/%2e%2e/desk"],
)  # fmt: skip
def test_no_other_place_is_led_to(referer: str) -> None:
    assert back(referer) == "/"


@pytest.mark.parametrize(
    "forged",
    ["%2F%2Fevil.test", "https%3A%2F%2Fevil.test", "desk%0D%0Alocation%3A%20x", "%5Cevil.test", ".", "desk%00"],
)
def test_a_forged_cookie_leads_nowhere_else(forged: str) -> None:
    assert landing_path(f"{BACK_COOKIE}={forged}") == "/"


def test_who_did_not_get_in_is_led_to_the_start() -> None:
    assert landing_path(f"{BACK_COOKIE}=desk", [(b"location", b"/")]) == "/"


def test_below_a_path_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "get_option", lambda name: "below" if name == "server.baseUrlPath" else None)
    _, headers = respond("/below/auth/login", {"referer": f"https://{HOST}/below/desk?x=1"}, [])
    assert f"{BACK_COOKIE}=desk%3Fx%3D1; Path=/below/; " in next(v for n, v in headers if n == "set-cookie")
    _, headers = respond(
        "/below/oauth2callback", {"cookie": f"{BACK_COOKIE}=desk"}, [(b"location", b"/below/"), SIGNED[1]]
    )
    assert ("location", "/below/desk") in headers


def test_over_tls_every_cookie_is_kept_to_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    own = [(b"set-cookie", b"_streamlit_user=a; HttpOnly"), (b"set-cookie", b"assay_replica=b; Secure")]

    def secure(scheme: str, **headers: str) -> list[bool]:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return ["; Secure" in value for name, value in respond("/", fields, own, scheme)[1] if name == "set-cookie"]

    assert secure("http") == [False, True]
    assert secure("https") == secure("http", x_forwarded_proto="https") == [True, True]
    monkeypatch.setattr(access, "get_origin_from_redirect_uri", lambda: "https://assay.example.org")
    assert secure("http") == [True, True]


def signed_in(claims: dict[str, Any], tokens: dict[str, Any]) -> list[tuple[bytes, bytes]]:
    """The cookies by which Streamlit signs somebody in, cut in parts where they are long."""
    cookies: list[tuple[bytes, bytes]] = []

    def sign(name: str, value: str) -> bytes:
        return create_signed_value(get_cookie_secret(), name, value)

    def put(name: str, value: str) -> None:
        cookies.append((b"set-cookie", f"{name}={sign(name, value).decode()}; HttpOnly; Path=/".encode()))

    for name, content in ((USER, claims), (TOKENS, tokens)):
        set_cookie_with_chunks(put, sign, name, content, cookie_attr_size=20)
    return cookies


def test_somebody_is_signed_in_by_one_cookie_and_no_part_of_one_is_read() -> None:
    long = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=9_000))
    account = {"iss": "https://login.test", "sub": "12", "iat": 1_800_000_000, "nonce": "n"}
    streamlits = {"origin": f"https://{HOST}", "is_logged_in": True, "provider": "default"}
    for more, tokens, names in (({}, "a", {USER, TOKENS}), ({"name": long, "picture": long}, long, {USER})):
        cookies = signed_in({**account, **more, **streamlits}, {"id_token": tokens})
        assert (len(cookies) > 2) == bool(more), "long ones are cut"
        _, headers = respond("/oauth2callback", {}, [(b"location", b"/"), *cookies])
        set_cookies = {v.partition("=")[0]: v.partition("=")[2] for n, v in headers if n == "set-cookie"}
        assert set(set_cookies) == {*names, BACK_COOKIE}
        value, _, terms = set_cookies[USER].partition(";")
        read = json.loads(decode_signed_value(get_cookie_secret(), USER, value) or b"")
        assert {**account, **streamlits}.items() <= read.items() and len(value) < 2_000
        assert terms == " HttpOnly; Path=/; Secure" and "picture" not in read
    respond("/_stcore/stream", {"cookie": f"a=b; {USER}=c;{USER}_1=d; {TOKENS}=e; {USER}_2 =f; {TOKENS}_1=g;h"}, [])
    assert [f"a=b; {USER}=c; {TOKENS}=e;h"] == COOKIES, "parts of two sign-ins would be read as one of somebody else"


def test_one_address_cannot_ask_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "sign_in_requests", Buckets(Limit("sign_in_requests", 3, 1), lambda: 0.0))
    paths = ("/auth/login", "/below/oauth2callback", "/auth/logout", "/auth/login")
    answers = [respond(path, {}, []) for path in paths]
    assert [status for status, _ in answers] == [302, 302, 302, 429] and ("retry-after", "1") in answers[-1][1]
    assert respond("/desk", {}, [])[0] == 302, "pages are not for signing in"
