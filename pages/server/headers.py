"""The headers that every answer of the server carries."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
