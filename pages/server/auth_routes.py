"""Additions to Streamlit's sign-in addresses: rate limits, and the return to the requested page.

It also handles the sign-in cookie: Streamlit splits a long one into separately signed parts, so parts of several
sign-ins could be combined into another identity. Here it is always a single cookie, and parts are not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from math import ceil
from urllib.parse import quote, unquote, urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette import starlette_websocket as sockets
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import TOKENS_COOKIE_NAME, USER_COOKIE_NAME

from data.records.logins import shorten_claims
from pages.server import limits
from pages.server.access import base_address

LOGIN, LOGOUT, CALLBACK = "/auth/login", "/auth/logout", "/oauth2callback"
BACK_COOKIE = "assay_back"
"""The cookie that has the page to which somebody who signs in comes back; the provider's pages take place between."""
_PAGE = re.compile(r"(?!sign-out\b)([a-z]{1,30}(-[a-z]{1,30})*)?(\?[!-~]{0,1500})?")
"""A page below our own address: no other host, no other scheme, and not the one that signs out again."""
_COOKIE_MINUTES = 10
_PART = re.compile(rf"({USER_COOKIE_NAME}|{TOKENS_COOKIE_NAME})_\d+")
"""The name of a part of a cookie."""


class AuthRoutes:
    """Limits sign-in requests by address, and redirects to the requested page after sign-in."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        if "headers" in scope:
            scope = {**scope, "headers": [(n, _drop_parts(v) if n == b"cookie" else v) for n, v in scope["headers"]]}
        if not path.endswith((LOGIN, LOGOUT, CALLBACK)):
            return await self.app(scope, receive, send)
        if wait := limits.sign_in_requests.wait(str((scope.get("client") or ("",))[0])):
            refusal = f"Too many sign-in attempts from this address. Try again in {ceil(wait)} s."
            return await PlainTextResponse(refusal, 429, {"retry-after": f"{ceil(wait)}"})(scope, receive, send)
        headers = Headers(scope=scope)

        async def change_headers(message: Message) -> None:
            if message["type"] == "http.response.start" and path.endswith(LOGIN):
                message["headers"] = [*message["headers"], _cookie(page_behind(headers))]
            elif message["type"] == "http.response.start" and path.endswith(CALLBACK):
                message["headers"] = [
                    *join_parts(redirect_back(message["headers"], headers.get("cookie", ""))), _cookie("")
                ]  # fmt: skip
            await send(message)

        await self.app(scope, receive, change_headers)


def page_behind(headers: Headers) -> str:
    """The page of ours, with its query, from which a request came; "" for the first one, and where it is none."""
    try:
        came = urlsplit(headers.get("referer", ""))
    except ValueError:
        return ""
    if came.netloc.lower() != headers.get("host", "").lower() or not came.path.startswith(f"{base_address()}/"):
        return ""
    page = came.path.removeprefix(f"{base_address()}/") + (f"?{came.query}" if came.query else "")
    return page if _PAGE.fullmatch(page) else ""


def redirect_back(headers: Iterable[tuple[bytes, bytes]], cookies: str) -> list[tuple[bytes, bytes]]:
    """The headers of an answer that signs somebody in, leading to the page in their cookie; of any other unchanged."""
    fields = list(headers)
    page = unquote(cookie_parser(cookies).get(BACK_COOKIE, ""))
    signed = any(n.lower() == b"set-cookie" and v.startswith(f"{USER_COOKIE_NAME}=".encode()) for n, v in fields)
    if not signed or not _PAGE.fullmatch(page):
        return fields
    return [(n, (f"{base_address()}/" + page).encode() if n.lower() == b"location" else v) for n, v in fields]


def join_parts(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of an answer that signs somebody in, with one cookie of the claims that are looked at.

    The provider's own tokens, which it needs at sign-out, are kept if they fit into one cookie.
    """
    fields = [(n, v, v.decode("latin-1") if n.lower() == b"set-cookie" else "") for n, v in headers]
    set_ = dict(text.partition(";")[0].partition("=")[::2] for _, _, text in fields if text)
    raw = sockets._get_signed_cookie_with_chunks(set_, USER_COOKIE_NAME)
    if not raw:
        return [(n, v) for n, v, _ in fields]
    claims = json.loads(raw)
    session_claims = {name: claims[name] for name in ("origin", "is_logged_in", "provider") if name in claims}
    signed = create_signed_value(
        get_cookie_secret(), USER_COOKIE_NAME, json.dumps({**shorten_claims(claims), **session_claims})
    )
    out = []
    for name, value, text in fields:
        called, _, terms = text.partition("=")
        if called == USER_COOKIE_NAME:
            value = f"{called}={signed.decode()};{terms.partition(';')[2]}".encode("latin-1")
        if not _PART.fullmatch(called) and not (called == TOKENS_COOKIE_NAME and f"{called}_1" in set_):
            out.append((name, value))
    return out


def _drop_parts(cookies: bytes) -> bytes:
    """The cookies of a request without parts of any."""
    pairs = cookies.decode("latin-1").split(";")
    return ";".join(pair for pair in pairs if not _PART.fullmatch(pair.partition("=")[0].strip())).encode("latin-1")


def _cookie(page: str) -> tuple[bytes, bytes]:
    age = _COOKIE_MINUTES * 60 if page else 0
    terms = f"Path={base_address()}/; Max-Age={age}; HttpOnly; SameSite=Lax"
    return b"set-cookie", f"{BACK_COOKIE}={quote(page, safe='')}; {terms}".encode()
