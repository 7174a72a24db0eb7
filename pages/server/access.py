"""The rules on who may send requests: only Assay's own pages, in browsers that use its right name; and safe headers.

A browser sends its cookies to every port of a machine, whichever page asks, so a cookie says nothing about who asks. A
request must therefore name this server (another site could point its own name to it). If it names an origin, that must
be this server with its port and scheme. From other pages only links may lead here.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.auth_util import get_origin_from_redirect_uri

from judges.errors import BadInput
from pages.server.problems import problem

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
"""The names of this machine, under which only the port that is served is right."""
OPEN_PATHS = frozenset({"health", "host-config", "stream", "upload_file", "bidi-components"})
"""The parts of Streamlit's own addresses that the browser needs. The others, such as the metrics, give nothing."""
PORTS = {"http": 80, "https": 443}
_ALLOWED_NAME = re.compile(r"\*|(\*\.)?[a-z0-9._-]+|[0-9a-f.]*(:[0-9a-f.]*){2,}", re.IGNORECASE)


def base_address() -> str:
    """The beginning of all addresses: "", or as in "/assay" where `server.baseUrlPath` names a path."""
    return f"/{str(st.get_option('server.baseUrlPath') or '').strip('/')}".rstrip("/")


class OriginCheck:
    """Refuses requests under another name or from another origin, before anything else sees them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        why, status = _refusal(scope), 403
        if not why and _is_unneeded(scope["path"]):
            why, status = "There is nothing here.", 404
        if not why:
            return await self.app(scope, _bytes_only(receive), send)
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008, "reason": why})
        refusal = problem(status, why) if "/api/" in scope["path"] else PlainTextResponse(why, status)
        await refusal(scope, receive, send)


def _bytes_only(receive: Receive) -> Receive:
    """The messages of a websocket; a text message ends it, because Streamlit's protocol has none and fails on it."""

    async def receive_bytes() -> Message:
        message = await receive()
        if message["type"] == "websocket.receive" and message.get("bytes") is None:
            return {"type": "websocket.disconnect", "code": 1003}
        return message

    return receive_bytes


def check_hosts() -> None:
    """Refuse names in STREAMLIT_SERVER_ALLOWED_HOSTS that no browser sends: with them, nobody would get an answer."""
    if wrong := [name for name in _allowed_hosts() if not _ALLOWED_NAME.fullmatch(name)]:
        raise BadInput(
            f"STREAMLIT_SERVER_ALLOWED_HOSTS lists {wrong[0]!r}, which is not a host name. Give names without https:// "
            "and without a port, with commas between them, as in assay.example.org,assay.internal."
        )


def _allowed_hosts() -> list[str]:
    """The names under which the server answers, in small letters; "*.example.org" is every name below this one."""
    names = (str(host).strip().lower() for host in st.get_option("server.allowedHosts") or [])
    return [name for name in names if name]


def is_local() -> bool:
    """Whether the server answers only under names of this machine, which is the default."""
    names = set(_allowed_hosts())
    return names <= LOCAL_HOSTS and str(st.get_option("server.address") or "").lower() in LOCAL_HOSTS


def _is_unneeded(path: str) -> bool:
    """Whether an address is one of Streamlit's own that the browser does not need."""
    _, separator, rest = f"{path}/".partition("/_stcore/")
    return bool(separator) and rest.partition("/")[0] not in OPEN_PATHS


def _refusal(scope: Scope) -> str:
    """Return the reason why a request is refused, in a sentence; "" if it is answered."""
    headers = Headers(scope=scope)
    scheme = {"ws": "http", "wss": "https"}.get(scope["scheme"]) or str(scope["scheme"])
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    host = hosts[0].lower() if len(hosts) == 1 else ""
    if not _is_own_host(host, scheme, scope):
        return (
            "Assay does not answer under this host name. Open http://127.0.0.1 with the port that it was started on. "
            "To use another name, list it in STREAMLIT_SERVER_ALLOWED_HOSTS."
        )
    if any(origin.lower() not in _own_origins(host, scheme) for origin in origins):
        return "This request came from a page of another origin. Only Assay's own pages may send it."
    if not origins and scope["type"] == "websocket" and "cookie" in headers:
        # Every browser sends the origin of a websocket; a program without cookies has no rights that it could misuse.
        return "This connection has a cookie but no origin. Browsers send both."
    link = scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and _is_followed_link(headers)
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not link:
        return "This request came from a page of another site. Other sites may only link to Assay."
    return ""


def _is_own_host(host: str, scheme: str, scope: Scope) -> bool:
    try:
        parts = urlsplit(f"//{host}")
        name, port = parts.hostname, parts.port or PORTS.get(scheme)
    except ValueError:
        return False
    if not name or parts.netloc != host or "@" in host:
        return False
    if name in LOCAL_HOSTS:
        return port == (scope.get("server") or ("", None))[1]
    return any(
        pattern == "*" or name == pattern or (pattern.startswith("*.") and name.endswith(pattern[1:]))
        for pattern in _allowed_hosts()
    )


def _own_origins(host: str, scheme: str) -> set[str]:
    """The origins of this server's own pages; behind a proxy that speaks https to the browser, that too."""
    local = urlsplit(f"//{host}").hostname in LOCAL_HOSTS
    return {f"{scheme}://{host}"} | (set() if local else {f"https://{host}"})


def _is_followed_link(headers: Headers) -> bool:
    """Whether the browser says that a person followed a link, in the window itself and in no frame."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


_HOST = re.compile(r"[a-z0-9.\-_:\[\]]+", re.IGNORECASE)
_FIXED = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"same-origin",
    b"x-frame-options": b"DENY",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


def safe_headers(scope: Scope) -> dict[bytes, bytes]:
    """The headers of every answer.

    The policy lets a page load and send data only from and to this server. Streamlit has inline scripts and styles and
    makes some at run time, so these are allowed.
    """
    host = Headers(scope=scope).get("host", "")
    sockets = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    policy = (
        "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; img-src 'self' data: blob:; "
        f"connect-src 'self'{sockets}; object-src 'none'; frame-src 'self'; base-uri 'self'; form-action 'self'; "
        "frame-ancestors 'none'"
    )
    return {b"content-security-policy": policy.encode(), **_FIXED}


class SecurityHeaders:
    """Puts the headers on every answer, on that too by which a websocket is refused."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        own, open_ = safe_headers(scope), False
        may_answer = "websocket.http.response" in (scope.get("extensions") or {})

        async def with_headers(message: Message) -> None:
            nonlocal open_
            open_ = open_ or message["type"] == "websocket.accept"
            if message["type"] == "websocket.close" and not open_ and may_answer:
                refusal = PlainTextResponse(message.get("reason") or "This connection is refused.", 403)
                await with_headers(
                    {"type": "websocket.http.response.start", "status": 403, "headers": refusal.raw_headers}
                )
                return await send({"type": "websocket.http.response.body", "body": refusal.body})
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = [_secure_cookie(h, scope) for h in message["headers"] if h[0].lower() not in own]
                message["headers"] = [*headers, *own.items()]
            await send(message)

        await self.app(scope, receive, with_headers)


def _secure_cookie(header: tuple[bytes, bytes], scope: Scope) -> tuple[bytes, bytes]:
    """A header; a cookie that is set over TLS gets the flag Secure.

    Streamlit leaves the flag out, because some browsers would then not send the cookie to a server on their own
    machine.
    """
    name, value = header
    if name.lower() != b"set-cookie" or b"; secure" in value.lower() or not _over_tls(scope):
        return header
    return name, value + b"; Secure"


def _over_tls(scope: Scope) -> bool:
    """Whether the browser speaks TLS: the server itself knows, or the proxy says so, or the provider leads back so."""
    if scope["scheme"] in ("https", "wss") or Headers(scope=scope).get("x-forwarded-proto") == "https":
        return True
    return (get_origin_from_redirect_uri() or "").startswith("https:")
