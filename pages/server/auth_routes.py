"""What stands around Streamlit's addresses for signing in: how often they may be asked, and the way back to a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import ceil
from urllib.parse import quote, unquote, urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from pages.server import limits

LOGIN, LOGOUT, CALLBACK = "/auth/login", "/auth/logout", "/oauth2callback"
BACK = "assay_back"
"""The cookie that has the page to which somebody who signs in comes back; the provider's pages take place between."""
_PAGE = re.compile(r"(?!sign-out\b)([a-z]{1,30}(-[a-z]{1,30})*)?(\?[!-~]{0,1500})?")
"""A page below our own address: no other host, no other scheme, and not the one that signs out again."""
_MINUTES = 10


class AuthRoutes:
    """Limits each address that asks to sign in, and leads whoever has signed in to the page that they had asked for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        if not path.endswith((LOGIN, LOGOUT, CALLBACK)):
            return await self.app(scope, receive, send)
        if wait := limits.sign_in_wait(str((scope.get("client") or ("",))[0])):
            told = f"Signing in is asked for too often from here. Try again in {ceil(wait)} s."
            return await PlainTextResponse(told, 429, {"retry-after": f"{ceil(wait)}"})(scope, receive, send)
        asked = Headers(scope=scope)

        async def changed(message: Message) -> None:
            if message["type"] == "http.response.start" and path.endswith(LOGIN):
                message["headers"] = [*message["headers"], _cookie(page_behind(asked))]
            elif message["type"] == "http.response.start" and path.endswith(CALLBACK):
                message["headers"] = [*lead_back(message["headers"], asked.get("cookie", "")), _cookie("")]
            await send(message)

        await self.app(scope, receive, changed)


def page_behind(asked: Headers) -> str:
    """The page of ours, with its query, from which a request came; "" for the first one, and where it is none."""
    try:
        came = urlsplit(asked.get("referer", ""))
    except ValueError:
        return ""
    if came.netloc.lower() != asked.get("host", "").lower() or not came.path.startswith(_base()):
        return ""
    page = came.path.removeprefix(_base()) + (f"?{came.query}" if came.query else "")
    return page if _PAGE.fullmatch(page) else ""


def lead_back(headers: Iterable[tuple[bytes, bytes]], cookies: str) -> list[tuple[bytes, bytes]]:
    """The headers of an answer that signs somebody in, leading to the page in their cookie; of any other unchanged."""
    given = list(headers)
    page = unquote(cookie_parser(cookies).get(BACK, ""))
    signed = any(n.lower() == b"set-cookie" and v.startswith(f"{USER_COOKIE_NAME}=".encode()) for n, v in given)
    if not signed or not _PAGE.fullmatch(page):
        return given
    return [(n, (_base() + page).encode() if n.lower() == b"location" else v) for n, v in given]


def _cookie(page: str) -> tuple[bytes, bytes]:
    age = _MINUTES * 60 if page else 0
    terms = f"Path={_base()}; Max-Age={age}; HttpOnly; SameSite=Lax"
    return b"set-cookie", f"{BACK}={quote(page, safe='')}; {terms}".encode()


def _base() -> str:
    """Where our own addresses begin."""
    below = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{below}/" if below else "/"
